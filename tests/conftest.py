"""Settings that must stand before the packages under test are imported."""

import os

# scikit-learn skips its check of array API input without this.
os.environ["SCIPY_ARRAY_API"] = "1"
