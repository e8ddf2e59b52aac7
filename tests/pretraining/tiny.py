"""A preset small enough to be trained inside a test."""

from dataclasses import replace

from mosaic_sr.pretraining.laws import CorpusConfig
from mosaic_sr.pretraining.measurement import MeasurementConfig
from mosaic_sr.pretraining.model import ModelConfig
from mosaic_sr.pretraining.presets import Preset, StageConfig

CORPUS = CorpusConfig(
    variable_weights=(0.5, 0.5),
    max_extra_operators=2,
    max_sketch_tokens=14,
    max_full_tokens=22,
    num_points=(16,),
    equations_per_block=32,
    sets_per_equation=2,
)
MODEL = ModelConfig(
    encoder="latents",
    encoding="scaled",
    width=32,
    heads=4,
    hidden=64,
    encoder_layers=1,
    inducing_points=8,
    pool_seeds=2,
    symbolic_layers=1,
    decoder_layers=2,
    dropout=0.1,
    max_full_tokens=24,
    max_sketch_tokens=16,
)
STAGE = StageConfig(1000, 16, 3e-3, 3e-3, 5, "constant", 0.95)
TINY = Preset("tiny", MODEL, CORPUS, {1: STAGE, 2: STAGE})
TINY_GUIDED = replace(
    TINY,
    name="tiny-guided",
    model=replace(MODEL, edit_layers=1, dropout=0.0),
    corpus=replace(CORPUS, family_share=0.5, measured=MeasurementConfig(), has_mistakes=True),
    stages={2: STAGE},
)
TINY_SET = replace(TINY, model=replace(MODEL, encoder="set", dropout=0.0))
