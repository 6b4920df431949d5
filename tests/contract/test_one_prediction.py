"""One question, one answer: every verb says the same of one path over the same volume."""

from datetime import date
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs
from msgspec.structs import replace

from netplan_planner.model import (
    CapsBook,
    Estimate,
    FarEnd,
    JobEnd,
    JobNeed,
    JobPlace,
    MachineNeed,
    MachinePlan,
    PathClass,
    PathQuery,
)
from netplan_planner.model.plans.connections import Connections
from netplan_planner.optimise.job.plan import plan_job
from netplan_planner.optimise.machine_type import Chooser
from netplan_planner.planning.path_question import PathQuestion
from netplan_planner.planning.predict_path import predict_described
from netplan_planner.readers.paths.path_table import PathTable
from netplan_planner.throughput import predict
from netplan_planner.throughput.goodput.mean import LIMITS
from netplan_planner.throughput.limits.ends import described_end
from netplan_planner.verbs.predict.table_file import predict_table
from netplan_planner.verbs.transfer.ask import TransferNeed
from netplan_planner.verbs.transfer.hops import Hop
from netplan_planner.verbs.transfer.machines import hop_query, machines_in
from netplan_planner.verbs.transfer.plan import plan_transfer
from support.examples import examples
from support.paths.tables import written
from support.transfers.made import CAPS, PRICES, UNBOUND

DAY: date = CAPS.as_of
LEVEL = 0.9
BITS = 8 / 1e9
ZERO = Decimal(0)
TYPES = ("e2-standard-2", "n2-standard-4", "n2-standard-32", "n2-standard-48", "c3-standard-22")
REGIONS = ("us-central1", "us-east1", "europe-west4", "asia-east1", "australia-southeast1")


class Told(NamedTuple):
    """A path that every verb is asked about, over a volume."""

    machine_type: str
    src: str
    dst: str
    is_tier1: bool
    sent: Connections
    sent_bytes: int

    def how(self) -> dict[str, Any]:
        """Return how it is sent, as every verb is told."""
        return structs.asdict(self.sent)


def tier1_of(machine_type: str, *, caps: CapsBook = CAPS) -> list[bool]:
    """Return the tiers that a type is offered with."""
    return sorted({cap.is_tier1 for cap in caps.variants(machine_type)})


@st.composite
def paths(draw: st.DrawFn) -> Told:
    """Draw a path between two regions."""
    src, dst = draw(st.lists(st.sampled_from(REGIONS), min_size=2, max_size=2, unique=True))
    offered = [n for n in TYPES if PRICES.is_offered(src, n) and PRICES.is_offered(dst, n)]
    machine_type = draw(st.sampled_from(offered))
    return Told(
        machine_type=machine_type,
        src=src,
        dst=dst,
        is_tier1=draw(st.sampled_from(tier1_of(machine_type))),
        sent=Connections(
            streams=draw(st.sampled_from([None, 1, 4, 16, 64, 256])),
            window_bytes=draw(st.sampled_from([None, None, 2**20, 2**26])),
            send_buffer_bytes=draw(st.sampled_from([None, None, 2**20, 2**26])),
            mtu_bytes=draw(st.sampled_from([None, None, 1300, 8896])),
        ),
        sent_bytes=draw(st.integers(10**8, 10**14)),
    )


def predicted(told: Told) -> Estimate:
    """Return what `predict` says."""
    question = PathQuestion(
        src_type=told.machine_type,
        src_place=told.src,
        dst_place=told.dst,
        is_tier1=told.is_tier1,
        **told.how(),
        transfer_bytes=told.sent_bytes,
    )
    return predict_described(question, DAY, LEVEL).estimate


def seconds(found: Estimate) -> tuple[float | None, ...]:
    """Return the time, as is likely and at both ends of the rates."""
    return found.duration_s, found.low_duration_s, found.high_duration_s


@given(told=paths())
@settings(max_examples=examples(1.0), deadline=None)
def test_times_of_a_prediction_are_its_bytes_over_its_rates(told: Told) -> None:
    found = predicted(told)
    rates = (found.gbps, found.high_gbps, found.low_gbps)
    assert seconds(found) == pytest.approx([told.sent_bytes * BITS / (one or 0) for one in rates])


@given(told=paths())
@settings(max_examples=examples(1.0), deadline=None)
def test_a_job_on_one_machine_takes_as_long(told: Told) -> None:
    need = JobNeed(
        region=told.src,
        out_bytes=told.sent_bytes,
        target=JobEnd(place=JobPlace.REGION, region=told.dst),
        machine_types=(told.machine_type,),
        **told.how(),
        max_count=1,
    )
    found = plan_job(need, PRICES, CAPS)
    (option,) = (one for one in found.options if one.is_tier1 == told.is_tier1)
    times = (option.duration_s, option.low_duration_s, option.high_duration_s)
    assert times == pytest.approx(seconds(predicted(told)), rel=1e-9)


@given(told=paths())
@settings(max_examples=examples(0.5), deadline=None)
def test_a_transfer_by_one_machine_takes_as_long(told: Told) -> None:
    need = TransferNeed(
        source=told.src,
        targets=(told.dst,),
        volume_bytes=told.sent_bytes,
        machine_types=(told.machine_type,),
        **told.how(),
        relays=(),
        max_count=1,
        **UNBOUND,
    )
    plan = plan_transfer(need, PRICES, CAPS)
    assert plan.plan is not None
    # The plan chooses the tier; of two ends alike `predict` is asked about that one.
    tiers = {one.is_tier1 for one in plan.plan.machines}
    if len(tiers) == 1:
        asked = predicted(told._replace(is_tier1=tiers.pop()))
        found = (plan.plan.duration_s, plan.plan.low_duration_s, plan.plan.high_duration_s)
        assert found == pytest.approx(seconds(asked), rel=1e-9)


@given(told=paths())
@settings(max_examples=examples(0.5), deadline=None)
def test_a_recommendation_of_that_type_has_the_same_value_and_ends(told: Told) -> None:
    need = MachineNeed(
        gbps=0.0,
        vcpus=1,
        region=told.src,
        series=(told.machine_type.partition("-")[0],),
        far=FarEnd(region=told.dst, transfer_bytes=told.sent_bytes, **told.how()),
    )
    asked = predicted(told)
    plan = Chooser(PRICES, CAPS).choose(need)
    assert isinstance(plan, MachinePlan)
    same = [
        one
        for one in (*plan.ranked, *plan.front)
        if (one.machine_type, one.is_tier1) == (told.machine_type, told.is_tier1)
    ]
    for one in same:
        found = (one.cap_gbps, one.low_gbps, one.high_gbps)
        assert found == pytest.approx((asked.gbps, asked.low_gbps, asked.high_gbps), rel=1e-9)
    assert same or told.is_tier1, "with Tier_1 only where no other carries as much"


class Run(NamedTuple):
    """What a path is asked over: a time, a volume, or neither in steady use."""

    duration_s: float | None = None
    transfer_bytes: int | None = None


RUNS = st.one_of(
    st.just(Run()),
    st.sampled_from([0.5, 1.0, 5.0, 30.0, 3600.0]).map(Run),
    st.integers(10**5, 10**13).map(lambda size: Run(None, size)),
)
ANY_TYPES = [one for one in sorted(CAPS.machine_types) if CAPS.variants(one)]
SIDES = (("same-zone", "-b", "-b"), ("inter-zone", "-b", "-c"), ("inter-region", "", ""))


@st.composite
def questions(draw: st.DrawFn) -> PathQuestion:
    """Draw a path between any two machine types, over any distance and address."""
    distance, *zones = draw(st.sampled_from(SIDES))
    src, dst = draw(st.lists(st.sampled_from(REGIONS), min_size=2, max_size=2, unique=True))
    ends = (src, dst if distance == "inter-region" else src)
    machine_type = draw(st.sampled_from(ANY_TYPES))
    is_external = draw(st.booleans())
    run = draw(RUNS)
    return PathQuestion(
        src_type=machine_type,
        dst_type=draw(st.sampled_from([machine_type, *ANY_TYPES])),
        path_class=PathClass(f"{distance}-{'external' if is_external else 'internal'}"),
        src_place=ends[0] + zones[0],
        dst_place=ends[1] + zones[1],
        is_tier1=draw(st.sampled_from(tier1_of(machine_type))),
        streams=draw(st.sampled_from([None, None, 1, 16])),
        window_bytes=draw(st.sampled_from([None, 2**20, 2**26])),
        send_buffer_bytes=draw(st.sampled_from([None, 2**24])),
        mtu_bytes=draw(st.sampled_from([None, 1460, 8896])),
        duration_s=run.duration_s,
        transfer_bytes=run.transfer_bytes,
    )


def cells_of(asked: PathQuestion) -> dict[str, str]:
    """Return a question as a row of a table."""
    cells = {
        "machine_type": asked.src_type,
        "dst_machine_type": asked.dst_type,
        "path_class": asked.path_class,
        "src_location": asked.src_place,
        "dst_location": asked.dst_place,
        "tier1": asked.is_tier1 or "",
        "streams": asked.streams,
        "window_bytes": asked.window_bytes,
        "send_buffer_bytes": asked.send_buffer_bytes,
        "mtu": asked.mtu_bytes,
        "duration_s": asked.duration_s,
        "bytes": asked.transfer_bytes,
    }
    return {name: "" if one is None else str(one) for name, one in cells.items()}


@given(asked=st.lists(questions(), min_size=1, max_size=20))
@settings(max_examples=examples(0.3), deadline=None)
def test_rows_of_a_table_have_the_answers_of_single_paths(asked: list[PathQuestion]) -> None:
    told = [predict_described(one, DAY, LEVEL).estimate for one in asked]
    with TemporaryDirectory() as folder:
        path = written(Path(folder) / "paths.csv", *map(cells_of, asked))
        with PathTable(path) as table:
            rows = predict_table(table, as_of=DAY, level=LEVEL).predictions
    for at, one in enumerate(told):
        found = (rows.gbps[at], rows.low_gbps[at], rows.high_gbps[at])
        assert found == pytest.approx((one.gbps, one.low_gbps, one.high_gbps), rel=1e-9)
        assert one.binding is not None
        assert LIMITS[rows.binding[at]] == one.binding.name


@given(asked=questions())
@settings(max_examples=examples(2.0), deadline=None)
def test_cases_lie_inside_the_interval_and_no_told_number_of_streams_carries_more(
    asked: PathQuestion,
) -> None:
    """Fewer streams than it takes are another question; all other cases are in the answer."""
    answer = predict_described(asked, DAY, LEVEL)
    found, planning = answer.estimate, answer.planning
    low, value, high = found.low_gbps or 0.0, found.gbps or 0.0, found.high_gbps or 0.0
    assert low <= value <= high
    for one in found.cases:
        gbps = one.gbps or 0.0
        if one.of == "streams":
            assert gbps <= value
        else:
            assert low * (1 - 1e-9) <= gbps <= high * (1 + 1e-9), one.name
    core = planning.one_core if planning is not None else None
    if core is not None:
        assert low <= core.low_gbps <= core.gbps <= core.high_gbps
        assert core.high_gbps <= max(high, value)


class TestBothEnds:
    def test_a_small_receiver_bounds_what_is_recommended(self) -> None:
        need = MachineNeed(
            gbps=10.0, region="us-central1", series=("n2",), far=FarEnd(region="europe-west4")
        )
        small = replace(need, far=replace(need.far, machine_type="n1-standard-1"))
        wide, narrow = (Chooser(PRICES, CAPS).choose(one) for one in (need, small))
        assert isinstance(wide, MachinePlan)
        assert isinstance(narrow, MachinePlan)
        low = {one.machine_type: one.low_gbps or 0.0 for one in narrow.ranked}
        assert any(low.get(one.machine_type, 0.0) < (one.low_gbps or 0.0) for one in wide.ranked)
        names = {one.limit.name for one in narrow.ranked}
        assert "receiver-cores" in names

    def test_a_small_send_buffer_bounds_what_is_recommended(self) -> None:
        far = FarEnd(region="europe-west4", streams=16, send_buffer_bytes=2**20)
        need = MachineNeed(gbps=0.1, region="us-central1", series=("n2",), far=far)
        plan = Chooser(PRICES, CAPS).choose(need)
        assert isinstance(plan, MachinePlan)
        assert plan.ranked[0].limit.name == "send-buffer-over-rtt"
        assert plan.ranked[0].cap_gbps < 2

    def test_a_transfer_is_timed_by_the_machines_at_both_ends(self) -> None:
        """A wide sender and a small receiver: what the small one's vCPUs take is in its time."""
        book = {}
        for name in ("n1-standard-1", "n2-standard-32"):
            need = TransferNeed(
                source="us-central1",
                targets=("europe-west4",),
                volume_bytes=10**12,
                machine_types=(name,),
            )
            found, _ = machines_in(
                need,
                "us-central1",
                PRICES,
                CAPS,
                sends_outside=False,
                is_addressed=False,
                disk=None,
            )
            book[name] = found[0]
        hop = Hop("us-central1", "europe-west4", PathClass.INTER_REGION_INTERNAL, None, None, ZERO)
        wide, small = book["n2-standard-32"], book["n1-standard-1"]
        query = hop_query(hop, wide, small, None)
        assert query is not None
        assert (query.src.machine_type, query.dst.machine_type) == (wide.name, small.name)
        found_gbps = predict(query, CAPS)
        assert found_gbps.binding is not None
        assert found_gbps.binding.name == "receiver-cores"


class TestDoubt:
    @pytest.mark.parametrize("machine_type", ["t2d-standard-1", "n2-standard-4", "n2-standard-8"])
    def test_where_the_campaign_saw_more_nothing_is_said(self, machine_type: str) -> None:
        question = PathQuestion(
            src_type=machine_type, src_place="us-central1", dst_place="europe-west4"
        )
        found = predict_described(question, DAY, LEVEL)
        assert found.planning is not None
        assert found.planning.doubt == ""

    @pytest.mark.parametrize("mtu_bytes", [None, 8896])
    @pytest.mark.parametrize("level", [0.5, 0.9])
    def test_where_it_saw_less_the_low_end_reaches_it(
        self, mtu_bytes: int | None, level: float
    ) -> None:
        for machine_type in ("n2-standard-32", "c3-standard-176"):
            question = PathQuestion(
                src_type=machine_type,
                path_class=PathClass.INTER_REGION_INTERNAL,
                src_place="us-central1",
                dst_place="europe-west4",
                mtu_bytes=mtu_bytes,
            )
            found = predict_described(question, DAY, level)
            assert found.planning is not None
            assert "17.5 Gbit/s" in found.planning.doubt
            assert (found.estimate.low_gbps or 99.0) <= 17.5

    def test_it_stands_in_no_answer_over_public_addresses(self) -> None:
        question = PathQuestion(
            src_type="n2-standard-32",
            src_place="us-central1",
            dst_place="europe-west4",
            is_external=True,
        )
        found = predict_described(question, DAY, LEVEL)
        assert found.planning is not None
        assert found.planning.doubt == ""


@pytest.mark.parametrize(("receiver", "most_gbps"), [("e2-micro", 6), ("n1-standard-1", 20)])
def test_a_small_receiver_bounds_senders_of_other_clouds_too(
    receiver: str, most_gbps: float
) -> None:
    query = PathQuery(
        path_class=PathClass.INTERNET,
        src=described_end(None, place="us-east-1", cloud="aws"),
        dst=described_end(receiver, place="us-central1-a"),
        streams=64,
        rtt_ms=20.0,
    )
    found = predict(query, CAPS, may_assume=True)
    assert found.binding is not None
    assert found.binding.name == "receiver-cores"
    assert (found.gbps or 0) < most_gbps
