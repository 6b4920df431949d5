"""The best way to move bytes from one place to others: what was asked, checked and planned."""

from netplan_planner.engine.calibration_file import with_calibration
from netplan_planner.engine.caps import checked_series
from netplan_planner.engine.plan_changes.transfers import changes_of_transfer
from netplan_planner.engine.transfer.checks import check_need, check_places, place_limits
from netplan_planner.engine.transfer.request import TransferRequest
from netplan_planner.engine.transfer.tables import read_edge_prices, read_grid
from netplan_planner.errors import UsageError
from netplan_planner.model import PriceBook, Usage
from netplan_planner.model.price_age import price_age
from netplan_planner.model.transfer import TransferAnswer, TransferNeed
from netplan_planner.optimise.transfer.hops import Tables
from netplan_planner.optimise.transfer.plan import plan_transfer
from netplan_planner.quantities import byte_count, deadline_seconds, seconds
from netplan_planner.throughput import CapsTable, load_caps, stated_on
from netplan_planner.throughput.calibration.factors.calibrated_caps import calibration_note
from netplan_pricing import open_prices


def plan_asked(request: TransferRequest) -> TransferAnswer:
    """Return the best way to do a transfer, or why there is none.

    Raises:
        UsageError: If something that must be said is missing, is not known, or cannot be.
        InputError: If a table cannot be read.
    """
    limits = load_caps(request.as_of or request.today)
    caps = with_calibration(limits, request.calibration)
    book = open_prices(request.prices, request.discounts, request.billing_exports)
    tables = Tables(
        None if request.grid is None else read_grid(request.grid),
        None if request.edge_prices is None else read_edge_prices(request.edge_prices),
    )
    need = _need(request, limits, book, tables)
    plan = plan_transfer(need, book, caps, tables)
    info = book.info
    return TransferAnswer(
        plan=plan,
        changes=changes_of_transfer(plan, book),
        limits_as_of=stated_on(caps.as_of),
        calibration=next(calibration_note(caps), None),
        prices_as_of=info.as_of,
        network_prices_as_of=info.network_as_of,
        spot_prices_as_of=info.spot_as_of or info.as_of,
        prices_sha256=info.sha256,
        price_terms=info.terms,
        price_age=price_age(info, request.today, has_spot=True, folder=request.prices),
    )


def _need(
    request: TransferRequest, limits: CapsTable, prices: PriceBook, tables: Tables
) -> TransferNeed:
    words = request.words
    if words.source is None or not words.targets:
        raise UsageError(
            "give where the bytes are and where they go, such as --from us-central1 --to"
            " europe-west4"
        )
    volume = byte_count("--bytes", words.volume)
    if volume is None:
        raise UsageError("give how much is moved, such as --bytes 10TB")
    if words.relays and not words.has_relays:
        raise UsageError("--relay and --no-relays exclude each other")
    if words.is_spot and words.interruptions_per_day is None:
        raise UsageError(
            "--spot needs --spot-interruptions-per-day: Google documents no rate for Spot machines"
            " (docs/job.md says where yours can be read)"
        )
    need = TransferNeed(
        source=words.source,
        targets=words.targets,
        volume_bytes=volume,
        goal=words.goal,
        deadline_s=deadline_seconds("--deadline", words.deadline, request.now),
        budget_usd=words.budget_usd,
        area=words.area,
        network_tier=words.network_tier,
        address=words.address,
        streams=words.streams,
        relays=tuple(sorted(set(words.relays))) if words.relays or not words.has_relays else None,
        max_count=words.max_count,
        inside_quotas=place_limits("--quota", words.quotas),
        outside_quotas=place_limits("--internet-quota", words.internet_quotas),
        machine_gbps=words.machine_gbps,
        storage_gbps=words.storage_gbps,
        machine_egress_gbps=words.machine_egress_gbps,
        machine_ingress_gbps=words.machine_ingress_gbps,
        machine_usd_per_hour=words.machine_usd_per_hour,
        startup_s=seconds("--start-up", words.start_up),
        memory_gib=words.memory_gib,
        machine_types=words.machine_types,
        series=checked_series(words.series, limits),
        architecture=words.architecture,
        usage=Usage.SPOT if words.is_spot else Usage.ON_DEMAND,
        interruptions_per_day=words.interruptions_per_day,
        lost_work_s=seconds("--spot-lost-work", words.lost_work),
    )
    check_places(need, prices, tables)
    check_need(need, limits, prices, tables)
    return need
