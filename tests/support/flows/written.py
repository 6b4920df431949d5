"""Numbers and times as log entries may write them, and what they are: on every engine the same."""

import random
from datetime import datetime, timedelta

WHOLE: dict[str | None, int | None] = {
    "0": 0,
    "-3": -3,
    "443": 443,
    "443.0": 443,
    "443.000": 443,
    "9223372036854775807": 2**63 - 1,
    "-9223372036854775808": -(2**63),
    **dict.fromkeys(
        ["9223372036854775808", "12.5", "1e3", "0x1A", "1_000", " 12", "12 ", "12\n", "+5", "007"]
    ),
    **dict.fromkeys(["-0", "", "-", ".0", "5.", "٣", "one", "true", "1,000", None]),
}
DECIMALS: dict[str | None, float | None] = {
    "0.5": 0.5,
    "-12": -12.0,
    "1e3": 1000.0,
    "1.25E-2": 0.0125,
    **dict.fromkeys(
        ["1.", ".5", "01.5", "1_0", " 1", "1\n", "nan", "inf", "0x1", "1.5d", "", None]
    ),
}


def _us(text: str) -> int:
    return (
        datetime.fromisoformat(text) - datetime.fromisoformat("1970-01-01T00:00Z")
    ) // timedelta(microseconds=1)


TIMES: dict[str | None, int | None] = {
    "2026-03-01T10:00:00Z": _us("2026-03-01T10:00:00Z"),
    "2026-03-01T10:00:00.5Z": _us("2026-03-01T10:00:00.500000Z"),
    "2026-03-01T10:00:00.123456Z": _us("2026-03-01T10:00:00.123456Z"),
    "2026-03-01T10:00:00.123456789Z": _us("2026-03-01T10:00:00.123456Z"),
    "2026-03-01T10:00:00.999999999Z": _us("2026-03-01T10:00:00.999999Z"),
    "2026-03-01T10:00:00.999999999+01:30": _us("2026-03-01T10:00:00.999999+01:30"),
    "2026-03-01T10:00:00-08:00": _us("2026-03-01T10:00:00-08:00"),
    "2026-03-01T10:00:00.25+14:00": _us("2026-03-01T10:00:00.250000+14:00"),
    "2026-03-01T10:00:00": _us("2026-03-01T10:00:00Z"),
    "2026-03-01T10:00:00.123456": _us("2026-03-01T10:00:00.123456Z"),
    "2026-03-01 10:00:00.5 UTC": _us("2026-03-01T10:00:00.500000Z"),
    "2024-02-29T23:59:59.9Z": _us("2024-02-29T23:59:59.900000Z"),
    "0001-01-01T00:00:00Z": _us("0001-01-01T00:00:00Z"),
    "3026-03-01T10:00:00.5Z": _us("3026-03-01T10:00:00.500000Z"),
    **dict.fromkeys(["2026-03-01T24:00:00Z", "2026-03-01T24:00:00.0Z", "2026-03-01T10:00Z"]),
    **dict.fromkeys(["2026-03-01T10:00:60Z", "2026-03-01T10:60:00.5Z", "2026-3-1T10:00:00Z"]),
    **dict.fromkeys(["2026/03/01T10:00:00.5Z", "2026-02-29T10:00:00.5Z", "2026-02-30T10:00:00Z"]),
    **dict.fromkeys(["2026-03-01T10:00:00.Z", "2026-03-01T10:00:00.1234567891Z", "2026-03-01"]),
    **dict.fromkeys([" 2026-03-01T10:00:00.5Z", "2026-03-01T10:00:00.5Z ", "infinity", "soon"]),
    **dict.fromkeys(["2026-03-01T10:00:00.5Z\n", "2026-03-01T 9:00:00.5Z", "2026-03-01T+9:00:00Z"]),
    **dict.fromkeys(["2026-03-01T10:00:00+01", "2026-03-01T10:00:00+0100", "0000-03-01T10:00:00Z"]),
    **dict.fromkeys(["2026-03-01T10:00:00 Europe/Berlin", "2026-03-01T10:00:00+25:00", "", None]),
    **dict.fromkeys(["1772359200", "12026-03-01T10:00:00Z", "2026-03-01t10:00:00z"]),
}

_ALPHABET = "0123456789:-T.Z /+ UC\te"
_SEEDS = [text for text in TIMES if text]


def damaged(chance: random.Random) -> str:
    """Return a time with a few characters changed, added, or taken away."""
    text = list(chance.choice(_SEEDS))
    for _ in range(chance.randint(0, 3)):
        at = chance.randrange(len(text) + 1)
        kind = chance.randrange(4)
        if kind == 0:
            text.insert(at, chance.choice(_ALPHABET))
        elif at < len(text):
            text[at : at + 1] = [chance.choice(_ALPHABET)] if kind < 3 else []
    return "".join(text)
