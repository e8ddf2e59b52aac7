"""What the encoder sees of a table."""

import numpy as np
import pytest

from mosaic_sr.errors import InvalidTable
from mosaic_sr.proposal.prior.encoding import MAX_POINTS, column_relevance, encode, num_inputs

ENCODINGS = ("signed-log", "scaled")


def rng() -> np.random.Generator:
    return np.random.default_rng(0)


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("num_rows", [1, 5, 1000])
@pytest.mark.parametrize("num_columns", [1, 10, 30])
def test_any_table_gives_bounded_finite_points(encoding: str, num_rows: int, num_columns: int) -> None:
    columns = rng().normal(size=(num_columns, num_rows)) * 10.0 ** rng().uniform(-30, 30, size=(num_columns, 1))
    table = encode(columns, columns[0], encoding, rng())
    assert table.points.shape == (min(num_rows, MAX_POINTS), num_inputs(encoding))
    assert np.isfinite(table.points).all()
    assert np.abs(table.points).max() < 100
    assert len(set(table.columns)) == min(num_columns, 10)


def test_a_constant_column_and_a_zero_column_are_fine() -> None:
    columns = np.stack([np.ones(20), np.zeros(20), np.linspace(0, 1, 20)])
    assert np.isfinite(encode(columns, columns[2], "scaled", rng()).points).all()


def test_scales_and_signs_do_not_change_the_scaled_points() -> None:
    columns = rng().normal(1.0, 1.0, size=(3, 50))
    target = columns[0] * columns[1] + 0.1 * columns[2]
    plain = encode(columns, target, "scaled", rng())
    scaled = encode(columns * np.array([[1e-9], [-3.0], [1e20]]), -7e5 * target, "scaled", rng())
    np.testing.assert_allclose(plain.points, scaled.points, atol=1e-5)


def test_the_order_of_columns_does_not_change_the_scaled_points() -> None:
    columns = rng().uniform(1.0, 2.0, size=(3, 100))
    target = columns[0] ** 3 + 0.5 * columns[1] + 0.01 * columns[2]
    plain, mixed = encode(columns, target, "scaled", rng()), encode(columns[[2, 0, 1]], target, "scaled", rng())
    assert plain.columns == (0, 1, 2)
    assert mixed.columns == (1, 2, 0)
    np.testing.assert_array_equal(plain.points, mixed.points)


def test_of_many_columns_the_relevant_ones_are_fed() -> None:
    columns = rng().normal(size=(40, 300))
    target = columns[33] ** 2 + columns[17]
    for encoding in ENCODINGS:
        assert {17, 33} <= set(encode(columns, target, encoding, rng()).columns)


def test_symmetric_dependence_is_relevant() -> None:
    columns = rng().normal(size=(2, 200))
    relevance = column_relevance(columns, np.cosh(columns[1]))
    assert relevance[1] > 0.8
    assert relevance[0] < 0.2


def test_rows_with_nan_are_refused() -> None:
    with pytest.raises(InvalidTable, match="NaN"):
        encode(np.full((1, 3), np.nan), np.ones(3), "scaled", rng())


def test_no_rows_are_refused() -> None:
    with pytest.raises(InvalidTable, match="expected columns"):
        encode(np.ones((1, 0)), np.ones(0), "scaled", rng())
