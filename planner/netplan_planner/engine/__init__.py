"""The one place that knows every stage; it knows no flag, file format or colour."""

from netplan_planner.engine.audit import run_audit
from netplan_planner.engine.demos import demo_names
from netplan_planner.engine.request import AuditRequest

__all__ = ["AuditRequest", "demo_names", "run_audit"]
