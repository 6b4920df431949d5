"""What the shell is offered for options whose values netplan knows.

Options are found by their names, so that every verb that has one of them completes it. This module
is imported when a shell asks: `--help` and the verbs do not pay for it.
"""

from collections.abc import Callable, Iterable
from typing import Any

from netplan_planner.model import JobPhase, JobPlace, PathClass
from netplan_planner.streams import libraries_apart
from netplan_planner.verbs.transfer.answer import INTERNET, STORAGE_PREFIX
from netplan_planner.world import known_names
from netplan_planner.world.demos import demo_names
from netplan_planner.world.known_names import dates as dates

Lookup = Callable[[], Iterable[str]]


def attach(command: Any, path: tuple[str, ...] = ()) -> None:
    """Let every option and argument of a command and those below it complete its values."""
    for parameter in command.params:
        lookup = _BY_PLACE.get((*path, parameter.name)) or _BY_NAME.get(parameter.name)
        if lookup is not None and not getattr(parameter, "is_flag", False):
            parameter._custom_shell_complete = _offered(lookup)
    for name, inner in getattr(command, "commands", {}).items():
        attach(inner, (*path, name))


def _offered(lookup: Lookup) -> Callable[[Any, Any, str], list[str]]:
    @libraries_apart()
    def complete(_ctx: Any, _parameter: Any, incomplete: str) -> list[str]:
        # Lists may be one word with commas: what stands before the last one stays.
        before, comma, last = incomplete.rpartition(",")
        start = last.casefold()
        names = (name for name in lookup() if name.casefold().startswith(start))
        return [f"{before}{comma}{name}" for name in names]

    return complete


def explained() -> tuple[str, ...]:
    """Return what `--explain` of an audit takes."""
    return ("all", *known_names.rules_and_areas())


def destinations() -> tuple[str, ...]:
    """Return what `--to` of `price traffic` takes."""
    kinds = ("zone", "same-zone", "internet", "nat", "google-apis", "load-balancer")
    return (*kinds, *known_names.regions())


def path_classes() -> tuple[str, ...]:
    """Return the path classes."""
    return tuple(one.value for one in PathClass)


def job_places() -> tuple[str, ...]:
    """Return what `--from` and `--to` of `job` take."""
    kinds = (one.value for one in JobPlace if one is not JobPlace.REGION)
    return (*kinds, *known_names.regions())


def transfer_ends() -> tuple[str, ...]:
    """Return what `--to` of `transfer` takes; `--from` takes all but the internet."""
    known = known_names.regions()
    return (INTERNET, *known, *(f"{STORAGE_PREFIX}{one}" for one in known))


def job_phases() -> tuple[str, ...]:
    """Return the phases of a job."""
    return tuple(one.value for one in JobPhase)


_BY_NAME: dict[str, Lookup] = {
    "demo": demo_names,
    "select": known_names.rules_and_areas,
    "ignore": known_names.rules_and_areas,
    "region": known_names.regions,
    "machine_type": known_names.machine_types,
    "src_type": known_names.machine_types,
    "dst_type": known_names.machine_types,
    "why_not": known_names.machine_types,
    "baseline": known_names.machine_types,
    "series": known_names.series,
    "plugin": known_names.plugins,
    "src_place": known_names.places,
    "dst_place": known_names.places,
}
"""By the name of an option, in whatever verb."""

_BY_PLACE: dict[tuple[str, ...], Lookup] = {
    ("audit", "explain"): explained,
    ("rules", "name"): known_names.rules,
    ("predict", "path"): path_classes,
    ("probe", "import", "path"): path_classes,
    ("predict", "src"): known_names.machine_types,
    ("predict", "dst"): known_names.machine_types,
    ("recommend", "to"): known_names.regions,
    ("job", "source"): job_places,
    ("job", "target"): job_places,
    ("job", "overlap"): job_phases,
    ("whatif", "zone"): known_names.places,
    ("transfer", "source"): transfer_ends,
    ("transfer", "target"): transfer_ends,
    ("transfer", "relay"): known_names.regions,
    ("price", "traffic", "src"): known_names.regions,
    ("price", "traffic", "to"): destinations,
    ("price", "traffic", "place"): known_names.regions,
    ("price", "vpn", "to"): known_names.regions,
}
"""By verb and name, where the name means something else elsewhere."""
