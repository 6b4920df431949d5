"""What `netplan fleet` is told, in the parts that stand together on its help page."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Annotated

import typer

from netplan_planner.asks import CHOICE
from netplan_planner.choices import Architecture
from netplan_planner.cli.parameters import Parameters
from netplan_planner.engine.fleet.request import TERMS, move_price
from netplan_planner.errors import UsageError
from netplan_planner.model import CommitmentChoice, CommitmentScope, MoveKind
from netplan_planner.planning.project import WhichSharing
from netplan_planner.quantities import names, usd

PAYMENT, MOVES = "How it is paid", "What a move costs"


class Paying(Parameters, frozen=True, kw_only=True):
    """Which commitments may be bought."""

    commitments: Annotated[
        CommitmentChoice,
        typer.Option(
            help="Which commitments may be bought: none, resource, flexible or all.",
            rich_help_panel=PAYMENT,
        ),
    ] = CommitmentChoice.ALL
    years: Annotated[
        list[str] | None,
        typer.Option(
            metavar="1|3",
            help="Only terms of so many years; commas or repeated (default: both).",
            rich_help_panel=PAYMENT,
        ),
    ] = None
    commitment_scope: WhichSharing = CommitmentScope.UNKNOWN

    def terms(self) -> tuple[int, ...]:
        """Return the years of commitments that are allowed.

        Raises:
            UsageError: If a term is not sold.
        """
        found = names(self.years)
        for one in found:
            if one not in {str(years) for years in TERMS}:
                raise UsageError(f"--years {one!r}: commitments are for 1 or 3 years")
        return tuple(sorted({int(one) for one in found})) or TERMS


class Choosing(Parameters, frozen=True, kw_only=True):
    """Which machine types may be taken."""

    headroom: Annotated[
        float,
        typer.Option(
            min=0, max=0.99, help="Share of the cap that stays free.", rich_help_panel=CHOICE
        ),
    ] = 0.2
    series: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SERIES",
            help="Only these series, such as n2,c3; commas or repeated.",
            rich_help_panel=CHOICE,
        ),
    ] = None
    arch: Annotated[
        Architecture | None,
        typer.Option(
            "--architecture",
            "--arch",
            help="x86 or arm for groups that name none; any: they may change it (default: what"
            " they have; any for new ones).",
            rich_help_panel=CHOICE,
        ),
    ] = None
    quota: Annotated[
        list[str] | None,
        typer.Option(
            metavar="REGION/SERIES=VCPUS",
            help="Most vCPUs of a series in a region; repeat it.",
            rich_help_panel=CHOICE,
        ),
    ] = None


class Moving(Parameters, frozen=True, kw_only=True):
    """What a move of a machine to another type must be worth."""

    only_sure: Annotated[
        bool,
        typer.Option(
            "--only-sure",
            help="Leave out types of which something has to be looked at before a machine can"
            " become them.",
            rich_help_panel=MOVES,
        ),
    ] = False
    move_price: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KIND=USD",
            help="Dollars a month that such a move of one machine must be worth: restart,"
            " architecture, local-ssd, gpu, licence or check; repeat it (default: 0).",
            rich_help_panel=MOVES,
        ),
    ] = None

    def prices(self) -> Iterator[tuple[MoveKind, Decimal]]:
        """Yield dollars a month by kind of move.

        Raises:
            UsageError: If one is not written as a kind and an amount.
        """
        for one in self.move_price or ():
            kind, equals, amount = one.partition("=")
            if not equals:
                raise UsageError(f"--move-price {one!r} is not KIND=USD, such as restart=5")
            yield move_price(kind, usd("--move-price", amount) or Decimal(0))
