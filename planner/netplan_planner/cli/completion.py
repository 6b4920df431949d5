"""What the shell is offered for options whose values netplan knows.

Options are found by their names, so that every verb that has one of them completes it. Nothing is
looked up before a shell asks: `--help` and the verbs do not pay for it.
"""

import os
from collections.abc import Callable, Iterable
from datetime import date
from typing import Any

Lookup = Callable[[], Iterable[str]]


def is_asked() -> bool:
    """Return whether a shell asks for completions, as typer and click let it do."""
    return any(name.startswith("_") and name.endswith("_COMPLETE") for name in os.environ)


def attach(command: Any, path: tuple[str, ...] = ()) -> None:
    """Let every option and argument of a command and those below it complete its values."""
    for parameter in command.params:
        lookup = _BY_PLACE.get((*path, parameter.name)) or _BY_NAME.get(parameter.name)
        if lookup is not None and not getattr(parameter, "is_flag", False):
            parameter._custom_shell_complete = _offered(lookup)
    for name, inner in getattr(command, "commands", {}).items():
        attach(inner, (*path, name))


def _offered(lookup: Lookup) -> Callable[[Any, Any, str], list[str]]:
    def complete(_ctx: Any, _parameter: Any, incomplete: str) -> list[str]:
        # Lists may be one word with commas: what stands before the last one stays.
        before, comma, last = incomplete.rpartition(",")
        start = last.casefold()
        names = (name for name in lookup() if name.casefold().startswith(start))
        return [f"{before}{comma}{name}" for name in names]

    return complete


def demos() -> tuple[str, ...]:
    """Return the embedded samples."""
    from netplan_planner.engine.demos import demo_names

    return demo_names()


def rules() -> tuple[str, ...]:
    """Return the ids of all rules."""
    from netplan_rules.registry import all_rules

    return tuple(sorted(check.rule.id for check in all_rules()))


def rules_and_areas() -> tuple[str, ...]:
    """Return what `--select` and `--ignore` take."""
    from netplan_rules.registry import AREAS

    return (*AREAS, *rules())


def explained() -> tuple[str, ...]:
    """Return what `--explain` of an audit takes."""
    return ("all", *rules_and_areas())


def regions() -> tuple[str, ...]:
    """Return the regions of the embedded price snapshot."""
    from netplan_pricing import open_snapshot

    return tuple(open_snapshot().regions())


def destinations() -> tuple[str, ...]:
    """Return what `--to` of `price traffic` takes."""
    kinds = ("zone", "same-zone", "internet", "nat", "google-apis", "load-balancer")
    return (*kinds, *regions())


def places() -> tuple[str, ...]:
    """Return regions, and the zones in which any machine type is offered."""
    from netplan_pricing import open_snapshot

    book = open_snapshot()
    table = book.file.table("zone_offers")["zone"]
    zones = table.values
    return (*book.regions(), *zones)


def machine_types() -> tuple[str, ...]:
    """Return the machine types of the caps table."""
    from netplan_planner.throughput import load_caps

    return tuple(sorted(load_caps(date.today()).machine_types))


def series() -> tuple[str, ...]:
    """Return the machine series of the caps table."""
    from netplan_planner.model import series_of

    return tuple(sorted({series_of(name) for name in machine_types()}))


def path_classes() -> tuple[str, ...]:
    """Return the path classes."""
    from netplan_planner.model import PathClass

    return tuple(one.value for one in PathClass)


_BY_NAME: dict[str, Lookup] = {
    "demo": demos,
    "select": rules_and_areas,
    "ignore": rules_and_areas,
    "region": regions,
    "machine_type": machine_types,
    "src_type": machine_types,
    "dst_type": machine_types,
    "why_not": machine_types,
    "series": series,
    "src_place": places,
    "dst_place": places,
}
"""By the name of an option, in whatever verb."""

_BY_PLACE: dict[tuple[str, ...], Lookup] = {
    ("audit", "explain"): explained,
    ("rules", "name"): rules,
    ("predict", "path"): path_classes,
    ("probe", "import", "path"): path_classes,
    ("predict", "src"): machine_types,
    ("predict", "dst"): machine_types,
    ("recommend", "to"): regions,
    ("price", "traffic", "src"): regions,
    ("price", "traffic", "to"): destinations,
    ("price", "traffic", "place"): regions,
    ("price", "vpn", "to"): regions,
}
"""By verb and name, where the name means something else elsewhere."""
