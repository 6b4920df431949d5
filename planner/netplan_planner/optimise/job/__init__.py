"""The cheapest machines for a job that ends, by type and count."""

from netplan_planner.optimise.job.plan import plan_job

__all__ = ["plan_job"]
