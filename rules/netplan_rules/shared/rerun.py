"""How a pair of machines is measured so that the figure is one of the path."""

import math

from netplan_planner.model import Facts
from netplan_planner.paths import address_text, parse_address
from netplan_rules.shared.comparable import run_times
from netplan_rules.shared.measured import Run
from netplan_rules.shared.predicted import RunModel
from netplan_rules.wording import command

_SHARED = "probe-not-comparable"
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
