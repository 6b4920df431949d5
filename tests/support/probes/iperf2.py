"""Texts in the shapes that iperf 2 prints, as 2.1.8 printed them, with other addresses."""

CLIENT = "10.128.0.3"
SERVER = "10.128.0.2"
_RULE = "-" * 60

CLIENT_HEADER = f"""\
{_RULE}
Client connecting to {SERVER}, TCP port 5001
TCP window size: 16.0 KByte (default)
{_RULE}
"""
SERVER_HEADER = f"""\
{_RULE}
Server listening on TCP port 5001
TCP window size:  128 KByte (default)
{_RULE}
"""
TABLE = "[ ID] Interval       Transfer     Bandwidth\n"


def connected(
    stream: int | str,
    *,
    port: int,
    is_server: bool = False,
    tail: str = "",
    opened_by_us: bool = True,
) -> str:
    """Return the line of a connection between the client and the server, as one of them has it."""
    here, there = (SERVER, CLIENT) if is_server else (CLIENT, SERVER)
    mine, theirs = (port, 5001) if opened_by_us else (5001, port)
    return f"[{stream:>3}] local {here} port {mine} connected with {there} port {theirs}{tail}\n"


def result(stream: int | str, start: float, end: float, rate: str, tail: str = "") -> str:
    """Return the line of an interval or a total; the bytes are not looked at."""
    return f"[{stream:>3}] {start:.4f}-{end:.4f} sec  71.8 MBytes  {rate}{tail}\n"


PLAIN = (
    CLIENT_HEADER
    + connected(1, port=53826, tail=" (icwnd/mss/irtt=14/1408/250)")
    + TABLE
    + result(1, 0, 10.0077, "9.41 Gbits/sec")
)
SERVER_SIDE = (
    SERVER_HEADER
    + connected(1, port=53826, is_server=True, opened_by_us=False)
    + TABLE
    + result(1, 0, 10.0028, "9.38 Gbits/sec")
)
PARALLEL = (
    connected(2, port=51246)
    + CLIENT_HEADER
    + connected(1, port=51260)
    + TABLE
    + result(1, 0, 1, "300 Mbits/sec")
    + result(2, 0, 1, "100 Mbits/sec")
    + result("SUM", 0, 1, "400 Mbits/sec")
    + result(1, 1, 2, "300 Mbits/sec")
    + result(2, 1, 2, "300 Mbits/sec")
    + result("SUM", 1, 2, "600 Mbits/sec")
    + result(1, 0, 2.0209, "298 Mbits/sec")
    + result(2, 0, 2.0214, "198 Mbits/sec")
    + result("SUM", 0, 2.0033, "501 Mbits/sec")
)
ENHANCED = (
    CLIENT_HEADER
    + connected(
        1,
        port=51290,
        tail=" (sock=3) (icwnd/mss/irtt=14/1408/28000) (ct=0.07 ms) on 2026-05-01 03:52:28 (UTC)",
    )
    + "[ ID] Interval            Transfer    Bandwidth       Write/Err  Rtry     Cwnd/RTT(var)\n"
    + result(1, 0, 1, "301 Mbits/sec", "  287/0          4     1151K/7000(1) us  5373961")
    + result(1, 1, 2, "299 Mbits/sec", "  286/0          1     1000K/9000(1) us  5355227")
    + result(1, 0, 2.0055, "300 Mbits/sec", "  574/0          5     900K/9999(3) us  4168258")
)
REVERSE = (
    CLIENT_HEADER
    + connected(1, port=59010, tail=" (reverse) (icwnd/mss/irtt=14/1408/29)")
    + TABLE
    + result("*1", 0, 2.0063, "300 Mbits/sec")
)
REVERSE_SERVER = (
    SERVER_HEADER
    + connected(1, port=59010, is_server=True, opened_by_us=False, tail=" (reverse)")
    + TABLE
    + result(1, 0, 2.0074, "310 Mbits/sec")
)
FULL_DUPLEX = (
    CLIENT_HEADER
    + connected(1, port=60546, tail=" (full-duplex)")
    + connected(2, port=60560, tail=" (full-duplex)")
    + TABLE
    + result(1, 0, 2.0028, "301 Mbits/sec")
    + result(2, 0, 2.0028, "301 Mbits/sec")
    + result("*1", 0, 2.0063, "200 Mbits/sec")
    + result("*2", 0, 2.0063, "200 Mbits/sec")
    + result("SUM", 0, 2.0072, "1.00 Gbits/sec")
)
DUAL = (
    SERVER_HEADER
    + CLIENT_HEADER
    + connected(1, port=35331)
    + connected(2, port=53618, opened_by_us=False)
    + TABLE
    + result(2, 0, 2.0064, "200 Mbits/sec")
    + result(1, 0, 2.0051, "300 Mbits/sec")
)
DUAL_SERVER = (
    SERVER_HEADER
    + connected(1, port=35331, is_server=True, opened_by_us=False)
    + CLIENT_HEADER.replace(SERVER, CLIENT)
    + connected("*2", port=53618, is_server=True, tail=" (reverse)")
    + TABLE
    + result(1, 0, 2.0032, "300 Mbits/sec")
    + result("*2", 0, 2.0207, "198 Mbits/sec")
    + result("SUM", 0, 2.0032, "501 Mbits/sec")
)
TRADE_OFF = (
    SERVER_HEADER
    + CLIENT_HEADER
    + connected(1, port=59843)
    + TABLE
    + result(1, 0, 2.0082, "300 Mbits/sec")
    + connected(2, port=58374, opened_by_us=False)
    + TABLE
    + result(2, 0, 2.0066, "200 Mbits/sec")
)
UDP = (
    CLIENT_HEADER.replace("TCP port", "UDP port")
    + connected(1, port=46991)
    + TABLE
    + result(1, 0, 2.0004, "50.0 Mbits/sec")
    + "[  1] Sent 8508 datagrams\n[  1] Server Report:\n"
    + result(1, 0, 2.0005, "45.0 Mbits/sec", "   0.022 ms  850/8507 (10%)")
)
SUM_ONLY = (
    CLIENT_HEADER
    + "[SUM-cnt] Interval       Transfer     Bandwidth\n"
    + "[SUM-2] 0.0000-2.0031 sec   144 MBytes   601 Mbits/sec\n"
)
OLD = f"""\
{_RULE}
Client connecting to backend-1, TCP port 5001
TCP window size: 85.0 KByte (default)
{_RULE}
[  3] local {CLIENT} port 40324 connected with {SERVER} port 5001
[ ID] Interval       Transfer     Bandwidth
[  3]  0.0- 1.0 sec   112 MBytes   941 Mbits/sec
[  3]  1.0- 2.0 sec   110 MBytes   921 Mbits/sec
[  3]  0.0- 2.0 sec   222 MBytes   931 Mbits/sec
[  3] MSS size 1408 bytes (MTU 1448 bytes, unknown interface)
"""
