"""The tasks by which `netplan --help` groups the verbs."""

AUDIT = "Audit your project"
PLAN = PRICES = "Plan VMs, paths and prices"
MEASURE = SETUP = "Measure, check and set up"
"""One panel each: with more the page has more lines than a screen."""

IN_ORDER = (AUDIT, PLAN, MEASURE)
"""The order of the help page."""
