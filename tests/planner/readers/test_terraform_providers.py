"""Where a machine of a module is: what its provider gives, in plans of old and new Terraform."""

from pathlib import Path
from typing import Any

import pytest

from netplan_planner.model import Inventory
from support.listed import listed
from support.projects.plans import Json, change, configured, lost, machine, plan, read_plan, refers

INSTANCE, ADDRESS = "google_compute_instance", "google_compute_address"
UNKNOWN = {"project": True, "zone": True, "region": True}
PLACELESS = {k: v for k, v in machine("vm").items() if k not in {"project", "zone"}}
"""A machine that states neither project nor zone."""


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


def given(provider: Json, calls: Json, path: str = "module.vm", **more: Any) -> Json:
    return plan(
        change(f"{path}.{INSTANCE}.x", PLACELESS, UNKNOWN),
        change(f"{path}.{ADDRESS}.x", {"name": "ip", "address_type": "EXTERNAL"}, UNKNOWN),
        provider=provider,
        calls=calls,
        **more,
    ) | {"format_version": "0.2", "terraform_version": "1.0.11"}


def placed(inventory: Inventory) -> tuple[str, str]:
    """Return where the machine and the address are."""
    ((one,), (other,)) = inventory.instances, inventory.addresses
    links = one.ref.self_link, other.ref.self_link
    return links[0].removesuffix("/instances/vm"), links[1].removesuffix("/addresses/ip")


ROOT = {"project": "p", "region": "us-east1", "zone": "us-east1-b"}
WEST = {"project": "p", "region": "us-west1", "zone": "us-west1-a"}
BETA = {"project": "beta", "region": "us-west1", "zone": "us-west1-a"}
PLACED = ("projects/p/zones/us-east1-b", "projects/p/regions/us-east1")
PLACED_WEST = ("projects/p/zones/us-west1-a", "projects/p/regions/us-west1")
OWN = block(module="module.vm")
PROVIDERS: dict[str, tuple[Json, str, tuple[str, str]]] = {
    # Up to 1.0 a resource names its own module, which has no block, or one that is empty.
    "0.12": ({"google": block(**ROOT)}, "vm:google", PLACED),
    "required": ({"google": block(**ROOT), "module.vm:google": OWN}, "vm:google", PLACED),
    "1.1": ({"google": block(**ROOT)}, "google", PLACED),
    "a block in the module goes before that of the root": (
        {
            "google": block(**ROOT),
            "module.vm:google": block(module="module.vm", project="q", zone="europe-west4-a"),
        },
        "vm:google",
        # It has no region: that of its zone counts.
        ("projects/q/zones/europe-west4-a", "projects/q/regions/europe-west4"),
    ),
    "beta is a provider of its own": (
        {"google": block(**ROOT), "google-beta": block("google-beta", **BETA)},
        "vm:google-beta",
        ("projects/beta/zones/us-west1-a", "projects/beta/regions/us-west1"),
    ),
    "one under another name is known by what it is": (
        {"gcp": block(**ROOT) | {"name": "gcp"}, "module.vm:google": OWN},
        "vm:google",
        PLACED,
    ),
    # Since 1.1 a call's `providers` shows as the key of the resource.
    "an alias is the block that a resource names": (
        {"google": block(**ROOT), "google.west": block(alias="west", **WEST)},
        "google.west",
        PLACED_WEST,
    ),
    "what all blocks give alike is known": (
        {
            "google": block(project="p", zone="us-east1-b"),
            "google.west": block(alias="west", project="q", zone="us-east1-b"),
        },
        "vm:google",
        ("projects/(unknown)/zones/us-east1-b", "projects/(unknown)/regions/us-east1"),
    ),
}


@listed("name", PROVIDERS)
def test_a_module_takes_its_provider(tmp_path: Path, name: str) -> None:
    provider, key, places = PROVIDERS[name]
    inventory = read_plan(tmp_path, given(provider, nested("vm", key=key)))
    assert placed(inventory) == places
    assert lost(inventory) == []


def test_a_module_in_a_module_and_its_instances_too(tmp_path: Path) -> None:
    """Terraform names the innermost module alone."""
    calls = nested("outer", "vm", key="vm:google")
    made = given({"google": block(**ROOT)}, calls, 'module.outer["a.b"].module.vm[0]')
    assert placed(read_plan(tmp_path, made)) == PLACED


@listed("key", ["vm:google", "vm:google.west", "vm:google.other"])
@listed("has_default", [True, False])
def test_which_of_several_blocks_a_module_is_given_is_not_guessed(
    tmp_path: Path, key: str, has_default: bool
) -> None:
    """Up to 1.0 no plan has a call's `providers`."""
    provider = {"google.west": block(alias="west", **WEST)}
    if has_default:
        provider["google"] = block(**ROOT)
    inventory = read_plan(tmp_path, given(provider, nested("vm", key=key)))
    assert (inventory.instances, inventory.addresses) == ((), ())
    why = "which provider block its module uses (google, google.west) is not in the plan"
    said = [f"its region is unknown: {why}", f"its zone is unknown: {why}"]
    assert lost(inventory) == [(None, one) for one in said]


VARIABLES = {
    "zone": {"value": "us-east1-b"},
    "region": {"value": "us-east1"},
    "place": {"value": {"zone": "us-east1-c"}},
    "zones": {"value": {"a": "us-east1-d"}},
}


@listed(
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
    provider = {"google": block(zone=expression, region="us-east1")}
    made = given(provider, nested("vm", key="vm:google"), variables=VARIABLES)
    root = made["configuration"]["root_module"]
    root["variables"] = {"default": {"default": "us-east4-a"}}
    inventory = read_plan(tmp_path, made)
    assert [one.zone for one in inventory.instances] == ([zone] if zone else [])
    reasons = [reason for _, reason in lost(inventory) if "zone" in reason]
    assert reasons == ([] if zone else ["its zone is unknown"])


@listed(
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
    default = {"zone": {"default": "us-east4-a"}}
    arguments = {"zone": argument} if argument else {}
    calls = nested("vm", key="vm:google", arguments=arguments, variables=default)
    provider = {"module.vm:google": block(module="module.vm", zone=refers("var.zone"))}
    made = given(provider, calls, variables={"place": {"value": "us-east1-d"}})
    inventory = read_plan(tmp_path, made)
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
        change(f"{INSTANCE}.vm", PLACELESS, {"zone": True, "project": True}),
        resources=(configured(INSTANCE, "vm", zone=expression),),
        provider={"google": block(**ROOT)},
    )
    made["configuration"]["root_module"]["variables"] = {"none": {}}
    inventory = read_plan(tmp_path, made)
    assert lost(inventory) == ([(None, "its zone is known after apply")] if is_lost else [])
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
    made = given(provider, nested(*names, key="m59:google"), path)
    assert placed(read_plan(tmp_path, made)) == PLACED
