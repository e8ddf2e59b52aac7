"""`from mosaic_sr import MosaicRegressor` takes little longer than `import sklearn.base`.

`make dist-test` measures it.
"""

import json
import subprocess
import sys

# The class, what it derives from, and named errors; each takes about a millisecond.
MOST_MODULES = 12
IMPORTED = """
import json, sys
import sklearn.base
before = set(sys.modules)
from mosaic_sr import MosaicRegressor
MosaicRegressor(random_state=0).get_params()
print(json.dumps(sorted(set(sys.modules) - before)))
"""


def test_the_estimator_imports_the_search_when_it_is_first_needed():
    done = subprocess.run([sys.executable, "-c", IMPORTED], capture_output=True, text=True, check=True)
    imported = json.loads(done.stdout)
    own = [name for name in imported if name.partition(".")[0] == "mosaic_sr"]
    assert "mosaic_sr.estimator" in own
    assert len(own) <= MOST_MODULES, own
    # Of other packages nothing, and of Python's own no more than small ones.
    assert {name.partition(".")[0] for name in imported} - {"mosaic_sr"} <= sys.stdlib_module_names, imported
