"""`netplan transfer` as a process: what it says, other people's networks, bad input."""

import json
import re
from decimal import Decimal
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from support.commands.run import run_verbs
from support.nightly import NIGHTLY

COMMANDS_BY_ANSWER = {
    "TransferAnswer": (
        "transfer --from us-central1 --to europe-west4 --bytes 1TB --series n2"
        " --deadline 10m --start-up 40s",
        "transfer --from us-central1 --to us-east1 --bytes 1TB --deadline 1s",
        "transfer --from us-central1 --to internet --area Europe --bytes 1TB --deadline 1s",
    )
}
"""Commands whose JSON and CSV `test_every_answer` looks at."""
GRID = "src,dst,gbps_per_vm\na,b,2\na,c,6\nc,b,5\n"
PRICES = "src,dst,usd_per_gib\na,b,0.1\na,c,0.02\nc,b,0.03\n"
A_TO_B = ("--from", "a", "--to", "b", "--bytes", "1TiB")


def transfer(*arguments: str) -> CompletedProcess[str]:
    return run_verbs(arguments=["transfer", *arguments])


def found(*arguments: str, status: int = 0) -> dict[str, Any]:
    done = transfer(*arguments, "--output", "json")
    assert done.returncode == status, done.stderr
    answer = json.loads(done.stdout)
    assert isinstance(answer, dict)
    return answer


def words(done: CompletedProcess[str]) -> str:
    return re.sub(r"[\s│]+", " ", done.stdout + done.stderr)


@pytest.fixture
def network(tmp_path: Path) -> tuple[str, ...]:
    (tmp_path / "grid.csv").write_text(GRID)
    (tmp_path / "prices.csv").write_text(PRICES)
    return (
        *("--grid", str(tmp_path / "grid.csv")),
        *("--edge-prices", str(tmp_path / "prices.csv")),
    )


def test_more_can_be_sent_than_on_one_edge_where_that_is_told(network: tuple[str, ...]) -> None:
    alone = found(*A_TO_B, *network, "--max-count", "1", "--goal", "time")
    wide = found(
        *(*A_TO_B, *network, "--max-count", "1", "--goal", "time"),
        *("--machine-egress-gbps", "100", "--machine-ingress-gbps", "100"),
    )
    # The receiver takes 5 in all, as on its best edge; with more of both edges 2 and 5.
    assert sum(x["gbps"] for x in alone["flows"] if x["dst"] == "b") == pytest.approx(5.0)
    assert sum(x["gbps"] for x in wide["flows"] if x["dst"] == "b") == pytest.approx(7.0, rel=1e-5)


@NIGHTLY
def test_how_near_its_bound_a_plan_is_is_said() -> None:
    """One tree is taken where it costs at most a thousandth more than what is proven."""
    to = ("--to", "asia-southeast3,asia-south1,europe-west4,southamerica-east1")
    asked = ("--from", "us-central1", *to, "--bytes", "10TB", "--max-count", "4")
    answer = found(*asked)
    said = words(transfer(*asked))
    gap = Decimal(str(answer["usd_total"])) - Decimal(str(answer["bound_usd_total"]))
    assert gap <= Decimal("0.001") * Decimal(str(answer["usd_total"]))
    assert f"no plan in time costs less than ${answer['bound_usd_total']:,.2f}" in said
    assert "the cost of this plan" in said or f"the plan costs at most ${gap:,.2f} more" in said
