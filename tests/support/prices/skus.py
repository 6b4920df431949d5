"""SKU objects in the shape of `services.skus.list`, made up from the forms of real ones."""

import json
from pathlib import Path
from typing import Any

COMPUTE = "6F81-5844-456A"
NETWORKING = "E505-1604-58F8"
_NAMES = {COMPUTE: "Compute Engine", NETWORKING: "Networking"}
_UNITS = {
    "h": ("s", 3600),
    "mo": ("s", 2592000),
    "GiBy": ("By", 2**30),
    "GBy": ("By", 10**9),
    "GiBy.h": ("By.s", 2**30 * 3600),
    "GBy.h": ("By.s", 10**9 * 3600),
    "GiBy.mo": ("By.s", 2**30 * 2592000),
}


def sku(
    description: str,
    group: str,
    *,
    usage: str = "OnDemand",
    family: str = "Compute",
    service: str = COMPUTE,
    sku_id: str = "",
    regions: tuple[str, ...] = ("us-central1",),
    unit: str = "h",
    usd: tuple[tuple[float, str], ...] = ((0, "0.031611"),),
    currency: str = "USD",
    geo: tuple[str, ...] | None = None,
) -> dict[str, Any]:
    """Return one SKU; `usd` holds start and price of each step, the price as text."""
    base, factor = _UNITS[unit]
    identity = sku_id or f"{abs(hash((description, group, usage, regions))) % 16**12:012X}"
    return {
        "name": f"services/{service}/skus/{identity}",
        "skuId": identity,
        "description": description,
        "category": {
            "serviceDisplayName": _NAMES.get(service, "Other"),
            "resourceFamily": family,
            "resourceGroup": group,
            "usageType": usage,
        },
        "serviceRegions": list(regions),
        "pricingInfo": [
            {
                "summary": "",
                "pricingExpression": {
                    "usageUnit": unit,
                    "displayQuantity": 1,
                    "tieredRates": [_step(start, text, currency) for start, text in usd],
                    "baseUnit": base,
                    "baseUnitConversionFactor": factor,
                },
                "currencyConversionRate": 1,
                "effectiveTime": "2026-04-29T07:00:00Z",
            }
        ],
        "serviceProviderName": "Google",
        "geoTaxonomy": {"type": "REGIONAL", "regions": list(geo or regions)},
    }


def _step(start: float, usd: str, currency: str) -> dict[str, Any]:
    units, _, decimals = usd.partition(".")
    nanos = int(decimals.ljust(9, "0")[:9] or 0)
    return {
        "startUsageAmount": start,
        "unitPrice": {"currencyCode": currency, "units": units, "nanos": nanos},
    }


def write_page(path: Path, skus: list[dict[str, Any]], token: str = "") -> Path:
    """Write one page of the API's answer."""
    path.write_text(json.dumps({"skus": skus, "nextPageToken": token}))
    return path
