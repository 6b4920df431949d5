"""What `netplan fleet` is asked."""

import re
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import Annotated

from netplan_planner.asks import CHOICE, INPUT, Ask, Reading, Request, Usd, names, usd
from netplan_planner.choices import Architecture
from netplan_planner.errors import UsageError, did_you_mean
from netplan_planner.model import CommitmentScope
from netplan_planner.model.plans.machine_choice import PAYMENT, SeriesNames
from netplan_planner.model.plans.plan_answer import LEAST_SAVING_USD
from netplan_planner.planning.fleet.candidates import Checks
from netplan_planner.planning.fleet.market import TERMS
from netplan_planner.planning.fleet.need import CommitmentChoice, MoveKind, VcpuLimit
from netplan_planner.planning.project import Input, OfMachines, StrictReading, WhichSharing

MOVES = "Cost of moves"
_COUNT = re.compile(r"[0-9]{1,12}")


def terms(option: str, texts: Sequence[str]) -> tuple[int, ...]:
    """Return the years of commitments that are allowed.

    Raises:
        UsageError: If a term is not sold.
    """
    found = names(texts)
    for one in found:
        if one not in {str(years) for years in TERMS}:
            raise UsageError(f"{option} {one!r}: commitment terms are 1 and 3 years")
    return tuple(sorted({int(one) for one in found})) or TERMS


def vcpu_limits(option: str, texts: Sequence[str]) -> tuple[VcpuLimit, ...]:
    """Return the quotas that `REGION/SERIES=VCPUS` states, of each text one.

    Raises:
        UsageError: If one is not of this form.
    """
    found = []
    for text in texts:
        place, _, count = text.partition("=")
        region, _, series = place.partition("/")
        if not region or not series or not _COUNT.fullmatch(count):
            raise UsageError(
                f"{option} {text!r} is not REGION/SERIES=VCPUS, such as us-east1/c3=500"
            )
        found.append(VcpuLimit(region, series.lower(), int(count)))
    return tuple(found)


def move_prices(option: str, texts: Sequence[str]) -> tuple[tuple[MoveKind, Decimal], ...]:
    """Return dollars a month by kind of move, of each text one.

    Raises:
        UsageError: If one is not written as a kind and an amount, or there is no such kind.
    """
    found = []
    for text in texts:
        kind, equals, amount = text.partition("=")
        if not equals:
            raise UsageError(f"{option} {text!r} is not KIND=USD, such as restart=5")
        dollars = usd(option, amount) or Decimal(0)
        if kind not in set(MoveKind):
            known = tuple(MoveKind)
            hint = did_you_mean(kind, known)
            raise UsageError(f"{option} {kind!r}: it is one of {', '.join(known)}{hint}")
        found.append((MoveKind(kind), dollars))
    return tuple(found)


class FleetChoices(Request, frozen=True, kw_only=True):
    """Which commitments, types and moves are considered."""

    commitments: Annotated[
        CommitmentChoice,
        Ask("Commitments to consider: none, resource, flexible or all.", panel=PAYMENT),
    ] = CommitmentChoice.ALL
    years: Annotated[
        tuple[int, ...],
        Reading(list[str], terms),
        Ask(
            "Terms in years. Separate with commas, or repeat. Default: 1 and 3.",
            metavar="1|3",
            panel=PAYMENT,
        ),
    ] = TERMS
    commitment_scope: WhichSharing = CommitmentScope.UNKNOWN
    headroom_ratio: Annotated[
        float,
        Ask("Share of the cap to keep free.", "--headroom", least=0, most=0.99, panel=CHOICE),
    ] = 0.2
    series: SeriesNames = ()
    arch: Annotated[
        Architecture | None,
        Ask(
            "CPU architecture: x86, arm or any. Default: the current one. x86 and arm apply to "
            "groups that state none; with any, groups may change it, and new ones may use either.",
            "--architecture",
            ("--arch",),
            "arch",
            CHOICE,
        ),
    ] = None
    quotas: Annotated[
        tuple[VcpuLimit, ...],
        Reading(list[str], vcpu_limits),
        Ask(
            "Limit the vCPUs of a series in a region. Repeat for more.",
            "--quota",
            metavar="REGION/SERIES=VCPUS",
            panel=CHOICE,
            is_expert=True,
        ),
    ] = ()
    checks: Annotated[
        Checks,
        Ask(
            "When a VM may get a type that needs a check first: never, always, or last (only if "
            "no other type fits, as in the audit).",
            panel=MOVES,
            is_expert=True,
        ),
    ] = Checks.LAST
    least_saving_usd: Annotated[
        Usd,
        Ask(
            "Savings per month that a move of a VM or managed group must reach.",
            "--min-saving",
            metavar="USD",
            panel=MOVES,
        ),
    ] = LEAST_SAVING_USD
    move_usd: Annotated[
        tuple[tuple[MoveKind, Decimal], ...],
        Reading(list[str], move_prices),
        Ask(
            "Savings per month, in dollars, that a move of this kind must reach per VM: restart, "
            "architecture, local-ssd, gpu, licence or check. Repeat for more. Default: 0.",
            "--move-price",
            metavar="KIND=USD",
            panel=MOVES,
            is_expert=True,
        ),
    ] = ()

    @property
    def architecture(self) -> str | None:
        """The only one, for groups that name none; None: a group's own, any for new ones."""
        return self.arch.as_the_api_names_it if self.arch is not None else None

    @property
    def any_architecture(self) -> bool:
        """Whether groups may change it."""
        return self.arch is Architecture.ANY


class FleetAsk(OfMachines, frozen=True, kw_only=True):
    """What is planned, and what it is held against."""

    needs: Annotated[
        Path | None,
        Ask(
            "Table of groups instead of an inventory (docs/reference/verbs/fleet.md). Columns: "
            "name, zone, count, gbps, vcpus, memory_gib, and more.",
            metavar="FILE",
            panel=INPUT,
        ),
    ] = None
    given: Input = Input()
    choices: FleetChoices = FleetChoices()
    is_strict: StrictReading = False
