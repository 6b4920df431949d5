"""Flow logs that cost much beside the traffic that they tell of."""

from collections import defaultdict
from collections.abc import Iterator
from decimal import Decimal

from netplan_planner import model
from netplan_planner.errors import MissingDatum
from netplan_planner.model.evidence.log_volume import GENERATION, STORAGE, record_bytes
from netplan_planner.paths.priced_paths import PricedPath, path_prices_of, priced_path_of
from netplan_rules.base import ratio_limit, rule_of, usd_floor
from netplan_rules.shared.flow_logs import logs_again, set_logs
from netplan_rules.wording import money
from netplan_rules.work import LOGGING

RULE = rule_of(
    __name__,
    severity=model.Severity.LOW,
    needs=frozenset({model.Need.FLOW_RECORDS}),
    work=LOGGING,
    thresholds=(
        ratio_limit(
            "max_cost_ratio",
            0.1,
            "minimum ratio of the cost of logs to the cost of the traffic they cover",
            most=1000.0,
        ),
        usd_floor(50.0, "minimum cost of a subnetwork's logs"),
    ),
)


@RULE
def check(facts: model.Facts) -> Iterator[model.Hit | model.Gap]:
    """Yield each subnetwork whose records cost too much of what their traffic does."""
    traffic = facts.traffic
    if traffic is None or traffic.is_steady or not traffic.month_seconds:
        return
    records: dict[model.SelfLink, int] = defaultdict(int)
    for one in traffic.coverage.logged:
        records[one.place] += one.record_count
    places = [place for place in sorted(records) if place in facts.inventory.subnetwork_by_link]
    least = Decimal(str(facts.threshold(RULE.id, "min_usd_per_month")))
    most = Decimal(str(facts.threshold(RULE.id, "max_cost_ratio")))
    if not places:
        return
    try:
        usd_per_record = _usd_per_record(facts, sum(records.values()))
    except MissingDatum as error:
        for place in places:
            yield model.Gap(resource=model.ResourceRef(self_link=place), reason=str(error))
        return
    sent = _sent_usd(facts)
    for place in places:
        cost = usd_per_record * records[place]
        if cost < least:
            continue
        told, unknown = sent.get(place, (Decimal(0), ""))
        if unknown:
            yield model.Gap(resource=model.ResourceRef(self_link=place), reason=unknown)
        elif cost > most * told:
            yield _hit(facts, place, cost, told, records[place])


def _usd_per_record(facts: model.Facts, record_count: int) -> Decimal:
    """Return what a record of the window costs a month; the steps are of all records together."""
    size = record_bytes(has_metadata=facts.seen_traffic.coverage.has_metadata)
    gib = facts.gib_per_month(record_count * size)
    lines = [
        line
        for service in (GENERATION, STORAGE)
        for line in model.bill("flow logs", gib, facts.prices.service_price(service))
    ]
    return model.total_usd(lines) / record_count


def _sent_usd(facts: model.Facts) -> dict[model.SelfLink, tuple[Decimal, str]]:
    """Return what the machines of each subnetwork send a month in dollars, or why it is not known.

    Machines with several interfaces are of the first one's. Volumes are priced by subnetwork, so
    that free and cheaper steps count for each.
    """
    volumes: dict[model.SelfLink, dict[PricedPath, int]] = defaultdict(lambda: defaultdict(int))
    for edge in facts.seen_traffic.edges:
        machine = facts.instance(facts.src(edge))
        subnetwork = machine.interfaces[0].subnetwork if machine and machine.interfaces else None
        if subnetwork is not None:
            volumes[subnetwork][priced_path_of(facts, edge)] += edge.wire_bytes
    return {place: _priced(facts, of_paths) for place, of_paths in volumes.items()}


def _priced(facts: model.Facts, of_paths: dict[PricedPath, int]) -> tuple[Decimal, str]:
    usd, unknown = Decimal(0), ""
    for path, byte_count in of_paths.items():
        for part in path_prices_of(facts.prices, path):
            if part.tiers:
                usd += model.total_usd(
                    model.bill("traffic", facts.gib_per_month(byte_count), part.tiers)
                )
            else:
                unknown = part.reason
    return usd, unknown


def _hit(
    facts: model.Facts, place: model.SelfLink, cost: Decimal, told: Decimal, record_count: int
) -> model.Hit:
    subnetwork = facts.inventory.subnetwork_by_link[place]
    month = facts.gib_per_month(
        record_count * record_bytes(has_metadata=facts.seen_traffic.coverage.has_metadata)
    )
    name = model.last_part(place)
    return model.Hit(
        resources=(subnetwork.ref,),
        subject=f"{name} ({subnetwork.region})",
        message=model.worded(
            f"the flow logs of {name} cost ",
            money(cost),
            "/month and cover traffic that costs ",
            money(told),
        ),
        evidence=(
            model.Evidence(
                name="cost", value=float(round(cost, 2)), unit="USD/month", source="flow logs"
            ),
            model.Evidence(
                name="traffic", value=float(round(told, 2)), unit="USD/month", source="flow logs"
            ),
            model.Evidence(
                name="volume", value=float(round(month, 3)), unit="GiB/month", source="flow logs"
            ),
            model.Evidence(name="records", value=record_count, unit="records", source="flow logs"),
        ),
        saving=model.Saving(
            unknown="`netplan flow-logs plan` shows what thinner logs would save, and their error"
        ),
        fix=RULE.fix(
            label="thinner flow logs",
            text="Set the sampling ratio and the interval that `netplan flow-logs plan` finds for"
            " an acceptable error. Without it, start with a tenth of the records.",
            commands=(set_logs(subnetwork, "--logging-flow-sampling=0.1"),),
            verify="The next audit's network services show the new cost.",
            undo=logs_again(subnetwork),
            caution="Other readers of the logs see fewer records too.",
        ),
        doubts=("logs may be kept for other reasons than cost",),
    )
