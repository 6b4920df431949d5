"""The tasks by which `netplan --help` groups the verbs."""

AUDIT = "Audit what is there"
PLAN = "Plan machines and paths"
PRICES = "Look up prices"
MEASURE = "Measure, and check the model"
SETUP = "Set up"

IN_ORDER = (AUDIT, PLAN, PRICES, MEASURE, SETUP)
"""The order of the help page."""
