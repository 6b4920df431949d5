"""From a catalogue to the tables of machine parts, of Tier_1 fees and of the SKUs themselves."""

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from pathlib import Path

import msgspec

from netplan_planner.errors import InputError
from netplan_planner.model import RateChoice
from netplan_pricing import schema
from netplan_pricing.building.csv_tables import Columns, as_columns, read_rows
from netplan_pricing.catalogue import mapping
from netplan_pricing.catalogue.priced import Catalogue, PricedSku
from netplan_pricing.catalogue.sku import SERVICE_NAMES, Rate
from netplan_pricing.catalogue.wording import Part, place_of
from netplan_pricing.machines.component_rates import SUSPENDED_SERIES
from netplan_pricing.schema import CATALOGUE_SOURCE

ZERO_RATE_NOTE = "zero-priced-in-catalogue"
NO_RATE_NOTE = "no-price-in-catalogue"
DUPLICATE_NOTE = "duplicate-skus"
STEPPED_NOTE = "stepped-in-catalogue"

_USAGES = {
    "ondemand": "on_demand",
    "spot": "spot",
    "commit_1y": "cud_1y",
    "commit_3y": "cud_3y",
    "cud_premium": "on_demand",
}
_EXTENDED = "custom_extended_ram"
_GPU_SERIES = "gpu"
_GENERIC_SSD_SERIES = "pd-local"
_UNITS = {
    "core": ("hour", "vcpu-hour"),
    "ram": ("gib-hour", "gib-hour"),
    "local_ssd": ("gib-month", "gib-month"),
    "vm": ("hour", "vm-hour"),
}
_GPU_UNIT = ("hour", "gpu-hour")
"""By the end of a component's name: the unit that its price must have, and what it is called."""

_TIER1_SIZE = re.compile(r"total_bandwidth_up_to_(\d+)_gbps")


class Key(msgspec.Struct, frozen=True, order=True):
    """What a rate is for."""

    region: str
    series: str
    component: str
    usage: str


class PartNames:
    """Names that descriptions use and the API does not: of GPUs, and of former places."""

    def __init__(self, facts: Path) -> None:
        gpus = read_rows(facts / "gpu_names.csv", ("name", "gpu_type", "source", "as_of"))
        self._gpus = {row["name"].casefold(): row["gpu_type"] for row in gpus}
        cells = ("place", "region", "series")
        places = read_rows(facts / "former_places.csv", (*cells, "source", "as_of"))
        self._former = {tuple(row[cell] for cell in cells) for row in places}

    def gpu_type(self, name: str) -> str:
        """Return the accelerator type of a GPU's name, else the name in the API's spelling."""
        known = self._gpus.get(name.casefold())
        return known or re.sub(r"[^a-z0-9]+", "-", name.casefold()).strip("-")

    def is_former(self, place: str, key: "Key") -> bool:
        """Return whether newer SKUs of the region and series have another name for the place."""
        return (place, key.region, key.series) in self._former


def component_rates(
    catalogue: Catalogue, names: PartNames
) -> tuple[dict[Key, tuple[str, ...]], list[RateChoice]]:
    """Return the rows of `component_prices` by what they are for, and the duplicates.

    A rate that the catalogue lists at 0, or without steps, is kept as absent: it is no price.
    """
    found: dict[Key, list[PricedSku]] = {}
    for item in catalogue.priced:
        series, component = _series_and_component(item, names)
        usage = _USAGES.get(item.mapped.usage)
        if not component or usage is None:
            continue
        for region in item.sku.service_regions:
            found.setdefault(Key(region, series, component, usage), []).append(item)
    rows, choices = {}, []
    for key, items in found.items():
        taken, choice = _one_of(key, items, names)
        if choice is not None:
            choices.append(choice)
        rows[key] = _rate_row(key, taken, catalogue, is_duplicate=choice is not None)
    return rows, choices


def _series_and_component(item: PricedSku, names: PartNames) -> tuple[str, str]:
    """Return under which series and component a rate stands; no component: in none."""
    kind, series, component = item.mapped.kind, item.mapped.series, item.mapped.component
    component = "extended_ram" if component == _EXTENDED else component
    match kind:
        case mapping.VM_COMPONENT | mapping.VM_WHOLE:
            return series, component
        case mapping.M2_UPGRADE_PREMIUM:
            return series, f"upgrade_{component}"
        case mapping.CUD_PREMIUM:
            return series, f"cud_premium_{component}"
        case mapping.VM_STATE:
            return SUSPENDED_SERIES, component
        case mapping.GPU | mapping.LOCAL_SSD | mapping.COMMITMENT:
            if component == Part.LOCAL_SSD:
                return series or _GENERIC_SSD_SERIES, component
            if series:
                return series, component
            return _GPU_SERIES, names.gpu_type(component)
        case _:
            return "", ""


def _one_of(
    key: Key, items: Sequence[PricedSku], names: PartNames
) -> tuple[PricedSku, RateChoice | None]:
    """Return the SKU that is taken: of today's name for the place, else the dearest."""
    if len(items) == 1:
        return items[0], None
    current = [
        item for item in items if not names.is_former(place_of(item.sku.description), key)
    ] or list(items)
    taken = max(current, key=lambda item: (item.rate.flat_usd or Decimal(0), item.sku.sku_id))
    why = "the newer name of the place" if len(current) == 1 else "the most expensive"
    others = tuple(sorted(item.sku.sku_id for item in items if item is not taken))
    return taken, RateChoice(
        series=key.series,
        component=key.component,
        usage=key.usage,
        region=key.region,
        taken=taken.sku.sku_id,
        why=why,
        others=others,
    )


def _rate_row(
    key: Key, item: PricedSku, catalogue: Catalogue, *, is_duplicate: bool
) -> tuple[str, ...]:
    ending = next((end for end in _UNITS if key.component.endswith(end)), "")
    expected, unit = _GPU_UNIT if key.series == _GPU_SERIES else _UNITS[ending]
    rate = item.rate
    if rate.steps and rate.unit != expected:
        raise InputError(
            f"{item.sku.sku_id} {item.sku.description!a}: priced per {rate.unit}, where a"
            f" {key.component} is priced per {expected}"
        )
    usd = rate.flat_usd
    notes = [DUPLICATE_NOTE] if is_duplicate else []
    if usd is None:
        notes.append(_why_absent(rate))
    return (
        *(key.region, key.series, key.component, key.usage),
        *("" if usd is None else f"{usd:f}", unit, item.sku.sku_id, ";".join(notes)),
        *(CATALOGUE_SOURCE, catalogue.as_of.isoformat()),
    )


def _why_absent(rate: Rate) -> str:
    if not rate.steps:
        return NO_RATE_NOTE
    return STEPPED_NOTE if any(step.usd for step in rate.steps) else ZERO_RATE_NOTE


def tier1_fees(catalogue: Catalogue) -> Columns:
    """Return the Tier_1 fees per region, usage and bandwidth size.

    Raises:
        InputError: If a region has two fees of one kind.
    """
    rows: dict[tuple[str, ...], tuple[str, ...]] = {}
    for item in catalogue.priced:
        if item.mapped.kind != mapping.TIER1:
            continue
        size = _TIER1_SIZE.fullmatch(item.mapped.component)
        usd = item.rate.flat_usd
        for region in item.sku.service_regions:
            key = (region, _USAGES[item.mapped.usage], size[1] if size else "")
            if key in rows:
                raise InputError(
                    f"two Tier_1 fees for {', '.join(filter(None, key))}: {rows[key][4]} and"
                    f" {item.sku.sku_id}"
                )
            price = "" if usd is None else f"{usd:f}"
            rows[key] = (
                *key,
                price,
                item.sku.sku_id,
                CATALOGUE_SOURCE,
                catalogue.as_of.isoformat(),
            )
    return as_columns(schema.TIER1_FEES, [rows[key] for key in sorted(rows)])


def sku_rows(catalogue: Catalogue) -> Columns:
    """Return every SKU that netplan needs: what it is, where it holds, and its steps."""
    return as_columns(schema.SKUS, sorted(_sku_rows(catalogue)))


def _sku_rows(catalogue: Catalogue) -> Iterator[tuple[str, ...]]:
    for item in catalogue.priced:
        mapped, rate = item.mapped, item.rate
        yield (
            item.sku.sku_id,
            SERVICE_NAMES[item.sku.service_id],
            *(mapped.kind, mapped.series, mapped.component, mapped.usage),
            item.sku.description,
            "|".join(item.sku.service_regions),
            rate.unit,
            "|".join(f"{step.start:f}={step.usd:f}" for step in rate.steps),
            CATALOGUE_SOURCE,
            catalogue.as_of.isoformat(),
        )
