"""google-cloud-billing: the catalogue of SKUs."""

import warnings
from collections.abc import Callable
from typing import Any

from netplan_planner.google.clients.asking import Clients, Door, client_through, host_of
from netplan_planner.google.compute_methods import CATALOG_ID
from netplan_planner.google.exchange import Exchange
from netplan_planner.google.options import Endpoint

with warnings.catch_warnings():
    # About Python versions that Google will stop supporting.
    warnings.simplefilter("ignore", FutureWarning)
    from google.cloud import billing_v1

_CALLS = {CATALOG_ID: "list_skus"}


def clients_at(endpoint: Endpoint, exchange: Exchange) -> Clients:
    """Return what asks the Cloud Billing Catalog API at an endpoint.

    Raises:
        UsageError: If the client cannot ask there.
    """
    host = host_of(endpoint, "/")

    def call_of(method: str, door: Door) -> Callable[..., Any]:
        client = client_through(billing_v1.CloudCatalogClient, host, door)
        call: Callable[..., Any] = getattr(client, _CALLS[method])
        return call

    # Its messages do not tell the 0 of a free tier from a field that was not sent.
    return Clients(exchange, call_of, prints_defaults=True)
