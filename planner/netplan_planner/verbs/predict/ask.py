"""What `netplan predict` is asked.

Where a table of predictions goes, and as what.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, ClassVar

from netplan_planner.asks import ANSWER, COMMON, INPUT, OUTPUT, Ask, Bytes, Request, Texts
from netplan_planner.errors import UsageError
from netplan_planner.planning.inputs import AsOf, Calibration, PriceInput
from netplan_planner.planning.path_question import PATH, PathQuestion
from netplan_planner.planning.project import Input, IntervalLevel
from netplan_planner.renderers.output import (
    RENDERERS,
    OutputSpec,
    check_outputs,
    parse_output,
    specs_of,
)

FORMATS = (CSV, JSON, PARQUET) = ("csv", "json", "parquet")
"""What a table of predictions is written as."""


def table_outputs(outputs: Sequence[str], former: str | None) -> tuple[OutputSpec, ...]:
    """Return where a table goes: `FORMAT[:PATH]`, or a path alone, in the former format or CSV.

    Raises:
        UsageError: If a format is none that a table has, or two outputs have one target.
    """
    form = parse_output(former or CSV, FORMATS).format
    specs = tuple(_spec(text, form) for text in outputs) or (OutputSpec(format=form),)
    check_outputs(specs)
    for spec in specs:
        if spec.format == PARQUET and spec.path is None:
            raise UsageError("--output parquet writes a file: give parquet:PATH")
    return specs


def _spec(text: str, form: str) -> OutputSpec:
    if text.partition(":")[0] not in {*RENDERERS, *FORMATS}:
        return OutputSpec(format=form, path=Path(text))
    return parse_output(text, FORMATS)


SERVICE = "Service on the path"


class Ends(Request, frozen=True, kw_only=True):
    """The two ends by name."""

    src: Annotated[
        str | None,
        Ask("Sender: a VM of the input, or a machine type.", is_argument=True),
    ] = None
    dst: Annotated[
        str | None,
        Ask(
            "Receiver: a VM of the input, or a machine type (default: the sender's type).",
            is_argument=True,
        ),
    ] = None


class Pods(Request, frozen=True, kw_only=True):
    """The network of a cluster on that path."""

    PANEL: ClassVar[str] = PATH
    IS_EXPERT: ClassVar[bool] = True

    plugins: Annotated[
        Texts,
        Ask(
            "Network plugin of a -pod path: cilium, calico, flannel, gke, … Several names give "
            "a table. @1 means that the plugin uses another link of 1 Gbit/s.",
            "--plugin",
            metavar="NAME[@GBPS]",
        ),
    ] = ()
    encapsulation: Annotated[
        str | None,
        Ask("Encapsulation on a -pod path: none, vxlan, geneve, ipip, gre, udp."),
    ] = None
    encryption: Annotated[str | None, Ask("Encryption on a -pod path: none, wireguard, ipsec.")] = (
        None
    )
    other_link_gbps: Annotated[
        float | None,
        Ask("Rate in Gbit/s of the wrong link that the plugin uses.", least=0.001),
    ] = None


class Served(Request, frozen=True, kw_only=True):
    """A service on that path."""

    PANEL: ClassVar[str] = SERVICE
    IS_EXPERT: ClassVar[bool] = True

    service: Annotated[
        str | None,
        Ask("Published service: percona-xtradb-sysbench-oltp.", "--service", metavar="NAME"),
    ] = None
    bytes_per_transaction: Annotated[
        Bytes | None,
        Ask("Bytes that the service sends per transaction. Use with --max-tps.", metavar="SIZE"),
    ] = None
    max_tps: Annotated[
        float | None,
        Ask("Transactions per second that the network does not limit.", least=0.001),
    ] = None
    tps_at: Annotated[
        Texts,
        Ask(
            "Transactions per second at a bandwidth in Gbit/s, such as 1=2700. Give two.",
            metavar="GBPS=TPS",
        ),
    ] = ()


class OnePath(Request, frozen=True, kw_only=True):
    """One path as somebody describes it."""

    ends: Ends = Ends()
    question: PathQuestion = PathQuestion()
    """What is said of it beside SRC and DST; its class only as far as that is given."""
    pods: Pods = Pods()
    served: Served = Served()


class Written(Request, frozen=True, kw_only=True):
    """A table of paths instead of one, and where the answer goes."""

    batch: Annotated[
        Path | None,
        Ask(
            "Predict every path of a table (docs/reference/verbs/predict.md).",
            metavar="FILE",
            panel=INPUT,
        ),
    ] = None
    output: Annotated[
        Texts,
        Ask(
            "Output format: text, json, csv, md or html; FORMAT:PATH writes a file. Repeat for "
            "more. With --batch: csv, json or parquet:PATH.",
            "--output",
            ("-o",),
            metavar="FORMAT[:PATH]",
            panel=OUTPUT,
        ),
        ANSWER,
    ] = ()
    is_explained: Annotated[
        bool,
        Ask("Show every limit with source and formula.", "--explain", ("-v",), panel=OUTPUT),
    ] = False
    former_format: Annotated[str | None, Ask("", "--format", is_hidden=True)] = None
    """What `--output` was called before; for one release."""

    def specs(self) -> tuple[OutputSpec, ...]:
        """Return where the answer goes: without a word, to the standard output.

        Raises:
            UsageError: If a format or a path cannot be used.
        """
        if self.batch is not None:
            return table_outputs(self.output, self.former_format)
        return specs_of(self.output, self.former_format)


class PredictAsk(Request, frozen=True, kw_only=True):
    """One path, or a table of them, and what the prediction rests on."""

    path: OnePath = OnePath()
    is_together: Annotated[
        bool,
        Ask(
            "All rows of the table run at the same time between the VMs src and dst. Adds "
            "shared_gbps and shared_limit.",
            "--together",
            panel=INPUT,
            is_expert=True,
        ),
    ] = False
    given: Input = Input()
    calibration: Calibration = None
    pricing: PriceInput = PriceInput()
    as_of: Annotated[AsOf, COMMON] = None
    level: IntervalLevel = 0.9
    """Share of cases in the interval."""
    written: Written = Written()
