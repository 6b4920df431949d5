"""What a change brings as annotations of a GitHub workflow: findings that are new, or graver."""

from collections.abc import Iterator

from netplan_planner.renderers import figures
from netplan_planner.renderers.annotations import Annotation, lines_of
from netplan_planner.renderers.document import change_of, in_currency, line, plain
from netplan_planner.renderers.options import RenderOptions
from netplan_planner.renderers.places import file_place
from netplan_planner.verbs.diff.answer import DiffAnswer, DiffCause, DiffFinding, DiffState
from netplan_planner.verbs.diff.show import counts_of


def render(answer: DiffAnswer, options: RenderOptions) -> str:
    """Return the annotations, the worst first, and a line that sums up."""
    found = [
        Annotation(
            one.severity,
            one.rule,
            _message(one, options),
            options.places.get(one.source) or file_place(one.source),
            one.state.value,
        )
        for one in annotated(answer)
    ]
    change = plain(in_currency(line(change_of(answer.total.change_usd)), options.currency))
    unknown = f" (not in it: {answer.increase_unknown})" if answer.increase_unknown else ""
    incomplete = " · input incomplete" if answer.incomplete else ""
    summary = (
        f"findings: {counts_of(answer.findings)} · cost per month: {change}{unknown}{incomplete}"
    )
    return lines_of(found, summary)


def annotated(answer: DiffAnswer) -> Iterator[DiffFinding]:
    """Yield the findings that a change brings or makes graver; prices and limits are no change.

    A place has the severity of its whole finding, so that what is at stake there moves too.
    """
    for one in answer.findings:
        old, is_changed = one.severity_before, one.state is DiffState.CHANGED
        is_graver = is_changed and old is not None and one.severity.rank < old.rank
        if one.cause is not DiffCause.BASIS and (one.state is DiffState.NEW or is_graver):
            yield one


def _message(one: DiffFinding, options: RenderOptions) -> str:
    parts = [f"{one.subject}: {figures.shown(one.message, options.currency)}".rstrip(".")]
    if usd := one.after_saving_usd_per_month:
        parts.append(f"The fix {figures.saving(usd, options.currency)}")
    if one.why:
        parts.append(one.why[0].upper() + one.why[1:].rstrip("."))
    return ". ".join(parts) + "."
