"""Optimisers: a need in, a plan or the reason why there is none out. No files, no printing."""

from netplan_planner.optimise.job import plan_job
from netplan_planner.optimise.machine_type import Chooser
from netplan_planner.optimise.vm_need import baseline_of, need_for_vm, with_baseline

__all__ = ["Chooser", "baseline_of", "need_for_vm", "plan_job", "with_baseline"]
