"""What `netplan doctor` is asked."""

from typing import Annotated

from netplan_planner.asks import OUTPUT, Ask, Request
from netplan_planner.google.options import ApiOptions
from netplan_planner.planning.inputs import PriceFolder
from netplan_planner.planning.project import Projects, Today


class DoctorAsk(Request, frozen=True, kw_only=True):
    """What to look at."""

    projects: Projects = ()
    """None: the one that the default credentials name."""
    prices: PriceFolder = None
    today: Today = None
    is_role: Annotated[
        bool,
        Ask(
            "Print the least-privilege role as YAML, for gcloud iam roles create --file.",
            "--role",
            panel=OUTPUT,
        ),
    ] = False
    is_strict: Annotated[
        bool, Ask("Exit with status 4 when a check was not possible.", "--strict", panel=OUTPUT)
    ] = False
    api: ApiOptions = ApiOptions()
