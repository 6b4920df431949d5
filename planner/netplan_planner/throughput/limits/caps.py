"""The caps table at one date: what each machine type may send, by Tier_1 and CPU platform.

Type names are compared whole, never by pattern: a rule for 4 vCPUs must not match 44. Custom types
are looked up by series and vCPU count in brackets of their own.
"""

import math
from collections.abc import Iterator
from datetime import date
from functools import cache, cached_property

from msgspec.structs import replace

from netplan_planner import model
from netplan_planner.errors import UsageError, did_you_mean, near
from netplan_planner.throughput.limits import tables

DEFAULT_TIER = "DEFAULT"


TIER_1 = "TIER_1"


CARRIED_BACK = "low"
"""Confidence of a value that is carried back to a date before its first statement, or lies between
two that are stated."""


SHOWN_LENGTH = 64


class CapsTable:
    """The caps that hold at `as_of`; it implements `CapsBook`."""

    def __init__(self, as_of: date, without: tables.Campaigns = tables.NOBODY) -> None:
        self.as_of, self.without = as_of, without
        self._rows_by_type: dict[str, list[tables.CapRow]] = {}
        self._custom_rows: dict[str, list[tables.CapRow]] = {}
        for row in tables.cap_rows(without):
            if row["machine_type"]:
                self._rows_by_type.setdefault(row["machine_type"], []).append(row)
            else:
                self._custom_rows.setdefault(row["series"], []).append(row)
        self._variants: dict[str, tuple[model.EgressCap, ...]] = {}

    @property
    def source_date(self) -> date:
        """The newest source date in the table."""
        return date.fromisoformat(max(row["source_date"] for row in tables.cap_rows()))

    @property
    def machine_types(self) -> tuple[str, ...]:
        """Every predefined type that the table names, at whatever date, sorted."""
        return tuple(sorted(self._rows_by_type))

    @cached_property
    def series(self) -> frozenset[str]:
        """Every series that the table names, at whatever date."""
        names = map(model.series_of, self._rows_by_type)
        return frozenset({*names, *self._custom_rows})

    def unknown_series(self, machine_type: str) -> str:
        """Return what to know of the name of a type whose series the table has not, else nothing.

        Google names a series by a letter, its generation and perhaps more letters.
        """
        series = model.series_of(machine_type)
        if series in self.series or not (series[:1].islower() and series[1:2].isdigit()):
            return ""
        row = tables.series_without_caps().get(series)
        read = near(machine_type, self.machine_types)
        if row:
            read = (
                f": {row['what']} ({row['source']}, {row['source_date']}), and no bandwidth was"
                " read"
            )
        return (
            f"{_shown(machine_type)}: the machine series {_shown(series)} is unknown to this"
            f" version{read}. Instead of a type, give its documented bandwidth with `netplan"
            " predict --host-link-gbps`"
        )

    def cap(
        self, machine_type: str, *, tier1: bool = False, cpu_platform: str | None = None
    ) -> model.EgressCap | None:
        """Return the cap, or None when the table has none or the CPU platform decides unseen."""
        fitting = [
            cap
            for cap in self.variants(machine_type)
            if cap.is_tier1 == tier1 and _fits_platform(cap, cpu_platform)
        ]
        return fitting[0] if len(fitting) == 1 else None

    def variants(self, machine_type: str) -> tuple[model.EgressCap, ...]:
        """Return every variant of a type, the default before Tier_1; none when it is unknown."""
        found = self._variants.get(machine_type)
        if found is None:
            found = tuple(self._build(machine_type))
            self._variants[machine_type] = found
        return found

    def unknown_reason(
        self, machine_type: str, *, tier1: bool = False, cpu_platform: str | None = None
    ) -> str:
        """Return why `cap` answers None, in words for a report; empty when it answers."""
        if self.cap(machine_type, tier1=tier1, cpu_platform=cpu_platform) is not None:
            return ""
        now = self.variants(machine_type)
        if not now:
            return self._why_no_variant(machine_type)
        same_tier = [cap for cap in now if cap.is_tier1 == tier1]
        if not same_tier:
            return f"Tier_1 is not offered for {machine_type}"
        values = ", ".join(
            f"{c.highest_gbps:g} Gbit/s {'on ' if c.min_cpu_platform else ''}{c.cpu_platform}"
            for c in same_tier
        )
        seen = f"here {_shown(cpu_platform)}" if cpu_platform else "which is not known here"
        return f"the cap of {machine_type} depends on the CPU platform ({values}), {seen}"

    def measured(self, path_class: model.PathClass) -> tuple[model.MeasuredLimit, ...]:
        """Return the measured limits of a path class that hold at `as_of`."""
        found = tables.measured_limits(self.as_of, self.without)
        return tuple(one for one in found if one.path_class is path_class)

    def why_no_type(self, machine_type: str) -> str:
        """Return what is said of a name that is none of a machine type here."""
        if unknown := self.unknown_series(machine_type):
            return unknown
        hint = near(machine_type, self.machine_types)
        return f"{_shown(machine_type)} is not a known machine type{hint}"

    def outside_of_smaller(self, cap: model.EgressCap) -> model.EgressCap | None:
        """Return the greatest stated cap to the outside of types of the series with fewer vCPUs.

        In no series of the table is that of a type lower than that of one with fewer vCPUs
        (8,743 pairs with the same tier and platform): it is a least where none is stated.
        """
        series, like = model.series_of(cap.machine_type), (cap.is_tier1, cap.cpu_platform)
        smaller = (
            one
            for name in self._rows_by_type
            if model.series_of(name) == series
            for one in self.variants(name)
            if (one.vcpus or math.inf) < (cap.vcpus or 0) and one.external_gbps is not None
            if (one.is_tier1, one.cpu_platform) == like
        )
        return max(smaller, key=lambda one: one.external_gbps or 0, default=None)

    def _sides(
        self, machine_type: str, vcpus: int
    ) -> tuple[list[tables.CapRow], list[tables.CapRow]]:
        """Return the rows of custom types with the next fewer and the next more vCPUs."""
        rows = [
            row
            for row in self._custom_rows.get(model.series_of(machine_type), [])
            if row["tier"] == DEFAULT_TIER and tables.holds(row, self.as_of, _first_day(row))
        ]
        fewer = max((n for row in rows if (n := int(row["vcpus_max"])) < vcpus), default=None)
        more = min((n for row in rows if (n := int(row["vcpus_min"])) > vcpus), default=None)
        return (
            [row for row in rows if int(row["vcpus_max"]) == fewer],
            [row for row in rows if int(row["vcpus_min"]) == more],
        )

    def _build(self, machine_type: str) -> list[model.EgressCap]:
        vcpus, rows = self._all_rows(machine_type)
        caps = [
            _cap(machine_type, vcpus, row, self.as_of)
            for row in rows
            if row["egress_gbps"] and tables.holds(row, self.as_of, _first_day(row))
        ]
        caps = caps or list(self._between(machine_type))
        return sorted(caps, key=lambda cap: (cap.is_tier1, cap.highest_gbps))

    def _between(self, machine_type: str) -> Iterator[model.EgressCap]:
        """Yield the cap of a custom type that no source states, where both sides are documented.

        It does not fall with the vCPUs: it is at least the cap with fewer, at most that with more.
        """
        shape = model.shape_of_custom(machine_type)
        fewer, more = self._sides(machine_type, shape.vcpus) if shape is not None else ([], [])
        if shape is None or shape.is_shared_core or not fewer:
            return
        below = min(fewer, key=lambda row: float(row["egress_gbps"]))
        for above in more:
            high = _cap(machine_type, shape.vcpus, above, self.as_of)
            yield replace(
                _cap(machine_type, shape.vcpus, below, self.as_of),
                egress_high_gbps=high.egress_gbps,
                cpu_platform=high.cpu_platform,
                min_cpu_platform=high.min_cpu_platform,
                confidence=CARRIED_BACK,
                caution=_unstated(machine_type, shape.vcpus, [below], [above]),
            )

    def _all_rows(self, machine_type: str) -> tuple[int | None, list[tables.CapRow]]:
        """Return the vCPUs and the rows of a type, of all dates."""
        rows = self._rows_by_type.get(machine_type)
        if rows is not None:
            return (int(rows[0]["vcpus_min"]) if rows[0]["vcpus_min"] else None), rows
        shape = model.shape_of_custom(machine_type)
        # A shared-core custom type bills a fraction of its two vCPUs; no source states its cap.
        if shape is None or shape.is_shared_core:
            return None, []
        return shape.vcpus, [
            row
            for row in self._custom_rows.get(model.series_of(machine_type), [])
            if int(row["vcpus_min"]) <= shape.vcpus <= int(row["vcpus_max"])
        ]

    def _why_no_variant(self, machine_type: str) -> str:
        shape = model.shape_of_custom(machine_type)
        if shape is not None and model.series_of(machine_type) in self._custom_rows:
            return self._why_no_bracket(machine_type, shape)
        rows = self._rows_by_type.get(machine_type)
        if rows is None:
            why = model.why_no_shape(machine_type)
            if unknown := self.unknown_series(machine_type):
                return unknown
            return f"the caps table has no machine type {_shown(machine_type)}{why}"
        days = sorted(row[_first_day(row)] for row in rows if row["egress_gbps"])
        if not days:
            note = f" ({rows[0]['note']})" if rows[0]["note"] else ""
            return f"no source states a cap for {machine_type}{note}"
        later = next((day for day in days if day > self.as_of.isoformat()), None)
        when = f"; the next known cap is of {later}" if later else ""
        return f"no documented cap for {machine_type} on {self.as_of}{when}"

    def _why_no_bracket(self, machine_type: str, shape: model.MachineShape) -> str:
        """Return the values on both sides of a vCPU count for which no source states one."""
        series = model.series_of(machine_type)
        if shape.is_shared_core:
            return f"no document states the cap of shared-core custom types of {series}"
        sides = self._sides(machine_type, shape.vcpus)
        if not any(sides):
            return f"no documented cap for {series} custom types on {self.as_of}"
        return _unstated(machine_type, shape.vcpus, *sides)


@cache
def load_caps(as_of: date, without: tables.Campaigns = tables.NOBODY) -> CapsTable:
    """Return the caps table whose limits hold at `as_of`, `without` what campaigns measured.

    Today's limits for today; for an earlier day what a source supports for it, else None with the
    reason (docs/adr/0006-dated-caps.md).
    """
    return CapsTable(as_of, without)


def _unstated(
    machine_type: str, vcpus: int, fewer: list[tables.CapRow], more: list[tables.CapRow]
) -> str:
    """Return that no source states the cap of a size, with the values on both sides."""
    ends = [
        f"{rows[0]['egress_gbps']} Gbit/s with {rows[0][end]}"
        for rows, end in ((fewer, "vcpus_max"), (more, "vcpus_min"))
        if rows
    ]
    return (
        f"no document states the cap of {model.series_of(machine_type)} custom types with {vcpus}"
        f" vCPUs ({', '.join(ends)})"
    )


def _first_day(row: tables.CapRow) -> str:
    """Return the column with the first day on which the row may be used."""
    return "assumed_from" if row["assumed_from"] else "valid_from"


def _shown(name: str) -> str:
    """Return a name from outside in quotes, with control characters as escapes, not too long."""
    return repr(name if len(name) <= SHOWN_LENGTH else name[: SHOWN_LENGTH - 1] + "…")


def _fits_platform(cap: model.EgressCap, cpu_platform: str | None) -> bool:
    if not cap.cpu_platform:
        return True
    generations = tables.platform_generations()
    generation = generations.get(cpu_platform or "")
    if generation is None:
        return False
    if cap.min_cpu_platform:
        return generation >= generations[cap.min_cpu_platform]
    return generation < generations[cap.cpu_platform.removeprefix("before ")]


def _cap(machine_type: str, vcpus: int | None, row: tables.CapRow, as_of: date) -> model.EgressCap:
    newest = row["cpu_platform_from"]
    older = row["cpu_platform_before"]
    is_carried = row["valid_from"] > as_of.isoformat()
    external, basis, external_source, external_as_of = _external(row, as_of)
    flow = tables.path_limit("external-flow", as_of)
    ingress = tables.path_limit("external-ingress", as_of)
    packets = tables.path_limit("external-ingress-packets", as_of)
    within = tables.path_limit("internal-flow", as_of) if row["series"] == "c4n" else None
    path = flow or ingress
    return model.EgressCap(
        machine_type=machine_type,
        vcpus=vcpus,
        egress_gbps=float(row["egress_gbps"]),
        external_gbps=external,
        # H3 may send 1 Gbit/s to the outside in all: one of its flows, no more than that.
        external_flow_gbps=_least(flow.value if flow else None, external),
        internal_flow_gbps=within.value if within else None,
        external_ingress_gbps=ingress.value if ingress else None,
        external_ingress_pps=packets.value if packets else None,
        is_tier1=row["tier"] == TIER_1,
        nic_types=tuple(filter(None, row["nic_types"].split("|"))),
        nic_basis=row["nic_basis"],
        source=row["source"],
        as_of=date.fromisoformat(row["source_date"]),
        confidence=CARRIED_BACK if is_carried else row["confidence"],
        source_confidence=row["confidence"],
        cpu_platform=f"{newest} or later" if newest else f"before {older}" if older else "",
        min_cpu_platform=newest,
        is_peak=row["is_peak"] == "yes",
        caution=row["caution"],
        note=_note(row, as_of),
        external_basis=basis,
        external_source=external_source,
        external_as_of=external_as_of,
        path_source=path.source if path else "",
        path_as_of=path.as_of if path else None,
        valid_from=date.fromisoformat(row["valid_from"]),
    )


def _external(row: tables.CapRow, as_of: date) -> tuple[float | None, str, str, date | None]:
    """Return the external cap, its basis, source and date; the rule for all VMs has its own."""
    if not row["external_gbps"]:
        return None, "", "", None
    value = float(row["external_gbps"])
    if row["external_basis"] == "documented":
        return value, "documented", row["source"], date.fromisoformat(row["source_date"])
    rule = tables.path_limit("external-egress", as_of, row["tier"])
    if rule is None:
        return None, "", "", None
    return value, row["external_basis"], rule.source, rule.as_of


def _least(flow: float | None, every: float | None) -> float | None:
    """Return what one flow may send: its own limit, at most that of all flows together."""
    return flow if flow is None or every is None else min(flow, every)


def _note(row: tables.CapRow, as_of: date) -> str:
    """Return the row's note, and for a day before its source why it is thought to hold then."""
    if not row["evidence"] or as_of.isoformat() >= row["source_date"]:
        return row["note"]
    kind = "assumed" if row["valid_from"] > as_of.isoformat() else "supported"
    back = f"stated on {row['source_date']}, {kind} for {as_of}: {row['evidence']}"
    return "; ".join(filter(None, (row["note"], back)))


def checked_series(series: tuple[str, ...], table: CapsTable) -> tuple[str, ...]:
    """Return the series, each of which the caps table knows.

    Raises:
        UsageError: If one is not known; the text names them all.
    """
    known = table.series
    for name in series:
        if name not in known:
            if name in tables.series_without_caps():
                raise UsageError(f"--series: {table.unknown_series(name)}")
            hint = did_you_mean(name, known)
            raise UsageError(f"--series {name!r}: must be one of {', '.join(sorted(known))}{hint}")
    return series
