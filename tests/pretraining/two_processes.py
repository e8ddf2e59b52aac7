"""Trains the tiny preset in two processes on CPU; Fabric starts this file once more for the second."""

import sys
from pathlib import Path

from tiny import TINY

from mosaic_sr.pretraining.training import RunConfig, train

if __name__ == "__main__":
    config = RunConfig(Path(sys.argv[1]), steps=4, data_workers=0, devices=2, accelerator="cpu")
    train(TINY, 2, config, lambda progress, means: None)
