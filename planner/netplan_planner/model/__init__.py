"""Frozen values that every stage shares; see docs/glossary.md for the terms.

Plans of probes, their results and imports are imported by their modules, which no other verb needs.
"""

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
)
from netplan_planner.model.calibration import Calibration, Learnt, ProbedClass, ProbedPair
from netplan_planner.model.calibration_report import CalibrationReport, LeftOut, Lesson
from netplan_planner.model.changes import PlanChange, PlanChanges, TerraformChange
from netplan_planner.model.commitment import (
    SPEND_UNIT,
    CommitmentScope,
    CommitmentUse,
    CommittedPart,
    CoverChange,
    CoverLedger,
    MachineChange,
    cover_usd,
)
from netplan_planner.model.evaluation import Evaluation, GroupScore, PredictedRow
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
from netplan_planner.model.flexible import FlexibleCommitments, FlexibleUse
from netplan_planner.model.inventory import Inventory
from netplan_planner.model.job import (
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
from netplan_planner.model.machine_types import (
    MachineShape,
    series_of,
    shape_of_custom,
    why_no_shape,
)
from netplan_planner.model.measurement import (
    CountedBy,
    MeasuredEnd,
    Measurement,
    MeasurementCoverage,
)
from netplan_planner.model.metrics import (
    INTER_REGION_QUOTA,
    INTERNET_QUOTA,
    MeasuredKind,
    MeasuredResource,
    Metric,
    Metrics,
    MetricsCoverage,
    MetricSeries,
)
from netplan_planner.model.observed import MachineRates
from netplan_planner.model.path_class import Certainty, Owner, OwnerKind, PathClass
from netplan_planner.model.plan import (
    Candidate,
    Destination,
    FixSet,
    FixStep,
    Infeasible,
    MachineNeed,
    MachinePlan,
    OrderedFix,
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
from netplan_planner.model.price_answer import CurrencyRate, PriceAnswer, PriceTable
from netplan_planner.model.price_snapshots import (
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
from netplan_planner.model.prices import (
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
    total_usd,
)
from netplan_planner.model.reconciliation import (
    ModelledPart,
    OtherSku,
    Reconciliation,
    SkuBalance,
    Unmodelled,
)
from netplan_planner.model.report import (
    MAYBE_ADDRESS,
    ClassTotal,
    Coverage,
    DearPair,
    Direction,
    ExpiredSuppression,
    Filtered,
    MachineRow,
    NotEvaluated,
    RegionRow,
    Report,
    ServiceTotal,
    Suppressed,
    Unpriced,
    WindowInfo,
    ZonePair,
    unpriced_span,
)
from netplan_planner.model.resources import (
    DEFAULT_MTU_BYTES,
    UNKNOWN_PROJECT,
    UNKNOWN_STATUS,
    Address,
    BandwidthTier,
    Commitment,
    Disk,
    FlowLogConfig,
    FlowLogsConfiguration,
    ForwardingRule,
    Instance,
    InstanceGroup,
    NatGateway,
    Network,
    NetworkInterface,
    Part,
    Peering,
    ProjectCoverage,
    ResourcePolicy,
    Route,
    Router,
    Subnetwork,
    TypeRecommendation,
    Unread,
    VlanAttachment,
    VpnTunnel,
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
from netplan_planner.model.traffic import (
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
