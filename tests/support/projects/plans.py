"""Made Terraform plans: resources with what is known after apply, and their configuration."""

import json
import re
from pathlib import Path
from typing import Any

from netplan_planner.model import Inventory
from netplan_planner.readers import read_inventory

Json = dict[str, Any]

PROVIDER = {"google": {"name": "google", "expressions": {}}}


def change(
    address: str,
    after: Json | None,
    unknown: Json | None = None,
    actions: tuple[str, ...] = ("create",),
    before: Json | None = None,
) -> Json:
    """One entry of `resource_changes`; its parts follow from the address."""
    module, _, resource = address.rpartition("google_")
    kind, _, rest = f"google_{resource}".partition(".")
    name, _, key = rest.partition("[")
    found: Json = {
        "address": address,
        "mode": "data" if module.endswith("data.") else "managed",
        "type": kind,
        "name": name,
        "change": {
            "actions": list(actions),
            "before": before,
            "after": after,
            "after_unknown": unknown or {},
        },
    }
    if module.startswith("module."):
        found["module_address"] = re.sub(r"\.(data\.)?\Z", "", module)
    if key:
        text = key.removesuffix("]")
        found["index"] = text.strip('"') if text.startswith('"') else int(text)
    return found


def configured(kind: str, name: str, **expressions: Any) -> Json:
    """One resource of a configuration."""
    return {"mode": "managed", "type": kind, "name": name, "expressions": expressions}


def refers(*references: str) -> Json:
    """The expression that mentions these."""
    return {"references": list(references)}


def plan(
    *changes: Json,
    resources: tuple[Json, ...] = (),
    calls: Json | None = None,
    provider: Json | None = None,
    **more: Any,
) -> Json:
    """A plan of format 1.2."""
    return {
        "format_version": "1.2",
        "terraform_version": "1.11.4",
        "resource_changes": list(changes),
        "configuration": {
            "provider_config": provider or PROVIDER,
            "root_module": {"resources": list(resources), "module_calls": calls or {}},
        },
        **more,
    }


def machine(name: str, **fields: Any) -> Json:
    """The attributes of a machine that are always known."""
    return {
        "name": name,
        "project": "p",
        "zone": "us-central1-a",
        "machine_type": "n2-standard-8",
        "network_interface": [{"network": "default", "access_config": []}],
        **fields,
    }


def read_plan(folder: Path, value: object, name: str = "plan.json") -> Inventory:
    """Return what a plan or state in a folder reads to."""
    path = folder / name
    path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return read_inventory([path])


def lost(inventory: Inventory) -> list[tuple[str | None, str]]:
    """Return field and reason of what was not read and is missing."""
    return [(one.field, one.reason) for one in inventory.unread if not one.is_needless]
