"""`python -m mosaic_sr.cli` is the command `mosaic`."""

from mosaic_sr.cli import main

main()
