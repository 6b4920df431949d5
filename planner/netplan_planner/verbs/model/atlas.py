"""What was measured between regions, beside what the model says of the same paths."""

from datetime import date

from netplan_planner.model import PathClass
from netplan_planner.model.base import Value


class AtlasRow(Value, frozen=True, kw_only=True):
    """One campaign on one path, or a path that no campaign measured.

    A path is a region that sends, one that receives, and a class. None is not known, or nothing
    was measured.
    """

    src: str
    """A region; of another cloud with its name before it, as `aws:eu-west-1`."""
    dst: str
    path_class: PathClass
    rtt_ms: float | None = None
    """Of the idle path; with the ends of its 90 % interval."""
    low_rtt_ms: float | None = None
    high_rtt_ms: float | None = None
    rtt_basis: str = ""
    """`table`: measured between the two; else what it was worked out from."""
    usd_per_gib: float | None = None
    """The first step above 0 of a list price."""
    gbps: float | None = None
    """What the model says of the machines, connections and date that were asked about."""
    low_gbps: float | None = None
    high_gbps: float | None = None
    binding_limit: str = ""
    source: str = ""
    """Who measured; empty: nobody did."""
    date: str = ""
    """When, as the source says it."""
    setup: str = ""
    """Machines, connections, seconds, tool and tier, as far as the source says them."""
    run_count: int = 0
    measured_gbps: float | None = None
    """The median of the runs."""
    least_gbps: float | None = None
    most_gbps: float | None = None
    setup_gbps: float | None = None
    """What the model says of this campaign's set-up and date; medians over its rows."""
    setup_low_gbps: float | None = None
    setup_high_gbps: float | None = None

    @property
    def is_measured(self) -> bool:
        """Whether a campaign is behind it."""
        return self.measured_gbps is not None

    @property
    def ratio(self) -> float | None:
        """What was measured against what the model says of the same set-up."""
        if self.measured_gbps is None or not self.setup_gbps:
            return None
        return self.measured_gbps / self.setup_gbps

    @property
    def is_inside(self) -> bool | None:
        """Whether the median lies in the interval of its set-up; None where either is missing."""
        if self.measured_gbps is None or self.setup_low_gbps is None:
            return None
        return self.setup_low_gbps <= self.measured_gbps <= (self.setup_high_gbps or 0.0)


class ClassSummary(Value, frozen=True, kw_only=True):
    """How well known the paths of a class are."""

    path_class: PathClass
    receiver: str
    """The receiver's cloud; the sender's before it where that is not Google's."""
    path_count: int
    """Pairs of regions, each direction by itself."""
    measured_count: int
    campaign_count: int
    inside_ratio: float | None = None
    """Share of the campaigns' medians that lie in the interval of their set-up."""
    median_ratio: float | None = None
    """Measured against the model's value of the same set-up."""


class Atlas(Value, frozen=True, kw_only=True):
    """All paths between regions with what is known of them."""

    as_of: str
    """The day whose limits hold for what the model says of the machines asked about."""
    prices_as_of: date
    prices_sha256: str
    """Of the snapshot."""
    level: float
    machine_type: str
    streams: int
    summaries: tuple[ClassSummary, ...]
    rows: tuple[AtlasRow, ...]
    unused_count: int = 0
    """Measured rows that are in no row: no Google end, no regions at both ends, or no class."""
    refused: tuple[str, ...] = ()
    """The first measured rows that a cell of theirs takes out."""
