"""Every machine with its caps, addresses and dollars, by configuration alone."""

from decimal import Decimal

import pytest
from msgspec.structs import replace

from netplan_planner import model
from netplan_planner.judging.month import REGIONAL_QUOTAS, machine_rows
from netplan_planner.verbs.audit.tables import region_rows
from support.rules.facts import facts_of, machine

NIC = model.NetworkInterface(
    name="nic0",
    network=model.SelfLink("projects/p/global/networks/default"),
    internal_ipv4="10.0.0.1",
    external_ipv4="34.1.2.3",
    nic_type="GVNIC",
)


def rows(facts: model.Facts) -> dict[str, model.MachineRow]:
    return {row.name: row for row in machine_rows(facts)}


def test_a_row_has_caps_with_their_source_nic_mtu_address_and_dollars() -> None:
    facts = facts_of(
        replace(machine("a", "n2-standard-32"), interfaces=(NIC,)),
        replace(machine("b", "n2-standard-32"), bandwidth_tier=model.BandwidthTier.TIER_1),
    )
    found = rows(facts)
    assert (found["a"].egress_gbps, found["a"].external_gbps, found["a"].is_tier1) == (32, 7, False)
    assert (found["b"].egress_gbps, found["b"].external_gbps, found["b"].is_tier1) == (50, 25, True)
    assert "general-purpose-machines" in found["a"].egress_source
    assert found["a"].external_source
    assert (found["a"].nic_types, found["b"].nic_types) == (("GVNIC",), ())
    # No page that lists the NIC types of N2 was read.
    assert found["a"].nic_types_possible == ()
    assert found["a"].mtu_bytes == 1460
    assert found["a"].external_addresses == ("34.1.2.3",)
    price = facts.prices.machine("us-central1", "n2-standard-32", model.Usage.SUSTAINED_USE)
    fee = facts.prices.tier1_fee("us-central1", "n2-standard-32", 50)
    assert found["a"].machine_usd_per_month == price.usd * 730
    assert found["b"].machine_usd_per_month == (price.usd + fee.usd) * 730
    address = facts.prices.external_address(model.AddressUse.STANDARD_VM, "us-central1")
    assert found["a"].address_usd_per_month == address.usd * 730
    assert found["b"].address_usd_per_month == 0


@pytest.mark.parametrize(("status", "count"), [("UNKNOWN", 1), ("RUNNING", 0), ("TERMINATED", 0)])
def test_a_planned_machine_pays_for_the_address_that_it_asks_for(status: str, count: int) -> None:
    asked = replace(NIC, external_ipv4=None, access_config_name="External NAT")
    one = replace(machine("a"), status=status, interfaces=(asked, replace(NIC, external_ipv4=None)))
    facts = facts_of(one)
    (row,) = machine_rows(facts)
    price = facts.prices.external_address(model.AddressUse.STANDARD_VM, "us-central1")
    assert row.external_addresses == ("(unknown)",) * count
    assert row.address_usd_per_month == price.usd * 730 * count


def test_addresses_of_which_nothing_is_known_are_neither_none_nor_free() -> None:
    """A plan may leave open whether a machine gets any."""
    nic = replace(NIC, external_ipv4=None, is_access_unknown=True)
    on_nic = replace(machine("a"), status="UNKNOWN", interfaces=(NIC, nic))
    elsewhere = replace(machine("b"), status="UNKNOWN", interfaces=(), is_access_unknown=True)
    found = rows(facts_of(on_nic, elsewhere))
    assert found["a"].external_addresses == ("34.1.2.3", "(unknown)")
    assert found["b"].external_addresses == ("(unknown)",)
    for row in found.values():
        assert row.machine_usd_per_month is not None
        assert row.address_usd_per_month is None
        assert row.price_unknown == "its external addresses are unknown until apply"


@pytest.mark.parametrize(
    ("part", "is_priced", "has_cap"),
    [
        (model.Part.GPUS, False, True),
        (model.Part.SCHEDULING, False, True),
        (model.Part.TIER, False, False),
        (model.Part.LOCAL_SSDS, True, True),
    ],
)
def test_an_unknown_part_is_not_none(part: model.Part, *, is_priced: bool, has_cap: bool) -> None:
    one = replace(machine("a"), unknown_parts=(part,))
    plain, other = (rows(facts_of(vm))["a"] for vm in (machine("a"), one))
    why = f"known after apply: {part}"
    assert plain.machine_usd_per_month is not None
    assert other.machine_usd_per_month == (plain.machine_usd_per_month if is_priced else None)
    assert other.price_unknown == ("" if is_priced else why)
    assert (other.egress_gbps, other.cap_unknown) == (
        (plain.egress_gbps, "") if has_cap else (None, why)
    )


def test_a_row_that_stands_still_or_is_not_known_has_no_number() -> None:
    stopped = replace(machine("a"), status="TERMINATED", interfaces=(NIC,))
    facts = facts_of(stopped)
    (row,) = machine_rows(facts)
    assert (row.is_stopped, row.machine_usd_per_month) == (True, Decimal(0))
    unused = facts.prices.external_address(model.AddressUse.UNUSED_STATIC, "us-central1")
    assert row.address_usd_per_month == unused.usd * 730
    # What is not known is said and no number.
    (row,) = machine_rows(facts_of(machine("a", "q9-standard-8")))
    assert (row.egress_gbps, row.external_gbps, row.machine_usd_per_month) == (None, None, None)
    assert "q9-standard-8" in row.cap_unknown
    assert "q9-standard-8" in row.price_unknown
    # What is known of no machine of a region has no sum.
    (whole,) = region_rows(machine_rows(facts_of(machine("a", "q9-standard-8"))))
    assert (whole.egress_gbps, whole.external_gbps) == (None, None)
    assert (whole.unknown_count, whole.external_unknown_count) == (1, 1)


def test_regions_name_the_quotas_and_what_running_machines_could_send() -> None:
    facts = facts_of(
        machine("a", "n2-standard-32"),
        machine("b", "n2-standard-32"),
        replace(machine("c", "n2-standard-32"), status="TERMINATED"),
        machine("d", "q9-standard-8"),
        machine("e", "e2-standard-4", zone="europe-west1-b"),
    )
    europe, america = region_rows(machine_rows(facts))
    assert (europe.region, america.region) == ("europe-west1", "us-central1")
    assert (america.machine_count, america.running_count, america.unknown_count) == (4, 3, 1)
    assert (america.egress_gbps, america.external_gbps) == (64, 14)
    assert america.external_unknown_count == 1
    assert europe.egress_gbps == pytest.approx(8)
    assert america.quotas == REGIONAL_QUOTAS


def test_a_cap_between_two_documented_sizes_says_both_ends() -> None:
    row = rows(facts_of(machine("a", "n4-custom-10-40960")))["a"]
    assert row.egress_gbps == 16
    assert row.cap_unknown.endswith("16 of at most 32 Gbit/s")
    assert not rows(facts_of(machine("a", "n4-standard-8")))["a"].cap_unknown
