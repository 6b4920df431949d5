"""A report as one HTML file that asks nobody for anything: what to do first, pictures, sources.

It holds its style, its script and its pictures, and a Content-Security-Policy that allows nothing
else. Without scripts all of it can be read; with them tables sort and findings can be filtered.
"""

from netplan_planner.renderers.html.answers import render_job_plan, render_machine_plan
from netplan_planner.renderers.html.audit import render

__all__ = ["render", "render_job_plan", "render_machine_plan"]
