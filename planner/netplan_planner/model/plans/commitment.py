"""What committed-use discounts do to a bill: questions, answers and the table of a report."""

from collections.abc import Iterable
from datetime import date
from decimal import Decimal
from enum import StrEnum
from typing import Protocol

from netplan_planner.model.base import ProjectId, Region, ResourceRef, Value
from netplan_planner.model.money.prices import LineItem, total_usd
from netplan_planner.model.project.resources import Instance

SPEND_UNIT = "USD"
"""Of lines about spend that flexible commitments cover: on-demand dollars, a dollar each."""
_COVER_UNITS = frozenset({"vcpu-hour", "gib-hour", SPEND_UNIT})


class CommitmentScope(StrEnum):
    """Which machines a commitment serves; a setting of the billing account, in no API that is read.

    Source: cloud.google.com/compute/docs, share-resource-cuds-across-projects (scope
    "Project" or "Billing account"; the default became the latter on 2026-06-16 for accounts
    without active commitments, release notes of that day).
    """

    UNKNOWN = "unknown"
    """Either: a saving is stated where both ways of sharing among the projects read agree."""
    PROJECT = "project"
    """Those of its own project."""
    PROJECTS_READ = "projects-read"
    """Those of the billing account, of which all projects were read."""
    BILLING_ACCOUNT = "billing-account"
    """Those of the billing account, of which other projects were not read."""


class MachineChange(Value, frozen=True, kw_only=True):
    """A running machine that becomes others, elsewhere perhaps, or goes."""

    instance: Instance
    machine_type: str | None
    """None: it is removed."""
    count: int = 1
    region: Region | None = None
    """None: its own."""


class CoverChange(Value, frozen=True, kw_only=True):
    """What a change does to what commitments cover, beside the prices of the machines."""

    items: tuple[LineItem, ...] = ()
    """Lines to add to a saving: negative where what was covered stays paid without use, positive
    where unused commitments take over."""
    unknown: str = ""
    """Why it cannot be known; then there are no lines."""
    note: str = ""


def cover_usd(items: Iterable[LineItem]) -> Decimal:
    """Return what commitments make of a saving: the lines by the hour of a vCPU or a GiB.

    Machines are lines by the hour, traffic by the GiB, so nothing else has these units, nor that
    of spend.
    """
    return total_usd([item for item in items if item.unit in _COVER_UNITS])


class CoverLedger(Protocol):
    """What commitments cover while changes are made one after the other."""

    def serves(self, instance: Instance, machine_type: str) -> bool:
        """Return whether commitments may serve a machine as one of a type."""

    def change(self, change: MachineChange) -> CoverChange:
        """Return what a change would do now, after all that were taken."""

    def take(self, change: MachineChange) -> None:
        """Count a change as made."""

    def mark(self) -> object:
        """Return what was taken so far, for `go_back`."""

    def go_back(self, mark: object) -> None:
        """Count nothing as made that was taken after a mark."""


class FleetCommitment(Value, frozen=True, kw_only=True):
    """A commitment to buy."""

    kind: str
    """`resource` or `flexible`."""
    family: str
    """The machine series that it covers; empty for a flexible one."""
    region: str
    """Empty for a flexible one: it covers all regions."""
    years: int
    vcpus: int
    memory_gib: Decimal
    usd_per_hour: Decimal
    """Its fee, which is paid in every hour of the term."""
    usd_per_month: Decimal
    covers_usd_per_hour: Decimal | None = None
    """Spend at prices on demand that a flexible one covers."""
    used_ratio: Decimal
    """Share of it that is in use over the hours of a month."""
    project: ProjectId = ProjectId("")
    """That it is bought in, where the fleet has several projects."""


class CommitmentLever(Value, frozen=True, kw_only=True):
    """What commitments would save of the machines that run; no fix is that."""

    years: int
    """The longest term that may be bought."""
    usd_per_month: Decimal
    """Of the machines as they are, if they run on."""
    most_usd_per_month: Decimal
    """No commitments of these terms save more of them."""
    paid_usd_per_month: Decimal
    """What these machines cost now, with the commitments that there are."""
    after_plan_usd_per_month: Decimal
    """Of the machines as the fixes leave them: the two do not add up to more."""
    commitments: tuple[FleetCommitment, ...] = ()
    """To buy once the fixes are made."""
    machine_count: int
    """Machines that commitments can serve."""
    managed_machine_count: int = 0
    """Of all machines those of managed groups and GKE, whose number may change."""
    unpriced_machine_count: int
    """Machines that are in none of these sums, because what they cost is not known."""


class CommittedPart(Value, frozen=True, kw_only=True):
    """One resource of a commitment."""

    resource: str
    """`vCPU` or `memory`."""
    unit: str
    """`vCPU` or `GiB`."""
    committed: Decimal
    used: Decimal | None
    """By running machines that are not Spot; None when it is not known."""
    stranded: Decimal | None
    """Paid and used by nothing."""
    demand: Decimal | None
    """What all machines that the commitments of the same kind serve need together."""
    usd_per_month: Decimal | None
    """Its fee, used or not; None when its rate is not known."""
    stranded_usd_per_month: Decimal | None
    line_item: LineItem | None = None


class CommitmentUse(Value, frozen=True, kw_only=True):
    """A commitment, and what of it is used."""

    resource: ResourceRef
    name: str
    project: ProjectId
    region: Region
    series: tuple[str, ...]
    """The machine series that it covers; empty when it covers none or its type is not known."""
    plan: str
    """`1 year`, `3 years`, or as the API spells it."""
    state: str
    """`active`, `ended`, `not yet active`, or as the API spells it."""
    ends: date | None
    is_renewed: bool | None
    machine_count: int | None
    """Running machines that are not Spot and that it may serve; None when not known."""
    parts: tuple[CommittedPart, ...]
    note: str = ""
    """What is not known of it."""
