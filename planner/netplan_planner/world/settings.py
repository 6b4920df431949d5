"""Settings of the configuration file that are no options, and variables that are none either."""

from collections import deque
from collections.abc import Iterator, Mapping
from pathlib import Path

from netplan_planner.config import declared_links, declared_targets, rule_thresholds
from netplan_planner.errors import UsageError
from netplan_planner.google.monitoring import MONITORING_VARIABLE
from netplan_planner.google.options import ANONYMOUS_VARIABLE, EMULATOR_VARIABLE, ENDPOINT_VARIABLE
from netplan_planner.google.other_apis import LOCATED_APIS
from netplan_planner.model import Setting
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
    """Yield the thresholds of every rule, then the targets and links that a file declares.

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
    for pattern, gbps, source in declared_targets(file) if file else ():
        yield Setting(setting=f"targets.{pattern}", value=f"{gbps:g} Gbit/s", origin=source)
    for addresses, gbps, source in declared_links(file) if file else ():
        yield Setting(setting=f"links.{addresses}", value=f"{gbps:g} Gbit/s", origin=source)
