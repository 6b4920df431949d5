"""Bundles: the same bytes for the same parts, and nothing but what was packed ever comes out."""

import io
import os
import tarfile
from pathlib import Path

import pytest
import zstandard

from netplan_planner.bundle_file import is_bundle, manifest_of, part_of
from netplan_planner.bundle_file.archive import packed
from netplan_planner.bundle_file.manifest import FORMAT
from netplan_planner.errors import InputError
from support.commands.in_process import netplan

PARTS = {"inventory.json": b'{"instances":[]}', "prices.snapshot": bytes(range(256)) * 20}
HEAD = (0x184D2A50).to_bytes(4, "little") + len(FORMAT).to_bytes(4, "little") + FORMAT.encode()


def bundle(parts: dict[str, bytes] = PARTS) -> bytes:
    fields = {"inventory.json": ("instances",)}
    return packed(parts, tool="netplan 0", is_pseudonymised=False, fields=fields)


def members(content: bytes) -> list[tuple[tarfile.TarInfo, bytes]]:
    """Return what the tar file of a bundle holds, by Python's own reader."""
    plain = zstandard.ZstdDecompressor().stream_reader(
        io.BytesIO(content[len(HEAD) :]), read_across_frames=True
    )
    with tarfile.open(fileobj=io.BytesIO(plain.read())) as tar:
        return [(one, tar.extractfile(one).read()) for one in tar]  # type: ignore[union-attr]


def repacked(*found: tuple[tarfile.TarInfo, bytes]) -> bytes:
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for member, content in found:
            tar.addfile(member, io.BytesIO(content))
    return HEAD + zstandard.ZstdCompressor().compress(plain.getvalue())


def read(tmp_path: Path, content: bytes, name: str = "prices.snapshot") -> bytes | None:
    path = tmp_path / "b.tar.zst"
    path.write_bytes(content)
    return part_of(path, name)


def test_parts_come_back_and_any_tar_lists_them(tmp_path: Path) -> None:
    assert bundle() == bundle(dict(reversed(PARTS.items())))
    for name, content in PARTS.items():
        assert read(tmp_path, bundle(), name) == content
    assert read(tmp_path, bundle(), "metrics.json") is None
    assert is_bundle(tmp_path / "b.tar.zst")
    found = members(bundle())
    assert [one.name for one, _ in found] == ["manifest.json", *PARTS]
    assert {(one.mtime, one.uid, one.uname) for one, _ in found} == {(0, 0, "")}
    assert [part.name for part in manifest_of(tmp_path / "b.tar.zst").parts] == list(PARTS)


@pytest.mark.parametrize("content", [b"", b"{}", b"\x28\xb5\x2f\xfd", HEAD[:9], b"P" * 100])
def test_other_files_are_no_bundles(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "other"
    path.write_bytes(content)
    assert not is_bundle(path)
    assert not is_bundle(tmp_path)
    with pytest.raises(InputError, match="not a bundle"):
        manifest_of(path)


def test_another_version_is_named(tmp_path: Path) -> None:
    path = tmp_path / "b.tar.zst"
    path.write_bytes(bundle().replace(b"bundle/1", b"bundle/7"))
    assert is_bundle(path)
    with pytest.raises(InputError, match=r"format netplan\.bundle/7; this netplan reads"):
        manifest_of(path)


def test_what_a_newer_netplan_knows_is_not_lost_in_silence(tmp_path: Path) -> None:
    path = tmp_path / "b.tar.zst"
    path.write_bytes(bundle())
    assert part_of(path, "inventory.json", ("instances", "disks"))
    with pytest.raises(InputError, match="holds instances, which this netplan does not know"):
        part_of(path, "inventory.json", ("disks",))


def test_wherever_it_is_cut_it_is_an_error_that_says_so(tmp_path: Path) -> None:
    whole = bundle()
    for end in range(len(HEAD), len(whole), max(len(whole) // 40, 1)):
        with pytest.raises(InputError, match="the bundle is damaged"):
            read(tmp_path, whole[:end])


def test_a_turned_byte_never_comes_out(tmp_path: Path) -> None:
    (manifest, told), *rest = members(bundle())
    changed = [(one, content[:-1] + b"X") for one, content in rest]
    for name in PARTS:
        with pytest.raises(InputError, match="does not match the manifest"):
            read(tmp_path, repacked((manifest, told), *changed), name)


def _named(name: str, kind: bytes = tarfile.REGTYPE, link: str = "") -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.type, member.linkname = kind, link
    return member


@pytest.mark.parametrize(
    "member",
    [
        _named("../../inventory.json"),
        _named("/inventory.json"),
        _named("inventory.json", tarfile.SYMTYPE, "/etc/passwd"),
        _named("inventory.json", tarfile.LNKTYPE, "/etc/passwd"),
        _named("inventory.json", tarfile.DIRTYPE),
        _named("inventory.json", tarfile.FIFOTYPE),
        _named("inventory.json" + "x" * 300),
    ],
    ids=lambda member: f"{member.name[:20]}-{member.type.decode()}",
)
def test_no_path_link_or_device_is_taken(tmp_path: Path, member: tarfile.TarInfo) -> None:
    (manifest, told), (_, content), last = members(bundle())
    member.size = len(content) if member.isreg() else 0
    made = repacked((manifest, told), (member, content if member.isreg() else b""), last)
    for name in PARTS:
        with pytest.raises(InputError, match="the bundle is damaged"):
            read(tmp_path, made, name)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["b.tar.zst"]


def test_no_more_is_unpacked_than_the_manifest_says(tmp_path: Path) -> None:
    """A gigabyte of zeros behind a small manifest, or as one, is not even looked at."""
    (manifest, told), *rest = members(bundle())
    bomb = tarfile.TarInfo("inventory.json")
    bomb.size = 1 << 30
    blocks = [manifest.tobuf(), told.ljust(-(-len(told) // 512) * 512, b"\0"), bomb.tobuf()]
    packer = zstandard.ZstdCompressor().compressobj()
    packed_up = [packer.compress(block) for block in blocks]
    packed_up += [packer.compress(bytes(1 << 20)) for _ in range(64)]
    with pytest.raises(InputError, match="does not match the manifest"):
        read(tmp_path, HEAD + b"".join([*packed_up, packer.flush()]))
    large = tarfile.TarInfo("manifest.json")
    large.size = 1 << 21
    with pytest.raises(InputError, match="does not match the manifest"):
        read(tmp_path, repacked((large, bytes(1 << 21)), *rest))


def test_a_bomb_that_tells_its_size_is_not_unpacked(tmp_path: Path) -> None:
    """What packs thousands of times is no part that netplan writes, whatever its manifest says."""
    path = tmp_path / "b.tar.zst"
    path.write_bytes(bundle({"inventory.json": bytes(1 << 27)}))
    assert path.stat().st_size < 100_000
    with pytest.raises(InputError, match="it would have 128 MiB unpacked"):
        part_of(path, "inventory.json")
    path.write_bytes(bundle({"inventory.json": bytes(1 << 20)}))
    assert part_of(path, "inventory.json") == bytes(1 << 20)


def test_what_is_no_file_is_refused_at_once(tmp_path: Path) -> None:
    pipe, loop = tmp_path / "pipe", tmp_path / "loop"
    os.mkfifo(pipe)
    loop.symlink_to(loop)
    for path, said in (
        (pipe, "a pipe; write the bundle to a file first"),
        (loop, "cannot be read: Too many levels"),
        (tmp_path, "cannot be read: Is a directory"),
        (Path("/dev/zero"), "not a bundle"),
    ):
        done = netplan("audit", "--bundle", str(path))
        assert (done.status, said in done.err) == (3, True), done.err


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read: No such file"):
        manifest_of(tmp_path / "none.tar.zst")
