"""Damage to inputs, decided by a seed: bytes, JSON, CSV, and the parts of a price snapshot.

The same seed does the same damage to the same bytes, so that a seed is enough to tell a case.
"""

import csv
import gzip
import hashlib
import io
import json
import random
from collections.abc import Callable
from typing import Any

import msgspec

from support.damage.bundles import damaged_bundle

_TOKENS = (
    *(b"", b"\0", b"\xff", b"\xef\xbb\xbf", b"\xc3", b"\xed\xa0\x80", b"\xf4\x90\x80\x80"),
    *(b"{", b"}", b"[", b"]", b'"', b",", b":", b"\n", b"\r\n", b"'", b"#", b"=", b"\\", b"\\u"),
    *(b"null", b"true", b"NaN", b"-Infinity", b"1e999", b"-1", b"0", b"9" * 400, b"0x10", b"1_0"),
    *(b"\\ud800", b"\x1b[31m", "\u202e".encode(), "é".encode("latin-1"), b"0000-00-00"),
    *(b"2026-02-30", b"9999-12-31T23:59:60Z", b"1970-01-01T00:00:00+99:99", b"'; drop table x;--"),
)
_VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 2**31, 2**63, 2**64, -(2**63), 10**30, 10**400, 1.5, -0.0),
    *(1e308, -1e308, 5e-324, "", " ", "0", "-1", "1e999", "NaN", "inf", "x" * 5000, "\0", "a/b/c"),
    *("\ud800", "\u202e", "é" * 300, "\x1b]0;x\x07", [], {}, [[]], [None], {"": None}, [{}], [1]),
    *("0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999999Z", "2026-02-30", "2026-13-01"),
    *("10.0.0.0/99", "::1", "300.1.1.1", "0.0.0.0/0", "10.0.0.1/8", "::/0", "1" * 5000, "²", "٣"),
    *("projects/p/zones/z/instances/i", "https://", "../../..", "=1+1", "%s%n", "{0}", "\n"),
)
_DEEP = (50, 300, 900, 1100, 5000, 100_000)
_MOST_DAMAGES = 4
_LONGEST_REPEAT = 2000


def damaged(data: bytes, kind: str, rng: random.Random) -> bytes:
    """Return damaged bytes of a file of a kind: one of `_WITH_FORM`, or any other.

    Half of the damage keeps the form of the file, so that it gets past the first look.
    """
    whole = gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data
    with_form = _WITH_FORM.get(kind)
    changed = whole
    for _ in range(rng.randint(1, _MOST_DAMAGES)):
        way = with_form if with_form is not None and rng.random() < 0.7 else _bytes
        try:
            changed = way(changed, rng)
        except Exception:
            # No longer of its form.
            changed = _bytes(changed, rng)
    return _packed(changed, rng, was_packed=whole is not data)


def _packed(data: bytes, rng: random.Random, *, was_packed: bool) -> bytes:
    """Return data packed as they were, now and then otherwise or with a damaged packing."""
    if rng.random() > (0.9 if was_packed else 0.06):
        return data if not was_packed else _bytes(gzip.compress(data, 1, mtime=0), rng)
    packed = gzip.compress(data, 1, mtime=0)
    if rng.random() < 0.3:
        packed = rng.choice((packed[: len(packed) // 2], packed + b"\0" * 9, packed + b"x", packed))
    return packed


def _bytes(data: bytes, rng: random.Random) -> bytes:
    at, to = sorted((rng.randint(0, len(data)), rng.randint(0, len(data))))
    short = min(to, at + rng.randint(0, 40))
    ways: tuple[Callable[[], bytes], ...] = (
        lambda: data[:at] + bytes([rng.randrange(256)]) + data[at + 1 :],
        lambda: data[:at] + rng.choice(_TOKENS) + data[at:],
        lambda: data[:at] + rng.choice(_TOKENS) + data[short:],
        lambda: data[:at] + data[short:],
        lambda: data[:at] + data[to:],
        lambda: data[:at],
        lambda: data[at:],
        lambda: data + data,
        lambda: data[:at] + data[at:short] * rng.randint(2, 50) + data[short:],
        lambda: data[:at] + rng.choice(_TOKENS) * rng.randint(1, _LONGEST_REPEAT) + data[at:],
        lambda: rng.choice((b"[", b'{"a":', b"((", b"[[ ")) * rng.choice(_DEEP) + data,
        lambda: data.decode("utf-8", "replace").encode(
            rng.choice(("utf-16", "utf-32", "cp037")), "replace"
        ),
        lambda: rng.randbytes(rng.randint(0, 300)),
        lambda: data.replace(rng.choice(_TOKENS[1:]), rng.choice(_TOKENS), rng.randint(1, 5)),
    )
    return rng.choice(ways)()


def _nested(depth: int, rng: random.Random) -> Any:
    value: Any = 1
    key = rng.choice(("a", "items", "skus", "machineTypes", "tieredRates"))
    is_list = rng.random() < 0.5
    for _ in range(depth):
        value = [value] if is_list else {key: value}
    return value


def _value(rng: random.Random) -> Any:
    return _nested(rng.choice(_DEEP[:3]), rng) if rng.random() < 0.04 else rng.choice(_VALUES)


def _places(value: Any) -> list[tuple[Any, Any]]:
    """Return every container of a document with each of its keys."""
    found: list[tuple[Any, Any]] = []
    queue = [value]
    while queue:
        one = queue.pop()
        if isinstance(one, dict | list):
            keys = list(one) if isinstance(one, dict) else range(len(one))
            found += [(one, key) for key in keys]
            queue += [one[key] for key in keys]
    return found


def _json(data: bytes, rng: random.Random) -> bytes:
    return _written(_changed(json.loads(data), rng))


def _lines(data: bytes, rng: random.Random) -> bytes:
    lines = data.splitlines()
    at = rng.randrange(len(lines))
    way = rng.random()
    if way < 0.8:
        lines[at] = _json(lines[at], rng)
    elif way < 0.9:
        lines.insert(at, lines[rng.randrange(len(lines))])
    else:
        lines[at] = _bytes(lines[at], rng)
    return b"\n".join(lines) + b"\n"


def _changed(document: Any, rng: random.Random) -> Any:
    places = _places(document)
    if not places or rng.random() < 0.02:
        return _value(rng)
    inside, key = rng.choice(places)
    way = rng.random()
    if way < 0.55:
        inside[key] = _value(rng)
    elif way < 0.7:
        del inside[key]
    elif way < 0.8 and isinstance(inside, dict):
        inside[rng.choice(("", "x", str(key).upper(), "__class__"))] = inside.pop(key)
    elif way < 0.9:
        other, other_key = rng.choice(places)
        inside[key] = json.loads(json.dumps(other[other_key]))
    else:
        inside[key] = rng.choice(([inside[key]], {"x": inside[key]}, str(inside[key])))
    return document


def _written(document: Any) -> bytes:
    return json.dumps(document, ensure_ascii=True).encode()


def _csv(data: bytes, rng: random.Random) -> bytes:
    rows = list(csv.reader(io.StringIO(data.decode())))
    row = rng.choice(rows) if rng.random() < 0.8 else rows[0]
    at = rng.randrange(len(row))
    way = rng.random()
    if way < 0.7:
        row[at] = str(rng.choice(_VALUES))
    elif way < 0.8:
        del row[at]
    elif way < 0.9:
        row.insert(at, rng.choice(row))
    else:
        rows.insert(rng.randrange(len(rows)), list(rng.choice(rows)))
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue().encode("utf-8", "surrogatepass")


def _parquet(data: bytes, rng: random.Random) -> bytes:
    """Give a field of all rows another value or type, or take it away."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = pq.read_table(io.BytesIO(data)).to_pylist()
    path: list[Any] = []
    inside: Any = rows[0]
    while isinstance(inside, dict) and inside and (not path or rng.random() < 0.7):
        path.append(rng.choice(list(inside)))
        inside = inside[path[-1]]
    value = rng.choice((*_VALUES, b"\0\xff", {"x": 1}, [1, 2], [{"a": None}]))
    is_gone, only_first = rng.random() < 0.2, rng.random() < 0.3
    for row in rows[:1] if only_first else rows:
        last: Any = row
        for key in path[:-1]:
            last = last.get(key) if isinstance(last, dict) else None
        if isinstance(last, dict):
            if is_gone:
                last.pop(path[-1], None)
            else:
                last[path[-1]] = value
    out = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows if rng.random() < 0.95 else rows[:0]), out)
    return out.getvalue()


def _snapshot(data: bytes, rng: random.Random) -> bytes:
    """Change a header or a column, and seal the file again, so that its hash fits."""
    schema, _, sealed = data.split(b"\n", 2)
    header, _, body = sealed.partition(b"\n")
    told = json.loads(header)
    if rng.random() < 0.2:
        _changed(told, rng)
    else:
        place = rng.choice([one for one in told["tables"] if one["length"]])
        start, end = place["offset"], place["offset"] + place["length"]
        columns = msgspec.msgpack.decode(body[start:end])
        _change_column(rng.choice(columns), rng)
        if rng.random() < 0.1:
            columns.pop(rng.randrange(len(columns)))
        table = msgspec.msgpack.encode(columns)
        body = body[:start] + table + body[end:]
        for other in told["tables"]:
            other["offset"] += (len(table) - place["length"]) * (other["offset"] > start)
        place["length"] = len(table)
    sealed = json.dumps(told).encode() + b"\n" + body
    return b"\n".join((schema, hashlib.sha256(sealed).hexdigest().encode(), sealed))


_WITH_FORM: dict[str, Callable[[bytes, random.Random], bytes]] = {
    "bundle": lambda data, rng: damaged_bundle(data, rng, _json),
    "json": _json,
    "lines": _lines,
    "csv": _csv,
    "snapshot": _snapshot,
    "parquet": _parquet,
}


def _change_column(column: list[Any], rng: random.Random) -> None:
    """Change a name, values, width or codes of `[name, values, width, codes]`."""
    way = rng.random()
    texts = [one for one in _VALUES if isinstance(one, str) and one.isprintable()]
    if way < 0.7 and column[1]:
        for _ in range(rng.randint(1, 5)):
            column[1][rng.randrange(len(column[1]))] = rng.choice(
                (*texts, "1e5", "=", "0=", "|", "0=1|x", "-5", "0.0000001", "1970-01-01", "global")
            )
    elif way < 0.8:
        column[0] = rng.choice(("", "usd", "region", "x"))
    elif way < 0.9:
        column[2] = rng.choice((0, 1, 2, 3, 4, 8, -1, "x", None))
    else:
        column[3] = _bytes(column[3], rng)
