"""What can hold a run below its prediction: each suspect by its evidence, and their order."""

from typing import Any

import pytest
from msgspec.structs import replace

from netplan_planner.model import BandwidthTier, Network, PathClass, ResourceRef
from netplan_rules.model import _suspects
from netplan_rules.shared.measured import STOCK_CEILING_BYTES, RunModel
from support.listed import listed
from support.rules.facts import NETWORK
from support.rules.measured_facts import A, B, host, measured_facts, only_run, run

INTERNAL, EXTERNAL = PathClass.SAME_ZONE_INTERNAL, PathClass.SAME_ZONE_EXTERNAL
LONG = {"dst": "far", "min_rtt_ms": 100.0}
NO_ADDRESS: dict[str, Any] = {
    "sender": {"address": None},
    "receiver": {"address": None},
    "path_class": "same-zone-internal",
}


INNER = host("b", 2, nic={"external_ipv4": None})


def suspects(*, facts: Any = None, **fields: Any) -> tuple[_suspects.Suspect, ...]:
    """Return the suspects of one run from a to b that reached 4 Gbit/s, with fields changed."""
    kept = {key: fields.pop(key) for key in ("machines", "talk", "thresholds") if key in fields}
    facts = facts or measured_facts(run(**{"gbps": 4.0, "runs": 1, **fields}), **kept)
    model, one = RunModel(facts), only_run(facts)
    query = model.query(one)
    estimate = model.estimate(one, query)
    return _suspects.suspects_of(
        _suspects.Case(facts=facts, model=model, run=one, query=query, estimate=estimate)
    )


def standings(**fields: Any) -> dict[str, int]:
    """Return the names of the suspects with their standings, in their order."""
    return {one.name: one.standing for one in suspects(**fields)}


def test_without_any_evidence_nobody_is_suspected() -> None:
    assert suspects() == ()
    # A busy core explains the figure; both ways at once is in the prediction.
    assert standings(sender={"cpu_ratio": 15.0}) == {"cpu-bound": _suspects.EXPLAINS}
    assert standings(sender={"cpu_ratio": 9.0}) == {}
    assert standings(is_bidirectional=True) == {"both-ways": _suspects.WEAK}


@pytest.mark.parametrize(("gbps", "standing"), [(17.0, _suspects.EXPLAINS), (4.0, _suspects.WEAK)])
def test_one_thread_explains_what_one_core_carries(gbps: float, standing: int) -> None:
    """One core carries 16 to 35 Gbit/s today."""
    assert standings(tool_version="3.12", gbps=gbps) == {"one-thread": standing}


@pytest.mark.parametrize(
    ("ceiling", "gbps", "found"),
    [
        # 524 kB over 100 ms are 0.042 Gbit/s.
        (1_048_576, 0.030, {"receive-ceiling": _suspects.EXPLAINS}),
        (1_048_576, 0.027, {"receive-ceiling": _suspects.WEAK}),
        (1_048_576, 0.010, {"receive-ceiling": _suspects.WEAK}),
        (STOCK_CEILING_BYTES - 1, 0.010, {"receive-ceiling": _suspects.WEAK}),
        (STOCK_CEILING_BYTES, 0.010, {}),
        (None, 0.010, {"window": _suspects.FITS}),
    ],
)
def test_a_small_receive_ceiling_is_held_against_the_figure(
    ceiling: int | None, gbps: float, found: dict[str, int]
) -> None:
    receiver = {"receive_ceiling_bytes": ceiling}
    assert standings(streams=1, gbps=gbps, receiver=receiver, **LONG) == found


def test_a_window_is_suspected_only_where_the_prediction_is_bound_by_it() -> None:
    assert "window" not in standings(streams=1)
    (one,) = suspects(streams=1, gbps=0.08, **LONG)
    # 0.08 Gbit/s over 100 ms are a megabyte in flight.
    assert "a receive window of 1 MB instead of 3.15" in one.evidence
    # A recorded window is in the prediction and no suspect.
    assert standings(streams=1, gbps=0.01, max_receive_window_bytes=1_000_000, **LONG) == {}


def tier1(nic_type: str | None) -> Any:
    fields = {"bandwidth_tier": BandwidthTier.TIER_1, "machine_type": "n2-standard-32"}
    return (host("a", 1, nic={"nic_type": nic_type}, **fields), B)


@pytest.mark.parametrize(
    ("nic_type", "gbps", "found"),
    [
        # n2-standard-32 has 32 Gbit/s, and 50 with Tier_1.
        ("VIRTIO_NET", 20.0, {"tier1-without-gvnic": _suspects.EXPLAINS}),
        ("VIRTIO_NET", 2.0, {"tier1-without-gvnic": _suspects.WEAK}),
        (None, 20.0, {"tier1-without-gvnic": _suspects.FITS}),
        (None, 2.0, {}),
        ("GVNIC", 20.0, {}),
    ],
)
def test_tier1_without_gvnic_brings_the_default_cap(
    nic_type: str | None, gbps: float, found: dict[str, int]
) -> None:
    assert standings(machines=tier1(nic_type), gbps=gbps) == found
    # The driver that the run saw goes before the inventory.
    seen = standings(machines=tier1("GVNIC"), gbps=gbps, sender={"nic_type": "VIRTIO_NET"})
    assert seen == standings(machines=tier1("VIRTIO_NET"), gbps=gbps)


@pytest.mark.parametrize(
    ("fields", "found"),
    [
        # The external path carries 7 Gbit/s.
        ({"gbps": 6.9, **NO_ADDRESS}, {"external-address": _suspects.FITS}),
        ({"gbps": 2.0, **NO_ADDRESS}, {}),
        ({"gbps": 6.9, "talk": (("b", "a", EXTERNAL, 1.0),), **NO_ADDRESS}, _suspects.EXPLAINS),
        ({"gbps": 2.0, "talk": (("a", "b", EXTERNAL, 1.0),), **NO_ADDRESS}, _suspects.WEAK),
        ({"gbps": 2.0, "talk": (("a", "b", INTERNAL, 1.0),), **NO_ADDRESS}, {}),
        # An internal address that is on record rules it out.
        ({"gbps": 6.9, "talk": (("a", "b", EXTERNAL, 1.0),)}, {}),
        ({"gbps": 2.0, "over": "external"}, _suspects.WEAK),
        # A receiver without an external address was not reached by one.
        ({"gbps": 6.9, "machines": (A, INNER), **NO_ADDRESS}, {}),
    ],
)
def test_an_external_address_is_suspected_as_far_as_it_is_seen(
    fields: dict[str, Any], found: dict[str, int] | int
) -> None:
    wanted = {"external-address": found} if isinstance(found, int) else found
    assert standings(**fields) == wanted


@pytest.mark.parametrize(
    ("others", "found"),
    [
        (1.5, {}),
        (2.0, {"other-traffic": _suspects.WEAK}),
        # 4 and 12 are above the low end of the interval, 15.4.
        (12.0, {"other-traffic": _suspects.EXPLAINS}),
    ],
)
def test_other_traffic_of_the_time_takes_from_the_senders_cap(
    others: float, found: dict[str, int]
) -> None:
    """From 5 % of the 32 Gbit/s on; what goes to the receiver itself is not counted."""
    talk = (("a", "far", INTERNAL, others), ("a", "b", INTERNAL, 9.0), ("b", "far", INTERNAL, 9.0))
    assert standings(talk=talk) == found


def test_traffic_of_another_time_is_no_suspect() -> None:
    talk = (("a", "far", INTERNAL, 12.0),)
    assert standings(talk=talk, started_at="2026-11-02T07:59:00Z") == {}
    assert standings(talk=talk, started_at="") == {}
    facts = measured_facts(run(gbps=4.0, runs=1), talk=talk)
    assert facts.traffic is not None
    assert suspects(facts=replace(facts, traffic=replace(facts.traffic, is_steady=True))) == ()


def test_only_traffic_to_the_outside_takes_from_the_external_cap() -> None:
    for path_class, found in ((INTERNAL, set()), (EXTERNAL, {"other-traffic"})):
        talk = (("a", "far", path_class, 5.0),)
        names = set(standings(over="external", gbps=1.0, talk=talk)) - {"external-address"}
        assert names == found


@pytest.mark.parametrize(("count", "is_found"), [(1000, False), (1002, True)])
def test_losses_are_suspected_above_a_share_of_the_segments(count: int, is_found: bool) -> None:
    sent = {"byte_count": 1408 * 1_000_000, "mss_bytes": 1408}
    found = standings(retransmit_count=count, **sent)
    assert found == ({"retransmits": _suspects.RECORDED} if is_found else {})
    # Segments are counted from rate and time where bytes are not recorded: 4 Gbit/s for 10 s are
    # 5 GB, or 3.55 million segments of 1,408 bytes.
    assert standings(retransmit_count=3_500) == {}
    (one,) = suspects(retransmit_count=35_500)
    assert "1.00% of the segments" in one.evidence


@pytest.mark.parametrize(
    ("fields", "found"),
    [
        ({"mtu_bytes": 1460}, {}),
        ({"mtu_bytes": 1300}, {"small-packets": _suspects.WEAK}),
        ({"mtu_bytes": None, "mss_bytes": 1388}, {}),
        ({"mtu_bytes": None, "mss_bytes": 1387}, {"small-packets": _suspects.WEAK}),
    ],
)
def test_packets_smaller_than_the_network_allows(
    fields: dict[str, Any], found: dict[str, int]
) -> None:
    assert standings(**fields) == found


def test_two_networks_of_different_mtus_are_named() -> None:
    other = replace(B.interfaces[0], network="projects/p/global/networks/jumbo")
    facts = measured_facts(run(gbps=4.0, runs=1), machines=(A, replace(B, interfaces=(other,))))
    jumbo = Network(
        ref=ResourceRef(self_link=other.network),
        project=A.project,
        name="jumbo",
        mtu_bytes=8896,
    )
    networks = (*facts.inventory.networks, jumbo)
    assert {n.ref.self_link for n in networks} == {NETWORK, other.network}
    facts = replace(facts, inventory=replace(facts.inventory, networks=networks))
    (one,) = suspects(facts=facts)
    assert (one.name, one.standing) == ("small-packets", _suspects.WEAK)
    assert "1,460 bytes; one of the two networks allows 8,896" in one.evidence


def test_suspects_stand_by_what_they_explain() -> None:
    """A busy core explains, losses are on record, both ways and one thread are not enough."""
    found = standings(
        tool_version="3.12",
        sender={"cpu_ratio": 0.97},
        retransmit_count=100_000,
        is_bidirectional=True,
    )
    assert list(found.items()) == [
        ("cpu-bound", _suspects.EXPLAINS),
        ("retransmits", _suspects.RECORDED),
        ("one-thread", _suspects.WEAK),
        ("both-ways", _suspects.WEAK),
    ]


def test_what_is_seen_goes_before_what_only_fits() -> None:
    """Losses are on record; a window and an address are not, and the figure would fit both."""
    said = {
        **LONG,
        "path_class": "inter-region-internal",
        "sender": {"address": None},
        "receiver": {"address": None},
        "streams": 16,
        "gbps": 6.9,
        "retransmit_count": 100_000,
    }
    assert list(standings(**said)) == ["retransmits", "window", "external-address"]


def test_of_equal_suspects_the_tool_comes_first() -> None:
    talk = (("a", "far", INTERNAL, 12.0),)
    found = suspects(talk=talk, sender={"cpu_ratio": 15.0})
    assert [(one.name, one.standing) for one in found] == [
        ("cpu-bound", _suspects.EXPLAINS),
        ("other-traffic", _suspects.EXPLAINS),
    ]


@listed(
    "fields",
    [
        {"sender": {"cpu_ratio": 15.0}},
        {"tool_version": "3.12"},
        {"streams": 1, "gbps": 0.01, "receiver": {"receive_ceiling_bytes": 65536}, **LONG},
        {"streams": 1, "gbps": 0.01, **LONG},
        {"over": "external", "gbps": 2.0},
        {"retransmit_count": 100_000},
        {"mtu_bytes": 1300},
        {"is_bidirectional": True},
    ],
)
def test_every_suspect_has_evidence_and_advice(fields: dict[str, Any]) -> None:
    for one in suspects(**fields):
        assert one.evidence
        assert one.advice[0].isupper()
        assert not one.advice.endswith(".")
