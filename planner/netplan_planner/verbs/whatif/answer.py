"""`netplan whatif`: changes that somebody thinks of, and a project before and after them."""

from datetime import date
from decimal import Decimal
from enum import StrEnum

from netplan_planner.errors import InputError, NetplanError, UsageError
from netplan_planner.model.base import SelfLink, Text, Value
from netplan_planner.model.finding import Severity
from netplan_planner.model.path_class import PathClass
from netplan_planner.model.plans.plan_answer import ProjectPlan
from netplan_planner.model.report_rows import MonthBill


class WhatifField(StrEnum):
    """What can be changed, in the order in which changes are made."""

    GROWTH = "growth"
    ZONE = "zone"
    MACHINE_TYPE = "machine-type"
    NIC = "nic"
    TIER_1 = "tier1"
    ADDRESS = "address"
    NETWORK_TIER = "network-tier"
    MTU = "mtu"
    PLUGIN = "plugin"


ORDER = tuple(WhatifField)


class WhatifChange(Value, frozen=True, kw_only=True):
    """One change of the machines that a selector names."""

    vms: str
    """A name, `project/zone/name`, a glob, `label:KEY=VALUE` or `group:NAME`."""
    field: WhatifField
    to: str
    """The new value, as the user writes it."""
    by: date | None = None
    """Of a growth: when it is reached."""
    source: str
    """The option, or the row of the file."""
    is_of_file: bool = False

    @property
    def label(self) -> str:
        """What it does, in a few words."""
        vms = "all VMs" if self.vms == "*" else self.vms
        match self.field:
            case WhatifField.GROWTH:
                return f"traffic of {vms} times {self.to}"
            case WhatifField.TIER_1:
                return f"{vms} {'with' if self.to == 'true' else 'without'} Tier_1"
            case WhatifField.ADDRESS:
                return f"{self.to} addresses for {vms}"
            case WhatifField.ZONE | WhatifField.MACHINE_TYPE:
                return f"{vms} to {self.to}"
            case WhatifField.MTU:
                return f"MTU {self.to} in the network of {vms}"
            case _:
                return f"{self.field.value.replace('-', ' ')} {self.to} for {vms}"

    def refused(self, why: str, option: str = "") -> NetplanError:
        """Return the error of a change that cannot be, with what to do; `option` is at fault."""
        text = f"{self.source if self.is_of_file else option or self.source}: {why}"
        return InputError(text) if self.is_of_file else UsageError(text)


class WhatifGain(Value, frozen=True, kw_only=True):
    """What a change, or several, come to."""

    saves_usd_per_month: Decimal | None
    """Below 0: it costs more; None: not known."""
    gains_gbps: float | None
    """Of all flows at once whose rates are known; None: there are none, or of one the rate is known
    on one side only."""
    is_possible: bool = True
    """Whether it can be made so: some changes need another one."""
    unknown: str = ""
    """Why it cannot be made, or what of the money has no price."""
    unknown_flow_count: int = 0
    """Flows whose rate is known on one side only."""


class WhatifStep(Value, frozen=True, kw_only=True):
    """A change, alone and in the order."""

    rank: int
    """From 1: the circumstances first, then what still brings most."""
    change: WhatifChange
    machine_count: int
    alone: WhatifGain
    marginal: WhatifGain
    """After those ranked before it."""


class WhatifSet(Value, frozen=True, kw_only=True):
    """Changes that lift a flow together, and none of them without the others."""

    ranks: tuple[int, ...]
    """Of the changes."""
    flow: str
    """The one that is lifted most: `sender → receiver`."""
    flow_count: int
    now_gbps: float
    most_without_gbps: float
    """With any of them left out."""
    together_gbps: float
    used_ratio: float | None
    """Of the sender's limit that it uses now; None: not known."""


class WhatifSide(Value, frozen=True, kw_only=True):
    """The project as a whole, before or after."""

    money: MonthBill
    gbps: float | None
    """What all flows get at once, max-min fair: each asks for its busiest minute, those that are
    held back today for all that their paths can carry; those alone whose rate is known. None: there
    is no traffic between ends, or the rate of none is known."""
    flow_count: int
    """Flows in that sum."""
    unknown_flow_count: int
    """Flows of own machines whose limits are not known: they are in no rate."""
    waiting_flow_count: int
    """Flows that are held back today."""
    finding_count: int
    """As the audit counts them."""
    finding_place_count: int
    """Places of all of them."""
    full_machine_count: int
    """Machines whose 95th percentile is at a limit of theirs, or near it."""
    unknown_limit_count: int = 0
    """Machines that send, of which no limit is known: not among those at one, nor known to be
    below."""


class WhatifMachine(Value, frozen=True, kw_only=True):
    """A machine at one side."""

    zone: str
    machine_type: str
    is_tier1: bool
    egress_gbps: float | None
    """All it may send inside the VPC."""
    external_gbps: float | None
    """All it may send to addresses outside the VPC."""
    p95_gbps: float | None
    """95th percentile of what it sends."""
    external_p95_gbps: float | None
    used_ratio: float | None
    """Of the fuller of the two limits."""
    gbps: float | None
    """Of its flows, while all flows of the project send at once; None: not known."""
    flow_count: int
    """Flows in that rate."""
    unknown_flow_count: int
    """Flows in no rate: it is that of the others."""
    machine_usd_per_month: Decimal | None
    """With its addresses; None: not known."""
    traffic_usd_per_month: Decimal | None
    """Of what it sends, at the mean price of each path; what has no price is not in it. None: no
    traffic was given, or no part of it has a price."""
    traffic_unknown: str = ""


class WhatifPair(Value, frozen=True, kw_only=True):
    """A machine before and after."""

    name: str
    link: SelfLink
    is_changed: bool
    """By a change itself, and not only by what others do."""
    before: WhatifMachine
    after: WhatifMachine


class FindingState(StrEnum):
    """What becomes of a finding at a place."""

    GONE = "gone"
    NEW = "new"
    UNCHANGED = "unchanged"
    UNJUDGED = "not judged after"
    """It is not known whether it is gone."""


class WhatifFinding(Value, frozen=True, kw_only=True):
    """A finding at one place."""

    state: FindingState
    rule: str
    severity: Severity
    subject: str
    message: Text
    saving_before_usd_per_month: Decimal | None = None
    saving_after_usd_per_month: Decimal | None = None
    why: str = ""
    """Why it is not judged."""


class WhatifTraffic(Value, frozen=True, kw_only=True):
    """All that own machines send by one path class; None: no part of it has a price."""

    path_class: PathClass
    gib_before: Decimal
    gib_after: Decimal
    usd_before: Decimal | None
    usd_after: Decimal | None


class WhatifLimit(Value, frozen=True, kw_only=True):
    """A limit that flows share while all send at once."""

    machine: str
    limit: str
    capacity_before_gbps: float | None
    """None: no flow had it."""
    capacity_after_gbps: float | None
    flows_before: int | None
    """Flows on it; None: not known, as that of no flow is known which would be on it."""
    flows_after: int | None
    bound_before: int | None
    """Flows that it holds back."""
    bound_after: int | None
    share_before_gbps: float | None
    """What each of these gets."""
    share_after_gbps: float | None
    with_whom: tuple[str, ...] = ()
    """Peers of the flows that share it after, the first few."""


class WhatifFull(Value, frozen=True, kw_only=True):
    """A machine that meets a limit by a growth of traffic."""

    machine: str
    limit: str
    gbps: float
    """95th percentile today."""
    cap_gbps: float
    at_factor: float
    """By which its traffic reaches the limit."""
    on: date | None
    """When, on a straight line from today; None: the growth has no date."""


class WhatifPriceStep(Value, frozen=True, kw_only=True):
    """A price whose step the last GiB of a month leaves."""

    name: str
    sku_id: str
    gib_before: Decimal
    gib_after: Decimal
    usd_per_gib_before: Decimal
    """Of the last GiB."""
    usd_per_gib_after: Decimal


class WhatifAnswer(ProjectPlan, frozen=True, kw_only=True):
    """A project before and after changes; nothing is changed by netplan."""

    title: str
    steps: tuple[WhatifStep, ...]
    together: tuple[WhatifSet, ...]
    before: WhatifSide
    after: WhatifSide
    machines: tuple[WhatifPair, ...]
    """Those that change, and those on which it bears; the changed first."""
    machine_count: int
    """Of the input."""
    findings: tuple[WhatifFinding, ...]
    traffic: tuple[WhatifTraffic, ...]
    limits: tuple[WhatifLimit, ...]
    """Those that are not as before."""
    full: tuple[WhatifFull, ...]
    price_steps: tuple[WhatifPriceStep, ...]
    notes: tuple[str, ...]
    advised_against: tuple[str, ...] = ()
    """Which of the changes no advice of netplan makes, and why: the audit and plans refuse them."""
    has_traffic: bool
