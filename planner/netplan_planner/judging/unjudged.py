"""Why a rule says nothing of a place on one of two sides, where it did not pass it."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping

from netplan_planner.model import NotEvaluated


class Unjudged:
    """What rules could not judge on one side and could on the other."""

    def __init__(self, other: Iterable[NotEvaluated], side: Iterable[NotEvaluated]) -> None:
        self._other, self._side = _by_rule(other), _by_rule(side)

    def why(self, rule: str, links: Collection[str]) -> str:
        """Return why a place is not judged on the side; empty where it is."""
        return next(self._gaps(rule, links), "")

    def _gaps(self, rule: str, links: Collection[str]) -> Iterator[str]:
        other = {(note.kind, note.reason): note.resource_count for note in self._other[rule]}
        for note in self._side[rule]:
            had = other.get((note.kind, note.reason), 0)
            if note.kind != "gap":
                if (note.kind, note.reason) not in other:
                    yield note.reason
            elif note.resource_count > had:
                # Of many resources only some are named: it may be one of the others.
                is_named = bool({*links} & {*note.examples})
                if is_named or note.resource_count > len(note.examples):
                    yield note.reason


def _by_rule(notes: Iterable[NotEvaluated]) -> Mapping[str, list[NotEvaluated]]:
    found: dict[str, list[NotEvaluated]] = defaultdict(list)
    for note in notes:
        found[note.rule].append(note)
    return found
