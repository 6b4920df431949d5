"""Writes netplan.toml for the inputs of a folder."""

import shlex
from collections.abc import Iterator
from pathlib import Path

from netplan_planner.errors import UsageError
from netplan_planner.google.credentials import configured_project
from netplan_planner.inert import inert_line
from netplan_planner.verbs import Now, always_well, panels, verb
from netplan_planner.verbs.init import find, settings
from netplan_planner.verbs.init.answer import FoundInput, InitAnswer, InputKind
from netplan_planner.verbs.init.ask import InitAsk
from netplan_planner.writing import written_whole

_FILE = "netplan.toml"
_SETTINGS = {
    InputKind.INVENTORY: "inventory",
    InputKind.TERRAFORM_PLAN: "inventory",
    InputKind.KUBERNETES: "inventory",
    InputKind.BUNDLE: "bundle",
    InputKind.FLOW_LOGS: "traffic",
    InputKind.RATES: "traffic",
    InputKind.METRICS: "metrics",
}


@verb(
    panel=panels.SETUP,
    question="How do I write a netplan.toml for my files?",
    ends=always_well,
)
def init(ask: InitAsk, now: Now) -> InitAnswer:
    """Write a commented netplan.toml for the inputs in a folder; no request is sent.

    Inventories, Terraform plans, Kubernetes objects, bundles, flow logs and metrics are found by
    their content. Those that were found are set, other settings are comments.
    """
    file = ask.folder / _FILE
    if file.exists() and not ask.is_forced:
        raise UsageError(f"{inert_line(str(file))} exists: --force replaces it")
    now.say(f"searching {inert_line(str(ask.folder))}")
    found = find.search(ask.folder)
    inputs = tuple(_inputs(ask.folder, found))
    named = configured_project() if not ask.projects else None
    projects = ask.projects or ((named,) if named else ())
    # Files and a live project together would hold the same VMs twice.
    has_files = any(one.setting in {"inventory", "bundle"} for one in inputs)
    is_project_set = bool(ask.projects) or (bool(projects) and not has_files)
    given = _values(inputs, is_set=True)
    also = {**_values(inputs, is_set=False), **({} if is_project_set else {"project": projects})}
    text = settings.text_of(given | ({"project": projects} if is_project_set else {}), also)
    with written_whole(file, is_own=True) as target:
        target.write_text(text, "utf-8")
    return InitAnswer(
        file=str(file),
        projects=projects,
        is_project_set=is_project_set,
        found=inputs,
        checked_count=len(found.checked),
        unchecked_count=found.unchecked_count,
        is_complete=found.is_complete,
        commands=tuple(
            _commands(ask.folder, inputs, projects, can_audit=has_files or bool(projects))
        ),
    )


def _inputs(folder: Path, found: find.Search) -> Iterator[FoundInput]:
    """Yield what was found, and which of it is set: what cannot be read together is not."""
    kinds = set(found.kinds.values())
    unset = {InputKind.TERRAFORM_SOURCE}
    if kinds & {InputKind.INVENTORY, InputKind.TERRAFORM_PLAN, InputKind.KUBERNETES}:
        unset.add(InputKind.BUNDLE)
    if sum(kind is InputKind.BUNDLE for kind in found.kinds.values()) > 1:
        unset.add(InputKind.BUNDLE)
    if InputKind.INVENTORY in kinds:
        # A plan of the same VMs is a change to them, which `netplan diff` shows.
        unset.add(InputKind.TERRAFORM_PLAN)
    if InputKind.FLOW_LOGS in kinds:
        unset.add(InputKind.RATES)
    for path, kind, count in find.gathered(folder, found):
        setting = "" if kind in unset else _SETTINGS[kind]
        place = path.relative_to(folder).as_posix()
        yield FoundInput(path=place, kind=kind, file_count=count, setting=setting)


def _values(inputs: tuple[FoundInput, ...], *, is_set: bool) -> dict[str, tuple[str, ...]]:
    """Return the paths by setting: of what is set, or of what was found and is not."""
    held: dict[str, tuple[str, ...]] = {}
    for one in inputs:
        setting = _SETTINGS.get(one.kind)
        if setting is not None and bool(one.setting) is is_set:
            held[setting] = (*held.get(setting, ()), one.path)
    return held


def _commands(
    folder: Path, inputs: tuple[FoundInput, ...], projects: tuple[str, ...], *, can_audit: bool
) -> Iterator[str]:
    """Yield what to run next."""
    kinds = {one.kind for one in inputs}
    if folder.resolve() != Path.cwd():
        yield shlex.join(("cd", str(folder)))
    if not can_audit:
        if InputKind.TERRAFORM_SOURCE in kinds:
            yield "terraform plan -out=tfplan && terraform show -json tfplan > plan.json"
        yield "netplan init --force --project PROJECT"
        return
    if not any(one.setting for one in inputs):
        yield shlex.join(("netplan", "doctor", *(f"--project={one}" for one in projects)))
    yield "netplan audit"
    plans = [one for one in inputs if one.kind is InputKind.TERRAFORM_PLAN and not one.setting]
    if sum(one.file_count for one in plans) == 1:
        yield shlex.join(("netplan", "diff", plans[0].path))
    else:
        yield "netplan config show"
