"""The pictures of the answers' pages."""

from netplan_planner.model import CurrencyRate
from netplan_planner.renderers.html.charts.agreement import agreement
from netplan_planner.renderers.html.pictures import Picture, drawn
from netplan_planner.verbs.model.answer import Evaluation
from netplan_planner.verbs.model.atlas import Atlas
from netplan_planner.verbs.model.matrices import matrices_of


def pictures(answer: Evaluation | Atlas, currency: CurrencyRate | None) -> list[Picture]:
    """Return predicted against measured; of the atlas the matrices of regions."""
    del currency
    if isinstance(answer, Atlas):
        return drawn("heat", *matrices_of(answer))
    return drawn("agreement", agreement(answer.rows))
