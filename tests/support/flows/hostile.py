"""Log entries of which much is wrong, odd or foreign, drawn by a seed: for engines to agree on."""

import random
from typing import Any

from support.flows.records import COMPUTE_LOG, NETWORK_LOG, START, Json, entry
from support.flows.written import DECIMALS, TIMES, WHOLE, damaged

_ADDRESSES = ("10.0.1.1", "10.0.2.1", "34.1.1.1", "198.51.100.7", "fd00::1", "10.0.7.7")
_ODD_ADDRESSES = (
    "",
    "10.0.1.1 ",
    "10.0.1.1\n",
    "FD00::1",
    "fe80::1%eth0",
    "1.2.3",
    "١٠.٠.١.١",
    "::",
)
_NAMES = (
    *("web", "it's", 'say "hi"', "back\\slash", "\\n", "\\x1f", "new\nline", "tab\t", "%_%"),
    *(
        "žluťoučký",
        "日本語",
        "🦎",
        "e\u0301",
        "\ufffd",
        "\x1f\x1d\x1e",
        "`a`",
        "--",
        "?",
        "@given",
        "",
    ),
)
_NUMBERS = (
    *(443, 443.0, 443.5, 0, -1, 65535, 65536, 1e3, 1e300, 5e-324),
    *(2**53 + 1, 2**63, None),
)
"""Not -0.0: a text of that is not a number, a column of floating numbers holds 0."""
_TRIPS = (0.4999, 0.0005, 1.5, 0, -3, 1e9, 1e18, 1e300, 1.7e308, 5e-324, None)
_TEXTS = tuple(str(text) for text in (*WHOLE, *DECIMALS) if text is not None)
_COUNTS = (*_TEXTS, *("5", "77", "1000", "12345.0", "***", "1234***", "12,5", "NaN", "-Infinity"))


def hostile(seed: int, count: int) -> list[Json]:
    """Return entries, some with a few of their fields changed or gone; some are copies."""
    chance = random.Random(seed)
    made = [_one(chance, number) for number in range(count)]
    return [*made, *chance.sample(made, count // 20)]


def _one(chance: random.Random, number: int) -> Json:
    start = chance.randint(0, 600)
    made = entry(
        chance.choice(_ADDRESSES),
        chance.choice(_ADDRESSES),
        chance.choice((0, 5, 10**6, 10**9, 10**12)) + chance.randint(0, 9),
        start=start,
        end=start + chance.choice((0, 5, 59, 200)),
        packets=chance.randint(0, 10**6),
        by=chance.choice(("SRC", "SRC", "DEST", "SRC_GATEWAY", "DEST_GATEWAY")),
        protocol=chance.choice((1, 6, 17, 58)),
        rtt_ms=chance.choice((1.5, 20, 0.04)),
        is_dropped=chance.random() < 0.1,
        insert_id=str(chance.randint(0, number)),
        configuration=chance.choice((None, None, "mine")),
    )
    for _ in range(chance.choice((0, 0, 1, 1, 2, 3))):
        chance.choice(_CHANGES)(chance, made)
    return made


def _time(chance: random.Random) -> Any:
    kind = chance.randrange(4)
    if kind == 0:
        return chance.choice(list(TIMES))
    if kind == 1:
        return damaged(chance)
    digits = "".join(chance.choice("0123456789") for _ in range(chance.randint(1, 9)))
    zone = chance.choice(("Z", "Z", "", " UTC", "+00:00", "-00:00"))
    moment = START.strftime("%Y-%m-%dT%H:%M:")
    return f"{moment}{chance.randint(10, 59)}.{digits}{zone}"


def _change_time(chance: random.Random, made: Json) -> None:
    made["jsonPayload"][chance.choice(("start_time", "end_time"))] = _time(chance)


def _change_address(chance: random.Random, made: Json) -> None:
    end = chance.choice(("src_ip", "dest_ip"))
    made["jsonPayload"]["connection"][end] = chance.choice((*_ODD_ADDRESSES, None))


def _change_count(chance: random.Random, made: Json) -> None:
    field = chance.choice(("bytes_sent", "packets_sent", "bytes_dropped", "packets_dropped"))
    made["jsonPayload"][field] = chance.choice((*_COUNTS, None))


def _change_number(chance: random.Random, made: Json) -> None:
    field = chance.choice(("src_port", "dest_port", "protocol"))
    made["jsonPayload"]["connection"][field] = chance.choice(_NUMBERS)


def _change_trip(chance: random.Random, made: Json) -> None:
    made["jsonPayload"]["round_trip_time"] = {"median_msec": chance.choice(_TRIPS)}
    made["jsonPayload"]["rtt_msec"] = chance.choice((*_COUNTS, "1e308", "1e-400", "1e400", None))


def _change_names(chance: random.Random, made: Json) -> None:
    end = chance.choice(("src", "dest"))
    names = {name: chance.choice((*_NAMES, None)) for name in ("project_id", "vm_name", "zone")}
    parts = ("project_id", "vpc_name", "subnetwork_name", "subnetwork_region")
    made["jsonPayload"] |= {
        f"{end}_instance": names,
        f"{end}_vpc": {name: chance.choice((*_NAMES, None)) for name in parts},
    }


def _change_place(chance: random.Random, made: Json) -> None:
    end = chance.choice(("src", "dest"))
    made["jsonPayload"] |= {
        f"{end}_location": {name: chance.choice(_NAMES) for name in ("continent", "country")},
        f"{end}_google_service": {"service_name": chance.choice(_NAMES), "type": "GOOGLE_API"},
        f"{end}_gke_details": {"pod": {"pod_name": chance.choice((*_NAMES, None))}},
    }


def _change_entry(chance: random.Random, made: Json) -> None:
    field, values = chance.choice(
        (
            ("insertId", (*_NAMES, "1", "2", None)),
            ("logName", (COMPUTE_LOG, NETWORK_LOG, "projects/p/logs/else", "", None)),
            ("resource", ({"type": "x", "labels": {"project_id": "p", "name": "it's"}}, None)),
        )
    )
    made[field] = chance.choice(values)


def _change_reporter(chance: random.Random, made: Json) -> None:
    made["jsonPayload"]["reporter"] = chance.choice(("src", "SRC ", "", "DST", None, "DEST"))
    made["jsonPayload"]["disposition"] = chance.choice(("DROPPED", "dropped", "ALLOWED", None))
    made["jsonPayload"]["drop_reason"] = chance.choice((*_NAMES, "FIREWALL_DENY", None))


def _take_away(chance: random.Random, made: Json) -> None:
    group = chance.choice((made["jsonPayload"], made["jsonPayload"]["connection"]))
    names = sorted(set(group) - {"connection"})
    if names:
        del group[chance.choice(names)]


_CHANGES = (
    *(_change_time, _change_address, _change_count, _change_number, _change_trip, _change_names),
    *(_change_place, _change_entry, _change_reporter, _take_away),
)
