"""Machines of tables whose types are given: what they cost where, and which zones have them."""

from collections import Counter
from collections.abc import Iterator
from decimal import Decimal

import numpy as np
from msgspec.structs import replace

from netplan_planner.errors import InputError, MissingDatum, did_you_mean
from netplan_planner.inert import inert_line
from netplan_planner.model import Facts, LineItem, Region, Zone, region_of, total_usd, usage_of
from netplan_planner.optimise.vm_today import bill_today
from netplan_planner.verbs.place.asked import Asked, AskedMachine, Floats, Indices
from netplan_planner.verbs.place.inventory import offered_in
from netplan_pricing import SnapshotPriceBook


def with_types(facts: Facts, asked: Asked) -> Asked:
    """Return what is asked with the size and the zones of each machine type.

    Raises:
        InputError: If a type or a zone is none that is known, or a type has other vCPUs.
    """
    _check_zones(facts, asked)
    return asked._replace(machines=tuple(_with_type(facts, one) for one in asked.machines))


def _check_zones(facts: Facts, asked: Asked) -> None:
    book = facts.prices
    if not isinstance(book, SnapshotPriceBook):
        return
    known = frozenset(book.file.table("zone_offers")["zone"].values)
    for zone in asked.zones:
        if zone not in known:
            raise InputError(
                f"{asked.title}: {inert_line(zone)} is not a zone in the price snapshot of "
                f"{book.info.network_as_of}{did_you_mean(zone, known)}; for a newer zone: "
                "netplan prices refresh"
            )


def _with_type(facts: Facts, one: AskedMachine) -> AskedMachine:
    if not one.machine_type:
        return one
    shape = facts.shape(one.machine_type)
    if shape is None:
        book = facts.prices
        known = book.types.shapes if isinstance(book, SnapshotPriceBook) else ()
        raise InputError(
            f"{inert_line(one.name)}: {inert_line(one.machine_type)!r} is an unknown machine "
            f"type{did_you_mean(one.machine_type, known)}"
        )
    if one.vcpus is not None and one.vcpus != shape.vcpus:
        raise InputError(
            f"{inert_line(one.name)}: {one.machine_type} has {shape.vcpus} vCPUs, not"
            f" {one.vcpus:g}: correct one of them, or leave vcpus empty"
        )
    return one._replace(
        vcpus=float(shape.vcpus), offered=offered_in(facts, one.machine_type, one.zone)
    )


class MachineCosts:
    """What machines cost a month by type and region, as in every verb; each is asked for once."""

    def __init__(self, facts: Facts, asked: Asked) -> None:
        """Ask for nothing yet."""
        self._facts, self._asked = facts, asked
        self._found: dict[tuple[str, Region], tuple[LineItem, ...] | None] = {}
        self._first = {one.machine_type: one for one in asked.machines if one.machine_type}

    def check(self) -> None:
        """Look whether every machine has a price where it stands.

        Raises:
            MissingDatum: If one has none; the text names it.
        """
        for one in self._asked.machines:
            if one.machine_type and self._items(one.machine_type, one.zone) is None:
                raise MissingDatum(
                    f"{one.name}: price of {one.machine_type} in {region_of(Zone(one.zone))} "
                    "unknown. To place it by traffic alone, leave machine_type out and state vcpus"
                )

    def table(self) -> Floats:
        """Return dollars a month, machines × zones; infinite where there is no price."""
        zones = self._asked.zones
        by_type = {
            kind: np.array([self._usd(kind, zone) for zone in zones]) for kind in self._first
        }
        nothing = np.zeros(len(zones))
        rows = [by_type.get(one.machine_type, nothing) for one in self._asked.machines]
        return np.array(rows).reshape(len(rows), len(zones))

    def lines(self, zones: Indices) -> Iterator[LineItem]:
        """Yield what all machines cost in given zones, by index."""
        counts: Counter[tuple[str, Region]] = Counter()
        named: dict[tuple[str, Region], str] = {}
        for one, at in zip(self._asked.machines, zones.tolist(), strict=True):
            if one.machine_type:
                zone = self._asked.zones[at]
                key = one.machine_type, region_of(Zone(zone))
                counts[key] += 1
                named[key] = zone
        for key in sorted(counts):
            for item in self._items(key[0], named[key]) or ():
                yield replace(
                    item,
                    name=f"{counts[key]:,} × {key[0]}, {key[1]}",
                    quantity=item.quantity * counts[key],
                    usd_per_month=item.usd_per_month * counts[key],
                )

    def _usd(self, kind: str, zone: str) -> float:
        items = self._items(kind, zone)
        return float("inf") if items is None else float(total_usd(items))

    def _items(self, kind: str, zone: str) -> tuple[LineItem, ...] | None:
        key = kind, region_of(Zone(zone))
        if key not in self._found:
            there = replace(self._first[kind].as_instance, zone=Zone(zone))
            try:
                bill = bill_today(there, usage_of(there), self._facts.prices, self._facts.caps)
            except MissingDatum:
                self._found[key] = None
            else:
                self._found[key] = None if bill.unknown else bill.lines(1)
        return self._found[key]


def machine_usd(costs: MachineCosts, zones: Indices) -> Decimal:
    """Return what all machines cost a month in given zones."""
    return total_usd(tuple(costs.lines(zones)))
