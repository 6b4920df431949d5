"""Processor families, as options and the Compute API name them."""

from enum import StrEnum


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
