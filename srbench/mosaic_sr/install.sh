#!/bin/sh
# Installs MOSAIC-SR with its weights, which ship inside the package: nothing else is fetched.
set -eu
python -m pip install -r "$(dirname "$0")/requirements.txt"
# Compile the kernels once, outside any measured time.
python -c 'import mosaic_sr.estimator; from mosaic_sr.kernel.jit import warm_up; warm_up(print)'
