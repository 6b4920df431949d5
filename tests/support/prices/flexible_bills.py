"""Made hours of a bill with flexible commitments, in both models of the billing export."""

from collections.abc import Sequence
from datetime import timedelta

from support.prices.billing_export import START, Row, usage

VCPU, GIB = "BB77-5FDA-69D9", "5B01-D157-A097"
"""SKUs of a vCPU and a GiB of N2 in us-central1."""
RATIO = 0.72
"""What a flexible commitment of one year leaves of the price on demand."""
ONE_YEAR = ("D97B-0795-975B", "Compute Flexible CUDs 1 Year")
DEFAULT = ("7754-699E-0EBF", "Default")


def newer(spend_usd: Sequence[float], committed_usd: float) -> list[Row]:
    """Return the rows of hours with an on-demand spend each; the commitment is discounted spend."""
    found = []
    for number, spend in enumerate(spend_usd):
        start = START + timedelta(hours=number)
        end = start + timedelta(hours=1)
        covered = min(spend, committed_usd / RATIO)
        found.append(
            usage(
                "5515-81A8-03A2",
                "Compute Flexible CUD 1 Year",
                committed_usd,
                committed_usd,
                unit="hour",
                effective=1.0,
                credit=-covered * RATIO,
                start=start,
                end=end,
                credit_kind=("FEE_UTILIZATION_OFFSET", "made"),
                model=DEFAULT,
            )
        )
        if covered:
            row = usage(
                VCPU,
                "N2 Instance Core running in Americas",
                1,
                covered * RATIO,
                unit="hour",
                effective=covered * RATIO,
                start=start,
                end=end,
                model=ONE_YEAR,
                default_price=covered,
            )
            found.append({**row, "cost_at_effective_price_default": covered})
        if spend > covered:
            row = usage(
                VCPU,
                "N2 Instance Core running in Americas",
                1,
                spend - covered,
                unit="hour",
                effective=spend - covered,
                start=start,
                end=end,
                model=DEFAULT,
            )
            found.append({**row, "cost_at_effective_price_default": spend - covered})
    return found


def former(spend_usd: Sequence[float], committed_usd: float) -> list[Row]:
    """Return the same of before 2026; the commitment is on-demand spend."""
    found = []
    for number, spend in enumerate(spend_usd):
        start = START + timedelta(hours=number)
        end = start + timedelta(hours=1)
        found.append(
            usage(
                "10AA-MADE",
                "Commitment - dollar based v1: GCE for 1 year",
                committed_usd * 100,
                committed_usd * RATIO,
                unit="hour",
                effective=RATIO / 100,
                start=start,
                end=end,
            )
        )
        found.append(
            usage(
                VCPU,
                "N2 Instance Core running in Americas",
                1,
                spend,
                unit="hour",
                effective=spend,
                start=start,
                end=end,
                credit=-min(spend, committed_usd),
                credit_kind=("COMMITTED_USAGE_DISCOUNT_DOLLAR_BASE", "GCE Commitments"),
            )
        )
    return found
