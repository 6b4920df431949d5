"""What of the given evidence did not reach the answer; evidence that was not given is not meant."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from netplan_planner.engine.missing_machines import all_unread
from netplan_planner.engine.unresolved import some
from netplan_planner.model import Facts, Inventory, NotEvaluated, Unread, last_part
from netplan_planner.units import counted


def what_is_incomplete(facts: Facts, not_evaluated: Iterable[NotEvaluated]) -> tuple[str, ...]:
    """Return what is missing, a line each: pages, projects, damaged parts, rules that crashed."""
    crashed = [note.rule for note in not_evaluated if note.kind == "crashed"]
    measured = facts.measurement_coverage
    faults = len(measured.faults) if measured is not None else 0
    return (
        *(f"the rule {rule} crashed" for rule in dict.fromkeys(crashed)),
        *_projects(facts.inventory),
        *_unread(all_unread(facts.inventory)),
        *_unread(facts.metrics.coverage.unread if facts.metrics is not None else ()),
        *(facts.traffic.coverage.incomplete if facts.traffic is not None else ()),
        *(facts.pod_traffic.incomplete if facts.pod_traffic is not None else ()),
        *((f"{counted(faults, 'line')} of measurements could not be used",) if faults else ()),
    )


def stopped_machines(inventory: Inventory) -> tuple[str, ...]:
    """Return a line on the machines that a plan of what runs leaves out."""
    names = sorted(one.name for one in inventory.instances if one.is_stopped)
    if not names:
        return ()
    is_are = "is" if len(names) == 1 else "are"
    return (f"{counted(len(names), 'stopped machine')} {is_are} left out: {some(names)}",)


def _projects(inventory: Inventory) -> Iterator[str]:
    for project in inventory.projects:
        if project.errors:
            more = f" (and {len(project.errors) - 1} more)" if len(project.errors) > 1 else ""
            yield f"project {project.project}: {project.errors[0]}{more}"


def _unread(unread: Sequence[Unread]) -> Iterator[str]:
    """Yield what was not understood by its cause; what the audit does not need is no loss."""
    lost = [entry for entry in unread if not entry.is_needless]
    places = {entry.reason: _place(entry) for entry in reversed(lost)}
    causes = Counter(entry.reason for entry in lost)
    for reason, count in sorted(causes.items(), key=lambda pair: (-pair[1], pair[0])):
        more = f" (and {count - 1:,} more)" if count > 1 else ""
        yield f"{places[reason]}{more}: {reason}"


def _place(entry: Unread) -> str:
    """Return where something was read, with its name where the place does not end in it."""
    name = last_part(entry.resource or "")
    return entry.source if entry.source.endswith(name) else f"{entry.source} {name}"
