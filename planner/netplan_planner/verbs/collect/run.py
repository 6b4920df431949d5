"""One bundle of what an audit reads: inventory, sums of the traffic, metrics, and the prices used.

Only values of the model are stored, and no reader puts metadata, keys, start-up scripts, accounts
or descriptions into them. The key of pseudonyms is made for one bundle, and forgotten with it.
"""

import hashlib
import secrets
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeVar

import msgspec
from msgspec.structs import replace

from netplan_planner.bundle_file import INVENTORY, METRICS, POD_TRAFFIC, PRICES, SUFFIX, TRAFFIC
from netplan_planner.bundle_file.archive import packed
from netplan_planner.bundle_file.manifest import FORMAT
from netplan_planner.errors import UsageError
from netplan_planner.model import Facts, Inventory, Metrics, TrafficMatrix, Value
from netplan_planner.model.evidence.log_volume import MACHINES_FROM_GBPS
from netplan_planner.model.evidence.pod_traffic import PodTraffic
from netplan_planner.planning.project import request_of
from netplan_planner.units import counted
from netplan_planner.verbs import Now, panels, read_in_full, verb
from netplan_planner.verbs.collect.answer import Collected, CollectedPart
from netplan_planner.verbs.collect.ask import CollectAsk
from netplan_planner.verbs.collect.pseudonyms.names import Names
from netplan_planner.verbs.collect.pseudonyms.values import (
    pseudonymised_inventory,
    pseudonymised_metrics,
    pseudonymised_pods,
    pseudonymised_traffic,
)
from netplan_planner.version import tool_version
from netplan_planner.world.demos import load_demo
from netplan_planner.world.not_read import what_is_incomplete
from netplan_planner.world.reading import read_facts
from netplan_planner.world.request import InputRequest
from netplan_planner.writing import written_whole
from netplan_pricing import open_snapshot

_KEY_BYTES = 32
_Held = TypeVar("_Held", bound=Value)
VALUES: Mapping[str, type[Value]] = {
    INVENTORY: Inventory,
    TRAFFIC: TrafficMatrix,
    POD_TRAFFIC: PodTraffic,
    METRICS: Metrics,
}
"""The parts that are values of the model, and which."""


@verb(
    panel=panels.AUDIT,
    question="How do I take a snapshot, to ask later without access or network?",
    ends=read_in_full("the bundle is"),
)
def collect(ask: CollectAsk, now: Now) -> Collected:
    """Write inventory, traffic sums, metrics and prices to one file, without secrets.

    Every verb can read it (--bundle FILE) and then uses no network.
    """
    if not ask.out.name.endswith(SUFFIX):
        raise UsageError(f"--out {ask.out}: the name of a bundle ends in {SUFFIX}")
    # What `flow-logs cost` and `plan` count, which sums of traffic no longer tell.
    counting = replace(ask.reading.traffic, log_volume_from_gbps=MACHINES_FROM_GBPS, by_hour=True)
    request = request_of(ask, traffic_options=counting, predicted_logs=True)
    return write_bundle(request, ask.out, is_pseudonymised=ask.is_pseudonymised, say=now.say)


def write_bundle(
    request: InputRequest,
    out: Path,
    *,
    is_pseudonymised: bool,
    say: Callable[[str], None] = lambda _: None,
) -> Collected:
    """Write a bundle of a request's inputs, and return what it holds.

    Raises:
        UsageError: If the request names nothing to read.
        InputError: If an input cannot be read, or the bundle cannot be written.
    """
    demo = load_demo(request.demo) if request.demo is not None else None
    facts = read_facts(request, demo, say)
    names = Names(secrets.token_bytes(_KEY_BYTES)) if is_pseudonymised else None
    parts = parts_of(facts, open_snapshot(request.prices).file.content, names)
    content = packed(
        parts,
        tool=f"netplan {tool_version()}",
        is_pseudonymised=is_pseudonymised,
        fields={name: kind.__struct_fields__ for name, kind in VALUES.items() if name in parts},
    )
    with written_whole(out) as file:
        file.write_bytes(content)
    return Collected(
        file=str(out),
        format=FORMAT,
        byte_count=len(content),
        sha256=hashlib.sha256(content).hexdigest(),
        is_pseudonymised=is_pseudonymised,
        parts=tuple(
            CollectedPart(
                name=name,
                holds=_holds(name, facts),
                byte_count=len(part),
                sha256=hashlib.sha256(part).hexdigest(),
            )
            for name, part in sorted(parts.items())
        ),
        incomplete=what_is_incomplete(facts, ()),
    )


def parts_of(facts: Facts, prices: bytes, names: Names | None) -> dict[str, bytes]:
    """Return the parts of a bundle by name, under other names where those are given."""
    values: dict[str, Value | None] = {
        INVENTORY: _under(names, pseudonymised_inventory, facts.inventory),
        TRAFFIC: _under(names, pseudonymised_traffic, facts.traffic),
        POD_TRAFFIC: _under(names, pseudonymised_pods, facts.pod_traffic),
        METRICS: _under(names, pseudonymised_metrics, facts.metrics),
    }
    # Sets have no order of their own.
    encode = msgspec.json.Encoder(order="deterministic").encode
    found = {name: encode(value) for name, value in values.items() if value is not None}
    return {**found, PRICES: prices}


def _under(
    names: Names | None, renamed: Callable[[_Held, Names], _Held], value: _Held | None
) -> _Held | None:
    return value if value is None or names is None else renamed(value, names)


def _window(traffic: TrafficMatrix) -> str:
    if traffic.is_steady:
        # Rates have no time: theirs stands for any.
        return "steady rates"
    return f"{traffic.start:%Y-%m-%d %H:%M} to {traffic.end:%Y-%m-%d %H:%M} UTC"


def _holds(name: str, facts: Facts) -> str:
    if name == PRICES:
        return f"prices of {facts.prices.info.as_of.isoformat()}"
    if name == TRAFFIC and facts.traffic is not None:
        edges = counted(len(facts.traffic.edges), "edge")
        return f"{edges} of {_window(facts.traffic)}"
    if name == POD_TRAFFIC and facts.pod_traffic is not None:
        return f"{counted(len(facts.pod_traffic.flows), 'flow')} of pods"
    if name == METRICS and facts.metrics is not None:
        return f"{len(facts.metrics.series):,} series"
    projects = counted(len({i.project for i in facts.inventory.instances}), "project")
    return f"{counted(len(facts.inventory.instances), 'VM')} of {projects}"
