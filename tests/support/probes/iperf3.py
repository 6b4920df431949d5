"""Documents in the shape of `iperf3 -J`, made member by member for the case that a test needs."""

import json
from typing import Any

Json = dict[str, Any]

CLIENT = "10.128.0.2"
SERVER = "10.128.0.3"
STARTED = 1_700_000_000
GBPS = 10**9


def counted(gbps: float, *, seconds: float = 10.0, **more: Any) -> Json:
    """Return one sum of iperf3: bytes that fit the rate."""
    bits = gbps * GBPS
    return {
        "start": 0,
        "end": seconds,
        "seconds": seconds,
        "bytes": round(bits * seconds / 8),
        "bits_per_second": bits,
        **more,
    }


def start(*, streams: int = 1, is_server: bool = False, **test: Any) -> Json:
    """Return the `start` member; `test` goes into `test_start`."""
    ends = ((CLIENT, 40_000), (SERVER, 5_201))
    (local, local_port), (remote, remote_port) = reversed(ends) if is_server else ends
    connection = {
        "local_host": local,
        "local_port": local_port,
        "remote_host": remote,
        "remote_port": remote_port,
    }
    peer = {"host": remote, "port": remote_port}
    node = "server-vm" if is_server else "client-vm"
    return {
        "connected": [{"socket": 5 + 2 * index, **connection} for index in range(streams)],
        "version": "iperf 3.16",
        "system_info": f"Linux {node} 6.1.0-18-cloud-amd64 #1 SMP PREEMPT_DYNAMIC x86_64",
        "timestamp": {"time": "Tue, 14 Nov 2023 22:13:20 GMT", "timesecs": STARTED},
        "accepted_connection" if is_server else "connecting_to": peer,
        "cookie": "cookie-of-the-test",
        "tcp_mss_default": 0 if is_server else 1408,
        "test_start": {
            "protocol": "TCP",
            "num_streams": streams,
            "omit": 0,
            "duration": 10,
            "reverse": 0,
            **test,
        },
    }


def sender_stream(*, rtt_us: int, window: int, is_own: bool = True, offered: int = 0) -> Json:
    """Return one entry of `end.streams`; a socket that did not send tells nothing of use."""
    told = {
        "max_snd_cwnd": window,
        "max_snd_wnd": offered,
        "max_rtt": 2 * rtt_us,
        "min_rtt": rtt_us // 2,
        "mean_rtt": rtt_us,
    }
    return {"sender": {**told, "sender": is_own}, "receiver": {"sender": is_own}}


def intervals(rates: list[float], *, omitted: int = 0, last_s: float = 1.0) -> list[Json]:
    """Return intervals of a second; the first `omitted` do not count, the last may be short."""
    found = []
    for index, rate in enumerate(rates):
        seconds = last_s if index == len(rates) - 1 else 1.0
        is_omitted = index < omitted
        stream = {"snd_cwnd": 1, "pmtu": 1460, "retransmits": 0, "sender": True}
        found.append(
            {"streams": [stream], "sum": counted(rate, seconds=seconds, omitted=is_omitted)}
        )
    return found


def forward(*, sent: float = 9.5, received: float = 9.4, **test: Any) -> Json:
    """Return the client's document of a run towards the server."""
    return {
        "start": start(**test),
        "intervals": [],
        "end": {
            "streams": [sender_stream(rtt_us=2_000, window=3_000_000, offered=4_000_000)],
            "sum_sent": counted(sent, retransmits=7, sender=True),
            "sum_received": counted(received, seconds=10.05, sender=True),
            "cpu_utilization_percent": {"host_total": 40.0, "remote_total": 65.5},
            "sender_tcp_congestion": "cubic",
            "receiver_tcp_congestion": "bbr",
        },
    }


def reverse(**test: Any) -> Json:
    """Return the client's document of a run with `-R`: the server sent."""
    document = forward(reverse=1, **test)
    document["end"]["streams"] = [sender_stream(rtt_us=9, window=9, is_own=False)]
    return document


def bidirectional() -> Json:
    """Return the client's document of a run with `--bidir`, two streams each way."""
    document = forward(streams=2)
    document["start"]["connected"] *= 2
    document["end"]["streams"] = [
        sender_stream(rtt_us=2_000, window=3_000_000),
        sender_stream(rtt_us=4_000, window=5_000_000),
        sender_stream(rtt_us=9, window=9, is_own=False),
        sender_stream(rtt_us=9, window=9, is_own=False),
    ]
    document["end"] |= {
        "sum_sent_bidir_reverse": counted(6.1, retransmits=3, sender=False),
        "sum_received_bidir_reverse": counted(6.0, sender=False),
    }
    return document


def server_side(document: Json) -> Json:
    """Return what the server wrote of a run: it knows its own count only."""
    is_reverse = bool(document["start"]["test_start"]["reverse"])
    own, other = ("sum_sent", "sum_received") if is_reverse else ("sum_received", "sum_sent")
    end = {
        "streams": [sender_stream(rtt_us=3_000, window=6_000_000, is_own=is_reverse)],
        own: document["end"][own],
        other: counted(0.0),
        "cpu_utilization_percent": {"host_total": 65.5, "remote_total": 0},
    }
    server_start = start(is_server=True, reverse=int(is_reverse))
    return {"start": server_start, "intervals": [], "end": end}


def events_of(document: Json) -> str:
    """Return what `--json-stream` would have printed of a document."""
    told = [("start", document["start"])]
    told += [("interval", one) for one in document["intervals"]]
    told.append(("end", document["end"]))
    return "".join(json.dumps({"event": name, "data": data}) + "\n" for name, data in told)
