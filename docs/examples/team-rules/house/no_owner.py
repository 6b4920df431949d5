"""VMs without the label `owner`: change what is checked."""

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
