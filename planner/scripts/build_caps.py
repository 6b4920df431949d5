"""Build `throughput/data/egress_caps.csv` from a folder with `vm_egress_caps.csv`.

    python planner/scripts/build_caps.py FOLDER

The source is a collection by machine type with free texts; the result is the product's own table:
one row a variant (Tier_1 or not, CPU platform), every bracket of custom types a row of its own, and
from when to when the row holds (docs/adr/0006-dated-caps.md). The tables beside this script say
what the texts mean: `caps_later.csv` (types that came after the collection, in its columns),
`caps_pages.csv` (the day of a page: as its text says, or the latest day that
it allows), `caps_nics.csv`, `caps_notes.csv`, `caps_custom_texts.csv` (counts between brackets of
different value stay out), `caps_history.csv` (rules that no longer hold) and `caps_sightings.csv`
(how far back a value of today is supported). A text that they do not have stops the script: nothing
is guessed and nothing is dropped in silence.
"""

import argparse
import csv
import itertools
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass, fields, replace
from functools import cache
from pathlib import Path

from netplan_planner.shipped import shipped_rows

HERE = Path(__file__).resolve().parent
TARGET = HERE.parent / "netplan_planner" / "throughput" / "data" / "egress_caps.csv"

# Days of general availability: before them the types could not be used.
DAYS_OF_CHANGE = {"2026-05-27", "2026-07-08", "2026-08-21"}
# Series whose list of NIC types the source does not have from a page: unknown here.
UNREAD_NICS = {"e2", "n1", "n2", "n2d", "t2d", "m1", "m2", "a2", "g2"}
# Series with external caps of their own; all others follow the rule for every VM.
OWN_EXTERNAL = {"c4n", "m4n", "h3", "h4d"}
UNCONFIRMED_EXTERNAL = "external cap is the general 7 Gbps rule, not confirmed for this series"
PLATFORM_NOTES = {
    "32 needs Skylake or later": "Intel Skylake",
    "32 on Cascade Lake or later": "Intel Cascade Lake",
}
OLDER_GBPS = "16"
INFERRED = "inferred from the predefined types of the series"
FOOTNOTES = {
    "n1-*-16 and larger on Sandy Bridge / Ivy Bridge / Haswell / Broadwell",
    "m2-* on a platform older than Cascade Lake",
}
HISTORY_LINE = "(history 2017) any machine type"
AS_PREDEFINED = {
    f"as predefined {series} of the same bracket; at most 50" for series in ("N4", "N4A", "N4D")
}
SHARED_CORE = {"f1-micro", "g1-small", "e2-micro", "e2-small", "e2-medium"}


@dataclass(frozen=True, kw_only=True)
class Row:
    """One line of the table; every value is text, empty where no source states one."""

    machine_type: str
    series: str
    form: str
    vcpus_min: str
    vcpus_max: str
    tier: str
    cpu_platform_from: str
    cpu_platform_before: str
    egress_gbps: str
    external_gbps: str
    external_basis: str
    nic_types: str
    nic_basis: str
    valid_from: str
    assumed_from: str
    valid_until: str
    source: str
    source_date: str
    confidence: str
    is_peak: str
    caution: str
    note: str
    evidence: str
    campaign: str = ""
    """Whose measurement dates the row, where no document does."""


def main(arguments: Sequence[str]) -> None:
    """Write the table, or stop with what was not understood."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path, help="folder with vm_egress_caps.csv")
    parser.add_argument("--output", type=Path, default=TARGET, help="where to write the table")
    options = parser.parse_args(arguments)
    source = [*shipped_rows(options.folder / "vm_egress_caps.csv"), *_table("caps_later.csv")]
    rows = build(source)
    write(rows, options.output)
    print(f"{options.output}: {len(rows)} rows from {len(source)} lines")


def build(source: Sequence[dict[str, str]]) -> list[Row]:
    """Return every row of the table, sorted.

    Raises:
        SystemExit: If a line holds a text that the script does not know.
    """
    _check_footnotes(source)
    named = [line for line in source if _is_type(line)]
    today = list(itertools.chain.from_iterable(_variants_of_type(line) for line in named))
    for line in source:
        if line["machine_type"].endswith("-custom-*"):
            today += _variants_of_custom(line, today)
    dated = [_dated(row, _table("caps_sightings.csv")) for row in dict.fromkeys(today)]
    return sorted([*dated, *_historical(_table("caps_history.csv"), dated)], key=_order)


def write(rows: Iterable[Row], target: Path) -> None:
    """Write the table to a temporary file beside the target, then rename it."""
    temporary = target.with_suffix(".new")
    with temporary.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([field.name for field in fields(Row)])
        writer.writerows(astuple(row) for row in rows)
    temporary.rename(target)


@cache
def _table(name: str) -> tuple[dict[str, str], ...]:
    return shipped_rows(HERE / name)


def _is_type(line: dict[str, str]) -> bool:
    name = line["machine_type"]
    return not (name in FOOTNOTES or name == HISTORY_LINE or name.endswith("-custom-*"))


def _check_footnotes(source: Sequence[dict[str, str]]) -> None:
    """Stop unless the footnotes, which become platform rows of their types, are as expected."""
    found = {line["machine_type"]: line["default_egress_gbps"] for line in source}
    for name in FOOTNOTES:
        if found.get(name) != OLDER_GBPS:
            raise SystemExit(f"the footnote {name!r} is missing, or no longer says {OLDER_GBPS}")
    if HISTORY_LINE not in found:
        raise SystemExit(f"the line {HISTORY_LINE!r} is missing")


def _variants_of_type(line: dict[str, str]) -> Iterator[Row]:
    base = _base_row(line)
    platform = next((PLATFORM_NOTES[n] for n in _notes(line) if n in PLATFORM_NOTES), None)
    if platform is None:
        yield base
    else:
        yield replace(base, cpu_platform_from=platform)
        yield replace(base, cpu_platform_before=platform, egress_gbps=OLDER_GBPS)
    if line["tier1_egress_gbps"]:
        yield _tier1(base, line)


def _tier1(base: Row, line: dict[str, str]) -> Row:
    return replace(
        base,
        tier="TIER_1",
        egress_gbps=line["tier1_egress_gbps"],
        external_gbps=line["external_egress_tier1_gbps"],
        external_basis="general",
        nic_types="IDPF" if base.nic_types == "IDPF" else "GVNIC",
        nic_basis="documented",
        caution=_words(line, "caution", "peak", "tier1-caution"),
    )


def _base_row(line: dict[str, str]) -> Row:
    name, series = line["machine_type"], line["machine_series"].partition(" ")[0]
    nic_types, nic_basis = _nics(line, series)
    source, source_date = _source(line)
    return Row(
        machine_type=name,
        series=series,
        form="shared-core" if name in SHARED_CORE else "predefined",
        vcpus_min=line["vcpus"],
        vcpus_max=line["vcpus"],
        tier="DEFAULT",
        cpu_platform_from="",
        cpu_platform_before="",
        egress_gbps=line["default_egress_gbps"],
        external_gbps=line["external_egress_default_gbps"],
        external_basis=_external_basis(line, series),
        nic_types=nic_types,
        nic_basis=nic_basis,
        valid_from="",
        assumed_from="",
        valid_until="",
        source=source,
        source_date=source_date,
        confidence=line["confidence"],
        is_peak="yes" if _words(line, "peak") else "no",
        caution=_words(line, "caution", "peak"),
        note=_words(line, "note"),
        evidence="",
        campaign="",
    )


def _notes(line: dict[str, str]) -> list[str]:
    return [note for note in line["note"].split("; ") if note]


def _words(line: dict[str, str], *kinds: str) -> str:
    """Return what the line's notes of some kinds become, in the project's words."""
    known = {row["text"]: row for row in _table("caps_notes.csv")}
    unknown = [note for note in _notes(line) if note not in known]
    if unknown:
        raise SystemExit(f"{line['machine_type']}: unknown notes {unknown}")
    notes = (known[note] for note in _notes(line))
    return "; ".join(row["words"] for row in notes if row["becomes"] in kinds)


def _external_basis(line: dict[str, str], series: str) -> str:
    if not line["external_egress_default_gbps"]:
        return ""
    if series in OWN_EXTERNAL:
        return "documented"
    if UNCONFIRMED_EXTERNAL in line["note"] or line["external_egress_default_gbps"] != "7":
        return "inferred"
    return "general"


def _nics(line: dict[str, str], series: str) -> tuple[str, str]:
    types = {row["text"]: row["nic_types"] for row in _table("caps_nics.csv")}.get(
        line["nic_required"]
    )
    if types is None:
        raise SystemExit(f"{line['machine_type']}: unknown NIC text {line['nic_required']!r}")
    if line["machine_type"].endswith("-metal") and types == "GVNIC":
        # Bare metal of every series has IDPF; one line of the source says otherwise.
        types = "IDPF"
    return ("", "") if series in UNREAD_NICS else (types, "documented")


def _source(line: dict[str, str]) -> tuple[str, str]:
    text = line["source"]
    day = next((r["source_date"] for r in _table("caps_pages.csv") if r["text"] in text), None)
    if day is None:
        raise SystemExit(f"{line['machine_type']}: no date known for the source {text!r}")
    return (text.partition(" (")[0] if day else "", day)


def _variants_of_custom(line: dict[str, str], types: Sequence[Row]) -> Iterator[Row]:
    series, text = line["machine_series"], line["default_egress_gbps"]
    brackets = [
        (row["vcpus_min"], row["vcpus_max"], row["egress_gbps"])
        for row in _table("caps_custom_texts.csv")
        if row["text"] == text
    ]
    if text in AS_PREDEFINED:
        brackets = list(_equal_neighbours(series, types))
    if not brackets:
        raise SystemExit(f"{line['machine_type']}: unknown text on custom types {text!r}")
    for low, high, gbps in brackets:
        base = _custom_row(line, low, high, gbps)
        if series == "n1" and int(low) >= 16:
            yield replace(base, cpu_platform_from="Intel Skylake")
            yield replace(base, cpu_platform_before="Intel Skylake", egress_gbps=OLDER_GBPS)
        else:
            yield base
    if line["tier1_egress_gbps"]:
        low, _, high = line["vcpus"].partition("-")
        yield _tier1(_custom_row(line, low, high or low, ""), line)


def _custom_row(line: dict[str, str], low: str, high: str, gbps: str) -> Row:
    external = str(min(7.0, float(gbps)) if gbps else 7.0).removesuffix(".0")
    plain = line | {"external_egress_default_gbps": external}
    return replace(
        _base_row(plain),
        machine_type="",
        form="custom",
        vcpus_min=low,
        vcpus_max=high,
        egress_gbps=gbps,
        note=_words(line, "note") or INFERRED,
    )


def _equal_neighbours(series: str, types: Sequence[Row]) -> Iterator[tuple[str, str, str]]:
    """Yield the vCPU ranges whose predefined types, the first to the last, share one value.

    The cap does not fall with the vCPUs, so between two equal values it is known; between two
    different ones it is not.
    """
    values = {
        int(row.vcpus_min): row.egress_gbps
        for row in types
        if row.series == series and row.form == "predefined" and row.tier == "DEFAULT"
    }
    for gbps, group in itertools.groupby(sorted(values.items()), key=lambda item: item[1]):
        counts = [vcpus for vcpus, _ in group]
        yield str(counts[0]), str(counts[-1]), gbps


def _dated(row: Row, sightings: Sequence[dict[str, str]]) -> Row:
    """Return the row with the first day that supports it, and a day to which it is carried back."""
    if not row.source_date:
        return row
    sighting = next((s for s in sightings if _fits(s, row)), None)
    # What a page says was in force before the page was read: a value starts with the year of its
    # first statement, unless the day of the change itself is known.
    known_day = row.source_date in DAYS_OF_CHANGE
    first = row.source_date if known_day else f"{row.source_date[:4]}-01-01"
    if sighting is None:
        return replace(row, valid_from=first)
    return replace(
        row,
        valid_from=sighting["valid_from"] or first,
        assumed_from=sighting["assumed_from"],
        evidence=sighting["evidence"],
        campaign=sighting["campaign"],
    )


def _fits(sighting: dict[str, str], row: Row) -> bool:
    low, high = sighting["vcpus_min"], sighting["vcpus_max"]
    platform = "from" if row.cpu_platform_from else "before" if row.cpu_platform_before else ""
    return (
        sighting["series"] == row.series
        and (sighting["form"] == row.form or (sighting["form"] == "any" and not _is_f1(row)))
        and (not low or int(low) <= int(row.vcpus_min) <= int(row.vcpus_max) <= int(high))
        and (not low or sighting["platform"] == platform)
    )


def _is_f1(row: Row) -> bool:
    return row.series == "n1" and row.form == "shared-core"


def _historical(history: Sequence[dict[str, str]], today: Sequence[Row]) -> Iterator[Row]:
    """Yield each rule of the past for every type of today that it names, and for custom types."""
    for rule in history:
        seen: set[str] = set()
        for row in today:
            if row.machine_type and row.machine_type not in seen and _is_named(rule, row):
                seen.add(row.machine_type)
                yield _past_row(row, rule)
        if rule["form"] == "any":
            template = next(r for r in today if r.series == rule["series"] and r.form == "custom")
            yield replace(
                _past_row(template, rule),
                vcpus_min=rule["vcpus_min"],
                vcpus_max=rule["vcpus_max"],
            )


def _is_named(rule: dict[str, str], row: Row) -> bool:
    # The large-memory names of N1 came later than these rules.
    is_later = "megamem" in row.machine_type or "ultramem" in row.machine_type
    form = "shared-core" if rule["form"] == "shared-core" else "predefined"
    return (
        row.series == rule["series"]
        and row.form == form
        and not is_later
        and int(rule["vcpus_min"]) <= int(row.vcpus_min) <= int(rule["vcpus_max"])
    )


def _past_row(row: Row, rule: dict[str, str]) -> Row:
    return replace(
        row,
        tier="DEFAULT",
        cpu_platform_from="",
        cpu_platform_before="",
        egress_gbps=rule["egress_gbps"],
        external_gbps="",
        external_basis="",
        nic_types="",
        nic_basis="",
        valid_from=rule["valid_from"],
        assumed_from="",
        valid_until=rule["valid_until"],
        source=rule["source"],
        source_date=rule["source_date"],
        confidence=rule["confidence"],
        is_peak="no",
        caution="",
        note=rule["note"],
        evidence="",
        campaign="",
    )


def _order(row: Row) -> tuple[object, ...]:
    return (
        row.series,
        row.form == "custom",
        row.machine_type.rpartition("-")[0] if row.form == "predefined" else row.machine_type,
        int(row.vcpus_min or 0),
        row.machine_type,
        row.valid_from,
        row.tier,
        row.cpu_platform_before,
    )


if __name__ == "__main__":
    main(sys.argv[1:])
