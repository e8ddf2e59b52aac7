"""Settings that must stand before the packages under test are imported."""

import os
import re
import signal
from pathlib import Path

# scikit-learn skips its check of array API input without this.
os.environ["SCIPY_ARRAY_API"] = "1"
# Shells ignore Ctrl-C in what they start in the background, nohup ignores the end of a terminal, and processes inherit
# that.
signal.signal(signal.SIGINT, signal.default_int_handler)
if hasattr(signal, "SIGHUP"):
    signal.signal(signal.SIGHUP, signal.SIG_DFL)

# Files whose tests need pipes, signals, limits or owners as POSIX systems have them; Windows leaves them out.
POSIX_ONLY = re.compile(
    r"^import (fcntl|pty|resource)\b|os\.(getuid|killpg|mkfifo)|preexec_fn|start_new_session", re.MULTILINE
)
collect_ignore = [
    str(file)
    for file in (Path(__file__).parent.rglob("test_*.py") if os.name == "nt" else ())
    if POSIX_ONLY.search(file.read_text(encoding="utf-8"))
]
