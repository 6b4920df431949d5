"""Steps of plans: gcloud takes their commands, and each can be seen, cleaned up and undone."""

import shlex
from decimal import Decimal

from msgspec.structs import replace

from netplan_planner.model import (
    BandwidthTier,
    InstanceGroup,
    Network,
    NetworkInterface,
    ProjectId,
    ResourceRef,
    SelfLink,
    Zone,
)
from netplan_planner.model.plans.plan_answer import PlanChange
from netplan_planner.planning.steps import by_hand, in_order
from netplan_planner.planning.steps.by_image import (
    as_spot,
    move_to_zone,
    with_interfaces,
    with_tier1,
    with_type,
)
from netplan_planner.planning.steps.commitments import buy_flexible, buy_for_resources
from netplan_planner.planning.steps.machine_changes import change_group, change_tier, change_type
from netplan_planner.planning.steps.runs import machines_for_run, names_of
from netplan_planner.renderers.figures import shown
from support.commands.gcloud import commands_in, faults_of
from support.listed import listed
from support.rules.facts import NETWORK, machine

WEB = machine("web")
OUTSIDE = NetworkInterface(
    name="nic0",
    network=NETWORK,
    subnetwork=SelfLink("projects/p/regions/us-central1/subnetworks/apps"),
    external_ipv4="34.1.2.3",
    access_config_name="External NAT",
    network_tier="PREMIUM",
    nic_type="VIRTIO_NET",
)
FRONT = replace(WEB, interfaces=(OUTSIDE,))
GROUP = InstanceGroup(
    ref=ResourceRef(self_link=SelfLink("projects/p/zones/us-central1-a/instanceGroupManagers/g")),
    project=ProjectId("p"),
    name="g",
    is_managed=True,
    is_regional=False,
    location="us-central1-a",
    template=SelfLink("projects/p/global/instanceTemplates/g-1"),
)
NET = Network(
    ref=ResourceRef(self_link=NETWORK), project=ProjectId("p"), name="default", mtu_bytes=1460
)
MANY = [machine(f"m-{number}") for number in range(60)]
STEPS = {
    "zone": move_to_zone(WEB, Zone("us-central1-b")),
    "region": move_to_zone(WEB, Zone("us-east1-b")),
    "tier1": with_tier1(FRONT, is_on=True),
    "tier1-as-other": with_tier1(WEB, is_on=True, machine_type="n2-standard-32"),
    "no-tier1": with_tier1(replace(WEB, bandwidth_tier=BandwidthTier.TIER_1), is_on=False),
    "spot": as_spot(WEB),
    "new-machine": with_type(WEB, "t2a-standard-8", "Another architecture: another image."),
    "type": change_type(WEB, "n2-standard-4"),
    "platform": change_type(WEB, "n2-standard-16", "Intel Ice Lake"),
    "of-stopped": change_type(replace(WEB, status="TERMINATED"), "n2-standard-4"),
    "group": change_group(GROUP, "n2-standard-4", before="n2-standard-8"),
    "regional-group": change_group(
        replace(GROUP, is_regional=True, location="us-central1", template=None),
        "n2-standard-32",
        is_tier1=True,
    ),
    "commitment": buy_for_resources("n2", "us-central1", 1, 48, Decimal("192.5"), "p"),
    "unknown-commitment": buy_for_resources("x4", "us-central1", 3, 48, Decimal(192), "p"),
    "flexible": buy_flexible(3, Decimal("1.25")),
    "run": machines_for_run(names_of("job", 3), "us-central1-a", "c3-highcpu-8", project="p"),
    "spot-run": machines_for_run(
        ("job",),
        "us-central1-a",
        "n2-standard-32",
        project="p",
        is_spot=True,
        is_tier1=True,
        cpu_platform="Intel Ice Lake",
    ),
    "run-inside": machines_for_run(
        ("job",),
        "us-central1-a",
        "n2-standard-32",
        project="p",
        is_tier1=True,
        has_address=False,
    ),
    "run-outside": machines_for_run(
        ("job",), "us-central1-a", "n2-standard-8", project="p", network_tier="STANDARD"
    ),
    "network-tier": change_tier(FRONT, OUTSIDE, "STANDARD"),
    "nic": with_interfaces(FRONT, "GVNIC"),
    "type-and-nic": with_type(FRONT, "n1-standard-8", "", "GVNIC"),
    "mtu": by_hand.change_mtu(NET, 8896, MANY, ["g"]),
    "inside": by_hand.call_inside(FRONT, WEB.interfaces[0], [WEB], "34.1.2.3", None),
    "outside": by_hand.call_outside(FRONT, [WEB], "34.1.2.3"),
    "plugin": by_hand.change_plugin([WEB], "calico"),
}
IN_CONFIGURATION = {"inside", "outside", "plugin"}
"""Those for which Google Cloud has no command, and Terraform no attribute."""
BY_HAND = {"unknown-commitment", "flexible"} | IN_CONFIGURATION
"""Those that no command makes."""


@listed("kind", STEPS)
def test_gcloud_takes_the_commands_and_each_can_be_seen_and_undone(kind: str) -> None:
    fix = STEPS[kind].fix
    assert bool(fix.commands) is (kind not in BY_HAND)
    for text in commands_in(fix):
        assert faults_of(text) == [], text
    # Each is shown to work and says the way back.
    step = STEPS[kind]
    assert step.fix.verify is not None
    assert step.fix.undo is not None
    assert step.fix.caution
    assert step.subject
    assert bool(step.terraform) is (kind not in {"flexible"} | IN_CONFIGURATION)


def made(step: PlanChange) -> str:
    """Return the command that makes the new machine."""
    (text,) = (text for text in step.fix.commands if " instances create " in text)
    return text


def test_a_machine_keeps_its_name_in_another_zone_alone() -> None:
    moved = shlex.split(made(STEPS["zone"]))
    assert moved[4] == "web"
    assert "--zone=us-central1-b" in moved
    assert shlex.split(made(STEPS["tier1"]))[4] == "web-tier1"
    # The old one is stopped before its image, and deleted only at the end.
    fix = STEPS["zone"].fix
    assert " stop web" in fix.commands[0]
    assert " machine-images create " in fix.commands[1]
    assert not any(" delete " in text for text in fix.commands)
    assert fix.clean_up is not None
    assert "instances delete web --zone=us-central1-a" in fix.clean_up.commands[0]


def test_another_region_needs_a_subnetwork_of_its_own() -> None:
    assert "subnet" in shown(STEPS["region"].fix.caution)
    assert "subnet" not in shown(STEPS["zone"].fix.caution)
    there = SelfLink("projects/p/regions/us-east1/subnetworks/east")
    known = move_to_zone(FRONT, Zone("us-east1-b"), [replace(OUTSIDE, subnetwork=there)])
    assert "Subnetworks are of a region" not in shown(known.fix.caution)
    assert (
        "--network-interface=network=default,subnet=east,network-tier=PREMIUM,nic-type=VIRTIO_NET"
        in made(known)
    )


def test_tier1_brings_gvnic_and_keeps_the_interface() -> None:
    words = shlex.split(made(STEPS["tier1"]))
    assert (
        "--network-interface=network=default,subnet=apps,network-tier=PREMIUM,nic-type=GVNIC"
        in words
    )
    inside = replace(FRONT, interfaces=(replace(OUTSIDE, nic_type="GVNIC"),))
    assert "--network-interface" not in made(with_tier1(inside, is_on=True))
    closed = replace(OUTSIDE, external_ipv4=None, access_config_name=None)
    words = shlex.split(made(with_tier1(replace(FRONT, interfaces=(closed,)), is_on=True)))
    assert "--network-interface=network=default,subnet=apps,no-address,nic-type=GVNIC" in words
    # Taking it away is a new machine too.
    assert "total-egress-bandwidth-tier=DEFAULT" in made(STEPS["no-tier1"])
    (change,) = STEPS["no-tier1"].terraform
    assert (change.before, change.after, change.replaces) == ("TIER_1", "DEFAULT", True)


def test_a_type_is_changed_on_a_stopped_machine_and_given_back() -> None:
    fix = STEPS["type"].fix
    assert [text.split()[3] for text in fix.commands] == ["stop", "set-machine-type", "start"]
    assert fix.undo is not None
    assert "--machine-type=n2-standard-8" in fix.undo.commands[1]
    stopped = STEPS["of-stopped"].fix
    assert [text.split()[3] for text in stopped.commands] == ["set-machine-type"]


def test_a_group_is_rolled_to_a_new_template_and_back_to_the_old_one() -> None:
    fix = STEPS["group"].fix
    assert "--version=template=g-n2-standard-4" in fix.commands[0]
    assert fix.undo is not None
    assert "--version=template=g-1" in fix.undo.commands[0]
    assert "--region=us-central1" in STEPS["regional-group"].fix.commands[0]


def test_a_commitment_states_whole_mebibytes_and_has_no_way_back() -> None:
    fix = STEPS["commitment"].fix
    assert "vcpu=48,memory=197120MB" in fix.commands[0]
    assert "--type=general-purpose-n2" in fix.commands[0]
    assert fix.undo is not None
    assert fix.undo.commands == ()


def test_what_a_run_makes_is_what_is_deleted_after_it() -> None:
    fix = STEPS["run"].fix
    assert "--predefined-names=job-1,job-2,job-3" in fix.commands[0]
    assert fix.clean_up is not None
    assert "instances delete job-1 job-2 job-3" in fix.clean_up.commands[0]
    assert "--provisioning-model=SPOT" in STEPS["spot-run"].fix.commands[0]
    # Many machines are made a few at a time.
    fix = machines_for_run(names_of("job", 600), "us-central1-a", "c3-highcpu-8").fix
    assert max(map(len, fix.commands)) < 1000
    assert fix.clean_up is not None
    assert len(fix.commands) == len(fix.clean_up.commands) == 24


def test_steps_are_numbered_in_their_order() -> None:
    changes = in_order([STEPS["type"], STEPS["zone"]], "types first")
    assert [(step.number, step.fix.label) for step in changes.steps] == [
        (1, "n2-standard-4"),
        (2, "move to us-central1-b"),
    ]
    assert changes.order == "types first"
    assert in_order([], "types first").order == ""


def test_images_of_machines_of_one_name_are_told_apart() -> None:
    """Images are of a project: two zones may hold a machine of the same name, and send it on."""
    other = replace(WEB, zone=Zone("us-central1-f"))
    long_names = [replace(WEB, name=f"{'w' * 60}-{at}") for at in (1, 2)]
    steps = [move_to_zone(one, Zone("us-central1-c")) for one in (WEB, other, *long_names)]
    images = [step.fix.commands[1].split()[4] for step in steps]
    assert len(set(images)) == len(images)
    assert all(len(image) <= 63 for image in images)


def test_a_name_that_is_taken_in_the_other_zone_is_not_taken_again() -> None:
    step = move_to_zone(WEB, Zone("us-central1-b"), is_taken=True)
    assert step.fix.commands[2].split()[4] == f"web-from-{WEB.zone}"
    assert "Another VM in us-central1-b has its name" in shown(step.fix.caution)
    assert step.fix.undo is not None
    assert step.fix.undo.commands[0].split()[4] == f"web-from-{WEB.zone}"


def test_a_project_that_is_not_known_is_not_named() -> None:
    there = Zone("us-central1-b")
    steps = [move_to_zone(replace(WEB, project=name), there) for name in ("", "(unknown)")]
    steps.append(buy_for_resources("n2", "us-central1", 1, 48, Decimal(192), "(unknown)"))
    for step in steps:
        assert not any("--project" in text for text in commands_in(step.fix))


def test_no_command_takes_a_name_for_a_flag() -> None:
    zone, project = (replace(WEB, name=name) for name in ("--zone=x", "--project=evil"))
    steps = [move_to_zone(zone, Zone("us-central1-b")), with_interfaces(project, "GVNIC")]
    for step in (*steps, by_hand.change_mtu(NET, 8896, [project])):
        for text in commands_in(step.fix):
            assert not {zone.name, project.name} & {*shlex.split(text)}, text


def test_all_machines_of_a_network_stop_for_its_mtu_and_start_after_it() -> None:
    fix = STEPS["mtu"].fix
    assert [text.split()[3] for text in fix.commands] == ["stop"] * 3 + ["update"] + ["start"] * 3
    assert fix.undo is not None
    assert any("--mtu=1460" in text for text in fix.undo.commands)
    assert "Managed instance groups (g) restart their VMs" in shown(fix.caution)
    (change,) = STEPS["mtu"].terraform
    assert (change.before, change.after, change.replaces) == ("1460", "8896", False)
    unread = by_hand.change_mtu(replace(NET, mtu_bytes=None), 8896, MANY).fix.undo
    assert unread is not None
    assert unread.commands == ()


def test_an_interface_that_is_stated_keeps_its_tier_and_a_shared_network_its_path() -> None:
    host = SelfLink("projects/host/global/networks/shared")
    nic = replace(OUTSIDE, network_tier="STANDARD", network=host)
    words = shlex.split(made(with_interfaces(replace(FRONT, interfaces=(nic,)), "VIRTIO_NET")))
    assert (
        f"--network-interface=network={host},subnet=apps,network-tier=STANDARD,nic-type=VIRTIO_NET"
    ) in words


def test_what_is_made_again_is_not_called_by_its_old_address() -> None:
    text = by_hand.call_inside(
        FRONT, WEB.interfaces[0], [WEB], "34.1.2.3", None, is_made_again=True
    ).fix
    assert "10.0.0.1" not in text.text
    assert "earlier step" in text.text
