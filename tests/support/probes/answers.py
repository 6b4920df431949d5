"""Answers of `netplan probe` and `netplan model evaluate` with made-up figures, for renderers."""

from datetime import date
from decimal import Decimal

from msgspec.structs import replace

from netplan_planner.measuring.outputs.base import Refused
from netplan_planner.model import Estimate, Limit, LimitKind, SelfLink, SkuId
from netplan_planner.renderers.html.charts.agreement import Point
from netplan_planner.verbs.model.answer import Evaluation, GroupScore
from netplan_planner.verbs.probe import answer
from netplan_planner.verbs.probe.imported import ProbeImport
from netplan_planner.verbs.probe.results import FlowResult, MissedRuns, ProbeResults
from support.probes.plans import probe

DAY = date(2026, 4, 30)
STORE = "my probes.jsonl"


def plan() -> answer.ProbePlan:
    """Return a plan of two probes, one without a price, with two more left out."""
    first, second = paid_probe(), replace(one_way("b"), unpriced="no price from here to there")
    without = {"line_items": (), "usd": None}
    second = replace(
        second, expected=replace(cost(3), **without), most=replace(cost(10), **without)
    )
    return answer.ProbePlan(
        id="probe-0123456789ab",
        title="a-project",
        limits_as_of=DAY,
        prices_as_of=DAY,
        tolerance_ratio=0.1,
        probes=(
            planned(first, 10.7, 202.0, told("vm-egress", 11)),
            planned(second, 1.2, None, told("internal-flow", 0)),
        ),
        left_out=(
            left_out("c", answer.LeftOutKind.KNOWN, "known well enough"),
            left_out("d", answer.LeftOutKind.LIMIT, "no room"),
        ),
        impacts=(impact("a-1", seen_gbps=None), impact("b-1", seen_gbps=1.5)),
        mean_log_width=0.5,
        expected_log_width=0.1,
        most_log_width=0.12,
        has_traffic=True,
        notes=("one finding has no path that can be measured",),
        stored=answer.StoredRuns(path=STORE, run_count=1),
    )


def results() -> ProbeResults:
    """Return what came of that plan: one figure inside its interval, one outside, one capped."""
    first, second = (planned.probe for planned in plan().probes)
    return ProbeResults(
        plan=plan(),
        store=STORE,
        flows=(
            flow_result(first, first.flows[0], 15.0, 15.5, 16.0),
            flow_result(first, first.flows[1], 3.0, 3.5, 3.9),
            replace(flow_result(second, second.flows[0], 9.0), is_capped=True),
        ),
        resumed_count=1,
        measured_count=6,
        is_complete=False,
        missed=(
            MissedRuns(what="b/1-forward/2", reason="timed out", is_one_run=True),
            MissedRuns(what="b/1-forward", reason="two runs in a row failed"),
        ),
        not_begun=("1 path not begun: the limit of 1 GiB is reached",),
    )


def imported() -> ProbeImport:
    """Return an import of three measurements with refusals of two reasons and a repeat."""
    places = [f"runs/{n}.txt:3" for n in range(1, 6)]
    return ProbeImport(
        store=STORE,
        measurement_count=3,
        new_count=2,
        file_count=2,
        by_tool=(("iperf2", 1), ("iperf3", 2)),
        refused=(
            *(Refused(place=place, reason="the rate is missing") for place in places),
            Refused(place="runs/x.xml", reason="XML is not read"),
            Refused(place="runs/y.txt", reason="the same run as JSON", is_repeat=True),
        ),
        ready_count=2,
        untold=("--src-type", "--path"),
    )


def evaluation() -> Evaluation:
    """Return the scores of five rows, of which one has no prediction."""
    known = GroupScore(
        group="mine, sender gcp",
        row_count=4,
        known_count=4,
        median_error_ratio=0.05,
        p90_error_ratio=1.75,
        coverage_ratio=0.75,
        below_ratio=0.25,
        above_ratio=0.0,
        mean_width_gbps=2.5,
        single_width_gbps=3.125,
        interval_score_gbps=4.0,
        caps_median_error_ratio=12.5,
        caps_p90_error_ratio=13.0,
        lookup_count=2,
        lookup_median_error_ratio=0.125,
        lookup_p90_error_ratio=0.25,
    )
    unknown = GroupScore(group="theirs, sender aws", row_count=1, known_count=0)
    rows = ((1.0, 1.1), (10.0, 9.0), (0.1, 0.4), (30.0, 29.0))
    return Evaluation(
        level=0.9,
        row_count=7,
        unused_count=2,
        by_source=(known, unknown),
        by_path=(replace(known, group="mine, sender gcp, internet"), unknown),
        by_path_class=(replace(known, group="internet"),),
        by_machine_family=(replace(known, group="n2"),),
        refused=("row 7: value is 'fast'",),
        name="mine.csv",
        rows=tuple(predicted(measured, gbps) for measured, gbps in rows),
    )


def predicted(measured: float, gbps: float) -> Point:
    """Return a row whose interval is a quarter to either side."""
    return Point("internet", measured, gbps, low_gbps=gbps * 0.75, high_gbps=gbps * 1.25)


def one_way(name: str) -> answer.Probe:
    """Return a probe of one direction, free of charge."""
    return probe(name, [flow(8.0, "internal-flow")], usd="0")


def paid_probe() -> answer.Probe:
    """Return a probe of two directions that a finding rests on."""
    made = probe("a", [flow(16.0, "vm-egress"), flow(16.0, "vm-egress", is_back=True)])
    stakes = (
        answer.ProbeStake(
            rule="external-ip-intra-zone", saving_usd_per_month=Decimal("309.58"), gain_gbps=14.4
        ),
        answer.ProbeStake(rule="external-cap-saturated"),
    )
    there = replace(made.path.there, rtt_ms=0.6)
    path = replace(made.path, stakes=stakes, there=there, rtt_basis="flow logs")
    return replace(made, path=path, expected=cost(6), most=cost(20))


def cost(runs: int) -> answer.ProbeCost:
    """Return the cost of runs of 14 s and 20 GiB a direction."""
    gib = Decimal(20 * runs)
    line = answer.ProbeLine(
        name="same-zone-external, a-1 → a-2",
        gib=gib,
        usd_per_gib=Decimal("0.01"),
        usd=gib * Decimal("0.01"),
        sku_id=SkuId("AAAA-0000-0001"),
        as_of=DAY,
        source="a price list",
    )
    return answer.ProbeCost(
        runs=runs,
        seconds=14.0 * runs,
        gib=gib,
        line_items=(line,),
        usd=line.usd,
        vm_seconds=28.0 * runs,
        vm_usd_in_ranking=Decimal("0.0123"),
    )


def flow(gbps: float, limit: str, *, is_back: bool = False) -> answer.ProbeFlow:
    """Return a direction whose prediction a limit bounds."""
    bound = Limit(
        name=limit,
        gbps=gbps,
        detail="n1-standard-16",
        kind=LimitKind.DOCUMENTED,
        source="a page",
        as_of=DAY,
    )
    return answer.ProbeFlow(
        way=answer.ProbeWay.REVERSE if is_back else answer.ProbeWay.FORWARD,
        is_back=is_back,
        estimate=Estimate(
            gbps=gbps,
            low_gbps=gbps / 2,
            high_gbps=gbps * 1.02,
            limits=(bound,),
            probabilities=(1.0,),
        ),
        log_width=0.7,
        informative_ratio=1.0,
        shares=((limit, 1.0),),
    )


def flow_result(of: answer.Probe, flow: answer.ProbeFlow, *gbps: float) -> FlowResult:
    """Return what was measured of a direction."""
    return FlowResult(probe=of, flow=flow, gbps=gbps, is_capped=False)


def planned(
    of: answer.Probe, gain: float, per_usd: float | None, tells: answer.ToldLimit
) -> answer.PlannedProbe:
    """Return a probe of the plan that tells of one limit."""
    return answer.PlannedProbe(probe=of, gain=gain, gain_per_usd=per_usd, tells=(tells,))


def left_out(name: str, kind: answer.LeftOutKind, reason: str) -> answer.LeftOutProbe:
    return answer.LeftOutProbe(probe=one_way(name), kind=kind, reason=reason)


def told(limit: str, others: int) -> answer.ToldLimit:
    """Return a limit that a probe tells."""
    return answer.ToldLimit(limit=limit, probability=0.75, other_paths=others)


def impact(name: str, *, seen_gbps: float | None) -> answer.ProbeImpact:
    """Return what runs do to a machine whose cap is 16 Gbit/s."""
    return answer.ProbeImpact(
        name=name,
        link=SelfLink(f"projects/p/zones/us-central1-a/instances/{name}"),
        cap_gbps=16.0,
        sends_gbps=16.0,
        receives_gbps=12.5,
        busy_s=84.0,
        most_busy_s=280.0,
        seen_p95_gbps=seen_gbps,
        seen_max_gbps=seen_gbps,
    )
