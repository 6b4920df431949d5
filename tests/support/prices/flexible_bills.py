"""Made hours of a bill with flexible commitments, in both models of the billing export."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from support.prices.billing_export import START, Row, usage

VCPU, GIB = "BB77-5FDA-69D9", "5B01-D157-A097"
"""SKUs of a vCPU and a GiB of N2 in us-central1."""
RATIO = 0.72
"""What a flexible commitment of one year leaves of the price on demand."""
ONE_YEAR = ("D97B-0795-975B", "Compute Flexible CUDs 1 Year")
DEFAULT = ("7754-699E-0EBF", "Default")


def hour(number: int) -> dict[str, Any]:
    """Return when the row of an hour begins and ends, and its unit."""
    start = START + timedelta(hours=number)
    return {"unit": "hour", "start": start, "end": start + timedelta(hours=1)}


def cores(usd: float, **more: Any) -> Row:
    return usage(VCPU, "N2 Instance Core running in Americas", 1, usd, effective=usd, **more)


def newer(spend_usd: Sequence[float], committed_usd: float) -> list[Row]:
    """Return the rows of hours with an on-demand spend each; the commitment is discounted spend."""
    found = []
    for number, spend in enumerate(spend_usd):
        covered = min(spend, committed_usd / RATIO)
        told: dict[str, Any] = {
            "sku_id": "5515-81A8-03A2",
            "description": "Compute Flexible CUD 1 Year",
        }
        told |= {"credit_kind": ("FEE_UTILIZATION_OFFSET", "made"), "model": DEFAULT}
        amounts: dict[str, Any] = {
            "amount": committed_usd,
            "cost": committed_usd,
            "credit": -covered * RATIO,
        }
        found.append(usage(effective=1.0, **told, **amounts, **hour(number)))
        if covered:
            usd = covered * RATIO
            row = cores(usd, model=ONE_YEAR, default_price=covered, **hour(number))
            found.append({**row, "cost_at_effective_price_default": covered})
        if spend > covered:
            row = cores(spend - covered, model=DEFAULT, **hour(number))
            found.append({**row, "cost_at_effective_price_default": spend - covered})
    return found


def former(spend_usd: Sequence[float], committed_usd: float) -> list[Row]:
    """Return the same of before 2026; the commitment is on-demand spend."""
    found = []
    kind = ("COMMITTED_USAGE_DISCOUNT_DOLLAR_BASE", "GCE Commitments")
    for number, spend in enumerate(spend_usd):
        told: dict[str, Any] = {
            "sku_id": "10AA-MADE",
            "effective": RATIO / 100,
            "amount": committed_usd * 100,
        }
        told |= {"description": "Commitment - dollar based v1: GCE for 1 year"}
        found.append(usage(cost=committed_usd * RATIO, **told, **hour(number)))
        used = -min(spend, committed_usd)
        found.append(cores(spend, credit=used, credit_kind=kind, **hour(number)))
    return found
