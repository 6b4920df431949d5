"""The answers of the questions again, from the facts that they name, without netplan.

    python benchmarks/questions/derive.py [DATA]

DATA is a folder with `catalog` and `network` (default: NETPLAN_TEST_DATA, else ../shared, in both
cases below `data`). A question names a function of `DERIVATIONS` and its arguments in `derive`;
where it has none, its answer was worked out by hand, as its `derivation` says.
"""

import csv
import gzip
import operator
import os
import sys
import tomllib
from ast import Add, BinOp, Constant, Div, Expression, Mult, Sub, parse
from collections.abc import Callable, Iterator
from functools import cache, reduce
from pathlib import Path
from typing import Any

HOME = Path(__file__).parent
DATA = Path(os.environ.get("NETPLAN_TEST_DATA") or HOME.parents[2] / "shared") / "data"
_OPERATORS: dict[type, Callable[[float, float], float]] = {
    Add: operator.add,
    Sub: operator.sub,
    Mult: operator.mul,
    Div: operator.truediv,
}


def questions() -> Iterator[dict[str, Any]]:
    """Yield every question, in the order of the files."""
    for file in sorted(HOME.glob("*.toml")):
        for one in tomllib.loads(file.read_text("utf-8"))["question"]:
            yield {"topic": file.stem, **one}


@cache
def rows(name: str) -> tuple[dict[str, str], ...]:
    """Return a table of facts."""
    path = DATA / name
    data = path.read_bytes()
    text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode()
    return tuple(csv.DictReader(text.splitlines()))


def traffic(kind: str, gib: float, source: str = "global", to: str = "") -> float:
    """Return what a month's GiB cost by the price steps of a kind of traffic."""
    steps = sorted(
        (float(one["tier_start"]), float(one["usd_per_unit"]))
        for one in rows("catalog/network_prices.csv.gz")
        if one["kind"] == kind
        and one["tier_start"]
        and source in one["source_regions"].split("|")
        and (not to or to in {*one["destination_regions"].split("|"), one["destination_place"]})
    )
    if len({start for start, _ in steps}) != len(steps):
        # A free step beside the price of all regions: SKUs of 0 that nobody is charged by.
        steps = [one for one in steps if one[1]]
    ends = [start for start, _ in steps[1:]] + [float("inf")]
    return sum(
        max(min(gib, end) - start, 0) * usd for (start, usd), end in zip(steps, ends, strict=True)
    )


def address(item: str, hours: float = 730) -> float:
    """Return what an external IPv4 address costs past the free hours of the account."""
    (usd,) = {
        float(one["usd_per_unit"])
        for one in rows("catalog/network_prices.csv.gz")
        if one["kind"] == "external_ip"
        and one["source_place_or_item"] == item
        and float(one["usd_per_unit"])
    }
    return hours * usd


def machine(region: str, machine_type: str, usage: str = "on_demand", hours: float = 730) -> float:
    """Return what a machine costs, from the table of finished prices."""
    (found,) = (
        float(one[f"{usage}_usd_hour"])
        for one in rows("catalog/prices.csv.gz")
        if (one["region"], one["machine_type"]) == (region, machine_type)
    )
    return found * hours


def tier1(region: str, gbps: int, hours: float = 730) -> float:
    """Return the fee of Tier_1 up to 50, 75 or 100 Gbit/s."""
    column = f"ondemand_total_bandwidth_up_to_{gbps}_gbps_usd_hour"
    (found,) = (one for one in rows("catalog/tier1_network_prices.csv") if one["region"] == region)
    return float(found[column]) * hours


def cap(machine_type: str, column: str) -> float:
    """Return a documented cap in Gbit/s."""
    (found,) = (
        one for one in rows("network/vm_egress_caps.csv") if one["machine_type"] == machine_type
    )
    return float(found[column])


def slowest(*limits: float | list[Any]) -> float:
    """Return the least of some limits in Gbit/s: numbers, or machine types with a column."""
    return min(cap(*one) if isinstance(one, list) else one for one in limits)


def cheapest(
    region: str, gbps: float, series: list[str], vcpus: float = 0, memory_gib: float = 0
) -> tuple[str, float]:
    """Return the cheapest type, and its month, whose cap less 20 % carries a rate inside the VPC.

    Every type is tried; Tier_1 is, too, where there is a cap and a fee for it.
    """
    shapes = {one["machine_type"]: one for one in rows("catalog/machine_types.csv")}
    offered = {
        one["machine_type"]
        for one in rows("catalog/machine_type_regions.csv.gz")
        if one["region"] == region
    }
    found = []
    for one in rows("catalog/prices.csv.gz"):
        shape = shapes.get(one["machine_type"])
        if one["region"] != region or not shape or shape["series"] not in series:
            continue
        if one["machine_type"] not in offered or not one["on_demand_usd_hour"]:
            continue
        if int(shape["is_shared_core"]) or int(shape["gpu_count"] or 0):
            continue
        if float(shape["guest_vcpus"]) < vcpus or float(shape["memory_gib"]) < memory_gib:
            continue
        usd = float(one["on_demand_usd_hour"]) * 730
        found += [
            (usd + fee, one["machine_type"]) for fee in _fees(one["machine_type"], region, gbps)
        ]
    usd, name = min(found)
    return name, usd


def _fees(machine_type: str, region: str, gbps: float) -> Iterator[float]:
    """Yield the fee at which a type carries a rate: none, or that of Tier_1; nothing: it cannot."""
    for caps in rows("network/vm_egress_caps.csv"):
        if caps["machine_type"] != machine_type or not caps["default_egress_gbps"]:
            continue
        if float(caps["default_egress_gbps"]) * 0.8 >= gbps - 1e-9:
            yield 0.0
        elif caps["tier1_egress_gbps"] and float(caps["tier1_egress_gbps"]) * 0.8 >= gbps - 1e-9:
            yield tier1(region, int(float(caps["tier1_egress_gbps"])))


def cheapest_name(*given: Any, **more: Any) -> str:
    """Return the name of that type."""
    return cheapest(*given, **more)[0]


def cheapest_usd(*given: Any, **more: Any) -> float:
    """Return what it costs in a month."""
    return cheapest(*given, **more)[1]


def number(text: str) -> float:
    """Return the value of a calculation with + - * / of numbers."""

    def value(node: Any) -> float:
        if isinstance(node, BinOp):
            return _OPERATORS[type(node.op)](value(node.left), value(node.right))
        assert isinstance(node, Constant), text
        assert isinstance(node.value, int | float), text
        return float(node.value)

    tree = parse(text, mode="eval")
    assert isinstance(tree, Expression)
    return value(tree.body)


def change(first: list[Any], *others: list[Any]) -> float:
    """Return the result of one derivation less those of others."""
    return reduce(operator.sub, (float(derived(one)) for one in (first, *others)))


DERIVATIONS: dict[str, Callable[..., Any]] = {
    one.__name__: one
    for one in (address, cap, change, cheapest_name, cheapest_usd, machine, number, slowest)
} | {one.__name__: one for one in (tier1, traffic)}


def derived(call: list[Any]) -> Any:
    """Return what a derivation gives: the name of a function, its arguments, its options last."""
    name, *given = call
    options = given.pop() if given and isinstance(given[-1], dict) else {}
    return DERIVATIONS[name](*given, **options)


def agrees(answer: Any, found: Any, tolerance: float) -> bool:
    """Return whether a value is the answer, numbers within a tolerance."""
    if isinstance(answer, bool | str) or isinstance(found, bool | str):
        return bool(answer == found)
    return found is not None and abs(float(answer) - float(found)) <= tolerance


def main() -> int:
    """Derive every answer that names how, and print those that differ."""
    if not DATA.is_dir():
        print(f"no facts at {DATA}: nothing was derived")
        return 0
    count = failures = 0
    for one in questions():
        if "derive" not in one:
            continue
        count += 1
        found = derived(one["derive"])
        if not agrees(one["answer"], found, one.get("tolerance", 0.005)):
            failures += 1
            print(f"{one['id']}: {one['answer']} is written, {found} derived")
    print(f"{count} answers derived, {failures} differ")
    return failures > 0


if __name__ == "__main__":
    if len(sys.argv) > 1:
        DATA = Path(sys.argv[1]) / "data"
    sys.exit(main())
