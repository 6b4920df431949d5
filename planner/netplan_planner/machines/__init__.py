"""What ties a machine to some types, and whether it can become another one."""

from netplan_planner.machines.become import (
    Fit,
    SeriesFacts,
    Verdict,
    can_become,
    generation_of,
    series_facts,
    ties_of,
    why_new_machine,
)
from netplan_planner.machines.size import STANDBY, SeenSize, SizeLimits, is_watched, seen_size

__all__ = [
    "STANDBY",
    "Fit",
    "SeenSize",
    "SeriesFacts",
    "SizeLimits",
    "Verdict",
    "can_become",
    "generation_of",
    "is_watched",
    "seen_size",
    "series_facts",
    "ties_of",
    "why_new_machine",
]
