"""An answer as one HTML file that asks nobody for anything: what to do first, pictures, sources.

It holds its style, its script and its pictures, and a Content-Security-Policy that allows nothing
else. Without scripts all of it can be read; with them tables sort and findings can be filtered.
"""

from netplan_planner.model import Report
from netplan_planner.renderers.html import audit
from netplan_planner.renderers.html.answers import render_answer
from netplan_planner.renderers.options import RenderOptions

__all__ = ["render"]


def render(answer: object, options: RenderOptions) -> str:
    """Return the whole page; every text of it has gone through `say`."""
    if isinstance(answer, Report):
        return audit.render(answer, options)
    return render_answer(answer, options)
