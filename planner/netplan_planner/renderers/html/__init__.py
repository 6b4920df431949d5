"""An answer as one HTML file that asks nobody for anything: what to do first, pictures, sources.

It holds its style, its script and its pictures, and a Content-Security-Policy that allows nothing
else. Without scripts all of it can be read; with them tables sort and findings can be filtered.
"""

from importlib import import_module
from importlib.util import find_spec

from netplan_planner.renderers.html.page import render_answer
from netplan_planner.renderers.options import RenderOptions

__all__ = ["render"]


def render(answer: object, options: RenderOptions) -> str:
    """Return the whole page: of `page` beside the answer where there is one, else of its blocks.

    Every text of it has gone through `say`.
    """
    own = f"{type(answer).__module__.rpartition('.')[0]}.page"
    if own.startswith("netplan_planner.verbs.") and find_spec(own):
        made: str = import_module(own).render(answer, options)
        return made
    return render_answer(answer, options)
