"""Words that users choose from, in one place for the command and the engine: no imports."""

from enum import StrEnum


class Balancer(StrEnum):
    """Kinds of load balancers; the values are what users call them."""

    INTERNAL_PASSTHROUGH = "internal-passthrough"
    INTERNAL_APPLICATION = "internal-application"
    INTERNAL_PROXY = "internal-proxy"
    CROSS_REGION_APPLICATION = "cross-region-internal-application"
    CROSS_REGION_PROXY = "cross-region-internal-proxy"
    EXTERNAL_PASSTHROUGH = "external-passthrough"
    EXTERNAL_APPLICATION = "external-application"
    EXTERNAL_PROXY = "external-proxy"
    GLOBAL_APPLICATION = "global-external-application"
    GLOBAL_PROXY = "global-external-proxy"
