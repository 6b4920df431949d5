"""What `netplan init` found and wrote."""

from enum import StrEnum

from netplan_planner.model.base import Value


class InputKind(StrEnum):
    """What a file holds."""

    INVENTORY = "inventory"
    TERRAFORM_PLAN = "terraform-plan"
    KUBERNETES = "kubernetes"
    BUNDLE = "bundle"
    FLOW_LOGS = "flow-logs"
    RATES = "rates"
    """A table of constant rates, which no flow log can be read with."""
    METRICS = "metrics"
    TERRAFORM_SOURCE = "terraform-source"
    """Files that `terraform plan` reads; netplan reads the plan."""


class FoundInput(Value, frozen=True, kw_only=True):
    """A file, or a folder that holds files of one kind alone."""

    path: str
    """From the folder of netplan.toml."""
    kind: InputKind
    file_count: int
    setting: str
    """The option that the file gives it to; empty: it is not set."""


class InitAnswer(Value, frozen=True, kw_only=True):
    """A configuration file that was written."""

    file: str
    projects: tuple[str, ...]
    """As asked for, else as the credentials or gcloud's configuration name one."""
    is_project_set: bool
    """Whether the file sets them; false: files are read instead."""
    found: tuple[FoundInput, ...]
    checked_count: int
    """Files whose content was checked."""
    unchecked_count: int
    """Files over the limits of number or size; the rest of a folder is not counted."""
    is_complete: bool
    """Whether every file of the folder was checked."""
    commands: tuple[str, ...]
    """What to run next."""
