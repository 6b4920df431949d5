"""Money is rounded in one place: half a cent never reads two ways."""

import re
from decimal import Decimal
from pathlib import Path

from netplan_planner.renderers.figures import dollars
from netplan_planner.units import cents
from netplan_planner.verbs.price.show import money

ROOT = Path(__file__).resolve().parents[2]


def test_half_a_cent_reads_the_same_everywhere() -> None:
    for text, said in (("1.825", "1.83"), ("7.295", "7.30"), ("0.125", "0.13"), ("2.5", "2.50")):
        usd = Decimal(text)
        assert (str(cents(usd)), money(usd), dollars(usd)) == (said, said, f"${said}")


def test_no_other_place_rounds_dollars() -> None:
    own = re.compile(r"\$\{[^}]*:,?\.2f\}|quantize\(_CENT\)")
    found = [
        f"{path.relative_to(ROOT)}: {line.strip()}"
        for folder in ("planner/netplan_planner", "rules/netplan_rules", "pricing/netplan_pricing")
        for path in sorted((ROOT / folder).rglob("*.py"))
        for line in path.read_text(encoding="utf-8").splitlines()
        if own.search(line)
    ]
    assert found == []
