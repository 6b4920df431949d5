"""iperf3 -J that cannot be used: refused, with the line and the JSON pointer."""

import contextlib
import copy
import json
import math
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from netplan_planner.errors import InputError
from netplan_planner.measuring.outputs import parse_iperf3
from netplan_planner.model import Measurement
from support.listed import listed
from support.probes import iperf3 as shapes
from support.probes.iperf3 import Json

WHOLE = json.dumps(shapes.forward(), indent=1)


def parsed(*documents: Json) -> tuple[Measurement, ...]:
    text = "\n".join(json.dumps(one, indent=1) for one in documents)
    return parse_iperf3(text, source="runs.json")


def changed(document: Json, pointer: str, value: object) -> Json:
    *path, last = pointer.strip("/").split("/")
    target: Any = document
    for step in path:
        target = target[int(step) if isinstance(target, list) else step]
    target[last] = value
    return document


@pytest.mark.parametrize(
    ("pointer", "value", "told"),
    [
        ("/error", "unable to connect to server: Connection refused", "Connection refused"),
        ("/error", "interrupt - the client has terminated", "the client has terminated"),
        ("/end/sum_received/bytes", "12", r":/end/sum_received/bytes: Expected `float"),
        ("/end/sum_received/bits_per_second", [], ":/end/sum_received/bits_per_second: Expected"),
        ("/end/streams", {}, ":/end/streams: Expected `array`"),
        ("/end/streams/0/sender/max_snd_cwnd", "big", ":/end/streams/0/sender/max_snd_cwnd: Exp"),
        ("/start/test_start", None, ":/start: no test was started"),
        ("/end/sum_received/bits_per_second", -5.0, "no data arrived, or none was counted"),
        ("/end/sum_received/bits_per_second", 1e18, "Gbit/s, more than any VM can send"),
        ("/end/sum_received/bits_per_second", 4.7e9, "4.7 Gbit/s, but bytes and seconds"),
        ("/end/sum_received/seconds", -1.0, "a run of -1 s"),
        ("/end/sum_received/bytes", 0, "the receiver counted no bytes"),
        ("/end", {}, "neither end counted bytes"),
    ],
)
def test_a_document_that_cannot_be_used_says_where(pointer: str, value: object, told: str) -> None:
    with pytest.raises(InputError, match=told):
        parsed(changed(shapes.forward(), pointer, value))


def paths_in(value: object, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    yield path
    if isinstance(value, dict | list):
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for step, item in items:
            yield from paths_in(item, (*path, step))


FULL: Json = shapes.bidirectional() | {"intervals": shapes.intervals([9.0, 11.0, 10.0])}
FULL["server_output_json"] = shapes.server_side(shapes.forward())
ODD = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=3,
)


@given(path=st.sampled_from(sorted(paths_in(FULL), key=str)), odd=ODD)
@example(path=("intervals", 0, "sum", "bits_per_second"), odd=1e308)
@example(path=("intervals", 0, "sum", "seconds"), odd=-1e308)
@example(path=("end", "streams", 0, "sender", "mean_rtt"), odd=1e308)
@example(path=("start", "test_start", "num_streams"), odd=1e308)
@example(path=("start", "timestamp", "timesecs"), odd=2**63)
def test_whatever_stands_in_a_document_is_read_or_refused(
    path: tuple[str | int, ...], odd: object
) -> None:
    document = copy.deepcopy(FULL)
    target: Any = document
    for step in path[:-1]:
        target = target[step]
    if path:
        target[path[-1]] = odd
    text = json.dumps(document if path else odd)
    with contextlib.suppress(InputError):
        for one in parse_iperf3(text, source="s"):
            assert msgspec.convert(msgspec.to_builtins(one), Measurement) == one
            figures = [field for field in msgspec.structs.astuple(one) if isinstance(field, float)]
            assert all(math.isfinite(figure) and figure >= 0 for figure in figures)


@listed("number", ["NaN", "-Infinity", "-nan", "1e999", "9" * 400, "9" * 9000])
def test_numbers_that_are_none_are_refused(number: str) -> None:
    text = json.dumps(shapes.forward()).replace("2000", number, 1)
    with pytest.raises(InputError):
        parse_iperf3(text, source="s")


def test_a_cut_document_is_refused_wherever_it_ends() -> None:
    text = json.dumps(shapes.forward())
    for length in range(1, len(text), 7):
        with pytest.raises(InputError):
            parse_iperf3(text[:length], source="s")


@listed("text", ["", "iperf Done.", "[ ID] Interval", "null", '"text"', "{}"])
def test_text_without_a_document_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        parse_iperf3(text, source="s")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        # A document behind a cut one is not lost.
        (f"{WHOLE[:400]}\n{WHOLE}", "s:1: damaged JSON"),
        ("[[" * 100_000, "nested too deeply"),
    ],
    ids=["cut", "deep"],
)
def test_a_damaged_text_is_refused(text: str, told: str) -> None:
    with pytest.raises(InputError, match=told):
        parse_iperf3(text, source="s")


def test_hostile_texts_are_bounded() -> None:
    document = shapes.forward()
    document["start"]["connecting_to"]["host"] = "\x1b[31m" + "x" * 10_000
    document["start"]["version"] = "iperf " + "9" * 10_000
    document["title"] = "\ud800" + "t" * 100_000
    (one,) = parsed(document)
    assert len(one.dst.name) == len(one.tool_version) == 253
    assert len(one.note) == 1000
    assert one.note.isprintable()
