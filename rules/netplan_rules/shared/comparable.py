"""Whether the figure of a run is one of the path, and what stands against it.

The thresholds are those of `probe-not-comparable`; both rules on measurements use them.
"""

import math
from collections.abc import Iterator

from msgspec.structs import replace

from netplan_planner.model import CountedBy, Facts, Instance, MeasuredEnd, Measurement, Value
from netplan_planner.paths import address_text, parse_address
from netplan_planner.throughput.transport.tools import THREADED_TEXT, thread_count, tool_version_of
from netplan_planner.throughput.transport.tools import is_one_thread as shares_one_thread
from netplan_planner.units import MS_PER_SECOND
from netplan_rules.shared.measured import Run, RunModel
from netplan_rules.wording import command, gbps

_SHARED = "probe-not-comparable"
_CPU_BOUND = "CPU-bound"
"""As the prober notes it, which saw each process."""

_RANGES = (
    ("gbps", 1e-9, 1e5),
    ("streams", 1, 1e5),
    ("duration_s", 1e-3, 1e8),
    ("omit_s", 0, 1e8),
    ("mtu_bytes", 100, 1e6),
    ("mss_bytes", 1, 1e6),
    ("max_receive_window_bytes", 1, 1e12),
)
"""Fields that a prediction rests on, with the least and the greatest that a run can have."""


class Reason(Value, frozen=True, kw_only=True):
    """Why the figure of a run is not one of the path."""

    name: str
    text: str
    bars: bool = False
    """Whether no prediction can stand beside the run; else one of this very run can."""
    is_of_tool: bool = False
    """Whether the tool itself was the limit."""


def reasons_of(facts: Facts, model: RunModel, run: Run) -> tuple[Reason, ...]:
    """Return all that stands against a run, what bars any comparison first."""
    one = run.measurement
    found = list(_barring(run))
    if not found:
        found += _of_path(facts, model, run)
    if one.counted_by is CountedBy.SENDER:
        found.append(Reason(name="sender-count", text="sender's count, not the receiver's"))
    if one.is_bidirectional:
        found.append(Reason(name="both-ways", text="both directions at the same time"))
    bound = cpu_bound(facts, run)
    if bound:
        found.append(Reason(name="cpu-bound", text=f"limited by CPU: {bound}", is_of_tool=True))
    if is_one_thread(one):
        text = f"{one.streams} streams in one thread ({shown_tool(one)}, before {THREADED_TEXT})"
        found.append(Reason(name="one-thread", text=text, is_of_tool=True))
    return tuple(found)


def _barring(run: Run) -> Iterator[Reason]:
    one = run.measurement
    damaged = next((name for name, *ends in _RANGES if _is_outside(one, name, *ends)), "")
    if damaged:
        text = f"its {damaged} is not a possible value"
        yield Reason(name="damaged", text=text, bars=True)
    if run.path_class is None:
        yield Reason(name="path-unknown", text=run.why_no_path, bars=True)
    if one.protocol != "tcp":
        yield Reason(name="not-tcp", text=f"{one.protocol}, not TCP", bars=True)
    if one.bitrate_limit_gbps is not None:
        text = f"limited to {gbps(one.bitrate_limit_gbps)} by an option"
        yield Reason(name="bitrate-limit", text=text, bars=True)
    if one.streams is None:
        yield Reason(name="streams-unknown", text="its streams are not recorded", bars=True)
    ends = ((run.src, one.src), (run.dst, one.dst))
    changed = "; ".join(filter(None, (_changed(run, *end) for end in ends)))
    if changed:
        yield Reason(name="machine-changed", text=changed, bars=True)


def _is_outside(one: Measurement, name: str, least: float, most: float) -> bool:
    value = getattr(one, name)
    return value is not None and not least <= value <= most


def _changed(run: Run, instance: Instance, end: MeasuredEnd) -> str:
    """Return how a machine is not the one that was measured, as far as that is known."""
    if end.machine_type is not None and end.machine_type != instance.machine_type:
        return f"{instance.name} was {end.machine_type} and is now {instance.machine_type}"
    has_tier1 = instance.bandwidth_tier == "TIER_1"
    if end.is_tier1 is not None and end.is_tier1 is not has_tier1:
        return f"{instance.name} {'had' if end.is_tier1 else 'did not have'} Tier_1 at that time"
    since = max(filter(None, (instance.created, instance.last_started)), default=None)
    if run.started is not None and since is not None and run.started < since:
        return f"older than the last start of {instance.name} ({since.date().isoformat()})"
    return ""


def _of_path(facts: Facts, model: RunModel, run: Run) -> Iterator[Reason]:
    one, path_class = run.measurement, run.path_class
    if one.streams == 1 and not _fills_the_path(facts, model, run):
        yield Reason(name="single-stream", text="a single stream")
    short = _too_short(facts, model, run)
    if short:
        yield Reason(name="too-short", text=short)
    if (
        path_class is not None
        and path_class.is_external_address
        and facts.inventory.reachable_interface(run.src, run.dst) is not None
    ):
        to = f" ({one.dst.address})" if one.dst.address else ""
        yield Reason(name="external-address", text=f"an external address{to}")


def _fills_the_path(facts: Facts, model: RunModel, run: Run) -> bool:
    """Return whether one stream carries about as much here as many do."""
    query = replace(model.query(run), duration_s=None, omit_s=0.0)
    single = model.estimate(run, query).gbps
    many = model.estimate(run, replace(query, streams=None)).gbps
    if single is None or many is None:
        return False
    return single >= facts.threshold(_SHARED, "single_stream_ratio") * many


def _too_short(facts: Facts, model: RunModel, run: Run) -> str:
    """Return how a run is shorter than its start allows; an omitted start allows any length."""
    one = run.measurement
    if one.duration_s is None:
        return "its duration is not recorded"
    least_omit_s, least_s = run_times(facts, model.round_trip(run).rtt_ms)
    if (one.omit_s or 0.0) >= least_omit_s or one.duration_s >= least_s:
        return ""
    omitted = f", first {one.omit_s:g} s omitted" if one.omit_s else ", including the start"
    return f"{one.duration_s:.3g} s{omitted}"


def run_times(facts: Facts, rtt_ms: float | None) -> tuple[float, float]:
    """Return how many seconds a run has to omit, and how many it has to count."""
    rtt_s = (rtt_ms or 0.0) / MS_PER_SECOND
    omit_s = max(facts.threshold(_SHARED, "omit_s"), facts.threshold(_SHARED, "omit_rtts") * rtt_s)
    duration_s = max(
        facts.threshold(_SHARED, "min_duration_s"),
        facts.threshold(_SHARED, "min_duration_rtts") * rtt_s,
    )
    return omit_s, duration_s


def cpu_bound(facts: Facts, run: Run) -> str:
    """Return which end used nearly all of a core, empty where none is known to.

    Of a tool with several threads only the sum is known: it is taken as evenly spread.
    """
    one = run.measurement
    most = facts.threshold(_SHARED, "cpu_ratio")
    for who, instance, end in (
        ("sender", run.src, one.src),
        ("receiver", run.dst, one.dst),
    ):
        if end.cpu_ratio is None:
            continue
        shape = facts.shape(instance.machine_type)
        vcpus = end.vcpus or (shape.vcpus if shape is not None else math.inf)
        cores = max(min(thread_count(one), vcpus), 1)
        if end.cpu_ratio > most * cores:
            of = "a core" if cores == 1 else f"each of {cores:g} cores"
            return f"the {who} used {end.cpu_ratio / cores:.0%} of {of}"
    return "noted in the record" if _CPU_BOUND in one.note.split("; ") else ""


def is_one_thread(one: Measurement) -> bool:
    """Return whether several streams are known to have shared one thread."""
    return (one.streams or 0) > 1 and shares_one_thread(one)


def shown_tool(one: Measurement) -> str:
    """Return the tool with its version, as far as that is one."""
    version = tool_version_of(one)
    return f"{one.tool} {version[0]}.{version[1]}" if version is not None else one.tool


# How a pair of machines is measured so that the figure is one of the path


_LONGEST_OMIT_S = 60
"""iperf3 takes no more."""


def rerun_command(facts: Facts, model: RunModel, run: Run) -> str:
    """Return the iperf3 command for the sender of a run, or nothing without an address.

    The address is the internal one where the two machines reach each other by it.
    """
    nic = facts.inventory.reachable_interface(run.src, run.dst)
    used = run.measurement.dst.address
    told = (nic.internal_ipv4 or nic.internal_ipv6) if nic is not None else used
    # What a record calls an address may be anything, an option among it.
    address = parse_address((told or "").partition("/")[0])
    if address is None or run.src == run.dst:
        return ""
    times = run_times(facts, model.round_trip(run).rtt_ms)
    omit_s, duration_s = (math.ceil(seconds) for seconds in times)
    omit_s = min(omit_s, _LONGEST_OMIT_S)
    streams = int(facts.threshold(_SHARED, "rerun_streams"))
    words = ("-t", str(duration_s), "-O", str(omit_s), "-P", str(streams), "-J")
    return command("iperf3", "-c", address_text(address), *words, "--get-server-output")
