"""Optimisers: a need in, a plan or the reason why there is none out. No files, no printing."""

from netplan_planner.optimise.bill import machine_price
from netplan_planner.optimise.job import plan_job
from netplan_planner.optimise.machine_type import Chooser
from netplan_planner.optimise.recommended import with_price_age, with_traffic
from netplan_planner.optimise.vm_today import baseline_of, with_baseline

__all__ = [
    "Chooser",
    "baseline_of",
    "machine_price",
    "plan_job",
    "with_baseline",
    "with_price_age",
    "with_traffic",
]
