"""Sums of flow logs, written to a folder that verbs read as traffic wherever it is.

The logs are read as an audit reads them, by whichever engine they lie in; what they lack is said
by the same coverage.
"""

from collections.abc import Callable
from pathlib import Path

from netplan_planner.bundle_file import is_bundle
from netplan_planner.engine.demos import load_demo
from netplan_planner.engine.inputs import read_flows
from netplan_planner.engine.request import AuditRequest
from netplan_planner.errors import UsageError
from netplan_planner.inert import inert_line
from netplan_planner.model import OwnerKind
from netplan_planner.model.aggregated import Aggregated, AggregatedTable
from netplan_planner.traffic.aggregates import is_aggregates, writing
from netplan_planner.traffic.aggregates.manifest import SUFFIX
from netplan_planner.version import tool_version


def check_folder(folder: Path) -> None:
    """Find what cannot work before a long run.

    Raises:
        UsageError: If the folder cannot be written, or holds what netplan did not write.
    """
    writing.check_target(f"--out {folder}", folder)


def aggregate(
    request: AuditRequest, out: Path, *, say: Callable[[str], None] = lambda _: None
) -> Aggregated:
    """Write the sums of a request's flow logs to a folder, and return what it holds.

    Raises:
        UsageError: If the request names no flow logs, or sums of them.
        InputError: If an input cannot be read, or the folder cannot be written.
    """
    for path in request.traffic:
        if is_bundle(path) or is_aggregates(path):
            raise UsageError(
                f"--traffic {inert_line(str(path))}: these are sums already, with ends by their own"
                " inventory; give the flow logs themselves"
            )
    demo = load_demo(request.demo) if request.demo is not None else None
    inventory, traffic, pods = read_flows(request, demo, say)
    if traffic is None:
        raise UsageError("nothing to sum: name flow logs (--traffic)")
    say("writing the sums")
    manifest = writing.write(
        out,
        traffic,
        pods,
        inventory,
        request.traffic_options,
        tool=f"netplan {tool_version()}",
    )
    coverage = traffic.coverage
    return Aggregated(
        folder=str(out),
        format=manifest.format,
        start=traffic.start,
        end=traffic.end,
        is_steady=traffic.is_steady,
        reporter=traffic.reporter,
        record_count=coverage.record_count,
        used_count=coverage.used_count,
        machine_count=sum(owner.kind is OwnerKind.VM for owner in traffic.owners),
        byte_count=sum(table.byte_count for table in manifest.tables),
        has_log_volume=traffic.log_volume is not None,
        tables=tuple(
            AggregatedTable(
                file=f"{table.name}{SUFFIX}",
                row_count=table.row_count,
                byte_count=table.byte_count,
                sha256=table.sha256,
            )
            for table in manifest.tables
        ),
        inventory_words=_inventory_words(request),
        incomplete=(*coverage.incomplete, *(pods.incomplete if pods is not None else ())),
    )


def _inventory_words(request: AuditRequest) -> tuple[str, ...]:
    """Return the options by which an inventory was read."""
    parents = {"organizations": "--organization", "folders": "--folder"}
    given = [("--demo", request.demo)] if request.demo is not None else []
    given += [("--project", project) for project in request.projects]
    for parent in request.parents:
        kind, _, number = parent.partition("/")
        given.append((parents[kind], number))
    given += [("--inventory", str(path)) for path in request.inventory]
    given += [("--exclude-project", name) for name in request.excluded]
    return tuple(word for pair in given for word in pair)
