"""Parts packed into a bundle and taken out of one: plain files, in its order and of its sizes."""

import hashlib
import io
import tarfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import msgspec
import zstandard

from netplan_planner.bundle_file.manifest import FORMAT, HEAD, MANIFEST, NAME, Manifest, Part
from netplan_planner.errors import InputError
from netplan_planner.inert import inert_line
from netplan_planner.input_files import LARGEST_BYTES, decode_json, opened, reading

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


# Parts taken out of a bundle: plain files of its manifest, in its order and of its sizes


_LARGEST_MANIFEST_BYTES = 1 << 20
_LARGEST_WINDOW_BYTES = 1 << 27
"""What unpacking may take of memory; level 10 asks for 8 MiB at most."""
_MOST_PARTS = 64
_MOST_RATIO = 2_000
"""Of bytes unpacked and packed: bundles of the samples have 5, 50,000 machines that differ in their
names alone 343, zeros 30,000 (measured 2026-11-23)."""
_ANY_BYTES = 1 << 26
"""What any bundle may unpack to, however small it is."""
_PIECE_BYTES = 1 << 20
_AGAIN = "make it again with `netplan collect`"


def manifest_of(path: Path) -> Manifest:
    """Return what a bundle says of itself.

    Raises:
        InputError: If it cannot be read, is damaged, or of another version.
    """
    with _opened(path) as (_, manifest):
        return manifest


def part_of(path: Path, name: str, fields: tuple[str, ...] = ()) -> bytes | None:
    """Return a part of a bundle; None where it has none of that name.

    Args:
        path: The bundle.
        name: Of the part.
        fields: What this netplan knows of its JSON object; empty: not asked.

    Raises:
        InputError: If it cannot be read, is damaged, of another version, or holds fields that this
            netplan does not know.
    """
    with _opened(path) as (stream, manifest):
        part = manifest.part(name)
        if part is None:
            return None
        if lost := sorted(set(part.fields) - set(fields)) if fields else []:
            raise InputError(
                f"{_shown(path)}: {name} holds {', '.join(lost)}, which this netplan does not"
                " know. A newer netplan made it"
            )
        for known in manifest.parts:
            content = _member(stream, known.name, known.byte_count)
            if known is part:
                break
    if hashlib.sha256(content).hexdigest() != part.sha256:
        raise _damaged(path, f"{name} does not match the manifest")
    return content


@contextmanager
def _opened(path: Path) -> Iterator[tuple[IO[bytes], Manifest]]:
    """Yield the plain bytes of a bundle behind its manifest; none of them is written anywhere."""
    with reading(_shown(path)):
        try:
            if path.is_fifo():
                # It would be waited for, and parts are read one by one.
                raise InputError(f"{_shown(path)}: a pipe; write the bundle to a file first")
            with opened(path) as file:
                _check_version(path, file)
                unpack = zstandard.ZstdDecompressor(max_window_size=_LARGEST_WINDOW_BYTES)
                most = max(_ANY_BYTES, _MOST_RATIO * path.stat().st_size)
                with unpack.stream_reader(file, read_across_frames=True) as plain:
                    yield plain, _manifest(path, plain, min(most, LARGEST_BYTES))
        except OSError as exc:
            raise InputError(f"{_shown(path)}: cannot be read: {exc.strerror or exc}") from exc
        except (_Damage, tarfile.HeaderError, zstandard.ZstdError) as exc:
            raise _damaged(path, inert_line(str(exc))) from exc


def _check_version(path: Path, file: IO[bytes]) -> None:
    head = file.read(8)
    told = file.read(min(int.from_bytes(head[4:], "little"), 80)).decode("ascii", "replace")
    if head[:4] != HEAD or not told.startswith(f"{NAME}/"):
        raise InputError(f"{_shown(path)}: not a bundle of `netplan collect`")
    if told != FORMAT:
        raise InputError(
            f"{_shown(path)}: the bundle has format {inert_line(told)}; this netplan reads {FORMAT}"
        )


def _manifest(path: Path, stream: IO[bytes], most_bytes: int) -> Manifest:
    try:
        found = decode_json(_member(stream, MANIFEST, None), Manifest)
    except msgspec.DecodeError as exc:
        raise _damaged(path, f"its manifest cannot be read: {exc}") from exc
    sizes = [part.byte_count for part in found.parts]
    if found.format != FORMAT or len(sizes) > _MOST_PARTS or min(sizes, default=0) < 0:
        raise _damaged(path, "its manifest is inconsistent")
    if sum(sizes) > most_bytes:
        raise _damaged(
            path,
            f"it would have {sum(sizes) >> 20:,} MiB unpacked, too much for a file of this size",
        )
    return found


class _Damage(Exception):
    """What is wrong with the bytes of a bundle."""


def _member(stream: IO[bytes], name: str, byte_count: int | None) -> bytes:
    """Return the next member of a tar file: the plain file of a name and a size, nothing else.

    tarfile's own reader would follow headers that say how long the next header is, without bound.
    """
    header = tarfile.TarInfo.frombuf(_exactly(stream, tarfile.BLOCKSIZE), "utf-8", "replace")
    most = _LARGEST_MANIFEST_BYTES if byte_count is None else byte_count
    is_expected = header.type == tarfile.REGTYPE and header.name == name
    if not is_expected or header.size > most or byte_count not in {None, header.size}:
        raise _Damage(f"{inert_line(header.name)} does not match the manifest")
    content = _exactly(stream, header.size)
    _exactly(stream, -header.size % tarfile.BLOCKSIZE)
    return content


def _exactly(stream: IO[bytes], count: int) -> bytes:
    pieces = []
    while count and (piece := stream.read(min(count, _PIECE_BYTES))):
        pieces.append(piece)
        count -= len(piece)
    if count:
        raise _Damage("it is incomplete")
    return b"".join(pieces)


def _damaged(path: Path, why: str) -> InputError:
    return InputError(f"{_shown(path)}: the bundle is damaged: {why}; {_AGAIN}")


def _shown(path: Path) -> str:
    return inert_line(str(path))
