"""`netplan recommend`: the cheapest machine types that carry a wanted bandwidth."""

from datetime import date
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from netplan_planner.cli import options
from netplan_planner.cli.app import EXIT_FINDINGS, app
from netplan_planner.cli.options import CHOICE, OUTPUT, Colour
from netplan_planner.errors import UsageError

if TYPE_CHECKING:
    from netplan_planner.model import CapsBook, Infeasible, MachinePlan, PriceBook, Usage
    from netplan_planner.throughput import CapsTable

NEED, PAYMENT = "What is needed", "How it is paid"


class To(StrEnum):
    """Where the bandwidth goes."""

    INTERNAL = "internal"
    ZONE = "zone"
    EXTERNAL = "external"


class Architecture(StrEnum):
    """Processor families, by the names that people use."""

    X86 = "x86"
    ARM = "arm"


class Form(StrEnum):
    """How the answer is written."""

    TEXT = "text"
    JSON = "json"
    CSV = "csv"


@app.command()
def recommend(
    gbps: Annotated[
        float,
        typer.Option(min=0, help="Wanted egress in Gbit/s, of all machines.", rich_help_panel=NEED),
    ],
    region: Annotated[str, typer.Option(help="Such as us-central1.", rich_help_panel=NEED)],
    to: Annotated[
        To,
        typer.Option(
            "--to",
            help="internal: other zones too; zone: the own one; external: addresses outside the"
            " VPC, with the lower cap.",
            rich_help_panel=NEED,
        ),
    ] = To.INTERNAL,
    vcpus: Annotated[
        int, typer.Option(min=0, help="Least vCPUs, of all machines.", rich_help_panel=NEED)
    ] = 0,
    memory_gib: Annotated[
        float, typer.Option(min=0, help="Least memory, of all machines.", rich_help_panel=NEED)
    ] = 0.0,
    min_flow_gbps: Annotated[
        float, typer.Option(min=0, help="What one flow must reach.", rich_help_panel=NEED)
    ] = 0.0,
    headroom: Annotated[
        float,
        typer.Option(
            min=0, max=0.99, help="Share of the cap that stays free.", rich_help_panel=NEED
        ),
    ] = 0.2,
    max_count: Annotated[
        int,
        typer.Option(
            min=1, max=1000, help="How many equal machines may share it.", rich_help_panel=NEED
        ),
    ] = 8,
    spot: Annotated[
        bool, typer.Option("--spot", help="Spot prices.", rich_help_panel=PAYMENT)
    ] = False,
    cud_1y: Annotated[
        bool, typer.Option("--cud-1y", help="Committed for 1 year.", rich_help_panel=PAYMENT)
    ] = False,
    cud_3y: Annotated[
        bool, typer.Option("--cud-3y", help="Committed for 3 years.", rich_help_panel=PAYMENT)
    ] = False,
    sustained_use: Annotated[
        bool,
        typer.Option(
            "--sustained-use",
            help="On demand with sustained-use discounts.",
            rich_help_panel=PAYMENT,
        ),
    ] = False,
    month_ratio: Annotated[
        float,
        typer.Option(
            min=0.001, max=1, help="Share of the month that it runs.", rich_help_panel=PAYMENT
        ),
    ] = 1.0,
    series: Annotated[
        list[str] | None,
        typer.Option(help="Only these series; commas or repeated.", rich_help_panel=CHOICE),
    ] = None,
    arch: Annotated[
        Architecture | None, typer.Option(help="Only this architecture.", rich_help_panel=CHOICE)
    ] = None,
    gpu: Annotated[
        bool, typer.Option("--gpu", help="Types with GPUs too.", rich_help_panel=CHOICE)
    ] = False,
    shared_core: Annotated[
        bool,
        typer.Option("--shared-core", help="Shared-core types too.", rich_help_panel=CHOICE),
    ] = False,
    as_of: options.AsOf = None,
    prices: options.Prices = None,
    top: Annotated[
        int, typer.Option(min=0, help="Rows of the ranking; 0: all.", rich_help_panel=OUTPUT)
    ] = 10,
    why_not: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TYPE", help="Why this type is not first; repeat it.", rich_help_panel=OUTPUT
        ),
    ] = None,
    verbose: Annotated[
        int,
        typer.Option(
            "--verbose", "-v", count=True, help="Every row, every loser.", rich_help_panel=OUTPUT
        ),
    ] = 0,
    format: Annotated[
        Form, typer.Option("--format", help="How to write the answer.", rich_help_panel=OUTPUT)
    ] = Form.TEXT,
    width: Annotated[
        int | None, typer.Option(min=20, help="Columns of the text.", rich_help_panel=OUTPUT)
    ] = None,
    color: Annotated[
        Colour, typer.Option(help="Colours of the text.", rich_help_panel=OUTPUT)
    ] = Colour.AUTO,
) -> None:
    """Rank the machine types that carry a bandwidth by price, and say why the others lost.

    Only predefined types that the region offers and that have a price there; Tier_1 with its fee;
    several small machines against a big one. Exit status: 0, or 1 when nothing carries it.
    """
    from netplan_planner.model import Destination, MachineNeed
    from netplan_planner.optimise import Chooser
    from netplan_planner.throughput import load_caps
    from netplan_pricing import open_snapshot

    book, caps = open_snapshot(prices), load_caps(options.day(as_of) or date.today())
    _check_region(region, book)
    need = MachineNeed(
        gbps=gbps,
        region=region,
        destination=Destination(to.value),
        vcpus=vcpus,
        memory_gib=memory_gib,
        headroom_ratio=headroom,
        usage=usage_of(spot=spot, cud_1y=cud_1y, cud_3y=cud_3y, sustained_use=sustained_use),
        series=checked_series(options.names(series), caps),
        architecture=None if arch is None else {"x86": "X86_64", "arm": "ARM64"}[arch.value],
        max_count=max_count,
        min_flow_gbps=min_flow_gbps,
        allow_gpu=gpu,
        allow_shared_core=shared_core,
        month_ratio=month_ratio,
    )
    answer = Chooser(book, caps).choose(need)
    write_answer(
        answer,
        caps,
        book,
        form=format,
        why_not=tuple(why_not or ()),
        width=width,
        color=color,
        top=top,
        verbosity=verbose,
    )


def write_answer(
    answer: "MachinePlan | Infeasible",
    caps: "CapsBook",
    prices: "PriceBook",
    *,
    form: Form,
    why_not: tuple[str, ...],
    width: int | None,
    color: Colour,
    top: int,
    verbosity: int,
) -> None:
    """Write a plan, or what binds, and end with the exit status that says which.

    Raises:
        typer.Exit: With status 1, if nothing carries the need.
    """
    from netplan_planner.cli import recommend_answers
    from netplan_planner.model import Infeasible
    from netplan_planner.renderers import ColourMode, RenderOptions

    if form is Form.TEXT:
        render = RenderOptions(
            width=width, colour=ColourMode(color.value), verbosity=verbosity, max_rows=top
        )
        text = recommend_answers.text(answer, caps, prices, why_not, render)
    else:
        text = recommend_answers.data(answer, caps, prices, form.value)
    typer.echo(text, nl=False)
    if isinstance(answer, Infeasible):
        raise typer.Exit(EXIT_FINDINGS)


def usage_of(*, spot: bool, cud_1y: bool, cud_3y: bool, sustained_use: bool) -> "Usage":
    """Return the way of paying that the flags ask for.

    Raises:
        UsageError: If there are two.
    """
    from netplan_planner.model import Usage

    flags = {
        Usage.SPOT: spot,
        Usage.CUD_1Y: cud_1y,
        Usage.CUD_3Y: cud_3y,
        Usage.SUSTAINED_USE: sustained_use,
    }
    chosen = [usage for usage, is_on in flags.items() if is_on]
    if len(chosen) > 1:
        both = " and ".join(f"--{usage.value}" for usage in chosen)
        raise UsageError(f"{both} exclude each other: a machine is paid in one way")
    return chosen[0] if chosen else Usage.ON_DEMAND


def checked_series(series: tuple[str, ...], caps: "CapsTable") -> tuple[str, ...]:
    """Return the series, each of which the caps table knows.

    Raises:
        UsageError: If one is not known; the text names them all.
    """
    from netplan_planner.model import series_of

    known = {series_of(name) for name in caps.machine_types}
    for name in series:
        if name not in known:
            raise UsageError(f"--series {name!r}: it is one of {', '.join(sorted(known))}")
    return series


def _check_region(region: str, prices: "PriceBook") -> None:
    known = prices.regions()
    if region not in known:
        import difflib

        near = difflib.get_close_matches(region[:80], known, n=3, cutoff=0.4)
        hint = f"; near: {', '.join(near)}" if near else ""
        raise UsageError(f"--region {region[:80]!r} offers no machine type that is known{hint}")
