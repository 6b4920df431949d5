"""What `netplan whatif` is asked."""

from collections.abc import Iterator, Sequence
from datetime import date
from enum import StrEnum
from pathlib import Path
from typing import Annotated, ClassVar

from netplan_planner.asks import CHOICE, Ask, Day, Names, Request
from netplan_planner.errors import UsageError
from netplan_planner.model import CommitmentScope
from netplan_planner.planning.configured import RulesPath
from netplan_planner.planning.project import Input, OfMachines, StrictReading, WhichSharing
from netplan_planner.verbs.whatif.answer import WhatifChange, WhatifField

CHANGES = "Changes"
ALL = "*"
Values = Sequence[tuple[WhatifField, str, str]]
"""What, the new value, and the option that says so."""


class AddressKind(StrEnum):
    """By which address machines call each other."""

    INTERNAL = "internal"
    EXTERNAL = "external"


class NetworkTier(StrEnum):
    """Of external addresses."""

    PREMIUM = "premium"
    STANDARD = "standard"


class NicType(StrEnum):
    """Of interfaces."""

    GVNIC = "gvnic"
    VIRTIO = "virtio"


class Changes(Request, frozen=True, kw_only=True):
    """Changes of one selection of machines, or a table of them."""

    PANEL: ClassVar[str] = CHANGES

    vms: Annotated[
        Names,
        Ask(
            "VMs to change: a name, a glob, label:KEY=VALUE or group:NAME; or project/zone/name."
            " Repeat for more.",
            "--vm",
            metavar="VM",
        ),
    ] = ()
    """Empty: all machines, for growth alone."""
    machine_type: Annotated[str | None, Ask("New machine type.", metavar="TYPE")] = None
    zone: Annotated[str | None, Ask("New zone.", metavar="ZONE")] = None
    address: Annotated[
        AddressKind | None,
        Ask("Addresses for traffic between them and the project's other VMs."),
    ] = None
    network_tier: Annotated[
        NetworkTier | None, Ask("Network tier of their external addresses.")
    ] = None
    tier1: Annotated[bool | None, Ask("Turn Tier_1 on or off.", "--tier1/--no-tier1")] = None
    mtu: Annotated[
        int | None, Ask("MTU of their networks; it applies to every VM there.", metavar="BYTES")
    ] = None
    nic: Annotated[NicType | None, Ask("Type of all their network interfaces.")] = None
    plugin: Annotated[
        str | None,
        Ask("Network plugin of their cluster. The VMs are its nodes.", metavar="NAME"),
    ] = None
    growth: Annotated[
        str | None,
        Ask("Factor for their traffic, such as 1.5. Without --vm: all traffic.", metavar="FACTOR"),
    ] = None
    by: Annotated[
        Day | None,
        Ask(
            "Date when the growth is reached. The answer then shows when each limit is met.",
            metavar="DAY",
            formats=["%Y-%m-%d"],
        ),
    ] = None
    file: Annotated[
        Path | None,
        Ask(
            "Table of changes; each row selects VMs. The page of whatif lists its columns.",
            "--change",
            metavar="FILE",
        ),
    ] = None

    def values(self) -> Iterator[tuple[WhatifField, str, str]]:
        """Yield what is to become what, and the option that says so."""
        stated = (
            (WhatifField.MACHINE_TYPE, self.machine_type),
            (WhatifField.ZONE, self.zone),
            (WhatifField.ADDRESS, self.address),
            (WhatifField.NETWORK_TIER, self.network_tier),
            (WhatifField.MTU, self.mtu),
            (WhatifField.NIC, self.nic),
            (WhatifField.PLUGIN, self.plugin),
            (WhatifField.GROWTH, self.growth),
        )
        for field, value in stated:
            if value is not None:
                yield field, str(value), f"--{field.value}"
        if self.tier1 is not None:
            option = "--tier1" if self.tier1 else "--no-tier1"
            yield WhatifField.TIER_1, str(self.tier1).lower(), option


class WhatifAsk(OfMachines, frozen=True, kw_only=True):
    """What changes, and what it is held against."""

    changes: Changes = Changes()
    given: Input = Input()
    is_all_out: Annotated[
        bool,
        Ask(
            "Rates for flows that send all their path carries, not their busiest minute.",
            "--all-out",
            panel=CHOICE,
            is_expert=True,
        ),
    ] = False
    commitment_scope: WhichSharing = CommitmentScope.UNKNOWN
    rules_path: RulesPath = ()
    is_strict: StrictReading = False


def changes_of(
    vms: Sequence[str], values: Values, by: date | None, today: date
) -> tuple[WhatifChange, ...]:
    """Return the changes of options: those of one selection of machines.

    Args:
        vms: The selection; empty: all machines, for growth alone.
        values: What is to become what.
        by: When a growth is reached.
        today: After which that is.

    Raises:
        UsageError: If machines are changed and none is named, or a date makes no sense.
    """
    if vms and not values:
        raise UsageError("--vm selects VMs, but no change is given")
    is_growing = any(field is WhatifField.GROWTH for field, _, _ in values)
    if by is not None and not is_growing:
        raise UsageError("--by is the date of a growth: add --growth, such as 1.5")
    found = []
    for field, to, option in values:
        if not vms and field is not WhatifField.GROWTH:
            raise UsageError(f"{option} changes VMs: select them with --vm (all: --vm '*')")
        for one in vms or (ALL,):
            change = WhatifChange(
                vms=one,
                field=field,
                to=to,
                by=by if field is WhatifField.GROWTH else None,
                source=option,
            )
            check_day(change, today)
            found.append(change)
    return tuple(found)


def check_day(change: WhatifChange, today: date) -> None:
    """Refuse a growth that is over.

    Raises:
        NetplanError: If its day is not to come.
    """
    if change.by is not None and change.by <= today:
        raise change.refused(f"{change.by} has passed: give a day after {today}")
