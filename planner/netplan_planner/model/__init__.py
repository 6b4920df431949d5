"""Frozen values that every stage shares; see docs/reference/glossary.md for the terms.

What one of these modules defines is the model's: nothing is named here again.
"""

from netplan_planner.model.base import *
from netplan_planner.model.calibration import *
from netplan_planner.model.evidence.measurement import *
from netplan_planner.model.evidence.metrics import *
from netplan_planner.model.evidence.traffic import *
from netplan_planner.model.facts import *
from netplan_planner.model.finding import *
from netplan_planner.model.limits import *
from netplan_planner.model.money.price_answers import *
from netplan_planner.model.money.prices import *
from netplan_planner.model.path_class import *
from netplan_planner.model.plans.commitment import *
from netplan_planner.model.plans.job import *
from netplan_planner.model.plans.plan import *
from netplan_planner.model.plans.plan_answer import *
from netplan_planner.model.prediction import *
from netplan_planner.model.project.hubs import *
from netplan_planner.model.project.inventory import *
from netplan_planner.model.project.networks import *
from netplan_planner.model.project.resources import *
from netplan_planner.model.report_rows import *
from netplan_planner.model.rule_answers import *
from netplan_planner.model.settings import *
