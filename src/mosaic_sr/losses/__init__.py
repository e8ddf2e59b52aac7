"""Own losses: what a user wants to be small instead of squared errors, and the law that makes it so."""

from mosaic_sr.losses.choosing import ChosenByLoss, choose_by_loss
from mosaic_sr.losses.loss import LOSSES, SQUARED, Loss, refuse_unfit_target, to_loss
from mosaic_sr.losses.weighing_rows import with_loss_weights

__all__ = [
    "LOSSES",
    "SQUARED",
    "ChosenByLoss",
    "Loss",
    "choose_by_loss",
    "refuse_unfit_target",
    "to_loss",
    "with_loss_weights",
]
