"""What the flows of a made project carry, by a program of its own: it imports nothing of netplan.

The limits are those that Google documents (docs.cloud.google.com/vpc/docs/quota of 2026-04-02, and
the machine-family pages, as `data/network/vm_egress_caps.csv` beside the checkout has them): egress
of a VM by type and Tier_1, all of it to addresses outside the VPC together, one flow to there, and
what a VM takes from there. Flows share a limit by max-min fairness. What none of these binds is
carried as it is wanted; a bulk transfer wants more than any of them. Not here: windows and round
trips of TCP, quotas of a region, and calls of Google APIs, of which no page says which cap they
count against.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from advice_moments import gbps_of, moments
from advice_prices import custom_shape, read_rows
from advice_state import INTERNET, WIRE_BYTES_PER_PACKET, Flow, Machine, Project

OUTSIDE_FLOW_GBPS = 3.0
OUTSIDE_GBPS = 7.0
"""All of a VM to addresses outside the VPC, where its series has no figure of its own."""
OUTSIDE_IN_GBPS = min(30.0, 1_800_000 * WIRE_BYTES_PER_PACKET * 8 / 1e9)
"""What a VM takes from outside the VPC: 30 Gbit/s or 1.8 million packets/s, what comes first."""
ENDLESS = float("inf")
_CUSTOM: Mapping[str, Sequence[tuple[int, float]]] = {
    "n2": ((4, 10), (8, 16), (128, 32)),
    "e2": ((2, 4), (4, 8), (32, 16)),
}
"""Egress of custom types up to so many vCPUs."""

At = tuple[int, int]
"""A flow, by its place among the project's, and a slot of the log."""


class Cap(NamedTuple):
    """What a VM may send, in Gbit/s."""

    egress: float
    outside: float
    """The part of it that leaves the VPC."""


class Caps:
    """The table of caps."""

    def __init__(self, folder: Path) -> None:
        self._rows = {
            row["machine_type"]: row for row in read_rows(folder / "network" / "vm_egress_caps.csv")
        }

    def of(self, machine: Machine) -> Cap | None:
        """Return the caps of a machine; None where the table has no figure."""
        return self.of_type(machine.machine_type, is_tier1=machine.is_tier1)

    def of_type(self, machine_type: str, *, is_tier1: bool) -> Cap | None:
        """Return the caps of a machine type, with Tier_1 or without."""
        if "-custom-" in machine_type:
            series, vcpus, _ = custom_shape(machine_type)
            steps = _CUSTOM.get(series, ())
            found = next((cap for most, cap in steps if vcpus <= most), None)
            return None if found is None else Cap(found, min(OUTSIDE_GBPS, found))
        row = self._rows.get(machine_type)
        if row is None:
            return None
        tier = "tier1" if is_tier1 else "default"
        try:
            egress = float(row[f"{tier}_egress_gbps"])
            outside = float(row[f"external_egress_{tier}_gbps"])
        except ValueError:
            return None
        return Cap(egress, min(egress, outside))


def leaves(flow: Flow) -> bool:
    """Return whether a flow leaves the VPC of its sender."""
    return flow.over_external or (flow.dst == INTERNET and not flow.service)


def path_gbps(project: Project, caps: Caps, flow: Flow) -> float | None:
    """Return what a flow would carry alone: the least limit of its path; None where unknown."""
    src = project.machines.get(flow.src)
    if src is None:
        return OUTSIDE_IN_GBPS
    cap = caps.of(src)
    if cap is None:
        return None
    if not leaves(flow):
        return cap.egress
    own = OUTSIDE_FLOW_GBPS * flow.streams
    into = OUTSIDE_IN_GBPS if flow.dst in project.machines else ENDLESS
    return min(own, cap.outside, into)


def held(project: Project, caps: Caps) -> dict[At, float]:
    """Return the Gbit/s of each flow at each slot at which it carries less than it wants."""
    found: dict[At, float] = {}
    arriving: defaultdict[tuple[str, int], list[tuple[At, float]]] = defaultdict(list)
    for sender, by_slot in _wanted(project).items():
        machine = project.machines.get(sender)
        cap = caps.of(machine) if machine is not None else Cap(ENDLESS, ENDLESS)
        for slot, sending in by_slot.items():
            carried = [(at, gbps, gbps) for at, gbps in sending]
            if cap is not None and machine is not None:
                carried = list(_sent(project, cap, sending))
            for at, wants, gets in carried:
                if gets < wants:
                    found[at, slot] = gets
                flow = project.flows[at]
                if leaves(flow) or flow.src == INTERNET:
                    arriving[flow.dst, slot].append(((at, slot), gets))
    for (receiver, _), all_of_it in arriving.items():
        rates = [gbps for _, gbps in all_of_it]
        if receiver in project.machines and sum(rates) > OUTSIDE_IN_GBPS:
            for (key, gbps), gets in zip(all_of_it, shares(rates, OUTSIDE_IN_GBPS), strict=True):
                found |= {key: gets} if gets < gbps else {}
    return found


def _wanted(project: Project) -> Mapping[str, Mapping[int, list[tuple[int, float]]]]:
    """Return who sends in which slot, and how many Gbit/s of each flow are wanted."""
    found: dict[str, dict[int, list[tuple[int, float]]]] = defaultdict(lambda: defaultdict(list))
    for at, flow in enumerate(project.flows):
        if flow.service:
            continue
        for slot, packets in moments(project, flow):
            wants = ENDLESS if flow.bulk_hours else gbps_of(packets, project.minutes)
            found[flow.src][slot].append((at, wants))
    return found


def _sent(
    project: Project, cap: Cap, sending: Sequence[tuple[int, float]]
) -> Iterator[tuple[int, float, float]]:
    """Yield flows with what they want and what of it their VM sends.

    Connections side by side share as so many flows.
    """
    each: list[tuple[int, float]] = []
    for at, wants in sending:
        flow = project.flows[at]
        most = OUTSIDE_FLOW_GBPS if leaves(flow) else ENDLESS
        each += [(at, min(most, wants / flow.streams))] * flow.streams
    outside = [leaves(project.flows[at]) for at, _ in each]
    parts = [wants for (_, wants), leaving in zip(each, outside, strict=True) if leaving]
    less = iter(shares(parts, cap.outside))
    asked = [
        next(less) if leaving else wants for (_, wants), leaving in zip(each, outside, strict=True)
    ]
    got: defaultdict[int, float] = defaultdict(float)
    for (at, _), gbps in zip(each, shares(asked, cap.egress), strict=True):
        got[at] += gbps
    for at, wants in sending:
        # The sum of equal parts is not quite the whole.
        yield at, wants, wants if got[at] > wants * (1 - 1e-9) else got[at]


def shares(wanted: Sequence[float], most: float) -> list[float]:
    """Return the max-min fair shares of a limit.

    >>> shares([1.0, 5.0, float("inf")], 9.0)
    [1.0, 4.0, 4.0]
    """
    left, count = most, len(wanted)
    found = [0.0] * count
    for rank, at in enumerate(sorted(range(count), key=lambda at: wanted[at])):
        found[at] = min(wanted[at], left / (count - rank))
        left -= found[at]
    return found


class Lowered(NamedTuple):
    """A flow that carries less than it did, at the moment where it loses most, in Gbit/s."""

    flow: Flow
    had: float
    gets: float
    is_crowded: bool
    """Whether another flow of its sender carries more: it takes what this one loses."""


def lowered(before: Project, after: Project, caps: Caps) -> Iterator[Lowered]:
    """Yield each flow that carries less than it did; the flows of both have the same places."""
    old, new = held(before, caps), held(after, caps)
    worst: dict[int, tuple[float, float, int]] = {}
    for (at, slot), gets in new.items():
        had = _carries(before, old, at, slot)
        lost = had - gets
        if gets < had * (1 - 1e-6) < ENDLESS and lost > _lost(worst.get(at)):
            worst[at] = (had, gets, slot)
    for at, (had, gets, slot) in sorted(worst.items()):
        rises = any(
            _carries(after, new, other, slot) > _carries(before, old, other, slot) * (1 + 1e-6)
            for other, flow in enumerate(after.flows)
            if flow.src == after.flows[at].src and not flow.service
        )
        yield Lowered(before.flows[at], had, gets, rises)


def _lost(found: tuple[float, float, int] | None) -> float:
    return 0.0 if found is None else found[0] - found[1]


def _carries(project: Project, rates: Mapping[At, float], at: int, slot: int) -> float:
    """Return what a flow carries at a moment; endless for a transfer of which no cap is known."""
    if (at, slot) in rates:
        return rates[at, slot]
    flow = project.flows[at]
    packets = dict(moments(project, flow)).get(slot)
    if packets is None:
        return 0.0
    return ENDLESS if flow.bulk_hours else gbps_of(packets, project.minutes)
