"""What a probe is predicted to reach, which limits it shows, and its bill worked by hand."""

from decimal import Decimal

import msgspec
import pytest

from netplan_planner.model import Facts, Instance
from netplan_planner.verbs.probe.answer import Probe, ProbePath, ProbeWay
from netplan_planner.verbs.probe.forecast import ProbeRules, forecast, run_gbps
from netplan_planner.verbs.probe.paths import PathMaker
from support.probes.plans import RULES
from support.rules.facts import facts_of, machine

FAR = "europe-west1-b"


def path_between(client: Instance, server: Instance) -> tuple[ProbePath, Facts]:
    facts = facts_of(client, server)
    names = ((client.name, server.name),)
    (path,) = PathMaker(facts).named(names, is_external=False).paths
    return path, facts


def forecast_of(
    client: Instance, server: Instance, streams: int = 16, rules: ProbeRules = RULES
) -> Probe:
    path, facts = path_between(client, server)
    return forecast(path, streams, facts, rules)


def test_every_kind_of_run_is_predicted_under_its_sender_s_cap() -> None:
    kinds = [(flow.way, flow.is_back) for flow in forecast_of(machine("a"), machine("b")).flows]
    assert kinds == [
        (ProbeWay.FORWARD, False),
        (ProbeWay.REVERSE, True),
        (ProbeWay.BOTH, False),
        (ProbeWay.BOTH, True),
    ]
    single = forecast_of(machine("a"), machine("b"), streams=1)
    assert [(flow.way, flow.is_back) for flow in single.flows] == kinds[:2]
    # The server sends under its own cap.
    found = forecast_of(machine("a", "n2-standard-32"), machine("b", "n2-standard-2"))
    caps = {flow.is_back: flow.estimate.limits[0].gbps for flow in found.flows}
    assert caps == {False: 32.0, True: 10.0}


def test_bill_between_zones_worked_by_hand() -> None:
    found = forecast_of(machine("a"), machine("b", zone="us-central1-b"), streams=1)
    rates = [flow.estimate.gbps or 0.0 for flow in found.flows]
    assert found.path.there.omit_s == 2
    assert found.path.there.duration_s == 10
    # Three runs each way of 2 + 10 s; 10^9 bit in 8 bits a byte, 2^30 bytes a GiB.
    gib = [3 * 12 * rate * 1e9 / 8 / 2**30 for rate in rates]
    least = found.expected
    assert (least.runs, least.seconds, least.vm_seconds) == (6, 6 * 14, 2 * 6 * 14)
    assert [float(line.gib) for line in least.line_items] == pytest.approx(gib, abs=1e-5)
    assert [line.usd_per_gib for line in least.line_items] == [Decimal("0.01")] * 2
    assert [line.sku_id for line in least.line_items] == ["DE9E-AFBC-A15A"] * 2
    assert [line.usd for line in least.line_items] == [
        line.gib * Decimal("0.01") for line in least.line_items
    ]
    assert least.usd == sum(line.usd for line in least.line_items)
    highs = [flow.estimate.high_gbps or 0.0 for flow in found.flows]
    most = sum(10 * 12 * rate * 1e9 / 8 / 2**30 for rate in highs)
    assert float(found.most.gib) == pytest.approx(most, abs=1e-5)
    assert (found.most.runs, found.most.seconds) == (20, 20 * 14)


def test_the_wire_and_long_paths_are_on_the_bill_and_a_zone_is_free() -> None:
    rules = msgspec.structs.replace(RULES, wire_ratio=1.5)
    plain, framed = (
        forecast_of(machine("a"), machine("b"), rules=one).expected for one in (RULES, rules)
    )
    assert float(framed.gib) == pytest.approx(1.5 * float(plain.gib), rel=1e-6)
    # Runs on long paths last longer and pay the paid step.
    found = forecast_of(machine("a"), machine("b", zone=FAR), streams=1)
    rtt_ms = found.path.there.rtt_ms
    assert rtt_ms is not None
    assert rtt_ms > 80
    # The first GiB of a month is free between regions; a probe cannot count on it.
    assert [line.usd_per_gib for line in found.expected.line_items] == [Decimal("0.05")] * 2
    # Traffic in a zone is free and says so.
    found = forecast_of(machine("a"), machine("b"))
    assert found.expected.usd == 0
    assert [line.usd_per_gib for line in found.expected.line_items] == [0, 0]
    assert found.unpriced == ""
    # A missing price stays unknown.
    strange = machine("a", zone="mars-north1-a")
    found = forecast_of(strange, machine("b"), streams=1)
    assert found.expected.usd is None
    assert found.expected.vm_usd_in_ranking is None
    assert found.unpriced


def test_seconds_of_both_machines_at_their_price() -> None:
    spot = msgspec.structs.replace(machine("b"), is_spot=True)
    paid, half = (forecast_of(machine("a"), one) for one in (machine("b"), spot))
    facts = facts_of(machine("a"))
    hour = facts.prices.machine("us-central1", "n2-standard-8").usd
    wanted = 2 * hour / 3600 * Decimal(str(paid.expected.seconds))
    assert paid.expected.vm_usd_in_ranking == pytest.approx(wanted)
    assert half.expected.vm_usd_in_ranking is not None
    assert half.expected.vm_usd_in_ranking < wanted


def test_a_rate_cap_bounds_the_cost_and_stands_in_for_a_prediction() -> None:
    rules = msgspec.structs.replace(RULES, bitrate_gbps=2.0)
    found = forecast_of(machine("a", "n2-standard-32"), machine("b", zone=FAR), rules=rules)
    assert {run_gbps(flow, 2.0, is_most=True) for flow in found.flows} == {2.0}
    least = min(flow.estimate.low_gbps or 0.0 for flow in found.flows)
    assert least > 2
    assert found.refused == (
        f"the path carries at least {least:.3g} Gbit/s, so runs at 2 would measure only "
        "that limit (--bitrate)"
    )
    # What cannot be predicted needs a rate cap.
    unknown = machine("a", "z9-unheard-8"), machine("b", "z9-unheard-8")
    assert forecast_of(*unknown).refused.startswith("its rate and cost")
    rules = msgspec.structs.replace(RULES, bitrate_gbps=1.0)
    capped = forecast_of(*unknown, rules=rules)
    assert capped.refused == ""
    # 3 runs of 12 s each way, and 3 more both ways at once, at 1 Gbit/s.
    assert float(capped.expected.gib) == pytest.approx(4 * 3 * 12 * 1e9 / 8 / 2**30, rel=1e-6)


@pytest.mark.parametrize(
    ("client", "server", "streams", "wanted"),
    [
        (machine("a"), machine("b"), 16, {"vm-egress (n2 VMs)"}),
        (
            machine("a", "e2-micro"),
            machine("b", "e2-micro"),
            16,
            {"vm-egress (e2 shared-core VMs)"},
        ),
        (
            machine("a"),
            machine("b", zone=FAR),
            1,
            {"window-over-rtt (to own machines)"},
        ),
        (
            msgspec.structs.replace(machine("a"), licenses=("x/licenses/debian-12",)),
            msgspec.structs.replace(machine("b", zone=FAR), licenses=("y/licenses/debian-12",)),
            1,
            {"window-over-rtt (to own machines with image debian-12)"},
        ),
    ],
)
def test_limits_are_named_with_what_decides_them(
    client: Instance, server: Instance, streams: int, wanted: set[str]
) -> None:
    found = forecast_of(client, server, streams)
    likely = {key for flow in found.flows for key, chance in flow.shares if chance > 0.5}
    assert likely == wanted
    for flow in found.flows:
        assert sum(chance for _, chance in flow.shares) == pytest.approx(1.0)
