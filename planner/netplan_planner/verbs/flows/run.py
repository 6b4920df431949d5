"""Sums of flow logs, written to a folder that verbs read as traffic wherever it is.

The logs are read as an audit reads them, by whichever engine they lie in; what they lack is said
by the same coverage.
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from msgspec.structs import replace

from netplan_planner.bundle_file import is_bundle
from netplan_planner.errors import UsageError
from netplan_planner.inert import inert_line
from netplan_planner.model import OwnerKind, taken
from netplan_planner.model.evidence.log_volume import MACHINES_FROM_GBPS
from netplan_planner.planning.project import request_of
from netplan_planner.traffic.aggregates import is_aggregates, writing
from netplan_planner.traffic.aggregates.manifest import SUFFIX
from netplan_planner.traffic.spark import submitted
from netplan_planner.verbs import Now, panels, read_in_full, verb
from netplan_planner.verbs.flows.answer import Aggregated, AggregatedTable
from netplan_planner.verbs.flows.ask import AggregateAsk
from netplan_planner.version import tool_version
from netplan_planner.world.demos import load_demo
from netplan_planner.world.not_read import lost_of_inventory
from netplan_planner.world.reading import read_flows
from netplan_planner.world.request import InputRequest
from netplan_planner.writing import private_folder


@verb(
    panel=panels.AUDIT,
    question="How do I aggregate flow logs once, for all verbs?",
    ends=read_in_full("the aggregates are"),
)
def aggregate(ask: AggregateAsk, now: Now) -> Aggregated:
    """Read flow logs once, and write their sums to a folder of Parquet files.

    Verbs that read traffic take the folder (--traffic FOLDER) together with the same inventory,
    and give the same answers as from the records.
    """
    check_folder(ask.out)
    volume_from = MACHINES_FROM_GBPS if ask.has_log_volume else None
    summed = replace(ask.reading.traffic, by_hour=True, log_volume_from_gbps=volume_from)
    return write_aggregates(request_of(ask, traffic_options=summed), ask.out, say=now.say)


def check_folder(out: str) -> None:
    """Find what cannot work before a long run.

    Raises:
        UsageError: If the folder cannot be written, or holds what netplan did not write.
    """
    if not submitted.is_address(out):
        writing.check_target(f"--out {out}", Path(out))
    elif not submitted.is_submitted():
        raise UsageError(
            f"--out {out}: only a spark-submit job writes there. Choose a local folder and copy "
            "it (gcloud storage cp --recursive)"
        )
    else:
        submitted.check_target(out, writing.is_own)


def write_aggregates(
    request: InputRequest, out: str, *, say: Callable[[str], None] = lambda _: None
) -> Aggregated:
    """Write the sums of a request's flow logs to a folder, and return what it holds.

    Args:
        request: What is read.
        out: The folder; in a program that spark-submit started also an address of Spark's.
        say: Where progress goes.

    Raises:
        UsageError: If the request names no flow logs, or sums of them.
        InputError: If an input cannot be read, or the folder cannot be written.
    """
    for path in request.traffic:
        if is_bundle(path) or is_aggregates(path):
            raise UsageError(
                f"--traffic {inert_line(str(path))}: these are aggregates already, made with "
                "their own inventory. Give the flow logs"
            )
    demo = load_demo(request.demo) if request.demo is not None else None
    inventory, traffic, pods = read_flows(request, demo, say)
    if traffic is None:
        raise UsageError("no flow logs to aggregate: add --traffic")
    say("writing the sums")
    options = request.traffic_options
    write = partial(
        writing.write,
        matrix=traffic,
        pods=pods,
        inventory=inventory,
        options=options,
        tool=f"netplan {tool_version()}",
    )
    if submitted.is_address(out):
        with private_folder(options.temp_directory) as private:
            manifest = write(private / "whole")
            submitted.put(private / "whole", out, writing.is_own)
    else:
        manifest = write(Path(out))
    coverage = traffic.coverage
    return taken(
        Aggregated,
        traffic,
        folder=out,
        format=manifest.format,
        record_count=coverage.record_count,
        used_count=coverage.used_count,
        machine_count=sum(owner.kind is OwnerKind.VM for owner in traffic.owners),
        byte_count=sum(table.byte_count for table in manifest.tables),
        has_log_volume=traffic.log_volume is not None,
        tables=tuple(
            taken(AggregatedTable, table, file=f"{table.name}{SUFFIX}") for table in manifest.tables
        ),
        inventory_words=_inventory_words(request),
        incomplete=(
            *lost_of_inventory(inventory),
            *coverage.incomplete,
            *(pods.incomplete if pods is not None else ()),
        ),
    )


def _inventory_words(request: InputRequest) -> tuple[str, ...]:
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
