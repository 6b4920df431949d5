"""Where a machine of a module is: what its provider gives, in plans of old and new Terraform."""

import json
from pathlib import Path
from typing import Any

import pytest

from netplan_planner.model import Inventory
from netplan_planner.readers import read_inventory
from support.projects.plans import change, configured, machine, plan, refers

INSTANCE, ADDRESS = "google_compute_instance", "google_compute_address"
Json = dict[str, Any]


def read(folder: Path, value: object) -> Inventory:
    path = folder / "plan.json"
    path.write_text(json.dumps(value), encoding="utf-8")
    return read_inventory([path])


def lost(inventory: Inventory) -> list[str]:
    return [one.reason for one in inventory.unread if not one.is_needless]


def bare(name: str) -> Json:
    """A machine that states neither project nor zone."""
    return {k: v for k, v in machine(name).items() if k not in {"project", "zone"}}


def block(name: str = "google", alias: str = "", module: str = "", **given: Any) -> Json:
    """A provider block; texts are constants, the rest expressions."""
    expressions = {
        field: {"constant_value": value} if isinstance(value, str) else value
        for field, value in given.items()
    }
    found: Json = {"name": name, "full_name": f"registry.terraform.io/hashicorp/{name}"}
    found |= {"alias": alias} if alias else {}
    found |= {"module_address": module} if module else {}
    return found | ({"expressions": expressions} if expressions else {})


def nested(*names: str, key: str, arguments: Json | None = None, **more: Any) -> Json:
    """Calls of modules within modules; in the innermost stand a machine and an address."""
    own = [configured(kind, "x") | {"provider_config_key": key} for kind in (INSTANCE, ADDRESS)]
    module: Json = {"resources": own, **more}
    for name in reversed(names):
        module = {"module_calls": {name: {"module": module, "expressions": arguments or {}}}}
    calls: Json = module["module_calls"]
    return calls


def given(provider: Json, calls: Json, path: str, **more: Any) -> Json:
    unknown = {"project": True, "zone": True, "region": True}
    return plan(
        change(f"{path}.{INSTANCE}.x", bare("vm"), unknown),
        change(f"{path}.{ADDRESS}.x", {"name": "ip", "address_type": "EXTERNAL"}, unknown),
        provider=provider,
        calls=calls,
        **more,
    ) | {"format_version": "0.2", "terraform_version": "1.0.11"}


def placed(inventory: Inventory) -> tuple[str, str]:
    ((one,), (other,)) = inventory.instances, inventory.addresses
    return one.ref.self_link, other.ref.self_link


ROOT = {"project": "p", "region": "us-east1", "zone": "us-east1-b"}
PLACED = (
    "projects/p/zones/us-east1-b/instances/vm",
    "projects/p/regions/us-east1/addresses/ip",
)


@pytest.mark.parametrize("form", ["0.12", "with required_providers", "1.1"])
def test_a_module_takes_the_provider_of_the_root_module(tmp_path: Path, form: str) -> None:
    """Up to 1.0 a resource names its own module, which has no block, or one that is empty."""
    provider = {"google": block(**ROOT)}
    key = "google" if form == "1.1" else "vm:google"
    if form == "with required_providers":
        provider["module.vm:google"] = block(module="module.vm")
    inventory = read(tmp_path, given(provider, nested("vm", key=key), "module.vm"))
    assert placed(inventory) == PLACED
    assert lost(inventory) == []


def test_a_module_in_a_module_and_its_instances_too(tmp_path: Path) -> None:
    """Terraform names the innermost module alone."""
    calls = nested("outer", "vm", key="vm:google")
    inventory = read(
        tmp_path, given({"google": block(**ROOT)}, calls, 'module.outer["a.b"].module.vm[0]')
    )
    assert placed(inventory) == PLACED


def test_a_block_in_the_module_goes_before_that_of_the_root(tmp_path: Path) -> None:
    own = block(module="module.vm", project="q", zone="europe-west4-a")
    provider = {"google": block(**ROOT), "module.vm:google": own}
    inventory = read(tmp_path, given(provider, nested("vm", key="vm:google"), "module.vm"))
    assert placed(inventory) == (
        "projects/q/zones/europe-west4-a/instances/vm",
        # It has no region: that of its zone counts.
        "projects/q/regions/europe-west4/addresses/ip",
    )


def test_beta_is_a_provider_of_its_own(tmp_path: Path) -> None:
    beta = block("google-beta", project="beta", zone="us-west1-a", region="us-west1")
    provider = {"google": block(**ROOT), "google-beta": beta}
    inventory = read(tmp_path, given(provider, nested("vm", key="vm:google-beta"), "module.vm"))
    assert placed(inventory)[0] == "projects/beta/zones/us-west1-a/instances/vm"


def test_a_provider_under_another_name_is_known_by_what_it_is(tmp_path: Path) -> None:
    root = block(**ROOT) | {"name": "gcp"}
    provider = {"gcp": root, "module.vm:google": block(module="module.vm")}
    inventory = read(tmp_path, given(provider, nested("vm", key="vm:google"), "module.vm"))
    assert placed(inventory) == PLACED


WEST = {"project": "p", "region": "us-west1", "zone": "us-west1-a"}


def test_an_alias_is_the_block_that_a_resource_names(tmp_path: Path) -> None:
    """Since 1.1 a call's `providers` shows as the key of the resource."""
    provider = {"google": block(**ROOT), "google.west": block(alias="west", **WEST)}
    inventory = read(tmp_path, given(provider, nested("vm", key="google.west"), "module.vm"))
    assert placed(inventory)[0] == "projects/p/zones/us-west1-a/instances/vm"


@pytest.mark.parametrize("key", ["vm:google", "vm:google.west", "vm:google.other"])
@pytest.mark.parametrize("has_default", [True, False])
def test_which_of_several_blocks_a_module_is_given_is_not_guessed(
    tmp_path: Path, key: str, has_default: bool
) -> None:
    """Up to 1.0 no plan has a call's `providers`."""
    provider = {"google.west": block(alias="west", **WEST)}
    if has_default:
        provider["google"] = block(**ROOT)
    inventory = read(tmp_path, given(provider, nested("vm", key=key), "module.vm"))
    assert (inventory.instances, inventory.addresses) == ((), ())
    why = "which provider block its module uses (google, google.west) is not in the plan"
    assert lost(inventory) == [f"its region is not known: {why}", f"its zone is not known: {why}"]


def test_what_all_blocks_give_alike_is_known(tmp_path: Path) -> None:
    provider = {
        "google": block(project="p", zone="us-east1-b"),
        "google.west": block(alias="west", project="q", zone="us-east1-b"),
    }
    inventory = read(tmp_path, given(provider, nested("vm", key="vm:google"), "module.vm"))
    assert placed(inventory)[0] == "projects/(unknown)/zones/us-east1-b/instances/vm"


@pytest.mark.parametrize(
    ("expression", "zone"),
    [
        (refers("var.zone"), "us-east1-b"),
        (refers("var.place.zone", "var.place"), "us-east1-c"),
        (refers('var.zones["a"]', "var.zones"), "us-east1-d"),
        (refers("var.default"), "us-east4-a"),
        # A text that is put together of the variable.
        (refers("var.region"), None),
        (refers("local.zone"), None),
        (refers("var.zone", "var.region"), None),
    ],
)
def test_a_provider_takes_values_of_variables(
    tmp_path: Path, expression: Json, zone: str | None
) -> None:
    made = given(
        {"google": block(zone=expression, region="us-east1")},
        nested("vm", key="vm:google"),
        "module.vm",
        variables={
            "zone": {"value": "us-east1-b"},
            "region": {"value": "us-east1"},
            "place": {"value": {"zone": "us-east1-c"}},
            "zones": {"value": {"a": "us-east1-d"}},
        },
    )
    root = made["configuration"]["root_module"]
    root["variables"] = {"default": {"default": "us-east4-a"}}
    inventory = read(tmp_path, made)
    assert [one.zone for one in inventory.instances] == ([zone] if zone else [])
    assert [reason for reason in lost(inventory) if "zone" in reason] == (
        [] if zone else ["its zone is not known"]
    )


@pytest.mark.parametrize(
    ("argument", "zone"),
    [
        ({"constant_value": "us-east1-b"}, "us-east1-b"),
        (refers("var.place"), "us-east1-d"),
        (refers("data.google_compute_zones.z.names", "data.google_compute_zones.z"), None),
        (None, "us-east4-a"),
    ],
)
def test_a_block_in_a_module_takes_what_the_call_gives(
    tmp_path: Path, argument: Json | None, zone: str | None
) -> None:
    calls = nested(
        "vm",
        key="vm:google",
        arguments={"zone": argument} if argument else {},
        variables={"zone": {"default": "us-east4-a"}},
    )
    provider = {"module.vm:google": block(module="module.vm", zone=refers("var.zone"))}
    variables = {"place": {"value": "us-east1-d"}}
    inventory = read(tmp_path, given(provider, calls, "module.vm", variables=variables))
    assert [one.zone for one in inventory.instances] == ([zone] if zone else [])


@pytest.mark.parametrize(
    ("expression", "is_lost"),
    [(refers("random_shuffle.z.result", "random_shuffle.z"), True), (refers("var.none"), False)],
)
def test_a_zone_that_is_known_later_is_not_that_of_the_provider(
    tmp_path: Path, expression: Json, is_lost: bool
) -> None:
    """A variable that is null leaves it to the provider."""
    made = plan(
        change(f"{INSTANCE}.vm", bare("vm"), {"zone": True, "project": True}),
        resources=(configured(INSTANCE, "vm", zone=expression),),
        provider={"google": block(**ROOT)},
    )
    made["configuration"]["root_module"]["variables"] = {"none": {}}
    inventory = read(tmp_path, made)
    assert lost(inventory) == (["its zone is known after apply"] if is_lost else [])
    assert len(inventory.instances) == (0 if is_lost else 1)


def test_many_aliases_in_many_modules_are_looked_at_once(tmp_path: Path) -> None:
    """Blocks that say nothing, in each of 60 modules within each other."""
    names = [f"m{number}" for number in range(60)]
    provider = {"google": block(**ROOT)}
    for end in range(1, len(names) + 1):
        address = ".".join(f"module.{name}" for name in names[:end])
        for alias in ("", "a", "b", "c"):
            provider[f"{address}:google{alias}"] = block(alias=alias, module=address)
    path = ".".join(f"module.{name}" for name in names)
    inventory = read(tmp_path, given(provider, nested(*names, key="m59:google"), path))
    assert placed(inventory) == PLACED
