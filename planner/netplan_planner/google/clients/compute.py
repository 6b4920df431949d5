"""google-cloud-compute: a client for each kind of resource, named as in the ids of methods."""

import re
import warnings
from collections.abc import Callable
from typing import Any

from netplan_planner.google.clients.asking import Clients, Door, client_through, host_of
from netplan_planner.google.exchange import Exchange
from netplan_planner.google.options import Endpoint

with warnings.catch_warnings():
    # About Python versions that Google will stop supporting.
    warnings.simplefilter("ignore", FutureWarning)
    from google.cloud import compute_v1

_PATH = "/compute/v1/"
_NEXT_WORD = re.compile(r"(?=[A-Z])")


def clients_at(endpoint: Endpoint, exchange: Exchange) -> Clients:
    """Return what asks the Compute API at an endpoint.

    Raises:
        UsageError: If the clients cannot ask there.
    """
    host = host_of(endpoint, _PATH)

    def call_of(method: str, door: Door) -> Callable[..., Any]:
        resource, name = names_of(method)
        client = client_through(getattr(compute_v1, resource), host, door)
        call: Callable[..., Any] = getattr(client, name)
        return call

    # Every field of Compute's messages tells whether it was sent.
    return Clients(exchange, call_of, prints_defaults=False)


def names_of(method: str) -> tuple[str, str]:
    """Return the client and its call for the id of a method.

    Of `compute.regionCommitments.aggregatedList` they are `RegionCommitmentsClient` and
    `aggregated_list`.
    """
    _, resource, name = method.split(".")
    return f"{resource[0].upper()}{resource[1:]}Client", _NEXT_WORD.sub("_", name).lower()
