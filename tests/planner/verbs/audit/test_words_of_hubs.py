"""What the report says of traffic over hubs, of addresses in prices, and of what is to be done."""

from collections.abc import Iterable
from decimal import Decimal

import pytest
from msgspec.structs import replace

from netplan_planner import model
from netplan_planner.renderers.content.flows import by_class
from netplan_planner.renderers.document import Block, Line, Table
from netplan_planner.renderers.options import RenderOptions
from netplan_planner.verbs.audit.coverage import _of_cause
from netplan_planner.verbs.audit.findings import entry
from netplan_planner.verbs.audit.machines import machines
from netplan_planner.verbs.audit.sections import month_bill
from support.reports.machine_rows import machine_row
from support.reports.made import gecko_report, report_without_traffic

OPTIONS = RenderOptions()


def plain(told: Line) -> str:
    return "".join(span.text for span in told)


def words(blocks: Iterable[Block]) -> str:
    """Return all that blocks say, whatever they are."""
    said = []
    for block in blocks:
        lines = [getattr(block, "line", ())]
        lines += list(getattr(block, "more", ()))
        if isinstance(block, Table):
            lines += [cell for row in block.rows for cell in row]
        said += [plain(one) for one in lines]
        said.append(str(getattr(block, "text", "")))
    return " ".join(said)


def over_hub(usd: str, gib: str) -> model.LineItem:
    kept = gecko_report().findings[0].line_items[0]
    return replace(
        kept,
        name="Network Connectivity Center, hub main, same-zone-internal, us-central1",
        quantity=Decimal(gib),
        unit="GiB",
        unit_price_usd=Decimal("0.02"),
        usd_per_month=Decimal(usd),
    )


def total(*items: model.LineItem, usd: str) -> model.ClassTotal:
    return model.ClassTotal(
        path_class=model.PathClass.SAME_ZONE_INTERNAL,
        gib_per_month=Decimal(1000),
        usd_per_month=Decimal(usd),
        edge_count=1,
        line_items=items,
    )


def test_what_goes_over_a_hub_is_its_own_words() -> None:
    item = over_hub("10", "500")
    own = replace(item, name="same-zone-internal, us-central1", usd_per_month=Decimal(4))
    both = total(item, own, usd="14")
    table = words(by_class((both,), OPTIONS))
    assert "500 GiB of it over a hub: Network Connectivity Center data transfer $10.00" in table
    report = replace(gecko_report(), traffic_by_class=(both,), dear_pairs=())
    header = plain(month_bill(report))
    assert "(Network Connectivity Center data transfer $10.00, same-zone-internal $4.00)" in header
    free = total(item, usd="10")
    header = plain(month_bill(replace(report, traffic_by_class=(free,))))
    assert "(Network Connectivity Center data transfer $10.00)" in header
    assert "over a hub" not in words(by_class((total(own, usd="4"),), OPTIONS))


def test_the_address_in_the_price_of_machines_is_said() -> None:
    report = report_without_traffic()
    row = replace(machine_row(1), address_usd_per_month=Decimal("3.65"))
    told = words(machines(replace(report, machines=(row,)), OPTIONS))
    assert "$3.65 of it for external addresses" in told
    none = replace(row, address_usd_per_month=Decimal(0))
    assert "for external addresses" not in words(
        machines(replace(report, machines=(none,)), OPTIONS)
    )


@pytest.mark.parametrize("is_to_do", [True, False])
def test_a_short_finding_that_is_to_be_done_says_how_and_what_to_care_for(is_to_do: bool) -> None:
    report = gecko_report()
    ranked = report.do_first[0]
    found = next(one for one in report.findings if one.fingerprint == ranked.finding)
    assert found.fix is not None
    fix = replace(found.fix, commands=("gcloud compute x",), caution="Mind the gap.")
    low = replace(found, severity=model.Severity.LOW, confidence=model.Confidence.LOW, fix=fix)
    told = words(entry(low, 1, OPTIONS, ranked if is_to_do else None))
    assert ("Mind the gap." in told) is is_to_do
    assert ("gcloud compute x" in told) is is_to_do


@pytest.mark.parametrize(
    ("resource", "said"),
    [
        ("google_compute_x.y", "state.json: google_compute_x.y: no zone"),
        ("projects/p/z", "state.json: google_compute_x.y projects/p/z: no zone"),
    ],
)
def test_what_was_not_read_is_named_once(resource: str, said: str) -> None:
    one = model.Unread(source="state.json: google_compute_x.y", resource=resource, reason="no zone")
    assert plain(_of_cause([one])) == said
