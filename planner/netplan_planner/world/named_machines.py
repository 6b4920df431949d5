"""A machine of the input by the name that a user gives, and what it was seen to send."""

from typing import NamedTuple

from netplan_planner.errors import InputError, UsageError, nearest_names
from netplan_planner.model import Destination, Facts, Instance, Inventory, SelfLink, Series
from netplan_planner.throughput import instance_cap, outside_gbps
from netplan_planner.world.demos import load_demo
from netplan_planner.world.reading import Say, read_facts
from netplan_planner.world.request import InputRequest

_LISTED = 5


def find_machine(
    request: InputRequest, name: str, say: Say = lambda _: None
) -> tuple[Facts, Instance]:
    """Return the facts of a request and the one machine of that name.

    Raises:
        UsageError: If no machine has the name, or several have.
    """
    demo = load_demo(request.demo) if request.demo is not None else None
    facts = read_facts(request, demo, say)
    return facts, machine_of(facts.inventory, name)


def machine_of(inventory: Inventory, name: str) -> Instance:
    """Return the machine of a name, `project/zone/name` or the end of a self link.

    Raises:
        UsageError: If there is none, or more than one.
    """
    wanted = name.strip("/")
    found = [i for i in inventory.instances if _is_named(i, wanted)]
    if len(found) == 1:
        return found[0]
    if found:
        links = ", ".join(f"{i.project}/{i.zone}/{i.name}" for i in found[:_LISTED])
        raise UsageError(f"{len(found)} machines are named {name!r}: {links}. Name one of them.")
    near = nearest_names(wanted, (i.name for i in inventory.instances))
    hint = f"; near: {', '.join(near)}" if near else ""
    raise UsageError(f"no machine of the input is named {name!r}{hint}")


def _is_named(instance: Instance, wanted: str) -> bool:
    full = f"{instance.project}/{instance.zone}/{instance.name}"
    return wanted in {instance.name, full} or instance.ref.self_link.endswith("/" + wanted)


class Wanted(NamedTuple):
    """What a machine is to send, and where that comes from."""

    gbps: float
    outside_gbps: float
    """The part of it that goes to addresses outside the VPC."""
    basis: str


def wanted_gbps(facts: Facts, instance: Instance, destination: Destination) -> Wanted:
    """Return the 95th percentile of what a machine sends to a destination, or its target if more.

    A declared target counts inside the VPC, as it does in the audit.

    Raises:
        InputError: If neither is known: unknown is not 0.
    """
    target = None if destination is Destination.EXTERNAL else facts.target(instance)
    seen = facts.traffic.vm_by_link.get(instance.ref.self_link) if facts.traffic else None
    is_outside = destination is Destination.EXTERNAL
    rates = facts.rates_of(instance)
    if is_outside:
        series = seen.egress_outside_vpc if seen is not None else None
    else:
        series = rates.egress if rates is not None else None
    outside = 0.0 if is_outside else outside_gbps(facts, instance)
    doubt = "" if is_outside else _doubt_of_outside(facts, instance, outside)
    observed = series.p95_gbps if series is not None else 0.0
    if target is not None and target.gbps >= observed:
        return Wanted(gbps=target.gbps, outside_gbps=outside, basis=target.source + doubt)
    if observed:
        witness = f" ({rates.source})" if rates and rates.is_counted and not is_outside else ""
        unseen = unlogged(facts, instance)
        if unseen:
            doubt += f"; {unseen}: others may not have seen all that it sends"
        basis = f"95th percentile of what it was seen to send{witness}{doubt}"
        return Wanted(gbps=observed, outside_gbps=outside, basis=basis)
    raise InputError(_why_unknown(facts, instance, series))


def unlogged(facts: Facts, instance: Instance) -> str:
    """Return that a machine stands where nothing is logged, in words; empty: not known to.

    What such a machine sends is seen by those that it sends to alone, if these are logged.
    """
    rates = facts.rates_of(instance)
    is_of_logs = facts.traffic is not None and not facts.traffic.is_steady
    if not is_of_logs or (rates is not None and rates.is_counted):
        return ""
    for nic in instance.interfaces:
        subnetwork = facts.inventory.subnetwork_by_link.get(nic.subnetwork or SelfLink(""))
        is_known = subnetwork is not None and subnetwork.flow_logs is not None
        if subnetwork is not None and is_known and not facts.inventory.logging_of(subnetwork):
            return f"its subnetwork {subnetwork.name} keeps no flow logs"
    return ""


def _doubt_of_outside(facts: Facts, instance: Instance, outside: float) -> str:
    """Return what to know where the cap to the outside is not known, or used up."""
    cap = instance_cap(instance, facts.caps)
    seen = facts.traffic.vm_by_link.get(instance.ref.self_link) if facts.traffic else None
    sent = seen.egress_outside_vpc.p95_gbps if seen is not None else 0.0
    if cap is None or cap.external_gbps is None:
        why = "no source states its cap to outside addresses, so no cap is asked for the"
        return f"; {why} {sent:.3g} Gbit/s that go there" if sent else ""
    share = facts.threshold("external-cap-saturated", "p95_ratio")
    if outside < share * cap.external_gbps:
        return ""
    return (
        f"; to outside addresses it stands at its cap of {cap.external_gbps:g} Gbit/s, and what it"
        " would send beyond cannot be seen (--to external finds more; what goes to internal"
        " addresses is not under that cap)"
    )


def _why_unknown(facts: Facts, instance: Instance, series: Series | None) -> str:
    if facts.traffic is None and series is None:
        return (
            f"what {instance.name} sends is not known: give its traffic (--traffic), or the wanted"
            " bandwidth (--gbps)"
        )
    if series is None or series.byte_count == 0:
        return (
            f"the traffic shows nothing that {instance.name} sent to that destination: give the"
            " wanted bandwidth (--gbps)"
        )
    return (
        f"{instance.name} was idle in more than 95 % of the minutes (busiest:"
        f" {series.max_gbps:.3g} Gbit/s): its 95th percentile is no target; give --gbps"
    )
