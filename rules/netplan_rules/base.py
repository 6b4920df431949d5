"""What a rule is: metadata, thresholds with documented defaults, and a check."""

from collections.abc import Callable, Iterator
from decimal import Decimal

from netplan_planner.model import (
    Facts,
    Fix,
    Gap,
    Hit,
    Instruction,
    Need,
    RuleText,
    Severity,
    Value,
)


class Threshold(Value, frozen=True, kw_only=True):
    """A number that decides, with its default; `[rules.<id>]` in netplan.toml changes it."""

    name: str
    default: float
    unit: str
    about: str
    least: float = 0.0
    most: float | None = None
    """The greatest value that means anything; None: 1 for a ratio, else no bound."""
    below: float | None = None
    """A bound that itself is not allowed: a share of a cap that leaves nothing of it."""

    @property
    def allowed(self) -> str:
        """The range in words: `from 0 to 1`, `from 0 on`."""
        if self.below is not None:
            return f"from {self.least:g} to below {self.below:g}"
        return f"from {self.least:g} {'on' if self._most is None else f'to {self._most:g}'}"

    def why_not(self, value: float) -> str:
        """Return why a value cannot be, or nothing when it can."""
        is_above = self._most is not None and value > self._most
        if self.below is not None and value >= self.below:
            is_above = True
        return f"it is a {self.unit} {self.allowed}" if is_above or value < self.least else ""

    @property
    def _most(self) -> float | None:
        return 1.0 if self.most is None and self.unit == "ratio" else self.most


def volume_floor(gib_per_month: float) -> Threshold:
    """Return the threshold `min_gib_per_month`, which many rules on pairs have."""
    return Threshold(
        name="min_gib_per_month",
        default=gib_per_month,
        unit="GiB/month",
        about="volume of a pair below which the rule keeps silent",
    )


def usd_floor(usd_per_month: float, about: str) -> Threshold:
    """Return the threshold `min_usd_per_month`, which many rules that save have."""
    return Threshold(name="min_usd_per_month", default=usd_per_month, unit="USD/month", about=about)


def ratio_limit(
    name: str,
    default: float,
    about: str,
    *,
    least: float = 0.0,
    most: float | None = None,
    below: float | None = None,
) -> Threshold:
    """Return a threshold that is a share, from 0 to 1 where no other bound is given."""
    return Threshold(
        name=name, default=default, unit="ratio", about=about, least=least, most=most, below=below
    )


def reaches_floor(facts: Facts, rule_id: str, byte_count: int) -> bool:
    """Return whether bytes of the window reach a rule's `min_gib_per_month`."""
    floor = Decimal(str(facts.threshold(rule_id, "min_gib_per_month")))
    return facts.gib_per_month(byte_count) >= floor


class Rule(RuleText, frozen=True, kw_only=True):
    """The metadata of a rule. Calling it with the check function makes the rule complete.

    `id` names the fault and never changes; it equals the module's name with dashes.
    `group_message` is the sentence of a finding with several members: a format string over the
    evidence of the first member, with the evidence named in `summed` added up over all members,
    `count` for their number, each rate once more as a text with its unit (`cap_rate`), and each
    amount of dollars as one that a renderer writes (`by_price_money`).
    """

    severity: Severity
    needs: frozenset[Need]
    since: str = "0.1.0"
    """The first release that has it."""
    thresholds: tuple[Threshold, ...] = ()
    group_message: str = ""
    summed: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()

    def fix(
        self,
        *,
        text: str,
        label: str = "",
        commands: tuple[str, ...] = (),
        verify: str | Instruction | None = None,
        clean_up: str | Instruction | None = None,
        undo: str | Instruction | None = None,
        documents: tuple[str, ...] | None = None,
        caution: str = "",
    ) -> Fix:
        """Return a fix by this rule's documents, where it has none of its own.

        A step without commands is its text.
        """
        return Fix(
            text=text,
            label=label,
            commands=commands,
            verify=_step(verify),
            clean_up=_step(clean_up),
            undo=_step(undo),
            documents=self.references if documents is None else documents,
            caution=caution,
        )

    def __call__(self, function: Callable[[Facts], Iterator[Hit | Gap]]) -> "Check":
        """Return the complete rule; used as a decorator."""
        return Check(rule=self, function=function)


def _step(step: str | Instruction | None) -> Instruction | None:
    return Instruction(text=step) if isinstance(step, str) else step


class Check(Value, frozen=True, kw_only=True):
    """A rule together with its check."""

    rule: Rule
    function: Callable[[Facts], Iterator[Hit | Gap]]

    def __call__(self, facts: Facts) -> Iterator[Hit | Gap]:
        """Yield what is at fault, and what could not be judged."""
        return self.function(facts)

    @property
    def area(self) -> str:
        """The rule's area: the package its module lies in."""
        return self.function.__module__.split(".")[-2]
