"""Which of Google's APIs may be read by Google's own client, and why the others are not."""

from collections.abc import Mapping
from enum import StrEnum

INSTALL = (
    "--api-client google needs google-cloud-compute and google-cloud-billing:"
    " pip install 'gce-netplan[google]'"
)


class ApiClient(StrEnum):
    """What makes requests."""

    REST = "rest"
    """netplan itself (docs/adr/0002)."""
    GOOGLE = "google"
    """Google's client of an API of `ClientApi`; the others stay with REST."""


class ClientApi(StrEnum):
    """An API that Google's client may be asked for, as its method ids begin."""

    COMPUTE = "compute"
    CATALOG = "cloudbilling"


REST_ALONE: Mapping[str, str] = {
    "cloudasset": "no client of it is in the extra; one list, read by its pages",
    "logging": "its client adds a time range of its own to a filter without one, and hides pages",
    "monitoring": "its client speaks gRPC alone, past the door that all requests go through",
    "networkconnectivity": "no client of it is in the extra; two lists a project",
    "networkmanagement": "no client of it is in the extra; one list a project",
}
"""What is read over REST whatever is asked for, by the beginning of its method ids, and why."""
