"""The path that a user asks about: two machines of an inventory, or two described ones."""

from datetime import date
from pathlib import Path

import msgspec

from netplan_planner.engine.calibration_file import with_calibration
from netplan_planner.engine.demos import load_demo
from netplan_planner.engine.inputs import Say, read_facts
from netplan_planner.engine.machines import machine_of
from netplan_planner.engine.path_question import (
    PathQuestion,
    check_options,
    check_place,
    check_tier1,
    check_type,
    class_of_path,
    notes_of,
)
from netplan_planner.engine.predict_plan import planning_of
from netplan_planner.engine.request import AuditRequest
from netplan_planner.errors import UsageError
from netplan_planner.model import (
    CapsBook,
    Estimate,
    Facts,
    Instance,
    PathClass,
    PathEnd,
    PathQuery,
    Prediction,
    PriceBook,
    Service,
)
from netplan_planner.throughput import load_caps, machine_end, predict, stated_on
from netplan_planner.throughput.batch import NO_RTT
from netplan_planner.throughput.limits.ends import described_end
from netplan_planner.throughput.limits.google_apis import google_api_bounds
from netplan_planner.throughput.round_trips.of_path import (
    doubt_of_given,
    path_round_trip,
    seen_round_trips,
    with_round_trip,
)
from netplan_planner.throughput.services.application import transactions_per_s
from netplan_planner.throughput.single_row import needs_round_trip

GOOGLE_APIS = "Google APIs"
_ASK_FOR_RTT = f"{NO_RTT}: give --rtt-ms, or the places of both ends"


def predict_described(
    question: PathQuestion,
    as_of: date,
    level: float,
    calibration: Path | None = None,
    prices: PriceBook | None = None,
) -> Prediction:
    """Return the prediction for two machines that exist on paper only.

    Raises:
        UsageError: If the path's class is neither given nor follows from two places, or if these
            contradict it.
        InputError: If the calibration cannot be read.
    """
    is_host = question.host_link_gbps is not None
    is_receiving = question.path_class is PathClass.GOOGLE_APIS and question.dst_type is not None
    if question.src_type is None and not is_host and not is_receiving:
        raise UsageError("name two machines of an input, or a type with --src-type")
    if question.src_type is not None and is_host:
        raise UsageError(
            "--host-link-gbps is of machines that are not Google's: leave out the machine type"
        )
    check_place("--src-place", question.src_place)
    check_place("--dst-place", question.dst_place)
    src, dst = (
        described_end(
            machine_type,
            place=place,
            is_tier1=bool(question.is_tier1),
            cpu_platform=question.cpu_platform,
            mtu_bytes=question.mtu_bytes,
            nic_count=question.nic_count,
        )
        for machine_type, place in (
            (question.src_type, question.src_place),
            (question.dst_type or question.src_type, question.dst_place),
        )
    )
    path_class = class_of_path(question.path_class, src, dst, is_external=question.is_external)
    if path_class is PathClass.INTERNET:
        dst = msgspec.structs.replace(dst, machine_type=question.dst_type)
    table = load_caps(as_of)
    check_type("--src-type", question.src_type, table)
    check_type("--dst-type", question.dst_type, table)
    caps = with_calibration(table, calibration)
    return _answer(
        question, _names(question, path_class), src, dst, path_class, caps, level, prices
    )


def _names(question: PathQuestion, path_class: PathClass) -> tuple[str, str]:
    """Return what the two ends are called."""
    if question.host_link_gbps is not None:
        return ("host", f"host, link of {question.host_link_gbps:g} Gbit/s")
    if path_class is PathClass.GOOGLE_APIS:
        if question.src_type is None:
            return (GOOGLE_APIS, question.dst_type or "")
        return (question.src_type, GOOGLE_APIS)
    src = question.src_type or ""
    return (src, "the internet" if path_class is PathClass.INTERNET else question.dst_type or src)


def predict_named(
    question: PathQuestion,
    names: tuple[str, str],
    request: AuditRequest,
    level: float,
    say: Say,
    prices: PriceBook | None = None,
) -> Prediction:
    """Return the prediction for two machines of an input.

    The round-trip time is the given one, else the one that flow logs saw between the two, else
    that of their zones.

    Raises:
        UsageError: If a name is not that of one machine, if both are, or if their places
            contradict the class.
    """
    demo = load_demo(request.demo) if request.demo is not None else None
    facts = read_facts(request, demo, say)
    machines = [_machine(facts, name) for name in names]
    if machines[0].ref.self_link == machines[1].ref.self_link:
        raise UsageError(
            f"{machines[0].name} is both the sender and the receiver: what a machine sends to"
            " itself never reaches the network, and no limit of it holds. Name two machines."
        )
    src, dst = (
        machine_end(
            facts,
            machine,
            mtu_bytes=question.mtu_bytes,
            is_tier1=question.is_tier1,
            cpu_platform=question.cpu_platform,
        )
        for machine in machines
    )
    path_class = class_of_path(question.path_class, src, dst, is_external=question.is_external)
    if question.rtt_ms is None:
        pair = frozenset(machine.ref.self_link for machine in machines)
        question = msgspec.structs.replace(question, rtt_ms=seen_round_trips(facts).get(pair))
    return _answer(question, names, src, dst, path_class, facts.caps, level, prices)


def _machine(facts: Facts, name: str) -> Instance:
    """Return the machine of a name; a machine type in its place is told apart."""
    try:
        return machine_of(facts.inventory, name)
    except UsageError as error:
        table = load_caps(facts.caps.as_of)
        if name not in table.machine_types and not table.variants(name):
            raise
        raise UsageError(
            f"{error}; {name} is a machine type: for two of these leave out the input, or name"
            " machines of it"
        ) from None


def with_service(answer: Prediction, service: Service) -> Prediction:
    """Return the answer with the transactions per second of a service on that path."""
    found = answer.estimate
    if found.gbps is None:
        return msgspec.structs.replace(answer, service=service)
    done = transactions_per_s(
        service, gbps=found.gbps, low_gbps=found.low_gbps, high_gbps=found.high_gbps
    )
    return msgspec.structs.replace(answer, service=service, transactions=done)


def _answer(
    question: PathQuestion,
    names: tuple[str, str],
    src: PathEnd,
    dst: PathEnd,
    path_class: PathClass,
    caps: CapsBook,
    level: float,
    prices: PriceBook | None,
) -> Prediction:
    check_options(question, path_class)
    check_tier1(question, src, caps)
    query = PathQuery(
        path_class=path_class,
        src=src,
        dst=dst,
        streams=question.streams,
        rtt_ms=question.rtt_ms,
        window_bytes=question.window_bytes,
        duration_s=question.duration_s,
        omit_s=question.omit_s,
        transfer_bytes=question.transfer_bytes,
        is_both_ways=question.is_both_ways,
        pod=question.pod if path_class.is_pod else None,
        vpn_tunnels=question.vpn_tunnels,
        quota_gbps=question.quota_gbps,
        host_link_gbps=question.host_link_gbps,
    )
    if path_class is PathClass.GOOGLE_APIS:
        is_receiving = src.machine_type is None
        found = google_api_bounds(dst if is_receiving else src, caps, is_receiving=is_receiving)
        return Prediction(
            src=names[0],
            dst=names[1],
            query=query,
            limits_as_of=stated_on(caps.as_of),
            estimate=found,
        )
    query, detail, said = _with_round_trip(query)
    estimate = predict(query, caps, may_assume=True, level=level, weigh=True)
    if query.rtt_ms is None and needs_round_trip(query) and estimate.gbps is not None:
        estimate = Estimate(gbps=None, limits=estimate.limits, unknown=(_ASK_FOR_RTT,))
    return Prediction(
        src=names[0],
        dst=names[1],
        query=query,
        limits_as_of=stated_on(caps.as_of),
        estimate=estimate,
        rtt_detail=detail,
        rtt_doubt=said,
        planning=planning_of(query, estimate, caps, level, prices),
        notes=tuple(notes_of(src, path_class, caps)),
    )


def _with_round_trip(query: PathQuery) -> tuple[PathQuery, str, str]:
    """Return the path with its round-trip time, where that is from, and what is doubtful of it.

    The given one, else that of the places.
    """
    src_place, dst_place = (end.zone or end.region or "" for end in (query.src, query.dst))
    if query.rtt_ms is not None:
        return query, "", doubt_of_given(src_place, dst_place, query.rtt_ms)
    found = path_round_trip(src_place, dst_place, distance=query.path_class.distance)
    if found.rtt_ms is None:
        return query, found.why_unknown, ""
    detail = f"{found.basis}: {found.detail}" if found.detail else str(found.basis)
    return with_round_trip(query, found), detail, ""
