"""One bundle of what an audit reads: inventory, sums of the traffic, and the prices used.

Only values of the model are stored, and no reader puts metadata, keys, start-up scripts, accounts
or descriptions into them. The key of pseudonyms is made for one bundle, and forgotten with it.
"""

import hashlib
import secrets
from collections.abc import Callable
from pathlib import Path

import msgspec

from netplan_planner.bundle_file import INVENTORY, PRICES, SUFFIX, TRAFFIC
from netplan_planner.bundle_file.manifest import FORMAT
from netplan_planner.bundle_file.packing import packed
from netplan_planner.engine.completeness import what_is_incomplete
from netplan_planner.engine.demos import load_demo
from netplan_planner.engine.inputs import read_facts
from netplan_planner.engine.pseudonyms.names import Names
from netplan_planner.engine.pseudonyms.values import (
    pseudonymised_inventory,
    pseudonymised_traffic,
)
from netplan_planner.engine.request import AuditRequest
from netplan_planner.errors import UsageError
from netplan_planner.model import Facts, Inventory, TrafficMatrix
from netplan_planner.model.collected import Collected, CollectedPart
from netplan_planner.units import counted
from netplan_planner.version import tool_version
from netplan_planner.writing import usable_target, written_whole
from netplan_pricing import open_snapshot

_KEY_BYTES = 32


def check_bundle_path(path: Path) -> None:
    """Find what cannot work before a long run.

    Raises:
        UsageError: If the file cannot be written, or its name does not end as a bundle's.
    """
    usable_target(f"--out {path}", path)
    if not path.name.endswith(SUFFIX):
        raise UsageError(f"--out {path}: a bundle's name ends in {SUFFIX}")


def collect(
    request: AuditRequest,
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
        fields={
            INVENTORY: Inventory.__struct_fields__,
            TRAFFIC: TrafficMatrix.__struct_fields__,
        },
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
    inventory, traffic = facts.inventory, facts.traffic
    if names is not None:
        inventory = pseudonymised_inventory(inventory, names)
        traffic = None if traffic is None else pseudonymised_traffic(traffic, names)
    # Sets have no order of their own.
    encode = msgspec.json.Encoder(order="deterministic").encode
    found = {INVENTORY: encode(inventory), PRICES: prices}
    return found if traffic is None else {**found, TRAFFIC: encode(traffic)}


def _holds(name: str, facts: Facts) -> str:
    if name == PRICES:
        return f"prices of {facts.prices.info.as_of.isoformat()}"
    if name == TRAFFIC and facts.traffic is not None:
        edges = counted(len(facts.traffic.edges), "edge")
        return f"{edges} of {facts.traffic.start:%Y-%m-%d} to {facts.traffic.end:%Y-%m-%d}"
    projects = counted(len({i.project for i in facts.inventory.instances}), "project")
    return f"{counted(len(facts.inventory.instances), 'machine')} of {projects}"
