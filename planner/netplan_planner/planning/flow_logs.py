"""Who writes flow logs: settings of subnetworks, and configurations, with what each has written."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import NamedTuple

from netplan_planner import model
from netplan_planner.model.evidence.log_volume import (
    OWN_SETTING,
    IntervalRecords,
    LogSettings,
    LogSource,
    LogVolumeBill,
)
from netplan_planner.planning import service_bill
from netplan_planner.planning.service_bill import ServiceBill
from netplan_planner.units import SECONDS_PER_MINUTE

EXCLUDED = "EXCLUDE_ALL_METADATA"
_UNITS_S = {"SEC": 1, "MIN": SECONDS_PER_MINUTE}


class Writer(NamedTuple):
    """One setting that can be changed by itself, and the records that it wrote."""

    name: str
    configuration: str
    sources: tuple[LogSource, ...]
    logs: model.FlowLogConfig | None
    """None: not read, or several have the name."""
    subnetwork: model.Subnetwork | None
    """Whose own setting it is."""
    configured: model.FlowLogsConfiguration | None
    places: tuple[str, ...]
    """Names of the places that it logs, each of one place alone."""

    @property
    def record_count(self) -> int:
        """All of its records."""
        return sum(source.record_count for source in self.sources)

    @property
    def extra_count(self) -> int:
        """Those that another one writes as well."""
        return sum(source.extra_count for source in self.sources)

    def intervals(self, interval_s: int) -> list[IntervalRecords]:
        """Return the records of each source as an interval would make them."""
        return [
            one
            for source in self.sources
            for one in source.intervals
            if one.interval_s == interval_s
        ]


def writers(inventory: model.Inventory, sources: Sequence[LogSource]) -> list[Writer]:
    """Return who wrote the records, by name.

    A subnetwork's own setting is of this subnetwork; a configuration is one for all its places.
    """
    found: dict[tuple[str, str], list[LogSource]] = {}
    for source in sources:
        is_own = source.configuration == OWN_SETTING
        place = source.place if is_own else ""
        found.setdefault((source.configuration, place), []).append(source)
    by_name = _configurations(inventory)
    names = place_names([source.place for source in sources])
    return [
        _writer(inventory, by_name, configuration, tuple(written), names)
        for (configuration, _), written in sorted(found.items())
    ]


def place_names(places: Iterable[model.SelfLink]) -> Mapping[model.SelfLink, str]:
    """Return the names of places, with the project where several have one name.

    >>> links = [model.SelfLink(f"projects/{project}/regions/r/subnetworks/s") for project in "ab"]
    >>> list(place_names(links).values())
    ['a/r/s', 'b/r/s']
    """
    links = dict.fromkeys(places)
    counts = Counter(map(place_name, links))
    return {
        link: f"{link.split('/')[1]}/{place_name(link)}"
        if counts[place_name(link)] > 1 and link.startswith("projects/")
        else place_name(link)
        for link in links
    }


def _configurations(inventory: model.Inventory) -> Mapping[str, list[model.FlowLogsConfiguration]]:
    found: dict[str, list[model.FlowLogsConfiguration]] = {}
    for one in inventory.flow_log_configurations:
        found.setdefault(one.name, []).append(one)
    return found


def _writer(
    inventory: model.Inventory,
    by_name: Mapping[str, list[model.FlowLogsConfiguration]],
    configuration: str,
    sources: tuple[LogSource, ...],
    names: Mapping[model.SelfLink, str],
) -> Writer:
    places = tuple(names[source.place] for source in sources)
    if configuration == OWN_SETTING:
        link = sources[0].place
        subnetwork = inventory.subnetwork_by_link.get(link)
        logs = subnetwork.flow_logs if subnetwork is not None else None
        return Writer(names[link], configuration, sources, logs, subnetwork, None, places)
    name = model.last_part(configuration)
    # Records name the project by its number, the list by its id: what they share is the name.
    alike = by_name.get(name, [])
    if len(alike) > 1:
        logged = [inventory.subnetwork_by_link.get(source.place) for source in sources]
        alike = [one for one in alike if all(s is not None and one.covers(s) for s in logged)]
    only = alike[0] if len(alike) == 1 else None
    shown = name
    if only is not None and only.project and len(by_name[name]) > 1:
        shown = f"{only.project}/{name}"
    logs = only.logs if only else None
    return Writer(shown, configuration, sources, logs, None, only, places)


def place_name(place: model.SelfLink) -> str:
    """Return the name of a place: `us-central1/apps` of a subnetwork, else what it is.

    >>> place_name(model.SelfLink("projects/p/regions/us-central1/subnetworks/apps"))
    'us-central1/apps'
    """
    parts = place.split("/")
    if len(parts) >= 4 and parts[-2] == "subnetworks":
        return f"{parts[-3]}/{parts[-1]}"
    return model.last_part(place)


def settings_of(logs: model.FlowLogConfig | None, *, has_metadata: bool) -> LogSettings:
    """Return settings as they are stated.

    Whether there are metadata is told by the records where the setting does not state it.
    """
    if logs is None:
        return LogSettings(sampling_ratio=None, interval_s=None, has_metadata=has_metadata)
    stated = has_metadata if logs.metadata is None else logs.metadata != EXCLUDED
    return LogSettings(
        sampling_ratio=logs.sampling_ratio,
        interval_s=interval_of(logs.aggregation_interval),
        has_metadata=stated,
        filter_expr=logs.filter_expr or "",
    )


def interval_of(stated: str | None) -> int | None:
    """Return the seconds of an interval as the API spells it; None: not stated, or another word.

    >>> interval_of("INTERVAL_5_SEC"), interval_of("INTERVAL_10_MIN"), interval_of(None)
    (5, 600, None)
    """
    parts = (stated or "").split("_")
    if len(parts) != 3 or not parts[1].isdigit() or parts[2] not in _UNITS_S:
        return None
    return int(parts[1]) * _UNITS_S[parts[2]]


def interval_word(interval_s: int) -> str:
    """Return an interval as `gcloud` takes it.

    >>> interval_word(5), interval_word(60), interval_word(900)
    ('interval-5-sec', 'interval-1-min', 'interval-15-min')
    """
    if interval_s < SECONDS_PER_MINUTE:
        return f"interval-{interval_s}-sec"
    return f"interval-{interval_s // SECONDS_PER_MINUTE}-min"


class LogMeter:
    """Shares the bill of all records: the steps of its prices are of all of them together."""

    def __init__(self, prices: model.PriceBook, gib: Decimal) -> None:
        self.bill: ServiceBill = service_bill.flow_logs(prices, gib)
        usd = self.bill.usd_per_month
        self._usd_per_gib = usd / gib if usd is not None and gib else None

    def volume(self, records: int, gib: Decimal) -> LogVolumeBill:
        """Return records with their share of the bill."""
        usd = None if self._usd_per_gib is None else gib * self._usd_per_gib
        return LogVolumeBill(records_per_month=records, gib_per_month=gib, usd_per_month=usd)
