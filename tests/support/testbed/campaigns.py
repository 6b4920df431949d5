"""Campaigns that are short, of ends on this machine."""

from typing import Any

from netplan_planner.measuring.campaign import (
    Campaign,
    Configuration,
    Direction,
    Patience,
    ProbeEnd,
    ProbeLimits,
    ProbePair,
    StopRule,
)
from netplan_planner.measuring.transports import LocalTransport, Transport
from support.testbed.processes import free_ports

ONE_SECOND = 0.05
"""The scale at which a run omits nothing and counts a second."""
TWO_RUNS = StopRule(min_runs=2, max_runs=2)
FORWARD, REVERSE, BOTH = (Configuration(streams=1, direction=one) for one in Direction)
IMPATIENT = Patience(start_s=5, slack_s=3, silence_s=3, connect_s=2)
GENTLE = ProbeLimits(bitrate_gbps=0.2)
"""Loopback would take all of a processor."""


def pair(
    name: str = "a-b",
    *,
    client: Transport | None = None,
    server: Transport | None = None,
    address: str = "127.0.0.1",
    iperf3: str = "iperf3",
    server_iperf3: str = "",
    **fields: Any,
) -> ProbePair:
    """Return a pair whose ends are both here, unless transports say otherwise."""
    return ProbePair(
        name=name,
        client=ProbeEnd(transport=client or LocalTransport(), iperf3=iperf3),
        server=ProbeEnd(transport=server or LocalTransport(), iperf3=server_iperf3 or iperf3),
        address=address,
        **{"ports": free_ports(20), **fields},
    )


def campaign(*pairs: ProbePair, **fields: Any) -> Campaign:
    """Return a campaign of two short runs each way, over loopback at a low rate."""
    given = {
        "id": "trial",
        "pairs": pairs or (pair(),),
        "configurations": (FORWARD,),
        "stop": TWO_RUNS,
        "limits": GENTLE,
        "patience": IMPATIENT,
        "time_scale": ONE_SECOND,
    }
    return Campaign(**{**given, **fields})
