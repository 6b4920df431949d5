"""Damage to bundles of `netplan collect`, decided by a seed: their archive, manifest and parts.

What is changed inside is sealed again, so that hashes and sizes fit and the damage is looked at.
"""

import hashlib
import io
import json
import random
import tarfile
from collections.abc import Callable

import zstandard

from netplan_planner.bundle_file.manifest import FORMAT, HEAD

Member = tuple[tarfile.TarInfo, bytes]
_NAMES = (
    *("../../x.json", "/etc/passwd", "inventory.json/..", "C:\\x", ".", "", "x" * 99, "é\udcff"),
    *("inventory.json", "traffic.json", "prices.snapshot", "../inventory.json", "manifest.json"),
)
_TYPES = (
    *(tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE),
    *(tarfile.DIRTYPE, tarfile.CONTTYPE, tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_SPARSE),
    *(tarfile.XHDTYPE, tarfile.XGLTYPE, b"\0", b"Z"),
)
_SIZES = (0, 1, 511, 2**20, 2**31, 2**33 - 1)
_LARGEST_BOMB = 2**28


def damaged_bundle(
    data: bytes, rng: random.Random, changed_json: Callable[[bytes, random.Random], bytes]
) -> bytes:
    """Return a bundle with a part, its manifest or its archive changed, and packed again."""
    found = _members(data)
    way = rng.random()
    if way < 0.45:
        _change_part(found, rng, changed_json)
    elif way < 0.55:
        found[0] = _with(found[0], changed_json(found[0][1], rng))
    elif way < 0.65:
        _claim(found, rng)
    elif way < 0.9:
        _change_member(found, rng)
    else:
        return _bomb(found, rng)
    return _packed(found, rng)


def _members(data: bytes) -> list[Member]:
    head = len(HEAD) + 4 + len(FORMAT)
    plain = zstandard.ZstdDecompressor().stream_reader(
        io.BytesIO(data[head:]), read_across_frames=True
    )
    with tarfile.open(fileobj=io.BytesIO(plain.read())) as tar:
        return [(one, tar.extractfile(one).read()) for one in tar]  # type: ignore[union-attr]


def _packed(found: list[Member], rng: random.Random) -> bytes:
    # Not by tarfile's writer, which would refuse some of what a hostile one writes.
    plain = b"".join(
        member.tobuf(tarfile.GNU_FORMAT, errors="surrogateescape")
        + content.ljust(-(-len(content) // 512) * 512, b"\0")
        for member, content in found
    )
    return _headed(zstandard.ZstdCompressor(level=rng.choice((1, 3))).compress(plain + bytes(1024)))


def _headed(frames: bytes) -> bytes:
    return HEAD + len(FORMAT).to_bytes(4, "little") + FORMAT.encode() + frames


def _with(member: Member, content: bytes) -> Member:
    header = tarfile.TarInfo(member[0].name)
    header.size = len(content)
    return header, content


def _sealed(found: list[Member], name: str, content: bytes) -> None:
    """Put other content into a part, with its size and hash in the manifest."""
    told = json.loads(found[0][1])
    for part in told["parts"]:
        if part["name"] == name:
            part["byte_count"] = len(content)
            part["sha256"] = hashlib.sha256(content).hexdigest()
    found[0] = _with(found[0], json.dumps(told).encode())
    for number, (header, _) in enumerate(found[1:], start=1):
        if header.name == name:
            found[number] = _with(found[number], content)


def _change_part(
    found: list[Member],
    rng: random.Random,
    changed_json: Callable[[bytes, random.Random], bytes],
) -> None:
    header, content = rng.choice(found[1:])
    if header.name.endswith(".json") and rng.random() < 0.85:
        changed = changed_json(content, rng)
    else:
        at = rng.randrange(len(content))
        changed = rng.choice((content[:at], content[:at] + b"\xff" + content[at:], b"", b"null"))
    _sealed(found, header.name, changed)


def _claim(found: list[Member], rng: random.Random) -> None:
    """Let the manifest say what is not so."""
    told = json.loads(found[0][1])
    part = rng.choice(told["parts"])
    field = rng.choice(("name", "byte_count", "sha256", "fields", "twice", "gone", "pseudonymised"))
    if field == "twice":
        told["parts"].append(dict(part))
    elif field == "gone":
        told["parts"].remove(part)
    elif field == "pseudonymised":
        told["is_pseudonymised"] = not told["is_pseudonymised"]
    elif field == "byte_count":
        part[field] = rng.choice((*_SIZES, -1, part[field] + 1))
    elif field == "fields":
        part[field] = rng.choice(([], ["x"], [""] * 1000))
    else:
        part[field] = rng.choice(_NAMES)
    found[0] = _with(found[0], json.dumps(told).encode())


def _change_member(found: list[Member], rng: random.Random) -> None:
    at = rng.randrange(len(found))
    header, content = found[at]
    way = rng.random()
    if way < 0.3:
        header.name = rng.choice(_NAMES)
    elif way < 0.6:
        header.type, header.linkname = rng.choice(_TYPES), rng.choice(("/etc/passwd", "../x", ""))
        header.devmajor, header.devminor = 1, 5
    elif way < 0.75:
        header.size = rng.choice(_SIZES)
    elif way < 0.85:
        found.insert(rng.randrange(len(found)), (header, content))
    else:
        rng.shuffle(found)


def _bomb(found: list[Member], rng: random.Random) -> bytes:
    """A part of zeros that packs to next to nothing, as the manifest says or beyond it."""
    size = rng.choice((2**22, 2**26, _LARGEST_BOMB))
    told = json.loads(found[0][1])
    part = told["parts"][0]
    if rng.random() < 0.7:
        part["byte_count"] = rng.choice((size, 2**32, 2**30))
    manifest = _with(found[0], json.dumps(told).encode())
    header = tarfile.TarInfo(part["name"])
    header.size = part["byte_count"] if rng.random() < 0.8 else size
    packer = zstandard.ZstdCompressor(level=1).compressobj()
    pieces = [
        packer.compress(
            manifest[0].tobuf()
            + manifest[1].ljust(-(-len(manifest[1]) // 512) * 512, b"\0")
            + header.tobuf(tarfile.GNU_FORMAT)
        )
    ]
    pieces += [packer.compress(bytes(2**20)) for _ in range(size >> 20)]
    return _headed(b"".join([*pieces, packer.flush()]))
