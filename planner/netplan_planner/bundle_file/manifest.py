"""What a bundle says of itself: its format, and each part with its size and hash."""

import msgspec

NAME = "netplan.bundle"
FORMAT = f"{NAME}/1"
MANIFEST = "manifest.json"
HEAD = (0x184D2A50).to_bytes(4, "little")
"""Magic number of a zstd frame that readers skip (RFC 8878, 3.1.2)."""


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """One part, as the manifest names it."""

    name: str
    byte_count: int
    sha256: str
    fields: tuple[str, ...] = ()
    """What its JSON object holds, so that an older reader sees what it would lose."""


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """What a bundle says of itself."""

    format: str
    tool: str
    """Name and version of what made it."""
    is_pseudonymised: bool
    parts: tuple[Part, ...]

    def part(self, name: str) -> Part | None:
        """Return a part, None where the bundle has none of that name."""
        return next((part for part in self.parts if part.name == name), None)
