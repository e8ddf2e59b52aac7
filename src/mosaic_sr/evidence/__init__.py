"""Evidence: how probable a law is on noisy rows, from its structure, its constants and the scatter that it leaves."""

from mosaic_sr.evidence.judge import Judged, choose_noise, judge, num_fitted, structure_bits
from mosaic_sr.evidence.laplace import Evidence, Measured
from mosaic_sr.evidence.noise import Noise
from mosaic_sr.evidence.pool import Pool

__all__ = ["Evidence", "Judged", "Measured", "Noise", "Pool", "choose_noise", "judge", "num_fitted", "structure_bits"]
