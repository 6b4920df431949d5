"""What `netplan history` is asked."""

from pathlib import Path
from typing import Annotated

from netplan_planner.asks import WALKED, Ask, Request
from netplan_planner.planning.inputs import PriceFolder


class HistoryAsk(Request, frozen=True, kw_only=True):
    """Which runs, and of which project."""

    path: Annotated[
        Path,
        Ask(
            "File that audit --record wrote, or a folder of reports (audit --output json:FILE).",
            metavar="DIR|FILE",
            is_argument=True,
        ),
        WALKED,
    ]
    title: Annotated[
        str | None,
        Ask("Which project, as its audit is titled, where runs of several are there."),
    ] = None
    prices: PriceFolder = None

    @property
    def price_folder(self) -> Path | None:
        """Where the rate of `--currency` is; None: the embedded prices."""
        return self.prices
