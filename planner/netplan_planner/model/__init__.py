"""Frozen values that every stage shares; see docs/glossary.md for the terms."""

from netplan_planner.model.amounts import Amount, AmountKind, Text, Words, worded
from netplan_planner.model.base import (
    ProjectId,
    Region,
    ResourceRef,
    SelfLink,
    SkuId,
    Value,
    Zone,
    canonical_link,
    last_part,
    project_of,
    region_of,
    taken,
)
from netplan_planner.model.calibration import (
    Calibration,
    Learnt,
    LeftOut,
    Lesson,
    ProbedClass,
    ProbedPair,
)
from netplan_planner.model.evidence.measurement import (
    CountedBy,
    MeasuredEnd,
    Measurement,
    MeasurementCoverage,
)
from netplan_planner.model.evidence.metrics import (
    INTER_REGION_QUOTA,
    INTERNET_QUOTA,
    MeasuredKind,
    MeasuredResource,
    Metric,
    Metrics,
    MetricsCoverage,
    MetricSeries,
)
from netplan_planner.model.evidence.observed import MachineRates
from netplan_planner.model.evidence.traffic import (
    NO_TRAFFIC,
    BadRecord,
    Drops,
    Edge,
    LoggedRecords,
    LogOverlap,
    Reporter,
    Series,
    TopFlow,
    TrafficCoverage,
    TrafficMatrix,
    TrafficSource,
    VmTraffic,
)
from netplan_planner.model.facts import (
    LATENCY_CRITICAL,
    LATENCY_LABEL,
    PIN_LABEL,
    ROLE_LABEL,
    SERVICE_LABELS,
    DeclaredLink,
    Facts,
    Target,
)
from netplan_planner.model.finding import (
    LIFT_RATIO,
    MOST_MEASURED_RATIO,
    Change,
    ChangeKind,
    Confidence,
    Evidence,
    Finding,
    Fix,
    Gap,
    Hit,
    Instruction,
    Member,
    Need,
    Saving,
    SavingBasis,
    Severity,
)
from netplan_planner.model.limits import (
    CapsBook,
    EgressCap,
    Estimate,
    Limit,
    LimitKind,
    MeasuredLimit,
    PathEnd,
    PathQuery,
    PhysicalNics,
    PodNetwork,
)
from netplan_planner.model.money.price_answer import CurrencyRate
from netplan_planner.model.money.price_snapshots import (
    ChangeCount,
    CheckOutcome,
    ListComparison,
    ListDifference,
    PriceChanges,
    PriceCheck,
    PriceFault,
    PriceMove,
    RateChoice,
    RegionLack,
    SinceBefore,
    SkuMap,
    SkuMeaning,
    SnapshotBuilt,
    SnapshotSource,
    UnpricedType,
    UnusedSku,
)
from netplan_planner.model.money.prices import (
    OLDER_THAN_A_CHANGE,
    AddressUse,
    LineItem,
    Price,
    PriceBook,
    PricePart,
    PriceTier,
    SnapshotInfo,
    Usage,
    bill,
    discounted,
    line_item,
    negated,
    price_key,
    total_usd,
)
from netplan_planner.model.money.reconciliation import (
    ModelledPart,
    OtherSku,
    Reconciliation,
    SkuBalance,
    Unmodelled,
)
from netplan_planner.model.path_class import Certainty, Owner, OwnerKind, PathClass
from netplan_planner.model.plans.changes import PlanChange, PlanChanges, TerraformChange
from netplan_planner.model.plans.commitment import (
    SPEND_UNIT,
    CommitmentLever,
    CommitmentScope,
    CommitmentUse,
    CommittedPart,
    CoverChange,
    CoverLedger,
    FleetCommitment,
    MachineChange,
    cover_usd,
)
from netplan_planner.model.plans.flexible import FlexibleCommitments, FlexibleUse
from netplan_planner.model.plans.job import (
    JobEnd,
    JobHours,
    JobInfeasible,
    JobNeed,
    JobOption,
    JobPayment,
    JobPhase,
    JobPlace,
    JobPlan,
    JobSize,
    PhaseTime,
)
from netplan_planner.model.plans.plan import (
    Candidate,
    Destination,
    FarEnd,
    FixSet,
    FixStep,
    Infeasible,
    MachineNeed,
    MachinePlan,
    OrderedFix,
    PlannedChange,
    Rejected,
    Ties,
    need_for_vm,
    usage_of,
)
from netplan_planner.model.prediction import (
    Binding,
    OneCore,
    Planning,
    Prediction,
    Service,
    ServiceCurve,
    StreamRate,
    Transactions,
    TransferCost,
)
from netplan_planner.model.project.hubs import Hub, Spoke, SpokeKind
from netplan_planner.model.project.inventory import Inventory
from netplan_planner.model.project.machine_types import (
    MachineShape,
    series_of,
    shape_of_custom,
    why_no_shape,
)
from netplan_planner.model.project.networks import (
    DEFAULT_MTU_BYTES,
    Address,
    FlowLogConfig,
    FlowLogsConfiguration,
    ForwardingRule,
    NatGateway,
    Network,
    Peering,
    Route,
    Router,
    Subnetwork,
    VlanAttachment,
    VpnTunnel,
)
from netplan_planner.model.project.resources import (
    UNKNOWN_PROJECT,
    UNKNOWN_STATUS,
    BandwidthTier,
    Commitment,
    Disk,
    Instance,
    InstanceGroup,
    NetworkInterface,
    Part,
    ProjectCoverage,
    ResourcePolicy,
    TypeRecommendation,
    Unread,
)
from netplan_planner.model.report_rows import (
    MAYBE_ADDRESS,
    ClassTotal,
    Direction,
    ExpiredSuppression,
    Filtered,
    MachineRow,
    NotEvaluated,
    ServiceTotal,
    Suppressed,
    Unpriced,
    ZonePair,
    unpriced_span,
)
from netplan_planner.model.rule_answers import (
    RuleList,
    RulePage,
    RuleThreshold,
    Work,
)
from netplan_planner.model.settings import (
    Environment,
    EnvironmentVariable,
    Setting,
    Settings,
)
