"""The table of verbs: what each does, in a line, the modules that register it, and its task."""

from netplan_planner.cli.lazy import Verb
from netplan_planner.cli.panels import AUDIT, MEASURE, PLAN, PRICES, SETUP

_CLI = "netplan_planner.cli."

VERBS = {
    "audit": Verb(
        "Find traffic on the wrong path, egress caps that do not fit, and what fixing both brings.",
        (f"{_CLI}audit",),
        AUDIT,
    ),
    "rules": Verb(
        "List the rules, or print the page of one: why, what to do, guards and thresholds.",
        (f"{_CLI}rules",),
        AUDIT,
    ),
    "recommend": Verb(
        "Rank the machine types that carry a bandwidth by price, and say why the others lost.",
        (f"{_CLI}recommend",),
        PLAN,
    ),
    "predict": Verb(
        "Predict Gbit/s with an interval, the limit that binds, and what would lift it.",
        (f"{_CLI}predict",),
        PLAN,
    ),
    "caps": Verb(
        "Print the bandwidth caps of a machine type: every variant, with source and date.",
        (f"{_CLI}caps",),
        PLAN,
    ),
    "price": Verb("Look up a price.", (f"{_CLI}price",), PRICES),
    "prices": Verb("Build, compare and check price snapshots.", (f"{_CLI}prices",), PRICES),
    "probe": Verb(
        "Measure what predictions leave open, with iperf3 between your machines.",
        (f"{_CLI}probe",),
        MEASURE,
    ),
    "calibrate": Verb(
        "Fit the model to measurements, and say what they taught and what that is worth.",
        (f"{_CLI}calibrate",),
        MEASURE,
    ),
    "model": Verb("How good the throughput model is.", (f"{_CLI}model",), MEASURE),
    "config": Verb(
        "Print the configuration and where its values come from.", (f"{_CLI}config",), SETUP
    ),
}
"""By name, in the order of the help page."""
