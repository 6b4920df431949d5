"""Probes with made-up figures, and an inventory file, for the tests of `netplan probe`."""

import json
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

from netplan_planner.model import Estimate, PathClass, PathEnd, PathQuery
from netplan_planner.verbs.probe.answer import Probe, ProbeCost, ProbeFlow, ProbePath, ProbeWay
from netplan_planner.verbs.probe.forecast import ProbeRules
from support.projects import compute_json
from support.rules.facts import machine

Shares = dict[str, float]
RULES = ProbeRules(
    ways=((1, (ProbeWay.FORWARD, ProbeWay.REVERSE)), (16, tuple(ProbeWay))),
    min_runs=3,
    max_runs=10,
    tolerance_ratio=0.1,
    wire_ratio=1.0,
    overhead_s=2.0,
)


def flow(log_width: float, shares: Shares, *, reach: float = 1.0) -> ProbeFlow:
    """Return a direction with an interval of this width, bound by limits with probabilities."""
    return ProbeFlow(
        way=ProbeWay.FORWARD,
        is_back=False,
        estimate=Estimate(gbps=1.0, low_gbps=0.9, high_gbps=1.1),
        log_width=log_width,
        informative_ratio=reach,
        shares=tuple(shares.items()),
    )


def cost(*, usd: str | None, vm_usd: str | None = "0.01", seconds: float = 60.0) -> ProbeCost:
    """Return a cost; a dollar of traffic is 100 GiB."""
    return ProbeCost(
        runs=3,
        seconds=seconds,
        gib=100 * Decimal(usd or 0),
        line_items=(),
        usd=None if usd is None else Decimal(usd),
        vm_seconds=2 * seconds,
        vm_usd_in_ranking=None if vm_usd is None else Decimal(vm_usd),
    )


def probe(
    name: str,
    flows: Sequence[ProbeFlow],
    *,
    usd: str | None = "0.10",
    vm_usd: str | None = "0.01",
    seconds: float = 60.0,
    refused: str = "",
) -> Probe:
    """Return a probe of one stream between two machines named after it; at most thrice its cost."""
    end = PathEnd(machine_type="n2-standard-8")
    query = PathQuery(path_class=PathClass.SAME_ZONE_INTERNAL, src=end, dst=end)
    least = cost(usd=usd, vm_usd=vm_usd, seconds=seconds)
    most = cost(
        usd=None if usd is None else str(3 * Decimal(usd)),
        vm_usd=vm_usd,
        seconds=3 * seconds,
    )
    return Probe(
        path=ProbePath(
            name=name,
            client=machine(f"{name}-1"),
            server=machine(f"{name}-2"),
            path_class=PathClass.SAME_ZONE_INTERNAL,
            address="10.0.0.2",
            there=query,
            back=query,
        ),
        streams=1,
        flows=tuple(flows),
        expected=least,
        most=most,
        unpriced="" if usd is not None else "no price for it",
        refused=refused,
    )


def instance(
    name: str,
    address: str,
    *,
    machine_type: str = "e2-micro",
    zone: str = "us-central1-a",
    external: str = "",
    labels: dict[str, str] | None = None,
    status: str = "RUNNING",
) -> dict[str, Any]:
    """Return a machine of project `p` as the Compute API writes it."""
    made = compute_json.machine(name, machine_type, zone, address=address, status=status)
    made |= {"labels": labels or {}, "cpuPlatform": "Intel Cascade Lake"}
    if external:
        access = {"name": "nat", "natIP": external, "type": "ONE_TO_ONE_NAT"}
        made["networkInterfaces"][0]["accessConfigs"] = [access]
    return made


def inventory_file(path: Path, *instances: dict[str, Any]) -> Path:
    """Write machines to a file that `--inventory` takes, and return it."""
    path.write_text(json.dumps(instances), encoding="utf-8")
    return path
