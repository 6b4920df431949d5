"""Carries out the entries of one report on a made project, and judges each by the truth.

Of every entry: what it saves, whether its commands name what is there and make all of the change,
what it cuts off, whose rate it lowers, and whether the rate that it promises is what Google's
documented limits let the path carry.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from advice_changes import Key, Step
from advice_commands import last, parsed
from advice_follow import carry_out, rule_of
from advice_logs import START
from advice_prices import Prices
from advice_rates import Caps, leaves, lowered, path_gbps
from advice_state import Cut, Machine, Project, cuts, drawn_together, taken_away, without_flows
from advice_truth import bill

CENTS = 0.05
"""What rounding may do to an entry."""
_OF_A_PAIR = frozenset({"internal-address", "more-flows"})
_OF_A_MACHINE = frozenset({"machine-type", "tier-1"})


class Example(NamedTuple):
    """One fault: where, and what was said."""

    kind: str
    seed: int
    entry: str
    said: float
    true: float
    note: str = ""

    @property
    def weight(self) -> float:
        """How far off it is, in dollars a month."""
        return abs(self.said - self.true)


class Entry(NamedTuple):
    """What one entry of a list said, and what it brought."""

    rule: str
    said: float
    true: float

    @property
    def is_right(self) -> bool:
        """Whether both amounts agree."""
        return agree(self.said, self.true)


KINDS = {
    "off": "cumulative savings off by more",
    "entry": "single entries off by more",
    "loses": "entries that lose money but claim a saving (target 0)",
    "stale": "commands that name a missing resource (target 0)",
    "undone": "commands that leave a part of their change undone (target 0)",
    "forms": "counts and members that differ between the forms of a report (target 0)",
    "script": "steps of the script that are not those of the report (target 0)",
    "cut": "used addresses or last internet paths cut (target 0)",
    "slower": "entries that lower what a flow carries (target 0)",
    "crowded": "entries whose flows crowd another of their sender",
    "promise": "promised Gbit/s that documented limits do not give (target 0)",
    "restarted": "entries sure and high for machines started again since (target 0)",
    "hub": "peerings between two spokes of a hub (target 0)",
    "together": "replicas moved into fewer zones (target 0)",
    "survives": "changes proposed again after they were made (target 0)",
    "above": "stated totals above the bill (target 0)",
    "refused": "changes that cannot be carried out (target 0)",
}


def agree(said: float, true: float) -> bool:
    """Return whether an amount is within 1 % or $1 of what was said."""
    return abs(true - said) <= max(1.0, 0.01 * abs(said))


class Judge:
    """Carries out one report, and notes what goes wrong."""

    def __init__(self, seed: int, project: Project, prices: Prices, caps: Caps) -> None:
        self.seed, self.prices, self.caps = seed, prices, caps
        self.project = project
        self.asked: set[Key] = set()
        self.faults: list[Example] = []
        self.entries: list[Entry] = []
        self.promised: list[bool] = []
        """Of each promised rate of which documented limits tell, whether it is the truth's."""
        self.steps = 0

    def follow(
        self, entry: Mapping[str, Any], steps: Sequence[Step], finding: Mapping[str, Any]
    ) -> float:
        """Carry out an entry and return what it saves."""
        said = float(entry["saving_usd_per_month"] or 0)
        name = f"{entry['rank']} {rule_of(entry)} ({entry['subject']}, {len(steps)} changes)"
        old = self.project
        problems = [("restarted", text) for text in _sure_of(old, entry, finding)]
        problems += [("hub", text) for text in _spokes_peered(old, steps)]
        problems += list(self._carry_out(steps, is_claimed=bool(said)))
        cut = list(cuts(self.project))
        problems += [("cut", _cut_text(one)) for one in cut]
        problems += [
            ("cut", f"{address}, which {holder} has")
            for address, holder in taken_away(old, self.project)
        ]
        problems += [("together", text) for text in drawn_together(old, self.project)]
        # What was cut is in neither bill: traffic that is lost is no saving.
        gone = {one.at for one in cut}
        before, self.project = without_flows(old, gone), without_flows(self.project, gone)
        for one in lowered(before, self.project, self.caps):
            ends = f"{one.flow.src} to {one.flow.dst or 'the internet'}"
            kind = "crowded" if one.is_crowded else "slower"
            problems.append((kind, f"{ends}: {one.had:.2f}, then {one.gets:.2f}"))
        named = [step for step in steps if step.subject == entry["subject"]]
        problems += [("promise", text) for text in self._broken(entry["fixed"], named)]
        true = bill(before, self.prices).total - bill(self.project, self.prices).total
        self.entries.append(Entry(rule_of(entry), said, true))
        if not agree(said, true):
            problems.append(("entry", ""))
        if said > 0 and true < -CENTS:
            problems.append(("loses", ""))
        self.faults += [Example(kind, self.seed, name, said, true, note) for kind, note in problems]
        return true

    def look_at_joined(
        self, entry: Mapping[str, Any], joined: Iterable[tuple[Step, Mapping[str, Any] | None]]
    ) -> None:
        """Note what an entry's commands should have made of machines, as another entry says.

        With each goes the rate that the other entry promises of it, if any.
        """
        name = f"{entry['rank']} {rule_of(entry)}, in one stop"
        for step, fixed in joined:
            self.asked.add(step.key)
            problems = [("promise", text) for text in self._broken(fixed, [step])]
            if note := _not_made(self.project.machines[last(step.target)], step):
                problems.append(("undone", note))
            self.faults += [Example(kind, self.seed, name, 0, 0, note) for kind, note in problems]

    def _carry_out(self, steps: Sequence[Step], *, is_claimed: bool) -> Iterator[tuple[str, str]]:
        """Carry out steps; yield what goes wrong."""
        for step in steps:
            done = carry_out(self.project, step, self.prices)
            self.project = done.project
            yield from (("stale", command) for command in done.stale)
            if done.undone:
                yield "undone", f"{step.kind} {last(step.target)}: {done.undone}"
            if not done.refused:
                self.asked.add(step.key)
            elif step.kind or is_claimed:
                yield "refused", done.refused
        self.steps += len(steps)

    def _broken(self, said: Mapping[str, Any] | None, steps: Sequence[Step]) -> Iterator[str]:
        """Yield a promised rate and the truth's where they differ; note whether they do.

        Args:
            said: The estimate that an entry promises.
            steps: Those of the place of which it does.
        """
        true = [gbps for step in steps for gbps in self._carried(step)]
        if said is None or said["gbps"] is None or not true:
            return
        low, high = (said[f"{end}_gbps"] or said["gbps"] for end in ("low", "high"))
        is_right = any(
            low <= gbps <= high or abs(gbps - said["gbps"]) <= 0.01 * gbps for gbps in true
        )
        self.promised.append(is_right)
        if not is_right:
            rates = ", ".join(f"{gbps:.2f}" for gbps in sorted(set(true)))
            yield f"{said['gbps']:.2f} ({low:.2f} to {high:.2f}) Gbit/s, by limits {rates}"

    def _carried(self, step: Step) -> Iterator[float]:
        """Yield what the paths of a change may carry now; none where round trips decide."""
        project = self.project
        one = _machine(project, step.target)
        if step.kind in _OF_A_PAIR:
            other = _machine(project, step.destination)
            if one is None or other is None or one.region != other.region:
                return
            for flow in project.flows:
                if {flow.src, flow.dst} == {one.name, other.name}:
                    gbps = path_gbps(project, self.caps, flow)
                    yield from () if gbps is None else (gbps,)
        elif step.kind in _OF_A_MACHINE and one is not None:
            cap = self.caps.of(one)
            sent = [flow for flow in project.flows if flow.src == one.name and not flow.service]
            outside = sum(flow.gib_per_month for flow in sent if leaves(flow))
            is_outside = outside > sum(flow.gib_per_month for flow in sent) / 2
            if cap is not None:
                yield cap.outside if is_outside else cap.egress


def _not_made(machine: Machine, step: Step) -> str:
    """Return what a machine should be after a step that another one's commands make."""
    if step.to and machine.machine_type != step.to:
        return f"{machine.name} is {machine.machine_type}, not {step.to}"
    is_made = {
        "spot": machine.is_spot,
        "tier-1": machine.is_tier1,
        "no-tier-1": not machine.is_tier1,
    }
    return "" if is_made.get(step.kind, True) else f"{machine.name}: no {step.kind}"


def _machine(project: Project, link: str) -> Machine | None:
    name = last(link)
    return project.machines.get(project.aliases.get(name, name))


def _sure_of(
    project: Project, entry: Mapping[str, Any], finding: Mapping[str, Any]
) -> Iterator[str]:
    """Yield the machines that a sure and high finding changes, and that started after the logs.

    A type is changed while a machine is stopped: what was seen may be another machine's.
    """
    if finding["severity"] != "high":
        return
    # A finding is as sure as most of it; each of its places says how sure it is itself.
    sure = {one["fingerprint"] for one in finding["members"] if one["confidence"] == "high"}
    end = (START + timedelta(days=project.days)).replace(tzinfo=UTC)
    changes = [one["change"] for one in entry["changes"] if one["place"] in sure and one["change"]]
    links = [link for change in changes for link in change["members"] or (change["target"],)]
    for link in links:
        machine = _machine(project, link)
        if machine is not None and datetime.fromisoformat(machine.restarted) > end:
            was = f", {machine.was_type} then" if machine.was_type else ""
            yield f"{machine.name} was started again on {machine.restarted[:10]}{was}"


def _spokes_peered(project: Project, steps: Sequence[Step]) -> Iterator[str]:
    """Yield the commands and changes that peer two networks which are spokes of one hub."""
    for step in steps:
        is_peering = step.kind == "peering"
        found = [(last(step.target), last(step.destination))] if is_peering else []
        for text in step.commands:
            command = parsed(text)
            if command.words[:4] == ("compute", "networks", "peerings", "create"):
                found.append((command.flag("network"), last(command.flag("peer-network"))))
        for one, other in found:
            if {one, other} <= project.networks.keys() and project.hub_of(one, other):
                yield f"{one} and {other} are spokes of {project.hub_of(one, other)}"


def _cut_text(cut: Cut) -> str:
    src, dst = cut.flow.src or "the internet", cut.flow.dst or "the internet"
    how_often = ", once a week" if cut.flow.is_weekly else ""
    return f"{src} to {cut.flow.service or dst}{how_often}: {cut.why}"
