"""`netplan predict`: the throughput of one path, or of a table of paths."""

from datetime import date
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from netplan_planner.cli import options, path_options, quantities
from netplan_planner.cli.app import app, progress
from netplan_planner.cli.options import INPUT, OUTPUT
from netplan_planner.errors import UsageError

if TYPE_CHECKING:
    from netplan_planner.model import PodNetwork


class Form(StrEnum):
    """How the answer is written."""

    TEXT = "text"
    JSON = "json"
    CSV = "csv"


@app.command()
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
    vpn_tunnels: path_options.VpnTunnels = None,
    streams: path_options.Streams = None,
    duration: path_options.Duration = None,
    omit: path_options.Omit = None,
    byte_count: path_options.ByteCount = None,
    both_ways: path_options.BothWays = False,
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
    form: Annotated[
        Form | None,
        typer.Option(
            "--format", help="text (one path), csv (a table) or json.", rich_help_panel=OUTPUT
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Write the table here instead of stdout.", rich_help_panel=OUTPUT
        ),
    ] = None,
) -> None:
    """Predict Gbit/s with an interval, the limit that binds, and what would lift it.

    Two machines of an input by name, two machine types, or a table of paths. From documented caps,
    TCP and what published measurements show; with a date, under the limits of that day.
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
                "--vpn-tunnels": vpn_tunnels,
                "--bytes-per-transaction": bytes_per_transaction,
                "--max-tps": max_tps,
                "--tps-at": tps_at or None,
            }
        )
        day = options.day(as_of) or date.today()
        from netplan_planner.cli.predict_table import write_table

        as_json = form is Form.JSON
        write_table(batch, day, level, output, calibration, as_json=as_json, together=together)
        return
    if together:
        raise UsageError("--together is for a table of flows: give one with --batch")
    from netplan_planner.engine.predict_path import PathQuestion

    question = PathQuestion(
        src_type=src_type,
        dst_type=dst_type,
        src_place=src_place,
        dst_place=dst_place,
        path_class=options.path_class(path),
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
        pod=_pod(plugin, encapsulation, encryption, other_link_gbps),
        vpn_tunnels=vpn_tunnels,
    )
    if question.duration_s is not None and question.transfer_bytes is not None:
        raise UsageError("--duration and --bytes exclude each other: one follows from the other")
    if question.omit_s and question.duration_s is None:
        raise UsageError("--omit is what goes before --duration: give both")
    from netplan_planner.cli import predict_answers
    from netplan_planner.cli.predict_service import service_of
    from netplan_planner.engine.predict_path import predict_described, predict_named, with_service

    service = service_of(bytes_per_transaction, max_tps, tps_at or [])

    if src is not None and (src_type or dst_type or src_place or dst_place):
        raise UsageError(
            "two machines of the input have types and places of their own: leave out --src-type,"
            " --dst-type, --src-place and --dst-place, or SRC and DST"
        )
    if output is not None:
        raise UsageError("--output is for a table (--batch); redirect the answer for one path")
    if src is not None and dst is not None:
        from netplan_planner.engine import AuditRequest

        request = AuditRequest(
            today=date.today(),
            as_of=options.day(as_of),
            projects=tuple(dict.fromkeys(project or ())),
            inventory=tuple(inventory or ()),
            traffic=tuple(traffic or ()),
            calibration=calibration,
            demo=demo,
        )
        answer = predict_named(question, (src, dst), request, level, progress)
    elif src is not None:
        raise UsageError("name both machines, the sender and the receiver")
    else:
        answer = predict_described(question, options.day(as_of) or date.today(), level, calibration)
    if service is not None:
        answer = with_service(answer, service)
    typer.echo(predict_answers.written(answer, (form or Form.TEXT).value, explain), nl=False)


def _refuse_beside_table(options_by_name: dict[str, object]) -> None:
    """Raise for an option that would say something of a path, beside a table of them."""
    given = [name for name, value in options_by_name.items() if value is not None]
    if given:
        raise UsageError(f"--batch has its own paths: leave out {given[0]}")


def _pod(
    plugin: str | None,
    encapsulation: str | None,
    encryption: str | None,
    other_link_gbps: float | None,
) -> "PodNetwork | None":
    """Return the cluster's network as the options say it, None where they say nothing."""
    if not (plugin or encapsulation or encryption or other_link_gbps):
        return None
    import msgspec

    from netplan_planner.readers.path_cells import pod_network_of
    from netplan_planner.throughput.limits.pods.overlay import (
        ENCRYPTIONS,
        encapsulation_of,
        encapsulations,
    )

    if plugin is not None:
        encapsulation_of(plugin)
    for option, text, known in (
        ("--encapsulation", encapsulation, encapsulations()),
        ("--encryption", encryption, ENCRYPTIONS),
    ):
        if text is not None and text not in known:
            raise UsageError(f"{option} {text[:40]!r} is none of {', '.join(known)}")
    pod = pod_network_of(
        plugin=plugin or "",
        encapsulation=encapsulation or "",
        encryption=encryption or "",
        note="",
        is_bare_metal=False,
    )
    return msgspec.structs.replace(pod, other_link_gbps=other_link_gbps, is_assumed=False)
