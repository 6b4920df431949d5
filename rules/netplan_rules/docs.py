"""The rule reference, made from the rules' own metadata; never written by hand."""

from netplan_rules.base import Check, Threshold
from netplan_rules.registry import AREAS, all_rules
from netplan_rules.severity import STEPS

_HEAD = """# Rule reference

Written by `netplan rules --markdown`; change the rule's metadata, not this page. Confidence belongs
to each finding. A rule without its evidence is reported as *not evaluated*, never as passed.
Thresholds are set in `netplan.toml` under `[rules.<id>]`.

## Severity

A rule's severity is where a finding starts; what is at stake raises or lowers it. The gravest
step that money, a rate or a volume reaches decides, and the finding says which. Where none of the
three is known, the severity of the hit stands: the rule's own unless it says less. Money is what a
fix still saves once those ranked before it are made. The steps are set under `[severity]`.

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
        f"*When it keeps silent.* {rule.guards}\n",
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
