"""One process for each stream: rates add up only where the processes ran at the same time."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from netplan_planner.errors import InputError
from netplan_planner.measuring.outputs import merge_streams
from support.listed import listed
from support.probes.measurements import measured


def at(second: float, **fields: object) -> str:
    whole = int(second)
    return f"2026-05-01T10:00:{whole:02}{f'{second - whole:.3f}'[1:] if second != whole else ''}Z"


FIRST = measured(
    **{"run_id": "a", "gbps": 1.5, "sender_gbps": 1.6, "byte_count": 100, "retransmit_count": 3},
    **{"rtt_ms": 2.0, "min_rtt_ms": 1.0, "mss_bytes": 1408, "max_window_bytes": 10},
    **{"max_receive_window_bytes": 100, "bitrate_limit_gbps": 2.0, "coefficient_of_variation": 0.1},
)
SECOND = measured(
    **{"run_id": "b", "gbps": 2.5, "sender_gbps": 2.6, "byte_count": 200, "retransmit_count": 4},
    **{"rtt_ms": 4.0, "min_rtt_ms": 0.5, "mss_bytes": 1408, "max_window_bytes": 30},
    **{"max_receive_window_bytes": 50, "bitrate_limit_gbps": 2.0, "started_at": at(1)},
)


def test_figures_are_added_or_taken_as_they_mean() -> None:
    (one,) = merge_streams([SECOND, FIRST])
    assert (one.gbps, one.sender_gbps, one.byte_count) == (4.0, 4.2, 300)
    assert (one.streams, one.retransmit_count, one.bitrate_limit_gbps) == (2, 7, 4.0)
    assert (one.rtt_ms, one.min_rtt_ms, one.mss_bytes) == (3.0, 0.5, 1408)
    assert (one.max_window_bytes, one.max_receive_window_bytes) == (30, 100)
    assert (one.src.cpu_ratio, one.dst.cpu_ratio) == (1.0, 1.4)
    assert one.coefficient_of_variation is None
    assert (one.started_at, one.note) == (FIRST.started_at, "2 processes at once")
    # The order of the outputs does not matter; one process stays as it is.
    assert merge_streams([FIRST, SECOND]) == (one,)
    assert merge_streams([FIRST]) == (FIRST,)
    assert merge_streams([]) == ()


def test_each_direction_is_added_up_alone() -> None:
    back = [measured(run_id=name, gbps=0.5, is_reverse=True) for name in "cd"]
    there, again = merge_streams([FIRST, back[0], SECOND, back[1]])
    assert (there.gbps, there.is_reverse) == (4.0, False)
    assert (again.gbps, again.is_reverse) == (1.0, True)


def test_a_sum_with_an_unknown_part_is_unknown() -> None:
    (one,) = merge_streams([FIRST, measured(run_id="b")])
    assert (one.gbps, one.sender_gbps, one.byte_count) == (3.0, None, None)
    assert (one.retransmit_count, one.rtt_ms) == (None, 2.0)


@pytest.mark.parametrize(
    ("first", "second", "is_together"),
    [
        (0, 0, True),
        (0, 1, True),
        (0, 2, True),  # whole seconds: they may be one second apart
        (0, 3, False),
        (0.1, 0.9, True),
        (0.1, 2.2, False),
        (0, 30, False),
    ],
)
def test_processes_must_overlap_for_nearly_all_the_time(
    first: float, second: float, is_together: bool
) -> None:
    pair = [measured(run_id="a", started_at=at(first)), measured(run_id="b", started_at=at(second))]
    if is_together:
        assert merge_streams(pair)[0].gbps == 3.0
    else:
        with pytest.raises(InputError, match="the processes did not run in parallel"):
            merge_streams(pair)


@listed(
    ("fields", "told"),
    [
        ({"started_at": ""}, "ran in parallel is unknown: an output has no start or duration"),
        ({"duration_s": None}, "ran in parallel is unknown: an output has no start or duration"),
        ({"duration_s": 5.0}, r"overlap for 6\.0 s of 10\.0 s"),
        ({"src": {"address": "10.9.9.9"}}, "the sender's address differs"),
        ({"dst": {"address": None}}, "the receiver's address differs"),
        ({"tool_version": "3.16"}, "the tool differs"),
        ({"protocol": "udp"}, "the protocol differs"),
        ({"counted_by": "sender"}, "the end that counted differs"),
        ({"is_bidirectional": True}, "whether both directions ran differs"),
        ({"run_id": "a"}, "given twice"),
    ],
)
def test_processes_of_other_runs_are_refused(fields: dict[str, object], told: str) -> None:
    with pytest.raises(InputError, match=told):
        merge_streams([FIRST, measured(**{"run_id": "b", **fields})])


@given(st.lists(st.floats(min_value=0.001, max_value=100), min_size=1, max_size=20))
def test_a_sum_is_no_less_than_any_part(rates: list[float]) -> None:
    parts = [measured(run_id=str(index), gbps=rate) for index, rate in enumerate(rates)]
    (one,) = merge_streams(parts)
    assert one.gbps >= max(rates)
    assert one.streams == len(rates)
