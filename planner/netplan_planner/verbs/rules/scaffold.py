"""A new rule of a team as files to change: a rule that works, its words, and two inventories."""

import json
import re
from pathlib import Path

from netplan_planner.errors import InputError, UsageError
from netplan_planner.inert import inert_line
from netplan_rules.registry import all_rules

_ASKED = re.compile(r"([a-z][a-z0-9]*)/([a-z][a-z0-9]*(?:-[a-z0-9]+)*)")
_MODULE = '''"""VMs without the label `owner`: change what is checked."""

from collections.abc import Iterator

from netplan_planner.model import Facts, Gap, Hit, Need, Severity, Work
from netplan_rules.base import rule_of
from netplan_rules.wording import vm_subject

RULE = rule_of(
    __name__,
    severity=Severity.LOW,
    needs=frozenset({Need.INVENTORY}),
    work=Work(
        effort="One command for each VM.",
        restart="None.",
        undo="Remove the label.",
        window="None.",
    ),
)


@RULE
def check(facts: Facts) -> Iterator[Hit | Gap]:
    """Yield each VM at fault; what cannot be judged is a `Gap`, never a pass."""
    for vm in facts.inventory.instances:
        if vm.label("owner") is None:
            yield Hit(
                resources=(vm.ref,),
                subject=vm_subject(vm),
                message=f"{vm.name} has no label owner",
                fix=RULE.fix(text=f"Set the label owner of {vm.name}."),
            )
'''
_WORDS = """title = "A VM has no label owner"
rationale = "Why it matters."
remediation = "What to do."
guards = "State when there is no finding."
references = ["https://cloud.google.com/compute/docs/labeling-resources"]
group_message = "{count} VMs have no label owner"
"""
_LINK = "https://www.googleapis.com/compute/v1/projects/example/zones/us-central1-a"


def new_rule(asked: str | None, folders: tuple[Path, ...]) -> str:
    """Write the files of a rule, and return what to do with them.

    Raises:
        UsageError: If the name cannot be one, or is there already.
        InputError: If a file cannot be written.
    """
    found = _ASKED.fullmatch(asked or "")
    if found is None or len(folders) != 1:
        raise UsageError("name the rule and one folder: netplan rules new AREA/ID --rules-path DIR")
    area, rule = found.groups()
    if any(check.rule.id == rule for check in all_rules()):
        raise UsageError(f"rules new {asked}: there is a rule {rule!r} already")
    folder = folders[0]
    module = folder / area / f"{rule.replace('-', '_')}.py"
    fixtures = folder / "fixtures" / rule
    texts = {module: _MODULE, module.with_suffix(".toml"): _WORDS}
    for name, labels in (("bad", {}), ("good", {"owner": "network"})):
        texts[fixtures / f"{name}.json"] = json.dumps([_vm(labels)], indent=2) + "\n"
    for path, text in texts.items():
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("x", encoding="utf-8") as file:
                file.write(text)
        except OSError as exc:
            shown = inert_line(str(path))
            raise InputError(f"{shown}: cannot be written: {exc.strerror}") from exc
    where = inert_line(str(folder))
    lines = [*(inert_line(str(path)) for path in texts), "Its page, and both cases:"]
    lines.append(f"netplan rules {rule} --rules-path {where}")
    lines += [
        f"netplan audit --rules-path {where} --select {rule} -o concise"
        f" --inventory {inert_line(str(fixtures / name))}.json"
        for name in ("bad", "good")
    ]
    return "\n".join(lines) + "\n"


def _vm(labels: dict[str, str]) -> dict[str, object]:
    """Return a VM as `gcloud compute instances list --format=json` prints it."""
    return {
        "kind": "compute#instance",
        "name": "vm-1",
        "selfLink": f"{_LINK}/instances/vm-1",
        "zone": _LINK,
        "machineType": f"{_LINK}/machineTypes/e2-medium",
        "status": "RUNNING",
        "labels": labels,
    }
