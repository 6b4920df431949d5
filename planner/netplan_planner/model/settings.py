"""What `netplan config show` answers: settings with their origins, and environment variables."""

from netplan_planner.model.base import Value


class Setting(Value, frozen=True, kw_only=True):
    """An option of a verb, a threshold of a rule, or a target."""

    setting: str
    """Path of verbs and the option, joined by dots."""
    value: str | int | float | bool | tuple[str, ...] | None
    """None where it is not set; a secret is only said to be set."""
    origin: str
    """`default`, `environment`, or the name of the configuration file."""


class Settings(Value, frozen=True, kw_only=True):
    """Every setting."""

    settings: tuple[Setting, ...]


class EnvironmentVariable(Value, frozen=True, kw_only=True):
    """A variable of the environment that netplan reads."""

    variable: str
    sets: str
    """The option on the command line, or what else it decides."""
    meaning: str
    """The option's help; empty where `sets` says it all."""
    is_given: bool
    """Whether the environment has it now; values are not shown."""


class Environment(Value, frozen=True, kw_only=True):
    """Every variable that is read."""

    variables: tuple[EnvironmentVariable, ...]
