"""Settings of the configuration file that are no options, and variables that are none either.

What it declares of machines is set on those of the inventory here.
"""

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from netplan_planner.config import declared_links, declared_targets, rule_thresholds, table_of
from netplan_planner.errors import InputError, UsageError, did_you_mean
from netplan_planner.google.monitoring import MONITORING_VARIABLE
from netplan_planner.google.options import ANONYMOUS_VARIABLE, EMULATOR_VARIABLE, ENDPOINT_VARIABLE
from netplan_planner.google.other_apis import LOCATED_APIS
from netplan_planner.model import STOCK, Inventory, SelfLink, Setting, SetUp, Target
from netplan_rules.base import SECTION
from netplan_rules.registry import all_rules, declared_thresholds, nearest, thresholds

OTHER_VARIABLES: Mapping[str, str] = {
    ENDPOINT_VARIABLE: "endpoint of the Compute API, as for gcloud",
    **{api.variable: f"endpoint of the {api.name} API, as for gcloud" for api in LOCATED_APIS},
    MONITORING_VARIABLE: "endpoint of Cloud Monitoring, as for gcloud",
    EMULATOR_VARIABLE: "endpoint of a Compute API emulator, without credentials",
    ANONYMOUS_VARIABLE: "true: no credentials are sent, as for gcloud",
    "GOOGLE_APPLICATION_CREDENTIALS": "file of the default credentials, as for Google's libraries",
    "NETPLAN_ARGS": "words of netplan in the GitLab template",
    "NETPLAN_SOURCE": "folder of netplan in the GitLab template",
    "NETPLAN_GITLAB_TOKEN": "posts the comment of a merge request; netplan itself does not read it",
    "NETPLAN_COMMENT_AUTHOR": "whose comments of a pull request are updated",
    "NO_COLOR": "anything: no colours on a terminal",
    "TERM": "dumb: no colours on a terminal",
}
"""Variables that other programs read too, and what they decide; options have others."""


_LEAST_BUFFER_BYTES, _MOST_BUFFER_BYTES = 4096, 2**40
"""Of a socket: Linux gives no less, and no machine has more."""


def declared_set_ups(path: Path) -> tuple[tuple[str, SetUp, str], ...]:
    """Return the settings of `[tcp]` as (pattern of machines, settings, where they stand).

    Raises:
        UsageError: If a pattern has no table of settings, one has no such name, or a value is none.
    """
    found = []
    for pattern, value in table_of(path, "tcp").items():
        where = f"{path}: [tcp] {pattern!r}"
        if not isinstance(value, dict) or not value:
            such = "{ receive_buffer_bytes = 67108864 }"
            raise UsageError(f"{where}: must be a table such as {such}")
        said = {name: _setting_of(where, name, one) for name, one in value.items()}
        found.append((pattern, SetUp(**said), f"{path.name} [tcp]"))
    return tuple(found)


def _setting_of(where: str, name: str, value: object) -> Any:
    """Return one setting of a machine as it is kept."""
    known = SetUp.__struct_fields__
    if name not in known:
        raise UsageError(f"{where}: there is no setting {name!r}{did_you_mean(name, known)}")
    if not name.endswith("_bytes"):
        if not isinstance(value, str) or not value.strip():
            raise UsageError(f"{where}: {name} must be a text, not {value!r}")
        return value.strip().lower() if name == "congestion_control" else value.strip()
    is_whole = isinstance(value, int) and not isinstance(value, bool)
    if not is_whole or not _LEAST_BUFFER_BYTES <= value <= _MOST_BUFFER_BYTES:  # type: ignore[operator]
        what = f"a whole number of bytes from {_LEAST_BUFFER_BYTES} to {_MOST_BUFFER_BYTES}"
        raise UsageError(f"{where}: {name} must be {what}, not {value!r}")
    return value


def check_settings(file: Path, *, takes_own: bool) -> frozenset[str]:
    """Check what a configuration file says of rules, targets and links, whichever verb reads it.

    Args:
        file: The configuration.
        takes_own: Whether it may set rules that are not there: a team's, not loaded here.

    Returns:
        The names of such rules.

    Raises:
        UsageError: If it names a rule, a threshold or a value that cannot be; with the file.
    """
    known = {name for one in all_rules() for name in (one.rule.id, *one.rule.aliases)}
    named = {rule for rule, _, _ in rule_thresholds(file)} if takes_own else set[str]()
    # A name that is nearly a rule's is a slip, not a team's rule.
    lost = frozenset(one for one in named - known - {SECTION} if not nearest(one))
    deque(file_settings(file, lost), maxlen=0)
    return lost


def no_rule(name: str) -> str:
    """Return that no rule has a name, and the nearest that there is."""
    return f"no rule that ships has this name{nearest(name)}"


def file_settings(file: Path | None, lost: frozenset[str] = frozenset()) -> Iterator[Setting]:
    """Yield the thresholds of every rule, then what else a file declares of machines and hosts.

    Args:
        file: The configuration.
        lost: Rules of it that are left out.

    Raises:
        InputError: If the file cannot be read.
        UsageError: If it names a rule, a threshold or a value that cannot be.
    """
    overrides: dict[str, dict[str, float]] = {}
    for rule, name, value in rule_thresholds(file) if file else ():
        if rule not in lost:
            overrides.setdefault(rule, {})[name] = value
    try:
        thresholds(overrides)  # Refuses names that no rule has.
    except UsageError as error:
        raise UsageError(f"{file}: {error}") from error
    origin = file.name if file else ""
    for section, declared in declared_thresholds():
        given = overrides.get(section, {})
        for one in declared:
            yield Setting(
                setting=f"{section if section == SECTION else f'rules.{section}'}.{one.name}",
                value=f"{given.get(one.name, one.default):g} {one.unit}",
                origin=origin if one.name in given else "default",
            )
    if file is not None:
        yield from _declared(file)


def _declared(file: Path) -> Iterator[Setting]:
    """Yield the targets, links and settings of machines that a file declares."""
    for pattern, gbps, source in declared_targets(file):
        yield Setting(setting=f"targets.{pattern}", value=f"{gbps:g} Gbit/s", origin=source)
    for addresses, gbps, source in declared_links(file):
        yield Setting(setting=f"links.{addresses}", value=f"{gbps:g} Gbit/s", origin=source)
    for pattern, one, source in declared_set_ups(file):
        for name in one.__struct_fields__:
            if value := getattr(one, name):
                yield Setting(setting=f"tcp.{pattern}.{name}", value=f"{value}", origin=source)


def targets_of(
    declared: Sequence[tuple[str, float, str]], inventory: Inventory, *, is_side: bool = False
) -> tuple[tuple[SelfLink, Target], ...]:
    """Return the declared targets by machine; a pattern that fits none is the user's mistake.

    Of one of two sides (`is_side`) it may fit the other.
    """
    found: dict[SelfLink, Target] = {}
    for pattern, gbps, source in declared:
        for link in _matched(pattern, source, inventory, is_side=is_side):
            found[link] = Target(gbps=gbps, source=source)
    return tuple(sorted(found.items()))


def with_set_ups(
    inventory: Inventory, declared: Sequence[tuple[str, SetUp, str]], *, is_side: bool = False
) -> Inventory:
    """Return the inventory with the declared settings; of several patterns the later go before."""
    told: dict[SelfLink, SetUp] = {}
    for pattern, one, source in declared:
        said = {name: getattr(one, name) for name in one.__struct_fields__ if getattr(one, name)}
        for link in _matched(pattern, source, inventory, is_side=is_side):
            told[link] = replace(told.get(link, STOCK), **said)
    instances = (
        replace(one, set_up=told[one.ref.self_link]) if one.ref.self_link in told else one
        for one in inventory.instances
    )
    return replace(inventory, instances=tuple(instances)) if told else inventory


def _matched(pattern: str, source: str, inventory: Inventory, *, is_side: bool) -> list[SelfLink]:
    """Return the machines of a pattern of the configuration file.

    Raises:
        InputError: If it fits none, which is the user's mistake.
    """
    links = [
        link
        for link in (one.ref.self_link for one in inventory.instances)
        if fnmatchcase(link, pattern) or fnmatchcase(link, f"*/{pattern}")
    ]
    if not links and not is_side:
        raise InputError(f"{source}: no VM of the inventory matches {pattern!r}")
    return links
