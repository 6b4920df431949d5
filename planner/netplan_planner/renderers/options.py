"""What a renderer may be told: how wide, how colourful, how much, and what the rules are."""

from collections.abc import Mapping
from enum import StrEnum

from netplan_planner.model import CurrencyRate, RulePage, Value
from netplan_planner.renderers.places import FilePlace

EVERYTHING = "all"
"""The `--explain` name that stands for every rule."""
DEFAULT_WIDTH = 100
"""Columns where there is no terminal to ask."""
_MEMBERS = 3
_ROWS = 8


class ColourMode(StrEnum):
    """When the text format uses colours."""

    AUTO = "auto"
    """On a terminal that has not asked for none (`NO_COLOR`, `TERM=dumb`)."""
    ALWAYS = "always"
    NEVER = "never"


class RenderOptions(Value, frozen=True, kw_only=True):
    """How a report is written. JSON, SARIF and CSV hold everything, whatever the limits here."""

    width: int | None = None
    """Columns of the text format; None: the terminal's, or 100 where there is none."""
    colour: ColourMode = ColourMode.AUTO
    verbosity: int = 0
    """1 or more explains every finding and lists every row."""
    explain: tuple[str, ...] = ()
    """Rule ids, rule areas or `all`, whose findings are shown with everything behind them."""
    max_findings: int | None = None
    """Findings written out by text and Markdown; None: the format's own number, 0: all."""
    default_findings: int = 40
    """That number; the format sets it."""
    has_every_machine: bool = False
    """Whether the format shows every machine of an audit without traffic; the format sets it."""
    max_members: int | None = None
    """Alike places named in one finding; None: the format's own number, 0: all."""
    max_rows: int | None = None
    """Rows of a table or list; None: the format's own number, 0: all."""
    has_hints: bool = True
    """Whether it is said which command carries a plan out, or goes on from here."""
    is_screen: bool = False
    """Whether an audit's text is its first screen alone; other formats hold everything."""
    finding: str = ""
    """Fingerprint of the only finding that an audit's text shows; empty: all of them."""
    is_statistics: bool = False
    """Whether an audit's text and page are counts and money by rule alone."""
    has_plan: bool = True
    """Whether a plan stands above what came of it; not where it was written before."""
    folds: bool = False
    """The layout folds sources of numbers away, so that they are given without being asked for."""
    rules: tuple[RulePage, ...] = ()
    currency: CurrencyRate | None = None
    """In which texts show amounts; None: US dollars, in which data stays whatever stands here."""
    verb: str = "netplan"
    """Which verb answers: the title of a page ends with it."""
    full_answer: str = "--output json"
    """The option of the verb that writes everything, for hints."""
    places: Mapping[str, FilePlace] = {}
    """File and line of sources, as `judging/code_places` finds them, for some formats."""
    fallback_place: FilePlace = FilePlace(path="netplan.toml", line=1)
    """Where these show what was not read from a file: the configuration, or the inventory."""

    def rule_info(self, rule: str) -> RulePage | None:
        """Return what is known of a rule."""
        return next((info for info in self.rules if info.id == rule), None)

    def explains(self, rule: str) -> bool:
        """Return whether a rule's findings are to be explained."""
        if self.explains_all or rule in self.explain:
            return True
        info = self.rule_info(rule) if self.explain else None
        return info is not None and info.area in self.explain

    @property
    def explains_all(self) -> bool:
        """Whether everything is to be explained."""
        return self.verbosity > 0 or EVERYTHING in self.explain

    @property
    def row_limit(self) -> int | None:
        """Rows to show; None: every one."""
        rows = _ROWS if self.max_rows is None else self.max_rows
        return None if self.verbosity > 0 else rows or None

    @property
    def member_limit(self) -> int | None:
        """Members to name; None: every one."""
        return (_MEMBERS if self.max_members is None else self.max_members) or None

    def gives_sources(self, rule: str | None = None) -> bool:
        """Return whether the sources of numbers are written, of one rule or of all tables."""
        return self.folds or (self.explains_all if rule is None else self.explains(rule))
