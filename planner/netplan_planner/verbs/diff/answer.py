"""What `netplan diff` found: two sides, and what moved between them."""

from decimal import Decimal
from enum import StrEnum

from netplan_planner.model.base import Text, Value
from netplan_planner.model.finding import Confidence, Severity
from netplan_planner.model.path_class import PathClass
from netplan_planner.model.plans.plan_answer import PricedAnswer
from netplan_planner.model.report_rows import MachineRow

ROWS = 6
"""Of a table where nobody says how many."""


class DiffState(StrEnum):
    """What became of a finding at a place, a VM or a path; the order is that of the answer."""

    NEW = "new"
    FIXED = "fixed"
    """Of a VM or a path: it is gone."""
    CHANGED = "changed"
    NOT_JUDGED = "not judged"
    """It was there before; whether it is there after is not known."""
    UNCHANGED = "unchanged"


class DiffCause(StrEnum):
    """What made the difference."""

    PROJECT = "project"
    BASIS = "basis"
    """Prices, limits or the version: nothing that was seen of the project differs."""
    EITHER = "either"
    """The basis and the project differ, and their shares are not known."""


class DiffBasis(Value, frozen=True, kw_only=True):
    """Something that both reports rest on and that differs between them."""

    name: str
    """`prices`, `limits` or `version`."""
    before: str
    after: str


class DiffSide(Value, frozen=True, kw_only=True):
    """One of the two sides."""

    source: str
    """The file, and of a plan's prior state that it is this."""
    title: str
    vm_count: int
    unpriced_vm_count: int
    unpriced_gib_per_month: Decimal


class DiffMoney(Value, frozen=True, kw_only=True):
    """A part of the bill of a month; the parts of a change sum up to it."""

    part: str
    before_usd: Decimal | None
    """None: not known."""
    after_usd: Decimal | None
    change_usd: Decimal | None
    by_project_usd: Decimal | None
    by_basis_usd: Decimal | None
    """Prices, limits or the version moved it, the VM or traffic being the same."""
    by_either_usd: Decimal | None
    """Both moved it; the shares are not known."""


class DiffFinding(Value, frozen=True, kw_only=True):
    """A finding at one place."""

    state: DiffState
    cause: DiffCause | None
    """None where it is unchanged, or not judged."""
    rule: str
    severity: Severity
    severity_before: Severity | None
    confidence: Confidence
    subject: str
    message: Text
    """As it is after, else before."""
    before_saving_usd_per_month: Decimal | None
    after_saving_usd_per_month: Decimal | None
    fingerprint: str
    """Of the rule and the place."""
    source: str = ""
    """Where its first resource was read: a file and a place in it, or a method of an API."""
    why: str = ""
    """Why it is not judged, or why it is not sure that it is new."""


class DiffMachine(Value, frozen=True, kw_only=True):
    """A VM that is not as before, or is on one side only."""

    state: DiffState
    cause: DiffCause
    name: str
    before: MachineRow | None
    after: MachineRow | None
    change_usd_per_month: Decimal | None
    """With its external addresses, without traffic; None: a price is missing."""


class PathSide(Value, frozen=True, kw_only=True):
    """A path on one side."""

    gib_per_month: Decimal
    usd_per_month: Decimal | None
    gbps: float | None
    """Predicted for the pair of VMs with the most traffic; None: of no single pair, or unknown."""


class DiffPath(Value, frozen=True, kw_only=True):
    """Traffic between two zones, or of one class that has no zones, that is not as before."""

    state: DiffState
    cause: DiffCause
    src_zone: str
    """Empty, as the next, where the class has none."""
    dst_zone: str
    path_class: PathClass
    before: PathSide | None
    after: PathSide | None


class DiffAnswer(PricedAnswer, frozen=True, kw_only=True):
    """What moved between two sides."""

    before: DiffSide
    after: DiffSide
    basis: tuple[DiffBasis, ...]
    """What differs of prices, limits and version; empty: nothing, so all is the project's doing."""
    total: DiffMoney
    """The parts that are known on both sides."""
    money: tuple[DiffMoney, ...]
    findings: tuple[DiffFinding, ...]
    machines: tuple[DiffMachine, ...]
    """Those that differ, the largest change of money first."""
    paths: tuple[DiffPath, ...]
    """Those that differ, the same first."""
    assumptions: tuple[str, ...] = ()
    incomplete: tuple[str, ...] = ()
    """What of the inputs could not be read, a line each."""
    increase_unknown: str = ""
    """Why it is not known by how much the bill rises; empty: it is known."""
