"""Evidence of a form over all groups, with some of its constants shared and the others normal over the groups.

Near the fit the rows of a group say of its constants what a normal distribution says. A constant has a mean and a
spread over the groups; a shared one has no spread. Constants of groups, means and the size of the noise are integrated
out, as `evidence.laplace` does for one table. A normal distribution over groups, rather than a prior of its own for
each group, lets groups of few rows take part, tells a shared constant from one that varies, and predicts new groups.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from mosaic_sr.evidence.laplace import LEAST_COST, PRIOR_WIDTH
from mosaic_sr.evidence.noise import log_prior_of_factor
from mosaic_sr.grouped.joint_fit import Local
from mosaic_sr.grouped.noise import GroupNoise
from mosaic_sr.grouped.rows import GroupedRows

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

# Directions of constants that a group determines by less than this share of the best one say nothing.
LEAST_INFORMATION = 1e-12
ROUNDS, SETTLED = 30, 1e-2
# Squares of residuals below so many times those of rounding are rounding: no form gains by going further.
SLACK = 100.0
# Constants of which one is shared next, the least certain to vary.
SHARED_AT_ONCE = 2
# A spread below this share of the errors of the groups' constants is none.
LEAST_SPREAD = 1e-3
TINY = float(np.finfo(np.float64).tiny)


@dataclass(frozen=True, eq=False)
class Shares:
    """A choice of shared constants and what follows from it.

    score: log probability of the rows; the structure is not counted.  is_shared: (parameters,).
    mean, spread: (parameters,) over the groups; the spread of a shared constant is 0.  mean_errors: (parameters,).
    constants, errors: (groups, parameters), each group's constants as its rows and the other groups tell them.
    covariances: (groups, parameters, parameters) of them.
    relative: (parameters,) squared spreads in units of the noise.  noise: standard deviation of rows over their sizes.
    """

    score: float
    is_shared: Mask
    mean: Floats
    spread: Floats
    mean_covariance: Floats
    constants: Floats
    covariances: Floats
    relative: Floats
    noise: float

    def apartness(self, place: int) -> float:
        """How far a constant varies over the groups, in units of its error in one of them."""
        return float(self.spread[place] / max(float(np.median(self.errors[:, place])), TINY))

    def checked(self, squares: Floats, count: float) -> Shares | None:
        """The same where the form does at these constants what was expected near them; else the score falls.

        squares: (groups,) of the residuals over the sizes of the noise at `constants`.
        """
        own = ~self.is_shared
        pulled = np.square(self.constants - self.mean)[:, own] / np.maximum(self.relative[own], TINY)
        found = float(np.sum(squares)) + float(np.sum(pulled))
        if not math.isfinite(found):
            return None
        expected = max(self.noise**2 * count, TINY)
        if found <= expected:
            return self
        return replace(
            self, score=self.score - 0.5 * count * math.log(found / expected), noise=math.sqrt(found / count)
        )

    @property
    def mean_errors(self) -> Floats:
        return np.sqrt(np.maximum(np.diag(self.mean_covariance), 0.0))

    @property
    def errors(self) -> Floats:
        """(groups, parameters)."""
        return np.sqrt(np.maximum(np.diagonal(self.covariances, axis1=1, axis2=2), 0.0))


class GroupEvidence:
    """What the rows say of the constants of a form near a fit; `choose` and `measure` compare shared constants."""

    def __init__(self, local: Local, theta: Floats, rows: GroupedRows, sizes: Floats, noise: GroupNoise) -> None:
        self._rows, self._noise = rows, noise
        self._count = float(rows.weights.sum())
        logs = float(rows.weights @ np.log(sizes))
        rounding = float(rows.weights @ np.square(rows.rounding / sizes))
        self._given = noise.log_prior - logs
        diagonal = np.diagonal(local.information, axis1=1, axis2=2)
        # Constants in units of what all rows tell of them, so that their sizes matter to nothing below.
        self._units = np.sqrt(np.maximum(diagonal.sum(axis=0), TINY))
        self._theta = theta * self._units
        self._centre = self._theta.mean(axis=0)
        information = local.information / self._units[:, None] / self._units
        scales = np.sqrt(np.maximum(np.diagonal(information, axis1=1, axis2=2), 1e-40))
        values, vectors = np.linalg.eigh(information / scales[:, :, None] / scales[:, None, :])
        roots = np.sqrt(np.maximum(values, LEAST_INFORMATION))
        # information = factor factor^T; pulled: the gradient in these directions.
        self._factor = scales[:, :, None] * vectors * roots[:, None, :]
        gradient = local.gradient / self._units
        self._pulled = np.einsum("gji,gj->gi", vectors, gradient / scales) / roots
        self._left = float(np.maximum(local.squares - np.square(self._pulled).sum(axis=1), 0.0).sum())
        self._least = max(SLACK * rounding, TINY)

    @classmethod
    @np.errstate(all="ignore")  # numerical trouble is a value
    def near(
        cls, local: Local, theta: Floats, rows: GroupedRows, sizes: Floats, noise: GroupNoise
    ) -> GroupEvidence | None:
        """The evidence near a fit; None where what the rows say of its constants is not finite."""
        if not (np.all(np.isfinite(local.values)) and np.all(np.isfinite(local.information))):
            return None
        try:
            return cls(local, theta, rows, sizes, noise)
        except np.linalg.LinAlgError:
            return None

    @property
    def num_parameters(self) -> int:
        return int(self._theta.shape[1])

    def choose(self, allowed: Mask | None = None, start: Mask | None = None) -> Shares | None:
        """The most probable choice of shared constants.

        allowed: (parameters,) those that may differ from group to group.  start: a choice to begin with.
        """
        count = self.num_parameters
        may_vary = np.ones(count, dtype=np.bool_) if allowed is None else allowed
        if self._rows.num_groups < 2:
            may_vary = np.zeros(count, dtype=np.bool_)
        best = self.measure(~may_vary)
        if start is not None and not np.array_equal(start | ~may_vary, ~may_vary):
            best = self._best([best, self.measure(start | ~may_vary)])
        # Those that vary least in units of their errors first, until one must vary; then each once more.
        for _ in range(count):
            if best is None:
                return None
            order = sorted(np.flatnonzero(~best.is_shared & may_vary).tolist(), key=best.apartness)
            trials = (self.measure(best.is_shared | (np.arange(count) == place)) for place in order[:SHARED_AT_ONCE])
            better = self._best([best, *trials])
            if better is best:
                break
            best = better
        return best

    @staticmethod
    def _best(found: list[Shares | None]) -> Shares | None:
        known = [one for one in found if one is not None]
        return max(known, key=lambda one: one.score) if known else None

    @np.errstate(all="ignore")  # numerical trouble is a value
    def measure(self, is_shared: Mask) -> Shares | None:
        """The evidence with these constants shared; None where it is not finite."""
        try:
            return _Choice(self, is_shared).measured()
        except np.linalg.LinAlgError:
            return None


class _Choice:
    """The normal model of the groups for one choice of shared constants: estimates of groups, their errors, spreads."""

    def __init__(self, of: GroupEvidence, is_shared: Mask) -> None:
        self._of, self._is_shared = of, is_shared
        self._shared, self._own = np.flatnonzero(is_shared), np.flatnonzero(~is_shared)
        num_own, factor = len(self._own), of._factor
        directions = np.swapaxes(factor[:, self._own, :], 1, 2)  # (groups, parameters, own)
        basis, triangle = np.linalg.qr(directions, mode="complete")
        within, beyond = np.swapaxes(basis[:, :, :num_own], 1, 2), np.swapaxes(basis[:, :, num_own:], 1, 2)
        triangle = triangle[:, :num_own, :]
        self._by_own = np.linalg.inv(triangle) if num_own else np.empty((len(factor), 0, 0))
        self._log_information = 2.0 * float(np.log(np.abs(np.diagonal(triangle, axis1=1, axis2=2))).sum())
        along = np.swapaxes(factor[:, self._shared, :], 1, 2)  # (groups, parameters, shared)
        start = of._pulled + np.einsum("gis,gs->gi", along, (of._theta - of._centre)[:, self._shared])
        # What the rows of a group say of shared constants alone, and of its own beside them.
        self._beyond, self._slopes_beyond = np.einsum("gri,gi->gr", beyond, start), beyond @ along
        to_own = self._by_own @ within
        self._estimates = np.einsum("goi,gi->go", to_own, start) + (of._theta - of._centre)[:, self._own]
        eye = np.broadcast_to(np.eye(num_own), (len(factor), num_own, num_own))
        self._slopes = np.concatenate([to_own @ along, eye], axis=2)  # (groups, own, shared + own)
        self._covariance = self._by_own @ np.swapaxes(self._by_own, 1, 2)

    def measured(self) -> Shares | None:
        of, num_groups = self._of, self._of._rows.num_groups
        relative = np.var(self._estimates, axis=0) + TINY
        first = float(np.mean(np.diagonal(self._covariance, axis1=1, axis2=2))) if len(self._own) else 1.0
        relative = relative / (max(of._left, of._least) / of._count) + 1e-6 * first
        for _ in range(ROUNDS if len(self._own) else 1):
            state = self._state(relative)
            variance = state[0] / of._count
            drawn = np.einsum("j,gjk,gk->gj", relative, state[1], state[2])
            certain = np.einsum("j,gjj->j", relative, state[1]) * (num_groups - 1) / num_groups
            updated = np.square(drawn).sum(axis=0) / np.maximum(variance * certain, TINY)
            has_settled = bool(np.all(np.abs(updated - relative) <= SETTLED * relative))
            relative = np.maximum(updated, 1e-300)
            if has_settled:
                break
            errors = np.median(np.diagonal(self._covariance, axis1=1, axis2=2), axis=0)
            if np.any(relative < LEAST_SPREAD * errors):
                return self._shares(np.maximum(relative, LEAST_SPREAD * errors))
        return self._shares(relative)

    def _state(self, relative: Floats) -> tuple[float, Floats, Floats, Floats, Floats]:
        """Sum of squares, inverse spread of estimates, their distance from the mean, means and their information."""
        total = self._covariance.copy()
        places = np.arange(len(self._own))
        total[:, places, places] += relative
        inverse = _inverse(total)
        weighted = inverse @ self._slopes
        num_shared = len(self._shared)
        information = np.einsum("gom,gon->mn", self._slopes, weighted)
        right = np.einsum("gom,go->m", weighted, self._estimates)
        information[:num_shared, :num_shared] += np.einsum("grs,grt->st", self._slopes_beyond, self._slopes_beyond)
        right[:num_shared] += np.einsum("grs,gr->s", self._slopes_beyond, self._beyond)
        means = _solved(information, right)
        apart = self._estimates - self._slopes @ means
        beyond = self._beyond - self._slopes_beyond @ means[:num_shared]
        squares = self._of._left + float(np.sum(np.square(beyond)))
        squares += float(np.einsum("gj,gjk,gk->", apart, inverse, apart))
        return max(squares, self._of._least), inverse, apart, means, information

    def _shares(self, relative: Floats) -> Shares | None:
        of, count = self._of, self._of.num_parameters
        squares, inverse, apart, means, information = self._state(relative)
        order = np.concatenate([self._shared, self._own])
        units, num_shared = of._units[order], len(self._shared)
        variance = squares / of._count
        spreads = np.concatenate([np.zeros(num_shared), np.sqrt(variance * relative)])
        centre = of._centre[order] + means
        # A constant that varies about 0 is as large as its spread.
        sizes = np.hypot(centre, spreads)
        eigenvalues = np.linalg.eigvalsh(information * sizes[:, None] * sizes) if count else np.empty(0)
        eigenvalues = np.maximum(eigenvalues, TINY)
        costs = math.log(PRIOR_WIDTH) + 0.5 * np.log(eigenvalues / (2.0 * math.pi * variance))
        is_determined = costs > 0.0
        occam = float(np.sum(math.log(PRIOR_WIDTH) + 0.5 * np.log(eigenvalues[is_determined] / (2.0 * math.pi))))
        occam += float(np.sum(np.maximum(LEAST_COST - np.maximum(costs, 0.0), 0.0)))
        # Each spread is known to a share of one over the root of twice the groups.
        occam += len(self._own) * (math.log(PRIOR_WIDTH) + 0.5 * math.log(of._rows.num_groups / math.pi))
        _, log_total = np.linalg.slogdet(inverse)
        volume = 0.5 * (self._log_information - float(np.sum(log_total)))
        score = self._integrated(squares, int(np.count_nonzero(is_determined))) - occam - volume + of._given
        if not math.isfinite(score):
            return None
        drawn = np.einsum("j,gjk,gk->gj", relative, inverse, apart)
        # What is left open of a group's own constants: relative - relative (relative + covariance)^-1 relative.
        open_left = np.einsum("gij,gjk->gik", inverse, self._covariance) * relative[:, None]
        mean_covariance = variance * _pseudo_inverse(information)
        whole = np.zeros((of._rows.num_groups, count, count))
        whole[:, num_shared:, num_shared:] = variance * 0.5 * (open_left + np.swapaxes(open_left, 1, 2))
        pull = np.zeros((of._rows.num_groups, count, count))
        pull[:, :num_shared, :num_shared] = np.eye(num_shared)
        kept = np.eye(len(self._own)) - relative[:, None] * inverse
        pull[:, num_shared:, num_shared:] = kept
        pull[:, num_shared:, :num_shared] = -np.einsum(
            "j,gjk,gks->gjs", relative, inverse, self._slopes[:, :, :num_shared]
        )
        whole += pull @ mean_covariance @ np.swapaxes(pull, 1, 2)
        constants = np.broadcast_to(centre, (of._rows.num_groups, count)).copy()
        constants[:, num_shared:] += drawn
        back = np.argsort(order)
        return Shares(
            score,
            self._is_shared,
            (centre / units)[back],
            (spreads / units)[back],
            (mean_covariance / units[:, None] / units)[back][:, back],
            (constants / units)[:, back],
            (whole / units[:, None] / units)[:, back][:, :, back],
            (np.concatenate([np.zeros(num_shared), relative]) / np.square(units))[back],
            math.sqrt(variance),
        )

    def _integrated(self, squares: float, num_determined: int) -> float:
        """Log of the integral over the size of the noise, flat in its logarithm, or near 1 where errors are stated."""
        count = self._of._count
        to_spare = max(count - num_determined, 1.0)
        total = float(gammaln(0.5 * to_spare)) - math.log(2.0) - 0.5 * to_spare * math.log(0.5 * squares)
        total -= 0.5 * count * math.log(2.0 * math.pi)
        if self._of._noise.kind.kind == "given":
            total += float(log_prior_of_factor(np.array([math.sqrt(squares / count)]))[0])
        return total


def _inverse(matrices: Floats) -> Floats:
    scales = np.sqrt(np.maximum(np.diagonal(matrices, axis1=1, axis2=2), 1e-290))
    return np.asarray(
        np.linalg.inv(matrices / scales[:, :, None] / scales[:, None, :]) / scales[:, :, None] / scales[:, None, :]
    )


def _solved(matrix: Floats, right: Floats) -> Floats:
    return np.asarray(_pseudo_inverse(matrix) @ right)


def _pseudo_inverse(matrix: Floats) -> Floats:
    """The inverse where there is one; directions that are not determined have none."""
    if not len(matrix):
        return matrix
    scales = np.sqrt(np.maximum(np.diag(matrix), 1e-290))
    values, vectors = np.linalg.eigh(matrix / scales[:, None] / scales)
    inverse = np.where(values > 1e-13 * values.max(initial=0.0), 1.0 / np.maximum(values, TINY), 0.0)
    return np.asarray((vectors * inverse) @ vectors.T / scales[:, None] / scales)
