"""What a rule is: metadata, thresholds with documented defaults, and a check."""

import sys
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path

from netplan_planner import model
from netplan_planner.model import (
    MOST_MEASURED_RATIO,
    Facts,
    Fix,
    Gap,
    Hit,
    Instruction,
    Need,
    RuleText,
    Severity,
    Value,
    Work,
    worded,
)
from netplan_planner.shipped import shipped_texts
from netplan_rules.wording import money


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
        """The range in words: `0 to 1`, `0 or more`."""
        if self.below is not None:
            return f"{self.least:g} to below {self.below:g}"
        return f"{self.least:g} {'or more' if self._most is None else f'to {self._most:g}'}"

    def why_not(self, value: float) -> str:
        """Return why a value cannot be, or nothing when it can."""
        is_above = self._most is not None and value > self._most
        if self.below is not None and value >= self.below:
            is_above = True
        return f"it must be {self.allowed} ({self.unit})" if is_above or value < self.least else ""

    @property
    def _most(self) -> float | None:
        return 1.0 if self.most is None and self.unit == "ratio" else self.most


def volume_floor(gib_per_month: float) -> Threshold:
    """Return the threshold `min_gib_per_month`, which many rules on pairs have."""
    return Threshold(
        name="min_gib_per_month",
        default=gib_per_month,
        unit="GiB/month",
        about="minimum volume of a pair",
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


class RuleWords(Value, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a rule says in general, from the TOML file beside its module."""

    title: str
    rationale: str
    guards: str
    group_message: str
    remediation: str = ""
    references: tuple[str, ...] = ()


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
    is_note: bool = False
    """Whether what it finds is a note of the report, without severity."""

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
            verify=_instruction(verify),
            clean_up=_instruction(clean_up),
            undo=_instruction(undo),
            documents=self.references if documents is None else documents,
            caution=caution,
        )

    def __call__(self, function: Callable[[Facts], Iterator[Hit | Gap]]) -> "Check":
        """Return the complete rule; used as a decorator."""
        return Check(rule=self, function=function)


def _instruction(step: str | Instruction | None) -> Instruction | None:
    return Instruction(text=step) if isinstance(step, str) else step


def rule_of(
    module: str,
    *,
    severity: Severity,
    needs: frozenset[Need],
    work: Work,
    thresholds: tuple[Threshold, ...] = (),
    summed: tuple[str, ...] = (),
    aliases: tuple[str, ...] = (),
    since: str = "0.1.0",
    is_note: bool = False,
    remediation: str = "",
    references: tuple[str, ...] = (),
) -> Rule:
    """Return the rule of a module, with the words of the TOML file beside it.

    The id comes from the module's own `__name__`. `remediation` and `references` stand instead of
    the file's where they hold what the code has.
    """
    name = module.rpartition(".")[2]
    words = shipped_texts(Path(str(sys.modules[module].__file__)).with_suffix(".toml"), RuleWords)
    return Rule(
        id=name.replace("_", "-"),
        severity=severity,
        needs=needs,
        work=work,
        thresholds=thresholds,
        title=words.title,
        rationale=words.rationale,
        remediation=remediation or words.remediation,
        guards=words.guards,
        references=references or words.references,
        group_message=words.group_message,
        summed=summed,
        aliases=aliases,
        since=since,
        is_note=is_note,
    )


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


# Severity by harm: what is at stake raises or lowers the severity that a rule states
#
# Three measures, each with steps of its own: money that the fix saves a month, the share of what
# binds that is in use, and traffic that takes the wrong way. The gravest step that one of them
# reaches decides. Where none of them is known, the rule's own severity stands.


SECTION = "severity"
"""Of netplan.toml, and the name under which `Facts` holds the steps."""

STEPS = (
    Threshold(
        name="high_usd_per_month",
        default=1000.0,
        unit="USD/month",
        about="saving from which severity is HIGH",
    ),
    Threshold(
        name="medium_usd_per_month",
        default=100.0,
        unit="USD/month",
        about="saving from which severity is at least MEDIUM",
    ),
    Threshold(
        name="low_usd_per_month",
        default=10.0,
        unit="USD/month",
        about="saving from which severity is at least LOW; a smaller saving is INFO",
    ),
    ratio_limit(
        "high_used_ratio",
        0.8,
        "share of the limit in use at the 95th percentile, or needed by a declared target, from"
        " which severity is HIGH and traffic counts as throttled",
    ),
    ratio_limit(
        "medium_used_ratio",
        0.5,
        "the same share, from which severity is at least MEDIUM; a smaller share is INFO",
    ),
    Threshold(
        name="medium_gib_per_month",
        default=102_400.0,
        unit="GiB/month",
        about="misrouted traffic from which severity is at least MEDIUM (100 TiB)",
    ),
    Threshold(
        name="low_gib_per_month",
        default=1024.0,
        unit="GiB/month",
        about="misrouted traffic from which severity is at least LOW (1 TiB); less is INFO",
    ),
)


class Harm(Value, frozen=True, kw_only=True):
    """A severity and the step that decided it, in words."""

    severity: Severity
    reason: model.Text


def held_back_ratio(facts: Facts) -> float:
    """Return the share of a limit in use from which traffic counts as held back."""
    return facts.threshold(SECTION, "high_used_ratio")


def harm(
    facts: Facts,
    base: Severity,
    *,
    usd_per_month: Decimal | None,
    used_ratio: float | None,
    gib_per_month: Decimal | None,
    is_least: bool = False,
) -> Harm:
    """Return how grave a finding is by what is at stake.

    Args:
        facts: For the steps.
        base: The rule's own severity, which stands where nothing is known.
        usd_per_month: What the fix saves; None or not above 0: money says nothing.
        used_ratio: Share of what binds that is in use; None: not known.
        gib_per_month: Traffic on the wrong way; None: the rule is not about traffic.
        is_least: A month may have more of both: these are the sure ends of bounds.
    """
    least = "at least " if is_least else ""
    judged = []
    if usd_per_month is not None and usd_per_month > 0:
        amount = worded(f"saves {least}", money(usd_per_month), "/month")
        judged.append(_step(facts, float(usd_per_month), "usd_per_month", amount, _dollars))
    if used_ratio is not None:
        # Only a declared target can be far above what anything sends.
        used = (
            f"uses {used_ratio:.0%} of its limit"
            if used_ratio <= MOST_MEASURED_RATIO
            else f"needs {used_ratio:.3g}x its limit"
        )
        judged.append(_step(facts, used_ratio, "used_ratio", used, "{:.0%}".format))
    if gib_per_month is not None:
        volume = f"{least}{gib_per_month:,.1f} GiB/month"
        judged.append(
            _step(facts, float(gib_per_month), "gib_per_month", volume, "{:,.0f} GiB".format)
        )
    if not judged:
        reason = "default severity of this rule"
        return Harm(severity=base, reason=reason)
    return min(judged, key=lambda one: one.severity.rank)


def _dollars(usd: float) -> model.Amount:
    return model.Amount(usd=Decimal(str(usd)), kind=model.AmountKind.LIMIT)


def _step(
    facts: Facts,
    value: float,
    measure: str,
    said: model.Text,
    form: Callable[[float], str | model.Amount],
) -> Harm:
    """Return the gravest step of one measure that a value reaches."""
    lowest: str | model.Amount = ""
    for severity in (Severity.HIGH, Severity.MEDIUM, Severity.LOW):
        name = f"{severity.value}_{measure}"
        if not any(step.name == name for step in STEPS):
            continue
        floor = facts.threshold(SECTION, name)
        lowest = form(floor)
        if value >= floor:
            reason = worded(said, f" ({severity.value.upper()} from ", lowest, ")")
            return Harm(severity=severity, reason=reason)
    return Harm(severity=Severity.INFO, reason=worded(said, " (below ", lowest, ")"))
