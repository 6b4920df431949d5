"""How well the model predicts measurements, by group, beside two rivals that need no model."""

from netplan_planner.model.base import Value
from netplan_planner.renderers.html.charts.agreement import Point


class GroupScore(Value, frozen=True, kw_only=True):
    """How well the rows of a group were predicted. Ratios, and Gbit/s where the name says so."""

    group: str
    row_count: int
    known_count: int
    """Rows with a prediction; the others are unknown, and the figures are without them."""
    median_error_ratio: float | None = None
    p90_error_ratio: float | None = None
    coverage_ratio: float | None = None
    below_ratio: float | None = None
    above_ratio: float | None = None
    mean_width_gbps: float | None = None
    single_width_gbps: float | None = None
    """Mean width of the best interval that is one factor for all rows, with the same coverage."""
    interval_score_gbps: float | None = None
    """Width, and what rows outside miss it by, over half of what the level allows; less is better
    (Gneiting and Raftery, 2007)."""
    single_score_gbps: float | None = None
    """The least score of [value / f, value f] with one factor f, chosen in hindsight for these very
    rows."""
    caps_median_error_ratio: float | None = None
    caps_p90_error_ratio: float | None = None
    lookup_count: int = 0
    lookup_median_error_ratio: float | None = None
    lookup_p90_error_ratio: float | None = None


class NotScored(Value, frozen=True, kw_only=True):
    """Rows that no source predicts once the campaign that they are from is left out."""

    source: str
    row_count: int
    reason: str


class Scores(Value, frozen=True, kw_only=True):
    """How well the model predicts the measurements of a file, by group."""

    level: float
    row_count: int
    unused_count: int
    """Rows without a measured value above 0."""
    by_source: tuple[GroupScore, ...]
    by_path: tuple[GroupScore, ...]
    """By source, sender and path class with the receiver's cloud: receivers differ most."""
    by_path_class: tuple[GroupScore, ...]
    by_machine_family: tuple[GroupScore, ...]
    refused: tuple[str, ...] = ()
    """The first rows that a cell of theirs takes out."""
    not_scored: tuple[NotScored, ...] = ()
    """With --leave-out."""


class Evaluation(Scores, frozen=True, kw_only=True):
    """The same with what only a picture and a heading need."""

    name: str = ""
    """Of the file."""
    rows: tuple[Point, ...] = ()
    """For pictures: the rows with both figures, every n-th of them where they are very many."""
