"""The path that a user asks about: two machines of an inventory, or two described ones."""

from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from functools import partial
from pathlib import Path

import msgspec

from netplan_planner import model
from netplan_planner.errors import MissingDatum, UsageError
from netplan_planner.measuring.protocol import run_times
from netplan_planner.paths.spans import span
from netplan_planner.planning.path_question import (
    PathQuestion,
    check_options,
    check_place,
    check_tier1,
    check_type,
    class_of_path,
    notes_of,
)
from netplan_planner.throughput import CapsTable, load_caps, machine_end, predict, stated_on
from netplan_planner.throughput.batch import NO_RTT
from netplan_planner.throughput.cases import cases_of
from netplan_planner.throughput.goodput.doubts import doubt_of
from netplan_planner.throughput.limits.bounds import DEFAULT_MTU_BYTES
from netplan_planner.throughput.limits.ends import described_end
from netplan_planner.throughput.limits.google_apis import google_api_bounds
from netplan_planner.throughput.limits.named import REGION_QUOTA, core, quota_of
from netplan_planner.throughput.limits.senders import why_too_many_vnics
from netplan_planner.throughput.round_trips.of_path import (
    doubt_of_given,
    path_round_trip,
    seen_round_trips,
    with_round_trip,
)
from netplan_planner.throughput.services import transactions_per_s
from netplan_planner.throughput.single_row import needs_round_trip, said_of_images
from netplan_planner.throughput.transport.tools import THREADED_TEXT
from netplan_planner.throughput.transport.transfer import payload_ratio
from netplan_planner.units import BYTES_PER_GIB
from netplan_planner.world.calibration import with_calibration
from netplan_planner.world.demos import load_demo
from netplan_planner.world.not_read import what_is_incomplete
from netplan_planner.world.reading import Say, machine_of, read_facts
from netplan_planner.world.request import InputRequest

GOOGLE_APIS = "Google APIs"


_ASK_FOR_RTT = f"{NO_RTT}: give --rtt-ms, or the places of both ends"


def predict_described(
    question: PathQuestion,
    as_of: date,
    level: float,
    calibration: Path | None = None,
    prices: model.PriceBook | None = None,
) -> model.Prediction:
    """Return the prediction for two machines that exist on paper only.

    Raises:
        UsageError: If the path's class is neither given nor follows from two places, or if these
            contradict it.
        InputError: If the calibration cannot be read.
    """
    is_host = question.host_link_gbps is not None
    is_receiving = (
        question.path_class is model.PathClass.GOOGLE_APIS and question.dst_type is not None
    )
    if question.src_type is None and not is_host and not is_receiving:
        raise UsageError("name two VMs of an input, or a type with --src-type")
    if question.src_type is not None and is_host:
        raise UsageError(
            "--host-link-gbps is for hosts outside Google Cloud: omit the machine type"
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
        )
        for machine_type, place in (
            (question.src_type, question.src_place),
            (question.dst_type or question.src_type, question.dst_place),
        )
    )
    path_class = class_of_path(question.path_class, src, dst, is_external=question.is_external)
    if path_class is model.PathClass.INTERNET:
        dst = msgspec.structs.replace(dst, machine_type=question.dst_type)
    table = load_caps(as_of)
    check_type("--src-type", question.src_type, table)
    check_type("--dst-type", question.dst_type, table)
    caps = with_calibration(table, calibration)
    return _answer(
        question, _names(question, path_class), src, dst, path_class, caps, level, prices
    )


def _names(question: PathQuestion, path_class: model.PathClass) -> tuple[str, str]:
    """Return what the two ends are called."""
    if question.host_link_gbps is not None:
        link = f"host, link of {question.host_link_gbps:g} Gbit/s"
        return (link, question.dst_type) if question.dst_type else ("host", link)
    if path_class is model.PathClass.GOOGLE_APIS:
        if question.src_type is None:
            return (GOOGLE_APIS, question.dst_type or "")
        return (question.src_type, GOOGLE_APIS)
    src = question.src_type or ""
    return (
        src,
        "the internet" if path_class is model.PathClass.INTERNET else question.dst_type or src,
    )


def predict_named(
    question: PathQuestion,
    names: tuple[str, str],
    request: InputRequest,
    level: float,
    say: Say,
    prices: model.PriceBook | None = None,
) -> model.Prediction:
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
            f"{machines[0].name} is both the sender and the receiver: traffic of a VM to itself"
            " does not use the network, so no network limit applies. Name two VMs."
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
    found = _answer(question, names, src, dst, path_class, facts.caps, level, prices)
    return msgspec.structs.replace(found, incomplete=what_is_incomplete(facts, ()))


def _machine(facts: model.Facts, name: str) -> model.Instance:
    """Return the machine of a name; a machine type in its place is told apart."""
    try:
        return machine_of(facts.inventory, name)
    except UsageError as error:
        table = load_caps(facts.caps.as_of)
        if name not in table.machine_types and not table.variants(name):
            raise
        raise UsageError(
            f"{error}; {name} is a machine type: to compare two types, omit the input, or name"
            " VMs of it"
        ) from None


def with_service(answer: model.Prediction, service: model.Service) -> model.Prediction:
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
    src: model.PathEnd,
    dst: model.PathEnd,
    path_class: model.PathClass,
    caps: model.CapsBook,
    level: float,
    prices: model.PriceBook | None,
) -> model.Prediction:
    check_options(question, path_class)
    check_tier1(question, src, caps)
    src, dst = _set_up(question, src, dst)
    if why := why_too_many_vnics(src, caps):
        raise UsageError(f"--nics: {why}")
    pod = question.pod if path_class.is_pod else None
    query = model.taken(model.PathQuery, question, path_class=path_class, src=src, dst=dst, pod=pod)
    if path_class is model.PathClass.GOOGLE_APIS:
        is_receiving = src.machine_type is None
        found = google_api_bounds(dst if is_receiving else src, caps, is_receiving=is_receiving)
        return model.Prediction(
            src=names[0],
            dst=names[1],
            query=query,
            limits_as_of=stated_on(caps.as_of),
            estimate=found,
        )
    query, detail, said = _with_round_trip(query)
    estimate = predict(query, caps, may_assume=True, level=level, weigh=True)
    if query.rtt_ms is None and needs_round_trip(query) and estimate.gbps is not None:
        estimate = model.Estimate(gbps=None, limits=estimate.limits, unknown=(_ASK_FOR_RTT,))
    if estimate.gbps is not None:
        estimate = msgspec.structs.replace(estimate, cases=cases_of(query, estimate, caps))
    return model.Prediction(
        src=names[0],
        dst=names[1],
        query=query,
        limits_as_of=stated_on(caps.as_of),
        estimate=estimate,
        rtt_detail=detail,
        rtt_doubt=said,
        planning=planning_of(query, estimate, caps, prices),
        notes=(*notes_of(src, path_class, caps), *_of_images(question, caps)),
    )


def _of_images(question: PathQuestion, caps: model.CapsBook) -> Iterator[str]:
    """Yield that the images of the question change nothing, where no calibration is given."""
    if isinstance(caps, CapsTable):
        yield from said_of_images((question.src_image, question.dst_image))


def _set_up(
    question: PathQuestion, src: model.PathEnd, dst: model.PathEnd
) -> tuple[model.PathEnd, model.PathEnd]:
    """Return both ends as the question has them set up, else as their machines are."""
    replace = msgspec.structs.replace
    control = (question.congestion_control or src.set_up.congestion_control).lower()
    image = question.src_image or src.set_up.image
    sending = replace(src.set_up, image=image, congestion_control=control)
    receiving = replace(dst.set_up, image=question.dst_image or dst.set_up.image)
    return (
        replace(src, nic_count=question.nic_count, set_up=sending),
        replace(dst, set_up=receiving),
    )


def _with_round_trip(query: model.PathQuery) -> tuple[model.PathQuery, str, str]:
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


_SLIGHT = 0.98
"""A core that carries more than this share of the value changes nothing."""


_MANY = 16
"""Connections of the probe that decides, as `netplan probe plan` has them."""


def planning_of(
    query: model.PathQuery,
    found: model.Estimate,
    caps: model.CapsBook,
    prices: model.PriceBook | None,
) -> model.Planning:
    """Return what a person can plan with on a path with an answer."""
    if found.gbps is None:
        return model.Planning(quota=_quota(query))
    one_core = _one_core(query, found, caps)
    walls = [
        b.gbps for b in found.limits if b.kind is model.LimitKind.DOCUMENTED and _is_wall(b.name)
    ]
    return model.Planning(
        one_core=one_core,
        cap_gbps=min(walls, default=None),
        probe=_probe(query) if one_core else "",
        doubt=doubt_of(query, found),
        quota=_quota(query),
        cost=_cost(query, prices) if query.transfer_bytes is not None else None,
    )


def _is_wall(name: str) -> bool:
    return name.endswith(("-egress", "-ingress", "-packets", "-quota", "-link", "-tunnel"))


def _one_core(
    query: model.PathQuery, found: model.Estimate, caps: model.CapsBook
) -> model.OneCore | None:
    """Return what one core carries of all flows, where that is less than the value."""
    value = found.gbps or 0.0
    limit = core(query, caps) if query.streams != 1 else None
    if limit is None or query.path_class is model.PathClass.SAME_NODE_POD:
        return None
    if query.streams is None and (query.duration_s or query.transfer_bytes):
        # Over a run the start is in what a core carries, too.
        ran = (one for one in found.cases if one.of == "threads")
        limit = next((msgspec.structs.replace(limit, **_rates_of(one)) for one in ran), limit)
    low, high = limit.low_gbps or limit.gbps, limit.high_gbps or limit.gbps
    if low >= _SLIGHT * value:
        return None
    return model.OneCore(
        gbps=min(limit.gbps, value),
        low_gbps=max(low, found.low_gbps or low),
        high_gbps=min(high, max(found.high_gbps or value, value)),
        source=limit.source,
    )


def _rates_of(case: model.Case) -> dict[str, float | None]:
    return {"gbps": case.gbps, "low_gbps": case.low_gbps, "high_gbps": case.high_gbps}


def _probe(query: model.PathQuery) -> str:
    times = run_times(rtt_ms=query.rtt_ms)
    return (
        f"`iperf3 -c RECEIVER -P {_MANY} -t {times.duration_s} -O {times.omit_s}` with iperf3"
        f" {THREADED_TEXT} or newer at both ends, and again with `-P 1`. If {_MANY} streams are"
        " not faster than one, one core carries them all (`netplan probe plan` chooses paths and"
        " shows the cost)"
    )


def _quota(query: model.PathQuery) -> str:
    quota = quota_of(query.path_class)
    if quota is None or query.quota_gbps is not None:
        return ""
    region = query.src.region or "the sender's region"
    return f"{REGION_QUOTA}: {quota.name} of the project in {region}"


def _cost(query: model.PathQuery, prices: model.PriceBook | None) -> model.TransferCost | None:
    """Return what the transfer costs; None where no prices were asked."""
    if prices is None or query.transfer_bytes is None:
        return None
    frames = [end.mtu_bytes for end in (query.src, query.dst) if end.mtu_bytes]
    ratio = Decimal(float(payload_ratio(min(frames, default=DEFAULT_MTU_BYTES))))
    gib = (Decimal(query.transfer_bytes) / BYTES_PER_GIB / ratio).quantize(Decimal("0.001"))
    info = prices.info
    priced = partial(
        model.TransferCost,
        gib=gib,
        prices_as_of=str(info.network_as_of),
        prices_sha256=info.sha256,
    )
    src, dst = query.src.region, query.dst.region
    if src is None and query.path_class.distance != "same-zone":
        why = "the price depends on the regions: give --src-place and --dst-place"
        return model.TransferCost(usd=None, gib=gib, why_unknown=why)
    try:
        if query.path_class is model.PathClass.INTERNET and src is not None:
            low, high = span(prices.possible_prices(query.path_class, src_region=src), gib)
            return priced(usd=low, high_usd=high)
        lines = prices.traffic_line_items(
            "transfer", query.path_class, gib, src_region=src or "us-central1", dst_region=dst
        )
    except MissingDatum as error:
        return model.TransferCost(usd=None, gib=gib, why_unknown=str(error))
    usd = sum((line.usd_per_month for line in lines), Decimal(0))
    return priced(usd=usd, line_items=lines)
