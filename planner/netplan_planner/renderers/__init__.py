"""Reports as text and as files: one module an output format, made from the same `Report`.

Nothing heavy is imported here; a format's module is imported when the format is asked for.
"""

from netplan_planner.renderers.options import ColourMode, RenderOptions
from netplan_planner.renderers.output import (
    RENDERERS,
    OutputSpec,
    any_of,
    check_outputs,
    parse_output,
    render,
    write_outputs,
)

__all__ = [
    "RENDERERS",
    "ColourMode",
    "OutputSpec",
    "RenderOptions",
    "any_of",
    "check_outputs",
    "parse_output",
    "render",
    "write_outputs",
]
