"""What probes taught about the limits of a project's paths."""

from datetime import date

from netplan_planner.model.base import Value


class Learnt(Value, frozen=True, kw_only=True):
    """A shared factor: on what the model says of a limit. 1 is the model without probes.

    Below stands the 5th, above the 95th percentile. The factor of a start says how much longer it
    takes; all others raise the throughput.
    """

    name: str
    """The limit, as predictions name it, or `receive-window`, `receive-window-of-type`, `start`,
    `start-to-receiver`, `path-class`, `vm-egress-between-regions`."""
    key: str
    """Whose: a machine family, a receiver's cloud, a path class; `all` where there is one only."""
    ratio: float
    """The most likely factor."""
    low_ratio: float
    high_ratio: float
    prior_low_ratio: float
    prior_high_ratio: float
    prior_sd: float
    """Of the natural logarithm, over both sides."""
    value_count: int
    """Probes whose figure said what the factor is."""
    bound_count: int
    """Probes that only said "at least"."""
    unlike_count: int = 0
    """Probes that show another window, as a receiver of another image has."""
    others_sd: float = 0.0
    """Of the natural logarithm, for receivers that no probe reached: their image is not given."""


class ProbedClass(Value, frozen=True, kw_only=True):
    """The probes of one path class to one receiver's cloud."""

    key: str
    probe_count: float
    """Paths and set-ups; an old one counts for less."""
    scatter_ratio: float
    """How far paths of the class differ from each other, over what is usual."""


class ProbedPair(Value, frozen=True, kw_only=True):
    """What one pair of places carries over what all else says of it."""

    key: str
    limit: str
    """The limit that held its probes, by the name of a `Learnt`: what the factor is of."""
    ratio: float
    low_ratio: float
    high_ratio: float
    run_count: int


class Calibration(Value, frozen=True, kw_only=True):
    """Everything that a set of measurements taught; sorted, so that equal ones give equal files."""

    as_of: date
    """Ages of the measurements are counted from this day."""
    measurement_count: int
    """Runs that were used."""
    probe_count: int
    """Paths and set-ups: repeated runs count as their median."""
    fingerprint: str
    """Of the measurements, in whatever order they came."""
    latents: tuple[Learnt, ...] = ()
    covariance: tuple[tuple[float, ...], ...] = ()
    """Of the natural logarithms of the factors: the rows up to the diagonal."""
    classes: tuple[ProbedClass, ...] = ()
    pairs: tuple[ProbedPair, ...] = ()


class Lesson(Value, frozen=True, kw_only=True):
    """What one probe taught: a path and set-up, with the figure of its median run."""

    path: str
    """The pair of places, or the class where they are not known."""
    day: date
    streams: int | None
    run_count: int
    gbps: float
    plain_gbps: float
    """Of the model without probes."""
    calibrated_gbps: float
    """With all that was learnt, also of this very pair."""
    is_believed: bool
    """Whether it taught anything of what paths share: no factor explains one that is not."""
    told: tuple[str, ...]
    """Limits whose factor the figure told."""
    at_least: tuple[str, ...]
    """Limits of which it only said "at least"."""


class LeftOut(Value, frozen=True, kw_only=True):
    """Errors on probes left out, without and with the others' calibration. Ratios."""

    group: str
    """The class of path and who receives; empty for all."""
    measurement_count: int
    plain_median_error_ratio: float
    median_error_ratio: float
    plain_p90_error_ratio: float
    p90_error_ratio: float
    plain_coverage_ratio: float
    coverage_ratio: float
