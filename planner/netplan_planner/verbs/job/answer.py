"""The answer of `netplan job`."""

from netplan_planner.model import JobPlan
from netplan_planner.model.plans.plan_answer import PlanAnswer, PlanChanges


class JobAnswer(PlanAnswer, frozen=True, kw_only=True):
    """The plan in short, all of it, and what it is based on."""

    is_feasible: bool
    """Whether there are machines for every job."""
    jobs: tuple[JobPlan, ...]
    changes: PlanChanges
    """The machines of each job, as steps for gcloud and Terraform."""
