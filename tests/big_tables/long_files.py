"""Files for the tests of long tables."""

import gzip

import numpy as np


def write_table(path, columns):
    """The columns as Parquet, as text or as compressed text."""
    import pyarrow as pa
    import pyarrow.parquet

    if path.suffix == ".parquet":
        pyarrow.parquet.write_table(pa.table(columns), path)
        return path
    lines = [",".join(columns), *(",".join(map(str, row)) for row in zip(*columns.values(), strict=True))]
    text = ("\n".join(lines) + "\n").encode()
    path.write_bytes(gzip.compress(text) if path.suffix == ".gz" else text)
    return path


def noisy_columns(num_rows, seed=0):
    """The law 2.5 a + 0.7 b with noise."""
    rng = np.random.default_rng(seed)
    a, b = rng.uniform(1.0, 3.0, (2, num_rows))
    return {"a": a, "b": b, "y": 2.5 * a + 0.7 * b + 0.1 * rng.standard_normal(num_rows)}
