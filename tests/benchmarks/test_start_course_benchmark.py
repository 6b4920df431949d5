"""The benchmark of starts tells a wait from none, and says so where there is nothing to read."""

from pathlib import Path

import pytest

from support.commands.run import BENCHMARKS, run_anew

HEADER = "run,start_s,end_s,is_omitted,rtt_ms,snd_cwnd_bytes,retransmits,gbps"


def printed(path: Path) -> str:
    return run_anew(BENCHMARKS / "start_course.py", path).stdout


@pytest.mark.parametrize(
    ("segments", "shares"), [(40, ("0.0%", "100.0%")), (80, ("100.0%", "0.0%"))]
)
def test_a_window_is_told_to_follow_a_wait_or_none(
    tmp_path: Path, segments: int, shares: tuple[str, str]
) -> None:
    path = tmp_path / "windows.csv"
    rows = [
        f"1,0,1.0,1,276.0,{segments * 1408},0,0.0012",
        # After a loss, and after the omitted seconds, a window tells nothing of the start.
        "1,1.0,2.0,1,276.0,1408,3,0.0012",
        "1,0.0,1.0,0,276.0,2816,0,0.0944",
    ]
    path.write_text("\n".join([HEADER, *rows]), "utf-8")
    _, line = printed(path).splitlines()
    assert line.split()[-2:] == list(shares)


def test_without_measurements_nothing_is_compared(tmp_path: Path) -> None:
    assert printed(tmp_path / "gone.csv") == "gone.csv is not here: nothing to compare\n"
