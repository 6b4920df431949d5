"""Finds every rule: a module in an area package, named as the rule's id."""

import importlib
import pkgutil
from functools import cache

import netplan_rules
from netplan_planner.errors import UsageError, did_you_mean, nearest_names
from netplan_rules.base import SECTION, STEPS, Check, Threshold
from netplan_rules.own import OwnRules, own_rules

AREAS = (
    "address",
    "capacity",
    "placement",
    "nic",
    "gateway",
    "price",
    "kubernetes",
    "evidence",
    "model",
)
"""The areas in the order of the reference; every one is a package of this one."""
_NAMED = 4
"""Rules that an error names when their ids contain the given word."""


def all_rules() -> tuple[Check, ...]:
    """Return every rule, by area and id; those of a team come last."""
    return _with_own(own_rules())


@cache
def _with_own(own: OwnRules) -> tuple[Check, ...]:
    first = {check.rule.id: check for check in reversed((*_shipped(), *own.checks))}
    return (*_shipped(), *(check for check in own.checks if first[check.rule.id] is check))


def unloaded_rules() -> tuple[tuple[str, str], ...]:
    """Return the rules of a team that are not there, and why."""
    own, there = own_rules(), {id(check) for check in all_rules()}
    taken = [check.rule.id for check in own.checks if id(check) not in there]
    why = "the rule has the id of one that ships, or of an earlier one"
    return (*own.failed, *((name, why) for name in taken))


@cache
def _shipped() -> tuple[Check, ...]:
    """Return the rules that ship.

    Modules whose name begins with an underscore hold what rules of an area share.
    """
    checks: list[Check] = []
    for area in AREAS:
        package = importlib.import_module(f"{netplan_rules.__name__}.{area}")
        checks += [
            importlib.import_module(f"{package.__name__}.{module.name}").check
            for module in pkgutil.iter_modules(package.__path__)
            if not module.name.startswith("_")
        ]
    return tuple(sorted(checks, key=lambda check: (AREAS.index(check.area), check.rule.id)))


def find_rule(name: str) -> Check:
    """Return the rule of that id or alias.

    Raises:
        UsageError: If there is none; the text names the nearest.
    """
    for check in all_rules():
        if name == check.rule.id or name in check.rule.aliases:
            return check
    for known, why in unloaded_rules():
        if name in (known, known.rpartition("/")[2]):
            raise UsageError(f"{known}: {why}")
    raise UsageError(f"no rule is named {name!r}{nearest(name)}. List all rules: `netplan rules`.")


def select_rules(select: tuple[str, ...], ignore: tuple[str, ...]) -> tuple[Check, ...]:
    """Return the rules that `select` names (all when empty) less those that `ignore` names.

    A name is a rule's id or alias, or an area.

    Raises:
        UsageError: If a name is neither.
    """
    wanted = _named(select) if select else {check.rule.id for check in all_rules()}
    unwanted = _named(ignore)
    return tuple(c for c in all_rules() if c.rule.id in wanted and c.rule.id not in unwanted)


def _named(names: tuple[str, ...]) -> set[str]:
    found: set[str] = set()
    for name in names:
        if any(check.area == name for check in all_rules()):
            found.update(check.rule.id for check in all_rules() if check.area == name)
        else:
            found.add(find_rule(name).rule.id)
    return found


def nearest(name: str) -> str:
    """Return the rules of an area or with the word, ` (did you mean …?)`, or an empty text."""
    ids = [check.rule.id for check in all_rules()]
    if name in AREAS:
        return (
            f"; the area {name} has {', '.join(c.rule.id for c in all_rules() if c.area == name)}"
        )
    within = [known for known in ids if name in known] if len(name) > 1 else []
    close = within[:_NAMED] or nearest_names(name, [*ids, *AREAS], 1)
    return f" (did you mean {' or '.join(map(repr, close))}?)" if close else ""


def thresholds(overrides: dict[str, dict[str, float]]) -> tuple[tuple[str, str, float], ...]:
    """Return every threshold of every rule as (rule, name, value), overrides applied.

    Raises:
        UsageError: If an override names a rule or threshold that does not exist, or leaves nothing
            of a cap.
    """
    by_id: dict[str, dict[str, float]] = {}
    for section, values in overrides.items():
        own = section if section == SECTION else find_rule(section).rule.id
        by_id.setdefault(own, {}).update(values)
        known = {threshold.name: threshold for threshold in _declared(section)}
        where = section if section == SECTION else f"rules.{section}"
        for name, value in values.items():
            if name not in known:
                listed = ", ".join(sorted(known)) or "none"
                hint = did_you_mean(name, known)
                raise UsageError(f"[{where}] has no threshold {name!r}; it has: {listed}{hint}")
            if why := known[name].why_not(value):
                raise UsageError(f"[{where}] {name} = {value:g}: {why}")
    return tuple(
        (section, threshold.name, by_id.get(section, {}).get(threshold.name, threshold.default))
        for section, declared in declared_thresholds()
        for threshold in declared
    )


def declared_thresholds() -> tuple[tuple[str, tuple[Threshold, ...]], ...]:
    """Return the thresholds of every rule by its id, and the steps of severity."""
    return ((SECTION, STEPS), *((c.rule.id, c.rule.thresholds) for c in all_rules()))


def _declared(section: str) -> tuple[Threshold, ...]:
    return STEPS if section == SECTION else find_rule(section).rule.thresholds


# The rule reference, made from the rules' own metadata; never written by hand


_HEAD = """# Rule reference

Generated by `netplan rules --markdown`: edit the rule's metadata, not this page. Each finding has
its own confidence. A rule without its evidence is reported as *not evaluated*, never as passed.
Set thresholds in `netplan.toml` under `[rules.<id>]`.

## Severity

A finding starts with the default severity of its rule. The saving, the used share of a limit and
the misrouted volume then raise or lower it. The highest step that one of them reaches decides, and
the finding names it. If all three are unknown, the default severity of the rule or a lower one
stays. The saving is what remains after the earlier fixes. Set the steps under `[severity]`.

Severity uses only certain values:

- If the window does not determine the month, the lowest saving and volume count.
- A limit in use for less than an hour per day is at most MEDIUM. A window shorter than a day does
  not show the rest of the day.
- A VM restarted after the window may have had another type: its limit is at most MEDIUM.
- Low confidence and an unknown price are never HIGH.

{steps}

## Rules

| rule | area | severity | finds |
| --- | --- | --- | --- |
"""


def reference() -> str:
    """Return the whole reference as Markdown."""
    checks = all_rules()
    steps = _table(STEPS)
    rows = "".join(
        f"| [`{c.rule.id}`](#{c.rule.id}) | {c.area} | {c.rule.severity.value} | {c.rule.title} |\n"
        for c in checks
    )
    parts = [
        f"\n## Area {area}\n\n" + "\n".join(page(c) for c in checks if c.area == area)
        for area in AREAS
    ]
    return _HEAD.format(steps=steps) + rows + "".join(parts)


def _table(thresholds: tuple[Threshold, ...]) -> str:
    head = "| threshold | default | unit | range | meaning |\n| --- | --- | --- | --- | --- |\n"
    return head + "\n".join(
        f"| `{t.name}` | {t.default:,.10g} | {t.unit} | {t.allowed} | {t.about} |"
        for t in thresholds
    )


def page(check: Check) -> str:
    """Return the page of one rule as Markdown."""
    rule = check.rule
    needs = ", ".join(sorted(need.value for need in rule.needs))
    lines = [
        f"### {rule.id}\n",
        f"**{rule.title}.** Severity {rule.severity.value}; needs {needs}; since {rule.since}.\n",
        f"*Why it matters.* {rule.rationale}\n",
        f"*What to do.* {rule.remediation}\n",
        f"*When it does not report.* {rule.guards}\n",
    ]
    if rule.thresholds:
        lines += [_table(rule.thresholds), ""]
    if rule.aliases:
        lines.append(f"Earlier names: {', '.join(f'`{name}`' for name in rule.aliases)}.\n")
    work = rule.work
    lines += [
        "*What it takes.*\n",
        f"- Effort: {work.effort}",
        f"- Restart: {work.restart}",
        f"- Undo: {work.undo}",
        f"- Window: {work.window}",
        f"- Source: {', '.join(f'<{url}>' for url in rule.references)}\n",
    ]
    return "\n".join(lines)
