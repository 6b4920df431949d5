"""From a plan to campaigns, from the store to what was measured beside what was predicted."""

from decimal import Decimal
from pathlib import Path

import msgspec
import pytest

from netplan_planner.errors import UsageError
from netplan_planner.measuring.campaign import StopRule
from netplan_planner.measuring.store import append
from netplan_planner.measuring.transports import GcloudTransport, LocalTransport, SshTransport
from netplan_planner.model import CountedBy, Instance, MeasuredEnd, Measurement
from netplan_planner.verbs.probe.answer import ProbePlan
from netplan_planner.verbs.probe.campaigns import Access, campaigns_of, measured_flows, run_plan
from netplan_planner.verbs.probe.choice import ProbeCaps
from netplan_planner.verbs.probe.paths import PathMaker
from netplan_planner.verbs.probe.plan import ProbeQuestion, plan_for
from support.rules.facts import facts_of, machine

EUROPE = "europe-west1-b"
FAR = tuple(machine(name, zone=EUROPE) for name in ("far-1", "far-2"))
NEAR = tuple(machine(name) for name in ("near-1", "near-2"))
PAIRS = (("near-1", "far-1"), ("near-2", "far-2"), ("near-1", "near-2"))


def planned(
    *machines: Instance, pairs: tuple[tuple[str, str], ...] = PAIRS, **more: object
) -> tuple[ProbePlan, ProbeQuestion]:
    facts = facts_of(*(machines or (*NEAR, *FAR)))
    asked = ProbeQuestion(**{"stop": StopRule(tolerance_ratio=0.01), **more})  # type: ignore[arg-type]
    found = PathMaker(facts).named(pairs, is_external=False)
    return plan_for(asked, facts, title="t", found=found), asked


def test_paths_with_the_same_streams_are_one_campaign() -> None:
    plan, asked = planned()
    campaigns = campaigns_of(plan, asked, Access())
    wanted: dict[str, set[int]] = {}
    for one in plan.probes:
        wanted.setdefault(one.probe.path.name, set()).add(one.probe.streams)
    found = {
        pair.name: {one.streams for one in campaign.configurations}
        for campaign in campaigns
        for pair in campaign.pairs
    }
    assert found == wanted
    assert sum(len(campaign.pairs) for campaign in campaigns) == len(found)
    streams = [tuple(sorted({c.streams for c in one.configurations})) for one in campaigns]
    assert len(set(streams)) == len(streams)
    for campaign in campaigns:
        assert campaign.id.startswith(f"{plan.id}/")
        for pair in campaign.pairs:
            assert pair.client.described.machine_type == "n2-standard-8"
            assert pair.client.described.zone
            assert pair.server.described.region
            highs = [
                flow.estimate.high_gbps or 0.0
                for one in plan.probes
                if one.probe.path.name == pair.name
                for flow in one.probe.flows
            ]
            assert pair.expected_gbps == max(highs)


def test_dollars_are_held_by_the_bytes_that_the_plan_reckons() -> None:
    plan, asked = planned(caps=ProbeCaps(max_usd=Decimal(10_000)))
    most = float(sum(one.probe.most.gib for one in plan.probes))
    assert {one.limits.max_gib for one in campaigns_of(plan, asked, Access())} == {most}
    plan, asked = planned(caps=ProbeCaps(max_usd=Decimal(10_000), max_gib=1e6, max_seconds=1e6))
    for campaign in campaigns_of(plan, asked, Access()):
        assert campaign.limits.max_gib == most
        assert campaign.limits.max_seconds == 1e6
    plan, asked = planned(bitrate_gbps=20.0)
    (limits,) = {one.limits for one in campaigns_of(plan, asked, Access())}
    assert (limits.max_gib, limits.max_seconds, limits.bitrate_gbps) == (None, None, 20.0)


ONE = (("near-1", "near-2"),)


def test_ends_are_reached_as_said() -> None:
    plan, asked = planned(*NEAR, pairs=ONE)

    def ends(access: Access) -> list[object]:
        (pair,) = campaigns_of(plan, asked, access)[0].pairs
        return [pair.client.transport, pair.server.transport]

    assert ends(Access(is_through_iap=False)) == [
        GcloudTransport(vm=name, zone="us-central1-a", project="p", is_through_iap=False)
        for name in ("near-1", "near-2")
    ]
    hosts = Access(kind="ssh", ends=(("near-2", "me@10.0.0.2"),), ssh_options=("Port=2222",))
    assert ends(hosts) == [
        SshTransport(host="near-1", options=("Port=2222",)),
        SshTransport(host="me@10.0.0.2", options=("Port=2222",)),
    ]
    local = Access(kind="local", client="ip netns exec 'a b'", server="")
    assert ends(local) == [LocalTransport(prefix=("ip", "netns", "exec", "a b")), LocalTransport()]
    named = Access(
        kind="local", ends=(("p/us-central1-a/near-1", "sudo"), ("near-2", "docker exec x"))
    )
    assert ends(named) == [
        LocalTransport(prefix=("sudo",)),
        LocalTransport(prefix=("docker", "exec", "x")),
    ]
    # Words for two ends do for one path only.
    plan, asked = planned()
    with pytest.raises(UsageError, match="are for one path, but the plan has"):
        campaigns_of(plan, asked, Access(kind="local", client="", server=""))


@pytest.mark.parametrize(
    ("access", "says"),
    [
        (Access(kind="local"), "state how a command runs on near-1"),
        (Access(kind="local", client="x"), "state how a command runs on near-2"),
        (Access(kind="local", client="'", server=""), "the words before a command"),
        (Access(kind="ssh", client="x"), "are for --transport local"),
        (Access(ends=(("nobody", "x"),)), "--end nobody: no VM of the plan has that name"),
        (Access(kind="ssh", ends=(("near-1", "-oProxyCommand=x"),)), "is not valid"),
    ],
)
def test_what_does_not_say_how_to_reach_an_end_is_refused(access: Access, says: str) -> None:
    plan, asked = planned(*NEAR, pairs=ONE)
    with pytest.raises(UsageError, match=says):
        campaigns_of(plan, asked, access)


def measured(plan: ProbePlan, place: str, gbps: float, **more: object) -> Measurement:
    made = Measurement(
        run_id=f"{place}-{gbps}-{more}",
        source=f"{plan.id}/1+16",
        place=place,
        started_at="2026-11-22T10:00:00Z",
        tool="iperf3",
        src=MeasuredEnd(),
        dst=MeasuredEnd(),
        gbps=gbps,
        counted_by=CountedBy.RECEIVER,
    )
    return msgspec.structs.replace(made, **more)


def test_measurements_stand_beside_their_own_direction() -> None:
    plan, _ = planned(*NEAR, pairs=ONE)
    probe = plan.probes[0].probe
    name = f"{probe.path.name}/{probe.streams}"
    low = probe.flows[0].estimate.low_gbps or 0.0
    found = measured_flows(
        plan,
        (
            *(measured(plan, f"{name}-forward/{n}", low * (1 + n / 1e6)) for n in (1, 2, 3)),
            measured(plan, f"{name}-reverse/1", low / 2, is_reverse=True, bitrate_limit_gbps=9.0),
            measured(plan, f"{name}-forward/9", 1.0, source="another/1"),
            measured(plan, "elsewhere/1-forward/1", 1.0),
        ),
    )
    there, back = found
    assert [rate / low for rate in there.gbps] == pytest.approx([1.000001, 1.000002, 1.000003])
    assert there.median_gbps == there.gbps[1]
    assert (there.flow.is_back, there.is_inside, there.is_capped) == (False, True, False)
    assert (back.flow.is_back, back.is_inside, back.is_capped) == (True, False, True)


def test_a_used_up_limit_lets_no_campaign_begin(tmp_path: Path) -> None:
    plan, asked = planned(*NEAR, pairs=ONE)
    access = Access(kind="local", client="false", server="false")
    (campaign,) = campaigns_of(plan, asked, access)
    limited = msgspec.structs.replace(
        campaign, limits=msgspec.structs.replace(campaign.limits, max_gib=1.0)
    )
    other = msgspec.structs.replace(limited, id=f"{plan.id}/other")
    store = tmp_path / "store.jsonl"
    run = measured(plan, f"{campaign.pairs[0].name}/1-forward/1", 9.0, source=other.id)
    append(store, [msgspec.structs.replace(run, byte_count=2**31, duration_s=10.0)])
    results = run_plan(plan, (limited, other), store=store)
    assert results.not_begun == ("1 path not started: the limit of 1 GiB is reached",)
    assert results.measured_count == 0
    assert not results.is_complete
    assert len(results.flows) == 1
