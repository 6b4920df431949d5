"""How sure a statement about traffic is, and why it is not surer."""

from collections.abc import Iterable

from netplan_planner import model
from netplan_planner.units import SECONDS_PER_HOUR, counted
from netplan_rules.shared.flows import OVERFLOW, sent_drops

_SHARED = "flow-logs-thin"
"""The rule whose thresholds say what counts as thin evidence."""


class Doubts:
    """Collects reasons for doubt; each lowers the confidence by one step."""

    def __init__(self) -> None:
        self.reasons: tuple[str, ...] = ()

    def add(self, *reasons: str) -> None:
        """Note more reasons, each once."""
        self.reasons = tuple(dict.fromkeys((*self.reasons, *reasons)))


def doubts_of_edges(
    facts: model.Facts, edges: Iterable[model.Edge], *, of_month: bool = True
) -> Doubts:
    """Return what speaks against a statement about several edges together."""
    doubts = Doubts()
    for edge in edges:
        doubts.add(*doubts_of_edge(facts, edge, of_month=of_month).reasons)
    return doubts


def doubts_of_edge(facts: model.Facts, edge: model.Edge, *, of_month: bool = True) -> Doubts:
    """Return what speaks against a statement about one edge.

    `of_month` says whether it is about a month's volume, and so about more than was seen.
    """
    doubts = Doubts()
    why = doubt_of_month(facts) if of_month else ""
    if why:
        doubts.add(why)
    if edge.certainty is model.Certainty.ASSUMED:
        doubts.add("the address is ephemeral and may have belonged to another machine then")
    # That a receiver was started since is why its address may have been another's: one doubt.
    is_told = edge.certainty is model.Certainty.ASSUMED
    for owner in (facts.src(edge),) if is_told else (facts.src(edge), facts.dst(edge)):
        end = facts.instance(owner)
        if end is not None and (why := started_since(facts, end)):
            doubts.add(why)
    if edge.payload_bytes and edge.coarse_bytes > edge.payload_bytes * facts.threshold(
        _SHARED, "coarse_ratio"
    ):
        doubts.add("records cover more than a minute, so bursts are hidden")
    if facts.traffic is not None and facts.traffic.is_of_metrics:
        _doubt_flow_metric(facts, edge, doubts)
    elif edge.record_count < facts.threshold(_SHARED, "min_record_count"):
        doubts.add(f"it rests on {counted(edge.record_count, 'flow record')}")
    return doubts


def doubt_of_month(facts: model.Facts) -> str:
    """Return why a month's volume is not known from the window, or nothing."""
    traffic = facts.traffic
    if traffic is None:
        return ""
    low, high = traffic.month_ratios
    if high / low <= facts.threshold(_SHARED, "month_bounds_times"):
        return ""
    seen = counted(round(traffic.observed_seconds / SECONDS_PER_HOUR), "hour")
    if high > 1:
        span = counted(round(traffic.month_seconds / SECONDS_PER_HOUR), "hour")
        return f"records of {seen} in {span} tell of a month, and silence counts as idle"
    return f"records of {seen} tell of a month: the rest of a day is not known"


def doubts_of_rates(
    facts: model.Facts, instance: model.Instance, rates: model.MachineRates
) -> Doubts:
    """Return what speaks against a statement about one machine's rates, whatever tells of them."""
    if not rates.is_counted and rates.traffic is not None:
        return doubts_of_vm(facts, instance, rates.traffic)
    doubts = Doubts()
    if rates.coarse_ratio > facts.threshold(_SHARED, "coarse_ratio"):
        doubts.add("points cover more than a minute, so bursts are hidden")
    return doubts


def doubts_of_vm(facts: model.Facts, instance: model.Instance, traffic: model.VmTraffic) -> Doubts:
    """Return what speaks against a statement about one machine's rates in the traffic input."""
    doubts = Doubts()
    if facts.traffic is not None and facts.traffic.is_of_metrics:
        return _doubts_of_flow_metrics(facts, traffic)
    if why := started_since(facts, instance):
        doubts.add(why)
    is_coarse = traffic.coarse_ratio > facts.threshold(_SHARED, "coarse_ratio")
    # A queue that ran over is seen whatever the records cover.
    if is_coarse and not sent_drops(facts, traffic.owner)[OVERFLOW]:
        doubts.add("records cover more than a minute, so bursts are hidden")
    low = facts.threshold(_SHARED, "min_sampling_ratio")
    for nic in instance.interfaces:
        subnetwork = facts.inventory.subnetwork_by_link.get(nic.subnetwork or "")  # type: ignore[arg-type]
        logging = facts.inventory.logging_of(subnetwork) if subnetwork else ()
        ratios = [logs.sampling_ratio for logs in logging if logs.sampling_ratio is not None]
        if ratios and max(ratios) < low:
            doubts.add(f"flow logs keep {max(ratios):g} of the flows")
    return doubts


def started_since(facts: model.Facts, instance: model.Instance) -> str:
    """Return that a machine was started after its traffic was seen, or nothing.

    A type is changed while a machine is stopped, so it may have had another one then.
    """
    started, traffic = instance.last_started, facts.traffic
    if traffic is None or traffic.is_steady or started is None or started <= traffic.end:
        return ""
    return f"it was started again on {started.date().isoformat()}, maybe as another type"


def _doubt_flow_metric(facts: model.Facts, edge: model.Edge, doubts: Doubts) -> None:
    """Add what the metrics of flows cannot tell of an edge."""
    if model.OwnerKind.INTERNET in (facts.src(edge).kind, facts.dst(edge).kind) and any(
        nic.external_ipv4 or nic.external_ipv6
        for instance in facts.inventory.instances
        for nic in instance.interfaces
    ):
        doubts.add("metrics do not tell an external address of one's own from the internet")


def _doubts_of_flow_metrics(facts: model.Facts, traffic: model.VmTraffic) -> Doubts:
    doubts = Doubts()
    doubts.add("the metrics of flows leave headers out, so rates are somewhat higher")
    if traffic.coarse_ratio > facts.threshold(_SHARED, "coarse_ratio"):
        doubts.add("points cover more than a minute, so bursts are hidden")
    return doubts
