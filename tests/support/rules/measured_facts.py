"""Facts with two machines of one zone, a third far away, and measurements between them."""

from typing import Any

from msgspec.structs import replace

from netplan_planner.model import Facts, Hit, Instance, PathClass
from netplan_rules.registry import find_rule
from netplan_rules.shared.measured import Run, measured_runs
from support.probes.stores import measurements
from support.rules.facts import facts_of, machine

TYPE = "n2-standard-16"
"""32 Gbit/s inside the VPC, 7 to the outside."""


def host(name: str, number: int, **fields: Any) -> Instance:
    """Return a machine at 10.0.0.NUMBER and 35.0.0.NUMBER."""
    zone = fields.pop("zone", "us-central1-a")
    plain = machine(name, fields.pop("machine_type", TYPE), zone)
    nic = {"internal_ipv4": f"10.0.0.{number}", "external_ipv4": f"35.0.0.{number}"}
    nics = (replace(plain.interfaces[0], **nic | fields.pop("nic", {})),)
    return replace(plain, interfaces=nics, **fields)


A, B = host("a", 1), host("b", 2)
FAR = host("far", 3, zone="europe-west1-b")


def run(**fields: Any) -> dict[str, Any]:
    """Return the entry of a sound run from a to b at 30 Gbit/s, with some fields changed."""
    return {"src": "a", "dst": "b", "gbps": 30.0, **fields}


def measured_facts(
    *entries: dict[str, Any],
    machines: tuple[Instance, ...] = (A, B, FAR),
    talk: tuple[tuple[str, str, PathClass, float], ...] | None = None,
    thresholds: dict[tuple[str, str], float] | None = None,
) -> Facts:
    """Return facts with these runs; see `support.probes.stores` for an entry."""
    facts = facts_of(*machines, talk=talk)
    changed = thresholds or {}
    return replace(
        facts,
        measurements=measurements(facts.inventory, entries),
        thresholds=tuple(
            (rule, name, changed.get((rule, name), value)) for rule, name, value in facts.thresholds
        ),
    )


def hits(rule: str, facts: Facts) -> list[Hit]:
    """Return what a rule finds."""
    return [said for said in find_rule(rule)(facts) if isinstance(said, Hit)]


def gaps(rule: str, facts: Facts) -> list[str]:
    """Return why a rule could not judge, once each."""
    said = find_rule(rule)(facts)
    return sorted({one.reason for one in said if not isinstance(one, Hit)})


def only_run(facts: Facts) -> Run:
    """Return the one run of the facts, which must have both machines."""
    found = list(measured_runs(facts))
    assert len(found) == 1
    assert isinstance(found[0], Run)
    return found[0]
