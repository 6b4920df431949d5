"""Both ends of plain TCP transfers, each run as a process of its own on a host of a test bed.

    python transfer_ends.py receive PORT
    python transfer_ends.py send ADDRESS PORT BYTES STREAMS RUNS

The receiver prints `ready` and serves until its input ends. The sender prints the seconds of each
run as a JSON list: from its first `connect` to the last byte at the receiver. Both read the clock
of the one machine that all hosts of a bed share.
"""

import json
import os
import socket
import sys
import threading
import time

_BLOCK = memoryview(bytes(2**20))


def receive(port: int) -> None:
    """Take whatever comes, and tell each sender when its last byte came and how many there were."""
    server = socket.create_server(("", port), backlog=64)
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    threading.Thread(target=_accept, args=(server,), daemon=True).start()
    while os.read(sys.stdin.fileno(), 64):
        pass


def _accept(server: socket.socket) -> None:
    while True:
        stream, _ = server.accept()
        threading.Thread(target=_drain, args=(stream,), daemon=True).start()


def _drain(stream: socket.socket) -> None:
    room = bytearray(2**20)
    count, last = 0, 0.0
    while got := stream.recv_into(room):
        count, last = count + got, time.monotonic()
    stream.sendall(json.dumps([count, last]).encode())
    stream.close()


def send(address: tuple[str, int], byte_count: int, streams: int) -> float:
    """Return the seconds of one transfer over some streams at once."""
    spans: list[tuple[float, float]] = []
    shares = [byte_count // streams] * streams
    shares[0] += byte_count % streams
    threads = [threading.Thread(target=_send_one, args=(address, n, spans)) for n in shares]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if len(spans) != streams:
        raise SystemExit("a stream failed")
    return max(end for _, end in spans) - min(start for start, _ in spans)


def _send_one(address: tuple[str, int], byte_count: int, spans: list[tuple[float, float]]) -> None:
    with socket.socket() as stream:
        start = time.monotonic()
        stream.connect(address)
        left = byte_count
        while left:
            left -= stream.send(_BLOCK[:left])
        stream.shutdown(socket.SHUT_WR)
        text = b"".join(iter(lambda: stream.recv(1000), b""))
    count, last = json.loads(text)
    if count == byte_count:
        spans.append((start, last))


def main() -> None:
    if sys.argv[1] == "receive":
        receive(int(sys.argv[2]))
        return
    port, byte_count, streams, runs = map(int, sys.argv[3:])
    found = [send((sys.argv[2], port), byte_count, streams) for _ in range(runs)]
    sys.stdout.write(json.dumps(found))


if __name__ == "__main__":
    main()
