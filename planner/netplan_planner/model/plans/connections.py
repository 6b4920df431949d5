"""How one machine sends: asked in the same words by every verb that predicts a path."""

from typing import Annotated

from netplan_planner.asks import Ask
from netplan_planner.model.base import Value

SENT = "How it is sent"
RoundTrip = Annotated[
    float | None,
    Ask(
        "Round-trip time (default: from flow logs if given, else from the places).",
        "--rtt-ms",
        least=0.001,
        most=1e6,
        panel=SENT,
        is_expert=True,
    ),
]
"""Of one path; a verb that chooses among paths has that of their places."""


Streams = Annotated[
    int | None,
    Ask(
        "Parallel connections of one VM (default: as many as needed).",
        least=1,
        panel=SENT,
        is_expert=True,
    ),
]


class Connections(Value, frozen=True, kw_only=True):
    """The connections of one machine and the set-up of both ends; None of each: not told."""

    streams: Streams = None
    """Of one machine at a time; None: as many as it takes."""
    window_bytes: Annotated[
        int | None,
        Ask(
            "Receive window of one stream, half of net.ipv4.tcp_rmem's last value (default: 3.06"
            " MB, a stock Linux image).",
            least=1024,
            panel=SENT,
            is_expert=True,
        ),
    ] = None
    """Of one stream at the receiver."""
    send_buffer_bytes: Annotated[
        int | None,
        Ask(
            "Send buffer of one stream, net.ipv4.tcp_wmem's last value at the sender (default: 4"
            " MiB, as Linux has it).",
            least=4096,
            panel=SENT,
            is_expert=True,
        ),
    ] = None
    """Of one stream at the sender."""
    mtu_bytes: Annotated[
        int | None,
        Ask(
            "MTU of the path in bytes; of a VPC network 8896 at most.",
            "--mtu",
            least=576,
            most=65535,
            panel=SENT,
            is_expert=True,
        ),
    ] = None
    """Of both ends."""
