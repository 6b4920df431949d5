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


class Paid(StrEnum):
    """How a machine is paid for: the model's `Usage`, flexible commitments, or each of them."""

    ON_DEMAND = "on-demand"
    SPOT = "spot"
    CUD_1Y = "cud-1y"
    CUD_3Y = "cud-3y"
    SUSTAINED_USE = "sustained-use"
    FLEX_1Y = "flex-1y"
    FLEX_3Y = "flex-3y"
    ALL = "all"

    @property
    def each(self) -> tuple["Paid", ...]:
        """The ways that the word stands for."""
        return tuple(one for one in Paid if one is not Paid.ALL) if self is Paid.ALL else (self,)


class Use(StrEnum):
    """What an external address is used for: the model's `AddressUse`, or each of them."""

    STANDARD_VM = "standard-vm"
    SPOT_VM = "spot-vm"
    UNUSED_STATIC = "unused-static"
    ALL = "all"

    @property
    def each(self) -> tuple["Use", ...]:
        """The uses that the word stands for."""
        return tuple(one for one in Use if one is not Use.ALL) if self is Use.ALL else (self,)


class Tier(StrEnum):
    """Network tier of internet traffic, as the Compute API names it."""

    PREMIUM = "PREMIUM"
    STANDARD = "STANDARD"


class Architecture(StrEnum):
    """Processor families, by the names that people use."""

    X86 = "x86"
    ARM = "arm"
    ANY = "any"

    @property
    def as_the_api_names_it(self) -> str | None:
        """What the Compute API calls it; None for any."""
        return _API_NAMES.get(self)


_API_NAMES = {Architecture.X86: "X86_64", Architecture.ARM: "ARM64"}
