"""Decision: whether more search on noisy rows would not change the law."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from mosaic_sr.evidence import Judged, Pool
from mosaic_sr.evidence.written import shape
from mosaic_sr.limits import Limits
from mosaic_sr.selection import FIRST_SIMPLIFIED, Weighed, Weighing, reworded, simplified

# Laws of a pool that are weighed; those behind them are far less probable.
MOST_WEIGHED = 40
# A law of this probability decides when all forms of so many bits more were tried, or sums of terms; one without fitted
# constants cannot bend to the rows and need not wait, nor one that leaves little with a single number in all: of others
# that a fit has found some may have become simple.
CERTAIN, CERTAIN_BITS = 0.95, 3.0
# The same law after two turns of the enumeration decides when forms of so many bits more were tried, or sums where it
# is longer, and if it is at least as probable as all others, or if terms were added to it and it is as probable as all
# that were not visited: a law that is none of the forms may be far more probable.
STABLE_BITS, LIKELY = 2.0, 0.5
# The same law, however probable, decides after so many turns of the last paths: all proposers are done.
LAST_TURNS = 2
# A law that leaves more than this share of the target's spread waits for so many forms; a certain one may leave more,
# but not as much as a number alone, which a wave of many periods looks like.
MOST_LEFT, MOST_LEFT_OF_CERTAIN = 0.12, 0.5
# Over groups without a unit as few say as much: of so many bits more are laws over the columns.
FORMS_OF_POOR_LAWS, FORMS_OF_POOR_LAWS_BY_UNITS = 4000, 1000


class FirstLaws:
    """The most probable distinct laws of a pool, as they would be told: without superfluous parts, the first reworded.

    made: of laws of the pool, into which they belong: what is decided is then told, and a law made simple stays there
    when others pass the words it was made of.
    """

    def __init__(self, weighing: Weighing, limits: Limits, is_interrupted: Callable[[], bool]) -> None:
        self._known = weighing, limits, is_interrupted
        self._reworded: dict[bytes, Judged] = {}
        self.made: list[Weighed] = []

    def of(self, pool: Pool) -> list[Judged]:
        """The laws, the most probable first; none where no law of the pool has a value on all rows."""
        weighing, limits, is_interrupted = self._known
        weighed = weighing.weighed(pool.equations[:MOST_WEIGHED])
        simple = [
            replace(one, judged=simplified(one.judged, weighing, limits, is_interrupted))
            for one in weighed[:FIRST_SIMPLIFIED]
        ]
        laws = [*simple, *weighed]
        first = [self._in_other_words(max(laws, key=lambda law: law.score))] if laws else []
        known = {one.judged.expression.key for one in weighed}
        self.made = [one for one in (*first, *simple) if one.judged.expression.key not in known]
        return weighing.distinct(sorted((one.judged for one in (*first, *laws)), key=lambda law: -law.score))

    def _in_other_words(self, law: Weighed) -> Weighed:
        key = law.judged.expression.key
        if key not in self._reworded:
            self._reworded[key] = reworded(law.judged, *self._known)
        return replace(law, judged=self._reworded[key])


@dataclass(frozen=True)
class SoFar:
    """What a search has tried.

    num_forms, num_sums, num_additions: forms, sums of terms, and times that terms were added to the first laws.
    covered_bits: all forms of up to so many bits were tried.  num_walks, num_last: of the paths, and turns of the last.
    """

    num_forms: int = 0
    num_sums: int = 0
    num_additions: int = 0
    covered_bits: float = 0.0
    num_walks: int = 0
    num_last: int = 0

    @property
    def listed(self) -> tuple[int, int, int]:
        """What the enumeration and additions have tried."""
        return self.num_forms, self.num_sums, self.num_additions


class Decision:
    """Judges after each turn of the enumeration, before each walk of the paths, and after each turn of the last one.

    adds_terms: whether terms are added to the first laws.  is_made: whether noisy rows have decided.
    """

    def __init__(self, weighing: Weighing, first_laws: FirstLaws, adds_terms: bool, is_made: bool) -> None:
        self._weighing, self._first_laws, self._adds_terms = weighing, first_laws, adds_terms
        self._judged_at, self._leader = SoFar(), tuple[str, ...]()
        self.is_made = is_made

    def is_open(self, pool: Pool, covered_bits: float) -> bool:
        """Whether the most probable law is less probable than all others together, or uncertain and longer than what
        was tried.
        """
        laws = self._first_laws.of(pool)
        if not laws:
            return False
        probability = self._weighing.probabilities(laws, covered_bits)[0]
        return probability < (LIKELY if covered_bits >= laws[0].bits else CERTAIN)

    def judge(self, pool: Pool, so_far: SoFar) -> None:
        """Decide anew if anything was tried since the last time.

        A law decides that leaves nothing but noise and is nearly certain, or was the first after two turns of the
        enumeration while what is simpler was tried, or is still the first after the last paths.
        """
        before, self._judged_at = self._judged_at, so_far
        laws = [] if so_far == before else self._first_laws.of(pool)
        if not laws:
            return
        has_tried_more, leader = so_far.listed != before.listed, self._leader
        if has_tried_more or so_far.num_last:
            self._leader = shape(laws[0].expression)
        is_same, probabilities = self._leader == leader, self._weighing.probabilities(laws, so_far.covered_bits)
        if is_same and so_far.num_last >= LAST_TURNS and self._weighing.leaves_noise(laws[0]):
            self.is_made = True
            return
        is_stable = has_tried_more and is_same and self._is_stable(laws[0], probabilities, so_far)
        is_decided = is_stable or self._is_certain(laws[0], probabilities[0], so_far)
        self.is_made = is_decided and (self._weighing.are_rows_few or self._weighing.is_noise_left(laws[0], laws[1:]))

    def _is_certain(self, law: Judged, probability: float, so_far: SoFar) -> bool:
        num_bent, values = self._weighing.num_bent(law), law.expression.constants.tolist()
        has_one_number = sum(abs(value) != 1.0 for value in values) <= 1
        need_not_wait = num_bent == 0 or (num_bent == 1 and has_one_number and self._weighing.leaves_little(law))
        has_waited = so_far.covered_bits - law.bits >= CERTAIN_BITS or so_far.num_sums > 0
        is_probable = probability >= CERTAIN and (has_waited or need_not_wait)
        return is_probable and not self._is_poor(law, MOST_LEFT_OF_CERTAIN, so_far)

    def _is_stable(self, law: Judged, probabilities: Sequence[float], so_far: SoFar) -> bool:
        """Whether a law that was the first before, too, is probable enough and what is simpler was tried."""
        spare, unvisited = so_far.covered_bits - law.bits, 1.0 - sum(probabilities)
        # After a round of all proposers, whether or not terms were added.
        had_terms = so_far.num_additions > 0 or so_far.num_walks > 0 or not self._adds_terms
        is_likely = probabilities[0] >= LIKELY or (had_terms and unvisited <= probabilities[0])
        is_simpler_tried = spare >= STABLE_BITS or (spare < 0.0 and so_far.num_sums > 0 and had_terms)
        return is_likely and is_simpler_tried and not self._is_poor(law, MOST_LEFT, so_far)

    def _is_poor(self, law: Judged, most_left: float, so_far: SoFar) -> bool:
        """Whether a law leaves so much that forms which are tried later may be far better."""
        if self._weighing.are_rows_few:
            return False  # no form of few constants has to come near to them
        enough = FORMS_OF_POOR_LAWS_BY_UNITS if self._weighing.has_groups else FORMS_OF_POOR_LAWS
        return self._weighing.share_left(law) > most_left and so_far.num_forms < enough
