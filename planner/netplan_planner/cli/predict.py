"""`netplan predict`: the throughput of one path, or of a table of paths."""

from datetime import date
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from netplan_planner.cli import answers, options, panels, path_options, quantities
from netplan_planner.cli.app import app, note, progress
from netplan_planner.cli.options import INPUT, OUTPUT
from netplan_planner.cli.price.shared import source_of, tell_unused
from netplan_planner.cli.state import state
from netplan_planner.engine.asked_class import named_class
from netplan_planner.engine.asked_ends import Ends, ends_of
from netplan_planner.engine.asked_path import PathQuestion
from netplan_planner.engine.asked_pods import NamedPlugin, plugins_of, pod_of
from netplan_planner.engine.asked_service import service_of
from netplan_planner.engine.predict_path import predict_described, predict_named, with_service
from netplan_planner.engine.predicted_rows import TableRequest, table_outputs, write_predictions
from netplan_planner.engine.request import AuditRequest
from netplan_planner.errors import UsageError
from netplan_planner.model import ByPlugin, PathClass, PluginTable, Prediction
from netplan_planner.renderers.options import RenderOptions


@app.command(rich_help_panel=panels.PLAN)
def predict(
    src: path_options.Src = None,
    dst: path_options.Dst = None,
    src_type: path_options.SrcType = None,
    dst_type: path_options.DstType = None,
    path: path_options.PathClassName = None,
    src_place: path_options.SrcPlace = None,
    dst_place: path_options.DstPlace = None,
    external: path_options.External = False,
    tier1: path_options.Tier1 = None,
    cpu_platform: path_options.CpuPlatform = None,
    rtt_ms: path_options.RttMs = None,
    mtu: path_options.Mtu = None,
    window_bytes: path_options.WindowBytes = None,
    plugin: path_options.Plugin = None,
    encapsulation: path_options.Encapsulation = None,
    encryption: path_options.Encryption = None,
    other_link_gbps: path_options.OtherLinkGbps = None,
    host_link_gbps: path_options.HostLinkGbps = None,
    nics: path_options.Nics = 1,
    quota_gbps: path_options.QuotaGbps = None,
    vpn_tunnels: path_options.VpnTunnels = None,
    streams: path_options.Streams = None,
    duration: path_options.Duration = None,
    omit: path_options.Omit = None,
    byte_count: path_options.ByteCount = None,
    both_ways: path_options.BothWays = False,
    service: path_options.ServiceName = None,
    bytes_per_transaction: path_options.BytesPerTransaction = None,
    max_tps: path_options.MaxTps = None,
    tps_at: path_options.TpsAt = None,
    batch: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="A table of paths instead, CSV or Parquet (docs/predict.md).",
            rich_help_panel=INPUT,
        ),
    ] = None,
    together: Annotated[
        bool,
        typer.Option(
            "--together",
            help="All rows of the table run at once, between the machines src and dst: adds"
            " shared_gbps and shared_limit.",
            rich_help_panel=INPUT,
        ),
    ] = False,
    project: options.Projects = None,
    inventory: options.Inventory = None,
    traffic: options.Traffic = None,
    demo: options.Demo = None,
    calibration: options.Calibration = None,
    prices: options.Prices = None,
    discount: options.Discounts = None,
    billing_export: options.BillingExports = None,
    as_of: options.AsOf = None,
    level: Annotated[
        float,
        typer.Option(
            min=0.5, max=0.99, help="Share of cases in the interval.", rich_help_panel=OUTPUT
        ),
    ] = 0.9,
    explain: Annotated[
        bool,
        typer.Option(
            "--explain",
            "-v",
            help="Every limit with its source, and the arithmetic.",
            rich_help_panel=OUTPUT,
        ),
    ] = False,
    output: Annotated[
        list[str] | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FORMAT[:PATH]",
            help="text, json, csv, md or html, to a file where a path is given; repeat it. Of a"
            " table (--batch): csv, json or parquet:PATH.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    former_format: answers.FormerFormat = None,
) -> None:
    """Predict Gbit/s with an interval, the limit that binds, and what would lift it.

    Two machines of an input by name, two machine types (in one zone unless --path or the places
    say otherwise), or a table of paths. From documented caps, TCP and what published measurements
    show; with a date, under the limits of that day. A transfer (--bytes) has its time and cost.
    """
    if batch is not None:
        _refuse_beside_table(
            {
                "SRC": src,
                "--src-type": src_type,
                "--dst-type": dst_type,
                "--path": path,
                "--src-place": src_place,
                "--dst-place": dst_place,
                "--external": external or None,
                "--tier1": tier1,
                "--cpu-platform": cpu_platform,
                "--rtt-ms": rtt_ms,
                "--mtu": mtu,
                "--window-bytes": window_bytes,
                "--streams": streams,
                "--duration": duration,
                "--omit": omit,
                "--bytes": byte_count,
                "--both-ways": both_ways or None,
                "--plugin": plugin,
                "--encapsulation": encapsulation,
                "--encryption": encryption,
                "--other-link-gbps": other_link_gbps,
                "--host-link-gbps": host_link_gbps,
                "--nics": nics if nics > 1 else None,
                "--quota-gbps": quota_gbps,
                "--service": service,
                "--vpn-tunnels": vpn_tunnels,
                "--bytes-per-transaction": bytes_per_transaction,
                "--max-tps": max_tps,
                "--tps-at": tps_at or None,
            }
        )

        request = TableRequest(
            batch=batch,
            as_of=options.day(as_of) or date.today(),
            level=level,
            calibration=calibration,
            is_together=together,
            outputs=table_outputs(output or (), former_format),
        )
        write_predictions(request, note)
        return
    if together:
        raise UsageError("--together is for a table of flows: give one with --batch")
    on = options.day(as_of) or date.today()
    specs = answers.specs_of(output, former_format)
    size_bytes = quantities.byte_count("--bytes-per-transaction", bytes_per_transaction)
    described = service_of(size_bytes, max_tps, tps_at or [], service)
    has_input = bool(project or inventory or traffic or demo)
    ends = ends_of(src, dst, has_input=has_input, on=on) if src is not None else Ends(None, None)
    if src is not None and (src_type or dst_type):
        raise UsageError("SRC and DST name both ends: leave out --src-type and --dst-type")
    if ends.machines and (src_place or dst_place):
        raise UsageError(
            "two machines of the input have places of their own: leave out --src-place and"
            " --dst-place"
        )
    asked = plugins_of(plugin or [], other_link_gbps)
    only = asked[0] if len(asked) == 1 else NamedPlugin("", other_link_gbps) if not asked else None
    is_host = host_link_gbps is not None
    path_class, is_class_assumed = _class_of(
        named_class(path),
        is_open=not (src_place or dst_place),
        is_typed=ends.types is not None,
        is_host=is_host,
        has_pods=bool(asked or encapsulation or encryption),
        external=external,
    )
    question = PathQuestion(
        src_type=ends.types[0] if ends.types else src_type,
        dst_type=ends.types[1] if ends.types else dst_type,
        src_place=src_place,
        dst_place=dst_place,
        path_class=path_class,
        is_tier1=tier1,
        cpu_platform=cpu_platform,
        mtu_bytes=mtu,
        is_external=external,
        streams=streams,
        rtt_ms=rtt_ms,
        window_bytes=window_bytes,
        duration_s=quantities.seconds("--duration", duration),
        omit_s=quantities.seconds("--omit", omit) or 0.0,
        transfer_bytes=quantities.byte_count("--bytes", byte_count),
        is_both_ways=both_ways,
        pod=pod_of(only, encapsulation, encryption, is_bare_metal=is_host),
        vpn_tunnels=vpn_tunnels,
        nic_count=nics,
        quota_gbps=quota_gbps,
        host_link_gbps=host_link_gbps,
    )
    if question.duration_s is not None and question.transfer_bytes is not None:
        raise UsageError("--duration and --bytes exclude each other: one follows from the other")
    if question.omit_s and question.duration_s is None:
        raise UsageError("--omit is what goes before --duration: give both")
    book = None
    if byte_count is not None:
        book = source_of(prices, discount, billing_export, None).book()
        tell_unused(book.terms.unread)

    def answer_of(asked_for: PathQuestion) -> Prediction:
        if ends.machines:
            request = AuditRequest(
                today=date.today(),
                as_of=options.day(as_of),
                projects=tuple(dict.fromkeys(project or ())),
                inventory=tuple(inventory or ()),
                traffic=tuple(traffic or ()),
                calibration=calibration,
                demo=demo,
            )
            found = predict_named(asked_for, ends.machines, request, level, progress, book)
        else:
            found = predict_described(asked_for, on, level, calibration, book)
        if is_class_assumed:
            found = msgspec.structs.replace(found, notes=(*found.notes, _ASSUMED_CLASS))
        return with_service(found, described) if described is not None else found

    if len(asked) > 1:
        without = msgspec.structs.replace(question, path_class=_of_nodes(path_class), pod=None)
        rows = [ByPlugin(plugin=None, other_link_gbps=None, prediction=answer_of(without))]
        for one in asked:
            pod = pod_of(one, encapsulation, encryption, is_bare_metal=is_host)
            found = answer_of(msgspec.structs.replace(question, pod=pod))
            rows.append(
                ByPlugin(plugin=one.name, other_link_gbps=one.other_link_gbps, prediction=found)
            )
        answers.write(PluginTable(rows=tuple(rows)), specs)
        return
    answers.write(
        answer_of(question), specs, RenderOptions(verbosity=int(explain or state.explain))
    )


_ASSUMED_CLASS = (
    "one zone and internal addresses are taken: --path, or --src-place and --dst-place, say"
    " otherwise"
)


def _of_nodes(path_class: PathClass | None) -> PathClass | None:
    """Return the class of the nodes' own path."""
    if path_class is None or not path_class.is_pod or path_class is PathClass.SAME_NODE_POD:
        return path_class
    return PathClass(path_class.value.removesuffix("-pod"))


def _class_of(
    given: PathClass | None,
    *,
    is_open: bool,
    is_typed: bool,
    is_host: bool,
    has_pods: bool,
    external: bool,
) -> tuple[PathClass | None, bool]:
    """Return the class of the path as far as it is asked for, and whether it is assumed.

    Two types by name, or two hosts, stand in one zone where nothing is said of them.
    """
    if given is not None or not is_open or not (is_typed or is_host):
        return given, False
    if external:
        return PathClass.SAME_ZONE_EXTERNAL, not is_host
    if has_pods:
        return PathClass.SAME_ZONE_INTERNAL_POD, not is_host
    return PathClass.SAME_ZONE_INTERNAL, not is_host


def _refuse_beside_table(options_by_name: dict[str, object]) -> None:
    """Raise for an option that would say something of a path, beside a table of them."""
    given = [name for name, value in options_by_name.items() if value is not None]
    if given:
        raise UsageError(f"--batch has its own paths: leave out {given[0]}")
