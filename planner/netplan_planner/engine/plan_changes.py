"""The commands of plans, quoted and complete; the user runs them, netplan never does."""

import shlex

from netplan_planner.model import Fix, Instruction
from netplan_planner.model.changes import PlanChange, TerraformChange

MOVING = "https://cloud.google.com/compute/docs/instances/moving-instance-across-zones"
MACHINE_IMAGES = "https://cloud.google.com/compute/docs/machine-images/create-machine-images"


def move_to_zone(number: int, name: str, before: str, after: str, project: str = "") -> PlanChange:
    """Return the step that moves a machine to another zone by a machine image.

    The documented way (docs.cloud.google.com/compute/docs/instances/moving-instance-across-zones):
    an image of the stopped machine, another machine from it, the old one kept until that serves.

    Args:
        number: Of the step.
        name: Of the machine.
        before: The zone where it stands.
        after: The zone where it is to stand.
        project: Empty: the one that gcloud is set to.
    """
    image = f"{name[:50]}-to-{after[-1:]}"

    def gcloud(*words: str) -> str:
        return shlex.join(
            ["gcloud", "compute", *words, *([f"--project={project}"] * bool(project))]
        )

    fix = Fix(
        text=f"Move {name} from {before} to {after} by a machine image",
        label=f"move to {after}",
        commands=(
            gcloud("instances", "stop", name, f"--zone={before}"),
            gcloud(
                *("machine-images", "create", image, f"--source-instance={name}"),
                f"--source-instance-zone={before}",
            ),
            gcloud(
                "instances", "create", name, f"--zone={after}", f"--source-machine-image={image}"
            ),
        ),
        verify=Instruction(
            text=f"{name} runs in {after} and serves.",
            commands=(
                gcloud("instances", "describe", name, f"--zone={after}", "--format=value(status)"),
            ),
        ),
        clean_up=Instruction(
            text="Only then: the old machine and the image, which cost as long as they exist.",
            commands=(
                gcloud("instances", "delete", name, f"--zone={before}"),
                gcloud("machine-images", "delete", image),
            ),
        ),
        undo=Instruction(
            text="As long as the old machine is there: the new one away, the old one on.",
            commands=(
                gcloud("instances", "delete", name, f"--zone={after}"),
                gcloud("instances", "start", name, f"--zone={before}"),
            ),
        ),
        documents=(MOVING, MACHINE_IMAGES),
        caution="It is stopped meanwhile, and gets other addresses: internal ones too, as the old"
        " machine keeps its own. Local SSDs are not carried over.",
    )
    terraform = TerraformChange(
        resource="google_compute_instance",
        name=name,
        attribute="zone",
        before=before,
        after=after,
        replaces=True,
        note="Terraform destroys the machine with its boot disk: make the image first, and create"
        " from it (google_compute_instance_from_machine_image).",
    )
    return PlanChange(number=number, subject=name, fix=fix, terraform=(terraform,))
