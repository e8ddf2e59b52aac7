"""Settings that must stand before the packages under test are imported."""

import os
import signal

# scikit-learn skips its check of array API input without this.
os.environ["SCIPY_ARRAY_API"] = "1"
# Shells ignore Ctrl-C in what they start in the background, nohup ignores the end of a terminal, and processes inherit
# that.
signal.signal(signal.SIGINT, signal.default_int_handler)
if hasattr(signal, "SIGHUP"):
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
