"""Parts packed into a bundle."""

import hashlib
import io
import tarfile
from collections.abc import Mapping

import msgspec
import zstandard

from netplan_planner.bundle_file.manifest import FORMAT, HEAD, MANIFEST, Manifest, Part

_LEVEL = 10


def packed(
    parts: Mapping[str, bytes],
    *,
    tool: str,
    is_pseudonymised: bool,
    fields: Mapping[str, tuple[str, ...]],
) -> bytes:
    """Return a bundle of parts; `fields` names what those that are JSON objects hold."""
    manifest = Manifest(
        format=FORMAT,
        tool=tool,
        is_pseudonymised=is_pseudonymised,
        parts=tuple(
            Part(
                name=name,
                byte_count=len(parts[name]),
                sha256=hashlib.sha256(parts[name]).hexdigest(),
                fields=fields.get(name, ()),
            )
            for name in sorted(parts)
        ),
    )
    members = {MANIFEST: msgspec.json.format(msgspec.json.encode(manifest), indent=2)}
    members |= {name: parts[name] for name in sorted(parts)}
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name, content in members.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    told = FORMAT.encode()
    head = HEAD + len(told).to_bytes(4, "little") + told
    return head + zstandard.ZstdCompressor(level=_LEVEL).compress(plain.getvalue())
