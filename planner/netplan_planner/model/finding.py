"""What a rule says, and what `judging` makes of it."""

from decimal import Decimal
from enum import StrEnum

from netplan_planner.model.base import ResourceRef, SelfLink, Text, Value
from netplan_planner.model.evidence.traffic import Edge
from netplan_planner.model.limits import Estimate, Limit
from netplan_planner.model.money.prices import LineItem, total_usd


class Severity(StrEnum):
    """How much a finding matters, independent of how sure it is."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"
    INFO = "info"

    @property
    def rank(self) -> int:
        """0 for the gravest."""
        return list(Severity).index(self)


class Level(StrEnum):
    """From which severity on something is done, or never."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"
    INFO = "info"
    NEVER = "never"

    def holds(self, severity: Severity) -> bool:
        """Return whether a severity is at or above it."""
        return self is not Level.NEVER and severity.rank <= Severity(self.value).rank


class Confidence(StrEnum):
    """How sure a finding is."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"

    @property
    def rank(self) -> int:
        """0 for the surest."""
        return list(Confidence).index(self)


MOST_MEASURED_RATIO = 1.2
"""Above this share of a limit, a rate was not measured behind it: it is a declared target."""


LIFT_RATIO = 1.05
"""A fix lifts a path when it carries at least so many times what it carries now; less than this is
inside the spread of any two runs."""


class Need(StrEnum):
    """Evidence that a rule rests on; without it the rule is *not evaluated*."""

    INVENTORY = "inventory"
    TRAFFIC = "traffic"
    FLOW_RECORDS = "flow records"
    """Traffic with a window and five-tuples, which a table of steady rates has not."""
    PEERS = "peers"
    """Traffic that names its two ends and their addresses, which metrics do not."""
    WINDOW = "traffic over a window"
    """Traffic of flow records or of metrics, which a table of steady rates is not."""
    RATES = "rates"
    """Rates of machines over a window: of flow records, or counted on the machine."""
    METRICS = "metrics"
    """Time series of Cloud Monitoring."""
    TUNNEL_LOADS = "loads of VPN tunnels"
    """Of the tunnels' metrics, or of flow records."""
    QUOTA_LIMITS = "limits of quotas"
    """Those of Cloud Monitoring, of the internet traffic of a project and region."""
    PRICES = "prices"
    TARGETS = "declared targets"
    EXTERNAL_ADDRESSES = "external addresses"
    SEVERAL_NETWORKS = "several networks"
    NAT_GATEWAYS = "Cloud NAT gateways"
    ROUTES = "routes"
    VPN_TUNNELS = "VPN tunnels"
    TYPE_RECOMMENDATIONS = "recommendations of machine types"
    """Of Google's Recommender."""
    VLAN_ATTACHMENTS = "VLAN attachments"
    FORWARDING_RULES = "forwarding rules"
    SPOKES = "spokes of Network Connectivity Center"
    BILL = "billing export"
    MEASUREMENTS = "measurements"
    """Of throughput, by a probe or imported."""
    NODES = "nodes of Kubernetes"
    PODS = "pods of Kubernetes"
    SERVICES = "Services of Kubernetes"
    NODE_POOLS = "node pools of GKE"
    CLUSTER_NETWORKS = "network plugins"
    """Something that tells which plugin a cluster has."""
    POD_TRAFFIC = "traffic of pods"
    """With bytes and a time, so that it has a price."""


class SavingBasis(StrEnum):
    """What a saving is measured against."""

    BILL = "bill"
    """The bill: what commitments cover stays paid, and is no saving."""
    BEFORE_COMMITMENTS = "before-commitments"
    """Prices alone: which part commitments cover is not known, so it is neither ranked nor summed.
    """


class Saving(Value, frozen=True, kw_only=True):
    """Lines of a saving, or the reason why none can be stated."""

    items: tuple[LineItem, ...] = ()
    """Money a month: positive where the fix stops paying, negative where it starts to."""
    unknown: str = ""
    """Why no saving can be stated, when one is expected (a price is missing)."""
    basis: SavingBasis = SavingBasis.BILL
    note: str = ""
    """What commitments have to do with it: how long they are paid on, or why it is not known."""

    @property
    def usd_per_month(self) -> Decimal:
        """The sum of the lines."""
        return total_usd(self.items)


class Evidence(Value, frozen=True, kw_only=True):
    """A named number with its unit and, where it is not measured here, its source."""

    name: str
    value: float | int | str
    unit: str = ""
    source: str = ""


class Instruction(Value, frozen=True, kw_only=True):
    """One step beside the change itself: in words, with the commands where there are any."""

    text: str
    commands: tuple[str, ...] = ()


class Fix(Value, frozen=True, kw_only=True):
    """What to do, in this order: change, verify, clean up; and how to go back.

    Commands are complete and quoted; the user runs them, netplan never does.
    """

    text: str
    """The change: what, and where."""
    label: str = ""
    """The change in a few words, for a table: `n2d-standard-16`, `internal address`."""
    commands: tuple[str, ...] = ()
    """Those that make the change; none where it is made elsewhere, such as in the configuration of
    an application."""
    verify: Instruction | None = None
    """A command or a metric that shows that the change works."""
    clean_up: Instruction | None = None
    """What is no longer needed once the change is verified, and only then; None: nothing."""
    undo: Instruction | None = None
    """How to go back; None where the change touches nothing that runs."""
    documents: tuple[str, ...] = ()
    caution: Text = ""
    """What the fix interrupts or needs first: "stops the VM", "only if nothing else comes in"."""


class ChangeKind(StrEnum):
    """What a fix changes, in a form that path and price can be computed after."""

    INTERNAL_ADDRESS = "internal-address"
    MACHINE_TYPE = "machine-type"
    TIER_1 = "tier-1"
    MORE_FLOWS = "more-flows"
    """Several connections in parallel, where one stands at the limit of a flow."""
    ZONE = "zone"
    """The machine stands in another zone, with all of its traffic."""
    NO_TIER_1 = "no-tier-1"
    SPOT = "spot"
    NETWORK_TIER = "network-tier"
    """The machine's external addresses are of another network tier."""
    EXTERNAL_ADDRESS = "external-address"
    """The machine gets an external address, and leaves its Cloud NAT gateway by that."""
    RELEASE_ADDRESS = "release-address"
    """The machine loses an external address, or a reserved address that nothing has is released."""
    DELETE_GATEWAY = "delete-gateway"
    """A Cloud NAT gateway goes, with its reserved addresses."""
    NEAR_ENDPOINTS = "near-endpoints"
    """A Service of Kubernetes prefers endpoints in the zone of the client."""


BY_TEMPLATE = frozenset({ChangeKind.MACHINE_TYPE, ChangeKind.TIER_1, ChangeKind.SPOT})
"""Kinds of changes that all machines of a managed group make together."""


FOR_MONEY = frozenset(
    {ChangeKind.NETWORK_TIER, ChangeKind.RELEASE_ADDRESS, ChangeKind.DELETE_GATEWAY}
)
"""Kinds of changes that bring money and nothing else; Tier_1 that does nothing is a fault itself.
"""


class Change(Value, frozen=True, kw_only=True):
    """A fix in a form that the throughput model and the price of traffic can be applied to."""

    kind: ChangeKind
    target: SelfLink
    """What changes: the machine (for a pair, the sending one), the reserved address, the router,
    the Service."""
    destination: SelfLink | None = None
    """For a change of address or of flows: the machine reached; it holds for this pair only. For
    `ZONE`: the machine that it exchanges internal addresses with from then on. For
    `RELEASE_ADDRESS` of a machine: the reserved address, which is released with it."""
    to: str | None = None
    """The new machine type, for `MACHINE_TYPE`, which is one without Tier_1, and for `TIER_1` where
    the type changes with it. For `ZONE` the zone, for
    `NETWORK_TIER` the tier, for `RELEASE_ADDRESS` the address, for `DELETE_GATEWAY` its name."""
    cpu_platform: str = ""
    """The least CPU platform to ask for with it, where the cap depends on it."""
    members: tuple[SelfLink, ...] = ()
    """What changes in the same way at the same time, `target` among it; empty: it alone."""

    @property
    def targets(self) -> tuple[SelfLink, ...]:
        """All that changes."""
        return self.members or (self.target,)

    @property
    def is_of_internal_pair(self) -> bool:
        """Whether a pair uses internal addresses after it: alone, or with a move of one end."""
        is_move = self.kind is ChangeKind.ZONE and self.destination is not None
        return is_move or self.kind is ChangeKind.INTERNAL_ADDRESS


class Fault(Value, frozen=True, kw_only=True):
    """What is at fault at one place, and what a fix of it brings."""

    resources: tuple[ResourceRef, ...]
    """The machine or resource at fault first."""
    subject: str
    """Short and readable: `transcoder-1 → ingest-1 (us-central1-a)`."""
    message: Text
    evidence: tuple[Evidence, ...] = ()
    limit: Limit | None = None
    throughput_now: Estimate | None = None
    throughput_fixed: Estimate | None = None
    fix: Fix | None = None


class Hit(Fault, frozen=True, kw_only=True):
    """One fault at one place, as a rule yields it.

    Hits of one rule with the same `cause` become one finding with members.
    """

    cause: str = ""
    """Which of the rule's few causes it is, where what to do differs by it; never a place."""
    saving: Saving = Saving()
    used_ratio: float | None = None
    """Share of what binds that is in use at the 95th percentile of the one-minute rates: near 1,
    traffic is held back. None: not known, or nothing is held back by what the rule looks at."""
    gib_per_month: Decimal | None = None
    """Traffic that takes the wrong way; None where the rule is not about traffic."""
    lost: str = ""
    """What is lost today, counted or sure to be, and no longer after the fix: `packets dropped for
    want of ports`. Empty: nothing that is known."""
    doubts: tuple[str, ...] = ()
    """What speaks against it; each lowers the confidence by one step."""
    at_most: Confidence = Confidence.HIGH
    """The confidence, where a doubt lowers it further."""
    severity: Severity | None = None
    """A base severity of its own, where a case is graver or milder than the rule."""
    limit_minutes_per_day: float | None = None
    """For how long the limit is in use at least, of the days that were seen; None: as long as a
    95th percentile says."""
    why_not_high: str = ""
    """Why a limit in use makes it medium at most, as `judging` finds it; empty: nothing does."""
    seen_count: int = 1
    """Machines of a managed group at which the fault was seen; all of the group change."""
    change: Change | None = None
    edges: tuple[Edge, ...] = ()
    """Where `change` is None: whose cost the saving counts. No other fix saves it too."""

    @property
    def confidence(self) -> Confidence:
        """High without doubts."""
        ranks = list(Confidence)
        return ranks[max(self.at_most.rank, min(len(self.doubts), len(ranks) - 1))]

    @property
    def confidence_reason(self) -> str:
        """The doubts, in one text."""
        return "; ".join(self.doubts)

    @property
    def saving_usd_per_month(self) -> Decimal | None:
        """What the bill falls by; None when no saving is stated, or only one before commitments."""
        return self._stated(SavingBasis.BILL)

    @property
    def saving_before_commitments(self) -> Decimal | None:
        """What prices alone differ by, where what commitments cover is not known."""
        return self._stated(SavingBasis.BEFORE_COMMITMENTS)

    def _stated(self, basis: SavingBasis) -> Decimal | None:
        is_stated = self.saving.items and not self.saving.unknown and self.saving.basis is basis
        return total_usd(self.saving.items) if is_stated else None


class Gap(Value, frozen=True, kw_only=True):
    """A resource that a rule could not judge, and what it lacked; never a pass."""

    resource: ResourceRef
    reason: str


class Member(Fault, frozen=True, kw_only=True):
    """One of the places that a finding covers, with its own money and its own fix."""

    used_ratio: float | None = None
    gib_per_month: Decimal | None = None
    saving_usd_per_month: Decimal | None = None
    saving_unknown: str = ""
    line_items: tuple[LineItem, ...] = ()
    confidence: Confidence = Confidence.HIGH
    confidence_reason: str = ""
    fingerprint: str = ""
    """Of the rule and this place."""
    saving_before_commitments_usd_per_month: Decimal | None = None
    why_held: str = ""
    """What holds the fix back at this place, whatever is done before; empty: nothing does."""


class Finding(Fault, frozen=True, kw_only=True):
    """One entry of the report: a fault with all its places, how sure it is, what a fix brings."""

    rule: str
    title: str
    severity: Severity
    """By harm: the rule's own, raised or lowered by what is at stake."""
    severity_reason: Text
    """The step that decided, in words."""
    confidence: Confidence
    """That the places with at least half of what is at stake reach."""
    confidence_reason: str
    saving_usd_per_month: Decimal | None
    """What the bill falls by, of all members, were this the only fix; None when a price is missing,
    it saves no money, or what commitments cover is not known."""
    saving_unknown: str
    line_items: tuple[LineItem, ...]
    members: tuple[Member, ...]
    """Every place, the greatest saving or traffic first."""
    changes: tuple[Change, ...]
    fingerprint: str
    """Of the rule and the cause; the same whatever the order of input."""
    rank: int | None = None
    """Its place in the order of fixes, from 1; None where its fix brings nothing measurable."""
    marginal_usd_per_month: Decimal | None = None
    """What it still saves once the fixes ranked before it are made; None without a saving."""
    marginal_low_usd_per_month: Decimal | None = None
    """That at the least that a month can have of the traffic; None: the window leaves nothing open,
    or it is not known."""
    marginal_high_usd_per_month: Decimal | None = None
    """At the most."""
    overlap: str = ""
    """Why that is less than it would save alone."""
    is_held: bool = False
    """Something holds its fix back at every place, whatever is done before: `overlap` says what."""
    same_as: str = ""
    """Fingerprint of the finding whose fix makes all changes of this one: one change, two reasons.
    """
    saving_basis: SavingBasis = SavingBasis.BILL
    """`before-commitments` when that is so of one member."""
    saving_before_commitments_usd_per_month: Decimal | None = None
    """Of the members whose saving is known before commitments only; in no other sum."""
    saving_note: str = ""
    """What commitments have to do with it: how long they are paid on, or why it is not known."""
