"""Carries out a campaign: run after run, each stored before the next one begins."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from netplan_planner import meter
from netplan_planner.errors import AccessError, InputError
from netplan_planner.inert import inert
from netplan_planner.measuring.campaign import Campaign, Configuration, ProbePair
from netplan_planner.measuring.progress import (
    Budget,
    Outcome,
    PairRefused,
    ProbeEvent,
    Progress,
    RunFailed,
    RunKey,
    RunMeasured,
    RunsLeftOut,
    labelled,
    most_payload_bytes,
    wire_ratio,
)
from netplan_planner.measuring.protocol import Times, round_order, run_times
from netplan_planner.measuring.runs import Contact, Finished, RunBroken, make_contact, run_once
from netplan_planner.measuring.store import append, read_store

_MOST_FAILURES = 2
"""In a row, of one pair in one configuration."""
_ROOM_BYTES = 2**20
"""On the store's disk: more than the records of any campaign need between two looks."""


def run_campaign(
    campaign: Campaign,
    *,
    store: Path,
    tell: Callable[[ProbeEvent], None] | None = None,
) -> Outcome:
    """Return what became of a campaign, after running what the store does not have of it yet.

    Runs of all pairs and configurations alternate in a random order, one at a time. Whatever
    ends it (a fault, Ctrl-C, a signal, a lost connection), no iperf3 is left on either end.

    Args:
        campaign: Pairs, configurations and limits.
        store: The file of measurements; runs are added to it one by one.
        tell: Hears of every event as it happens.

    Raises:
        InputError: If the store cannot be read or written; the campaign ends there, and what was
            stored before stays.
    """
    progress = Progress(campaign, read_store(store).measurements)
    _require_room(store)
    work = _Work(campaign, store, progress, tell)
    most = len(campaign.pairs) * len(campaign.configurations) * campaign.stop.max_runs
    with meter.work("measuring", total=most - progress.count, unit="runs at most"):
        for number in range(1, campaign.stop.max_runs + 1):
            if not work.do_round(number):
                break
        else:
            work.leave_out_the_rest()
    return work.outcome()


def _require_room(store: Path) -> None:
    """Raise if no result could be kept; every run costs money."""
    append(store, ())
    free = shutil.disk_usage(store.parent).free
    if free < _ROOM_BYTES:
        raise InputError(
            f"{inert(str(store))}: only {free:,} bytes are free on its disk, too few for the"
            " results of a campaign. Free some space, or give another store"
        )


class _Turn(NamedTuple):
    """A run that is about to be done."""

    key: RunKey
    pair: ProbePair
    configuration: Configuration
    contact: Contact
    times: Times

    @property
    def which(self) -> tuple[str, str]:
        return self.key.pair, self.key.configuration


class _Work:
    """A campaign while it runs."""

    def __init__(
        self,
        campaign: Campaign,
        store: Path,
        progress: Progress,
        tell: Callable[[ProbeEvent], None] | None,
    ) -> None:
        self._campaign = campaign
        self._store = store
        self._progress = progress
        self._tell = tell
        self._resumed_count = progress.count
        self._budget = Budget(campaign.limits, moved_bytes=progress.sent_bytes)
        self._contacts: dict[str, Contact] = {}
        self._refused: set[str] = set()
        self._left_out: set[tuple[str, str]] = set()
        self._failures: dict[tuple[str, str], int] = {}
        self._order: list[RunKey] = []
        self._events: list[ProbeEvent] = []

    def outcome(self) -> Outcome:
        return Outcome(
            resumed_count=self._resumed_count,
            order=tuple(self._order),
            events=tuple(self._events),
            moved_bytes=round(self._budget.moved_bytes),
            elapsed_s=self._budget.elapsed_s,
        )

    def do_round(self, number: int) -> bool:
        """Do the runs of one round that are still wanted; return whether another may follow."""
        is_wanted = False
        for pair, configuration in round_order(self._campaign, number):
            key = RunKey(pair=pair.name, configuration=configuration.name, number=number)
            if not self._is_wanted(pair, configuration):
                continue
            is_wanted = True
            if self._progress.has(key, configuration):
                continue
            contact = self._contact(pair)
            if contact is None:
                continue
            times = run_times(rtt_ms=contact.rtt_ms, scale=self._campaign.time_scale)
            if not self._take(_Turn(key, pair, configuration, contact, times)):
                return False
        return is_wanted

    def leave_out_the_rest(self) -> None:
        """Name what has too few runs after the last round, because some of them failed."""
        for pair, configuration in round_order(self._campaign, 0):
            if self._is_wanted(pair, configuration):
                self._leave_out(pair.name, configuration.name, "too many runs failed")

    def _is_wanted(self, pair: ProbePair, configuration: Configuration) -> bool:
        return not (
            pair.name in self._refused
            or (pair.name, configuration.name) in self._left_out
            or self._progress.is_enough(pair.name, configuration)
        )

    def _contact(self, pair: ProbePair) -> Contact | None:
        """Return what is known of a pair, made out before its first run; None if it cannot be."""
        if pair.name in self._contacts:
            return self._contacts[pair.name]
        try:
            contact = make_contact(pair, self._campaign)
        except (AccessError, InputError) as exc:
            self._refused.add(pair.name)
            self._say(PairRefused(pair=pair.name, reason=str(exc)))
            return None
        self._contacts[pair.name] = contact
        self._budget.spend(contact.moved_bytes * wire_ratio(contact.mss_bytes))
        return contact

    def _take(self, turn: _Turn) -> bool:
        """Do one run if it is allowed; return whether any other may follow."""
        allowed = self._budget.allow(
            turn.configuration,
            times=turn.times,
            mss_bytes=turn.contact.mss_bytes,
            expected_gbps=self._progress.expected_gbps(turn.pair, turn.configuration),
        )
        if allowed.ends_everything:
            self._say(RunsLeftOut(reason=allowed.reason))
            return False
        if allowed.reason:
            self._leave_out(*turn.which, allowed.reason)
            return True
        self._order.append(turn.key)
        meter.advance()
        try:
            finished = run_once(
                turn.pair,
                turn.configuration,
                campaign=self._campaign,
                contact=turn.contact,
                times=turn.times,
                bitrate_gbps=allowed.bitrate_gbps,
            )
        except RunBroken as exc:
            self._count_failure(turn, allowed.bitrate_gbps, exc)
        else:
            self._keep(turn, finished)
        return True

    def _keep(self, turn: _Turn, finished: Finished) -> None:
        position = self._resumed_count + len(self._order)
        measurements = tuple(
            labelled(one, key=turn.key, seed=self._campaign.seed, position=position)
            for one in finished.measurements
        )
        append(self._store, measurements)
        self._progress.add(turn.key, measurements)
        self._failures.pop(turn.which, None)
        self._budget.spend(finished.moved_bytes * wire_ratio(turn.contact.mss_bytes))
        self._say(RunMeasured(key=turn.key, measurements=measurements))

    def _count_failure(self, turn: _Turn, bitrate_gbps: float | None, error: RunBroken) -> None:
        sent = error.moved_bytes
        if sent is None:
            # Unknown, and taken for all that it might have been.
            sent = most_payload_bytes(turn.configuration, turn.times, bitrate_gbps)
        self._budget.spend(sent * wire_ratio(turn.contact.mss_bytes))
        self._say(RunFailed(key=turn.key, reason=str(error)))
        failures = self._failures.get(turn.which, 0) + 1
        self._failures[turn.which] = failures
        if failures >= _MOST_FAILURES:
            self._leave_out(*turn.which, f"{failures} runs failed in a row; last error: {error}")

    def _leave_out(self, pair: str, configuration: str, reason: str) -> None:
        self._left_out.add((pair, configuration))
        self._say(RunsLeftOut(pair=pair, configuration=configuration, reason=reason))

    def _say(self, event: ProbeEvent) -> None:
        self._events.append(event)
        if self._tell is not None:
            self._tell(event)
