"""The regional bandwidth quotas of the sender's project: named limits whose value Google sets.

A project has two of them in each region, in Mbit/s: one for what goes to other regions inside the
VPC, one for what goes to addresses outside of it. No document states their values, which differ by
project; the quotas page of the console shows them.
"""

from datetime import date
from functools import cache

from netplan_planner.model import Limit, LimitKind, PathClass, PathQuery, Value
from netplan_planner.shipped import shipped_values
from netplan_planner.throughput.limits.tables import DATA

REGION_QUOTA = "region-quota"
GIVEN = "given with the question"
_INSIDE, _OUTSIDE = "inside", "outside"


class RegionalQuota(Value, frozen=True, kw_only=True):
    """A quota of a project in a region, without its value."""

    name: str
    direction: str
    """`inside` the VPC, or `outside` of it."""
    source: str
    as_of: date
    note: str = ""


@cache
def _quotas() -> dict[str, RegionalQuota]:
    file = DATA / "regional_quotas.csv"
    return {one.direction: one for one in shipped_values(file, RegionalQuota, as_of="source_date")}


def quota_of(path_class: PathClass) -> RegionalQuota | None:
    """Return the quota that a path's traffic counts against; None where none is documented."""
    if path_class.leaves_vpc:
        return _quotas()[_OUTSIDE]
    return _quotas()[_INSIDE] if path_class.distance == "inter-region" else None


def quota_limit(query: PathQuery, as_of: date) -> Limit | None:
    """Return the quota as a limit, None where its value is not given or it does not apply."""
    quota = quota_of(query.path_class)
    if quota is None or query.quota_gbps is None:
        return None
    region = f", {query.src.region}" if query.src.region else ""
    return Limit(
        name=REGION_QUOTA,
        gbps=query.quota_gbps,
        kind=LimitKind.DOCUMENTED,
        source=f"{quota.source}; its value is {GIVEN}",
        as_of=as_of,
        detail=f"{quota.name}{region}, all machines of the project together",
        lifted_by="a greater quota (console, Quotas page)",
    )
