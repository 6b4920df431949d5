"""Made tables of the Cloud Billing export, after the published schemas; no real account's data.

`usage_rows` are of the detailed usage cost table, `pricing_rows` of the pricing table. Both can be
written as Parquet with records, as BigQuery exports them, or as CSV with flattened names.
"""

import csv
import json
from collections.abc import Sequence
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

COMPUTE = {"id": "6F81-5844-456A", "description": "Compute Engine"}
START = datetime(2026, 10, 1, tzinfo=UTC)
END = datetime(2026, 11, 1, tzinfo=UTC)
Row = dict[str, Any]


def usage(
    sku_id: str,
    description: str,
    amount: float,
    cost: float,
    *,
    unit: str = "gibibyte",
    effective: float | None = None,
    tier: float = 0.0,
    currency: str = "USD",
    rate: float = 1.0,
    credit: float = 0.0,
    credit_kind: tuple[str, str] = ("DISCOUNT", "made"),
    cost_type: str = "regular",
    start: datetime = START,
    end: datetime = END,
    project: str = "gecko-demo",
    account: str = "000000-MADE00-000000",
    model: tuple[str, str] | None = None,
    default_price: float | None = None,
) -> Row:
    """Return a row of the detailed usage table; `model` is id and words of a consumption model.

    `credit_kind` is the type of the credit, and its name.
    """
    found: Row = {
        "billing_account_id": account,
        "service": COMPUTE,
        "sku": {"id": sku_id, "description": description},
        "usage_start_time": start,
        "usage_end_time": end,
        "project": {"id": project, "name": "made"},
        "cost": cost,
        "currency": currency,
        "currency_conversion_rate": rate,
        "usage": {
            "amount": amount * 2**30,
            "unit": "bytes",
            "amount_in_pricing_units": amount,
            "pricing_unit": unit,
        },
        "credits": [{"name": credit_kind[1], "amount": credit, "type": credit_kind[0]}]
        if credit
        else [],
        "cost_type": cost_type,
        "price": {
            "effective_price": Decimal(str(effective)) if effective is not None else None,
            "tier_start_amount": Decimal(str(tier)),
            "unit": unit,
            "pricing_unit_quantity": Decimal(1),
        },
    }
    if model is not None:
        found["consumption_model"] = {"id": model[0], "description": model[1]}
        found["price"]["effective_price_default"] = (
            Decimal(str(default_price)) if default_price is not None else None
        )
    return found


def pricing(
    sku_id: str,
    unit: str,
    tiers: Sequence[tuple[float, float]],
    *,
    quantity: float = 1.0,
    day: datetime = END,
    models: dict[str, float] | None = None,
) -> Row:
    """Return a row of the pricing table; `models` are flat prices by consumption model."""
    rates = [
        {
            "pricing_unit_quantity": quantity,
            "start_usage_amount": start,
            "usd_amount": usd,
            "account_currency_amount": usd,
        }
        for start, usd in tiers
    ]
    return {
        "export_time": day,
        "pricing_as_of_time": day,
        "billing_account_id": "000000-MADE00-000000",
        "service": COMPUTE,
        "sku": {"id": sku_id, "description": "made"},
        "pricing_unit": unit,
        "account_currency_code": "USD",
        "currency_conversion_rate": 1.0,
        "list_price": {"tiered_rates": rates},
        "billing_account_price": {"tiered_rates": rates},
        "consumption_model_prices": [
            {
                "consumption_model_id": f"ID {name}",
                "consumption_model_display_name": name,
                "billing_account_price": {
                    "tiered_rates": [
                        {
                            "pricing_unit_quantity": quantity,
                            "start_usage_amount": 0.0,
                            "usd_amount": usd,
                        }
                    ]
                },
            }
            for name, usd in (models or {}).items()
        ],
    }


def write_parquet(path: Path, rows: Sequence[Row]) -> Path:
    """Write rows as BigQuery exports them."""
    names = dict.fromkeys(name for row in rows for name in row)
    pq.write_table(pa.Table.from_pylist([dict.fromkeys(names) | row for row in rows]), path)
    return path


def write_flat_csv(path: Path, rows: Sequence[Row], joint: str = ".") -> Path:
    """Write rows with flattened names, repeated fields as JSON."""
    flat = [_flat(row, joint) for row in rows]
    with path.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, list(dict.fromkeys(name for row in flat for name in row)))
        writer.writeheader()
        writer.writerows(flat)
    return path


def _flat(row: Row, joint: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, value in row.items():
        if isinstance(value, dict):
            found.update({f"{name}{joint}{key}": one for key, one in _flat(value, joint).items()})
        elif isinstance(value, list):
            found[name] = json.dumps(value)
        elif isinstance(value, datetime):
            found[name] = value.strftime("%Y-%m-%d %H:%M:%S UTC")
        else:
            found[name] = "" if value is None else str(value)
    return found
