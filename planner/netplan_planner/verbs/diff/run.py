"""Reads two sides, each as an audit reads it, and compares them."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from netplan_planner.bundle_file import TRAFFIC, is_bundle, value_of
from netplan_planner.errors import IncompleteError, InputError, UsageError
from netplan_planner.inert import inert_line
from netplan_planner.input_files import unreadable
from netplan_planner.judging.code_places import code_places
from netplan_planner.judging.reported import Reported, reported
from netplan_planner.judging.suppressions import ignore_file
from netplan_planner.model import Confidence, TrafficMatrix
from netplan_planner.planning.carried_traffic import carried, rated
from netplan_planner.planning.configured import configured
from netplan_planner.planning.project import bundled_metrics, bundled_traffic, request_of
from netplan_planner.planning.stored_report import is_report, stored_report
from netplan_planner.readers import is_plan
from netplan_planner.renderers.options import RenderOptions
from netplan_planner.renderers.output import WITH_PLACES
from netplan_planner.units import counted
from netplan_planner.verbs import Now, panels, refuse_incomplete, verb
from netplan_planner.verbs.diff import comparing
from netplan_planner.verbs.diff.answer import (
    ROWS,
    DiffAnswer,
    DiffCause,
    DiffMachine,
    DiffSide,
    DiffState,
)
from netplan_planner.verbs.diff.ask import DiffAsk
from netplan_planner.verbs.diff.github import annotated
from netplan_planner.verbs.diff.places import findings
from netplan_planner.world.reading import read_facts
from netplan_planner.world.request import InputRequest

_UNPRICED = {
    "unpriced_machine_count": "VMs",
    "unlisted_nodes": "nodes",
    "unlisted_machines": "VMs that no inventory has",
    "unlisted_groups": "groups, node pools or clusters",
    "unpriced_address_count": "external addresses",
    "unpriced_gib": "GiB of traffic",
}
"""Of a bill: what is in no sum."""
_OF_REPORT = "A report names no pairs of VMs: the cost of traffic needs a bundle."


class _Side(NamedTuple):
    path: Path
    is_before: bool = False
    """Of a plan: what is there before it is applied."""

    @property
    def source(self) -> str:
        return f"{self.path}{' (state before it)' if self.is_before else ''}"


class _Live(NamedTuple):
    """What was seen of running VMs: of a bundle traffic and metrics, of a report the rates."""

    traffic: TrafficMatrix | None = None
    metrics: tuple[Path, ...] = ()
    report: Reported | None = None


def ended(ask: DiffAsk, found: DiffAnswer) -> bool:
    """Return whether nothing new is as grave, and nothing more costs as much, as the gate says.

    What is unsure stops nothing, nor what only prices, limits or the version moved.

    Raises:
        IncompleteError: If evidence is incomplete and all was to be read, or if it is not known
            whether the bill rises by more than it may.
    """
    if ask.gate.is_strict:
        refuse_incomplete("the answer is", found.incomplete)
    limit, why = ask.gate.on_increase_usd, _past_gate(ask, found)
    if limit is not None and not why and found.increase_unknown:
        raise IncompleteError(f"--fail-on-increase: {found.increase_unknown}")
    return not why


def _past_gate(ask: DiffAsk, found: DiffAnswer) -> str:
    """Return why the exit status is 1, empty if it is not."""
    limit = ask.gate.on_increase_usd
    new_count = sum(
        one.state is DiffState.NEW
        and one.cause is not DiffCause.BASIS
        and one.confidence is not Confidence.LOW
        and ask.gate.on_new.holds(one.severity)
        for one in found.findings
    )
    if new_count:
        return f"{counted(new_count, 'new finding')} from --fail-on-new {ask.gate.on_new} on"
    rise = (found.total.by_project_usd or 0) + (found.total.by_either_usd or 0)
    is_past = limit is not None and rise > limit
    return f"the cost per month rises by more than --fail-on-increase {limit}" if is_past else ""


def shown(ask: DiffAsk, found: DiffAnswer, options: RenderOptions, now: Now) -> RenderOptions:
    """Return how the answer is shown: with file and line where annotations show them.

    Why the exit status is 1 is no part of the answer: it is a note, whatever the output.
    """
    if why := _past_gate(ask, found):
        now.note(f"exit status 1: {why}")
    if not now.formats & WITH_PLACES:
        return options
    return replace(options, places=code_places({one.source for one in annotated(found)}))


@verb(
    panel=panels.AUDIT,
    question="What changes between reports, inputs, or by a Terraform plan?",
    rows=ROWS,
    top="Rows of a table. 0 shows all.",
    explains="Show every row.",
    ends=ended,
    shows=shown,
)
def diff(ask: DiffAsk, now: Now) -> DiffAnswer:
    """Compare two sides: new and fixed findings, money and Gbit/s of each VM and path.

    Each side is a report, an inventory or a bundle. One Terraform plan (terraform show -json)
    alone is compared with the state before it. Exit status: 0, 1 past a gate, 4 if the increase
    is unknown, or incomplete and --strict.
    """
    before, after = _sides(ask.sides)
    read = _request(ask, now, (before, after))
    live = _live(ask, (before, after))
    old, assumed = _read(read, before, live, now)
    new, further = _read(read, after, live, now)
    return compared(before.source, old, after.source, new, (*assumed, *further))


def compared(
    source: str,
    before: Reported,
    source_after: str,
    after: Reported,
    assumptions: Sequence[str] = (),
) -> DiffAnswer:
    """Return what moved between two reports."""
    moved = comparing.basis(before, after)
    is_moved = bool(moved)
    machines = comparing.machines(before, after, is_moved=is_moved)
    money = comparing.money(before, after, machines, is_moved=is_moved)
    return DiffAnswer(
        price_age=after.price_age,
        prices_as_of=after.prices_as_of,
        prices_sha256=after.prices_sha256,
        before=_side(source, before),
        after=_side(source_after, after),
        basis=moved,
        total=comparing.total(money),
        money=money,
        findings=findings(before, after, machines, is_moved=is_moved),
        machines=tuple(one for one in machines if one.state is not DiffState.UNCHANGED),
        paths=comparing.paths(before, after, is_moved=is_moved),
        assumptions=tuple(dict.fromkeys(assumptions)),
        incomplete=tuple(dict.fromkeys((*before.coverage.incomplete, *after.coverage.incomplete))),
        increase_unknown=_unknown(before, after, machines),
    )


def _side(source: str, report: Reported) -> DiffSide:
    return DiffSide(
        source=source,
        title=report.title,
        vm_count=len(report.machines),
        unpriced_vm_count=report.bill.unpriced_machine_count,
        unpriced_gib_per_month=report.bill.unpriced_gib,
    )


def _unknown(before: Reported, after: Reported, machines: Sequence[DiffMachine]) -> str:
    """Return why it is not known by how much the bill rises; empty where it is known."""
    lost = [
        one.name
        for one in machines
        if one.change_usd_per_month is None and one.state is not DiffState.UNCHANGED
    ]
    if lost:
        return f"{counted(len(lost), 'changed VM')} without a known price, such as {lost[0]}"
    for name, what in _UNPRICED.items():
        more = getattr(after.bill, name) - getattr(before.bill, name)
        if more > 0:
            return f"{round(more, 1):,} more {what} without a known price"
    if (before.bill.traffic_usd is None) != (after.bill.traffic_usd is None):
        return "only one side has traffic, so what traffic costs is not compared"
    if (before.bill.commitments_usd is None) != (after.bill.commitments_usd is None):
        return "what commitments cover is known on one side only"
    return ""


def _sides(paths: Sequence[Path]) -> tuple[_Side, _Side]:
    if len(paths) == 1 and is_plan(paths[0]):
        return _Side(paths[0], is_before=True), _Side(paths[0])
    if len(paths) != 2:
        raise UsageError(
            "name two sides, before and after (netplan diff BEFORE AFTER), or one Terraform plan"
            " as JSON (terraform show -json PLAN)"
        )
    return _Side(paths[0]), _Side(paths[1])


def _request(ask: DiffAsk, now: Now, sides: Sequence[_Side]) -> InputRequest:
    """Return what both sides are read with: one set of prices and limits."""
    bundle = next((one.path for one in reversed(sides) if is_bundle(one.path)), None)
    return request_of(
        ask,
        prices=ask.pricing.prices or bundle,
        today=ask.today or now.today,
        commitment_scope=ask.commitment_scope,
        ignore_file=ignore_file(None),
        **configured(now.config, ask.rules_path),
    )


def _live(ask: DiffAsk, sides: Sequence[_Side]) -> _Live:
    """Return the traffic that sides without any carry: of what is named, else of a bundle."""
    path = ask.traffic_from
    if path is None:
        bundles = (one.path for one in sides if bundled_traffic(_bundle(one.path)))
        path = next(bundles, None)
    if path is None:
        return _Live()
    if is_report(path):
        return _Live(report=stored_report(path, Reported))
    shown = f"--traffic-from {inert_line(str(path))}"
    try:
        path.stat()
    except OSError as exc:
        raise unreadable(path, exc, "--traffic-from takes a bundle or a report") from exc
    if not is_bundle(path):
        raise InputError(f"{shown}: neither a report nor a bundle")
    traffic = value_of(path, TRAFFIC, TrafficMatrix)
    metrics = bundled_metrics(path)
    if traffic is None and not metrics:
        raise UsageError(f"{shown}: the bundle holds no traffic and no metrics")
    return _Live(traffic, metrics)


def _bundle(path: Path) -> Path | None:
    return path if is_bundle(path) else None


def _read(
    read: InputRequest, side: _Side, live: _Live, now: Now
) -> tuple[Reported, tuple[str, ...]]:
    """Return one side as an audit of it says, and what is assumed of its traffic."""
    if is_report(side.path):
        return stored_report(side.path, Reported), ()
    bundle = _bundle(side.path)
    request = replace(
        read,
        inventory=(side.path,),
        is_before=side.is_before,
        is_side=True,
        traffic=bundled_traffic(bundle),
        metrics=bundled_metrics(bundle) or live.metrics,
    )
    now.say(f"reading {side.source}")
    assumed: tuple[str, ...] = ()
    facts = read_facts(request, None, now.say)
    if facts.traffic is None and live.traffic is not None:
        facts, assumed = carried(facts, live.traffic)
    found = reported(request, facts, now.say)
    if facts.traffic is None and live.report is not None:
        rows, assumed = rated(found.machines, live.report.machines, facts.inventory)
        return replace(found, machines=rows), (*_of(side, assumed), _OF_REPORT)
    return found, _of(side, assumed)


def _of(side: _Side, assumed: Sequence[str]) -> tuple[str, ...]:
    return tuple(f"{side.source}: {text}" for text in assumed)
