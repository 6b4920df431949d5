"""Which runs of a campaign are done: told by the store alone, so that a broken-off one resumes."""

from collections import defaultdict
from collections.abc import Iterable

import msgspec

from netplan_planner.measuring.budget import wire_ratio
from netplan_planner.measuring.campaign import Campaign, Configuration, Direction, ProbePair
from netplan_planner.measuring.protocol import is_enough
from netplan_planner.model import Measurement, Value

_MORE_RATIO = 1.25
"""How much more than the fastest run so far a next one may carry."""


class RunKey(Value, frozen=True, kw_only=True):
    """Which run of a campaign."""

    pair: str
    configuration: str
    number: int
    """Of the round, from 1."""

    @property
    def place(self) -> str:
        """How the store tells it: `Measurement.place`.

        >>> RunKey(pair="a-b", configuration="16-both", number=3).place
        'a-b/16-both/3'
        """
        return f"{self.pair}/{self.configuration}/{self.number}"


def key_of(measurement: Measurement) -> RunKey | None:
    """Return the run that a measurement of a campaign is of, or None for any other measurement."""
    parts = measurement.place.split("/")
    if len(parts) != 3 or not (parts[2].isascii() and parts[2].isdigit()):
        return None
    return RunKey(pair=parts[0], configuration=parts[1], number=int(parts[2]))


def labelled(measurement: Measurement, *, key: RunKey, seed: int, position: int) -> Measurement:
    """Return a measurement that says which run it is of, and which place it had in the order."""
    told = f"run {position} in the order of seed {seed}"
    return msgspec.structs.replace(
        measurement, place=key.place, note="; ".join(filter(None, (told, measurement.note)))
    )


class Progress:
    """The runs of a campaign that were completed, before and during this part of it."""

    def __init__(self, campaign: Campaign, measurements: Iterable[Measurement]) -> None:
        """Take what the store has.

        Args:
            campaign: Its id tells which measurements are its own.
            measurements: All of the store.
        """
        self._stop = campaign.stop
        self._runs: dict[tuple[str, str], dict[int, list[Measurement]]] = defaultdict(
            lambda: defaultdict(list)
        )
        for one in measurements:
            key = key_of(one) if one.source == campaign.id else None
            if key is not None:
                self._runs[key.pair, key.configuration][key.number].append(one)

    @property
    def count(self) -> int:
        """How many runs there are."""
        return sum(map(len, self._runs.values()))

    @property
    def sent_bytes(self) -> float:
        """What they sent, with headers and the seconds that were not counted."""
        return sum(
            _sent_bytes(one)
            for runs in self._runs.values()
            for measurements in runs.values()
            for one in measurements
        )

    def add(self, key: RunKey, measurements: Iterable[Measurement]) -> None:
        """Take a run that was just stored."""
        self._runs[key.pair, key.configuration][key.number] = list(measurements)

    def has(self, key: RunKey, configuration: Configuration) -> bool:
        """Return whether a run is there with all of its directions."""
        found = self._runs[key.pair, key.configuration].get(key.number, ())
        return len(found) >= (2 if configuration.direction is Direction.BOTH else 1)

    def is_enough(self, pair: str, configuration: Configuration) -> bool:
        """Return whether a configuration needs no further run, in any of its directions."""
        ways = (False, True) if configuration.direction is Direction.BOTH else (None,)
        return all(
            is_enough(
                [
                    one.gbps
                    for one in self._measured(pair, configuration)
                    if way in (None, one.is_reverse)
                ],
                self._stop,
            )
            for way in ways
        )

    def expected_gbps(self, pair: ProbePair, configuration: Configuration) -> float | None:
        """Return the most that a direction of a next run may carry, as far as that is known."""
        rates = [one.gbps for one in self._measured(pair.name, configuration)]
        return max(rates) * _MORE_RATIO if rates else pair.expected_gbps

    def _measured(self, pair: str, configuration: Configuration) -> list[Measurement]:
        runs = self._runs[pair, configuration.name]
        return [one for number in sorted(runs) for one in runs[number]]


def _sent_bytes(one: Measurement) -> float:
    omitted_ratio = (one.omit_s or 0.0) / one.duration_s if one.duration_s else 0.0
    return (one.byte_count or 0) * (1 + omitted_ratio) * wire_ratio(one.mss_bytes)
