"""The file of a calibration: written whole or not at all, read with a check of every figure."""

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from netplan_planner.errors import InputError
from netplan_planner.inert import NAME_LENGTH, escaped_json, inert, inert_line
from netplan_planner.input_files import decode_json, reading, unreadable, whole
from netplan_planner.model import Calibration, CapsBook, Learnt, ProbedPair
from netplan_planner.throughput.calibration.factors.calibrated_caps import CalibratedCaps
from netplan_planner.throughput.calibration.factors.shared_factors import SLOTS
from netplan_planner.writing import written_whole

SCHEMA = "netplan.calibration/1"
_FAMILY = SCHEMA.rpartition("/")[0]
_ROUNDING = 1e-4
_LARGEST_BYTES = 2**26
"""Of a calibration: that of a thousand probed pairs takes a hundredth of it."""


def calibration_text(calibration: Calibration) -> str:
    """Return the file's text; equal calibrations give equal bytes."""
    document = {"schema": SCHEMA, **msgspec.to_builtins(calibration)}
    return escaped_json(msgspec.json.format(msgspec.json.encode(document)).decode()) + "\n"


def write_calibration(path: Path, calibration: Calibration) -> None:
    """Write the file, over an older one.

    Raises:
        InputError: If it cannot be written; an older one is then as it was.
    """
    with written_whole(path) as new:
        new.write_text(calibration_text(calibration), encoding="utf-8")


def with_calibration(caps: CapsBook, path: Path | None) -> CapsBook:
    """Return limits whose predictions follow the calibration in a file; without one, as they are.

    Raises:
        InputError: As `read_calibration`.
    """
    return caps if path is None else CalibratedCaps(caps, read_calibration(path))


def read_calibration(path: Path) -> Calibration:
    """Return the calibration in a file.

    Raises:
        InputError: If the file cannot be read or is no calibration of this version; the text names
            the place in it.
    """
    shown = inert_line(str(path))
    try:
        data = whole(path, _LARGEST_BYTES)
    except OSError as exc:
        raise unreadable(path, exc) from exc
    try:
        document = decode_json(data)
    except msgspec.DecodeError as exc:
        raise InputError(f"{shown}: not JSON: {inert(str(exc))}") from exc
    with reading(shown):
        return _checked(shown, document)


def _checked(shown: str, document: Any) -> Calibration:
    _check_schema(shown, document)
    try:
        found = msgspec.convert(document, Calibration)
    except (msgspec.ValidationError, OverflowError) as exc:
        raise InputError(f"{shown}: {inert(str(exc))}") from exc
    for fault in _faults(found):
        raise InputError(f"{shown}: {fault}")
    return found


def _check_schema(shown: str, document: Any) -> None:
    if not isinstance(document, dict):
        raise InputError(f"{shown}: not a calibration. Create one with `netplan calibrate`")
    schema = document.get("schema")
    if schema == SCHEMA:
        return
    told = inert(str(schema), NAME_LENGTH)
    if isinstance(schema, str) and schema.startswith(f"{_FAMILY}/"):
        raise InputError(
            f"{shown}: /schema: {told} is not supported (this netplan reads {SCHEMA}). Update"
            " netplan, or create the calibration again"
        )
    raise InputError(f"{shown}: /schema: {told}, not {SCHEMA}. Create one: `netplan calibrate`")


def _faults(found: Calibration) -> Iterator[str]:
    """Yield what no calibration can hold, with its place."""
    for name in ("measurement_count", "probe_count"):
        if getattr(found, name) < 0:
            yield f"/{name}: {getattr(found, name)} is not a count"
    yield from _latent_faults(found)
    for at, pair in enumerate(found.pairs):
        if pair.limit not in SLOTS:
            yield f"/pairs/{at}/limit: {inert(pair.limit, NAME_LENGTH)} is not a limit"
        yield from _ratio_faults(f"/pairs/{at}", pair)
    for at, one in enumerate(found.classes):
        if not 0 <= one.probe_count < math.inf:
            yield f"/classes/{at}/probe_count: {one.probe_count:g} is not a count"
        if not 0 < one.scatter_ratio < math.inf:
            yield f"/classes/{at}/scatter_ratio: must be above 0, not {one.scatter_ratio:g}"
    for name, keys in (
        ("latents", [(one.name, one.key) for one in found.latents]),
        ("pairs", [(one.key, one.limit) for one in found.pairs]),
        ("classes", [one.key for one in found.classes]),
    ):
        if len(set(keys)) < len(keys):
            yield f"/{name}: an entry is given twice"
    yield from _covariance_faults(found)


def _latent_faults(found: Calibration) -> Iterator[str]:
    for at, learnt in enumerate(found.latents):
        if learnt.name not in SLOTS:
            yield f"/latents/{at}/name: {inert(learnt.name, NAME_LENGTH)} is not a limit"
        yield from _ratio_faults(f"/latents/{at}", learnt)
        if not 0 < learnt.prior_sd < math.inf:
            yield f"/latents/{at}/prior_sd: must be above 0, not {learnt.prior_sd:g}"
        if not (0 <= learnt.others_sd < math.inf and learnt.unlike_count >= 0):
            yield f"/latents/{at}/others_sd: this and unlike_count must be at least 0"
        if not 0 < learnt.prior_low_ratio <= 1 <= learnt.prior_high_ratio < math.inf:
            yield f"/latents/{at}/prior_low_ratio: the range before measurements must include 1"


def _ratio_faults(place: str, one: Learnt | ProbedPair) -> Iterator[str]:
    if not 0 < one.low_ratio <= one.ratio <= one.high_ratio < math.inf:
        yield (
            f"{place}/ratio: must be between low_ratio and high_ratio, and above 0, not"
            f" {one.ratio:g}"
        )


def _covariance_faults(found: Calibration) -> Iterator[str]:
    if len(found.covariance) != len(found.latents):
        count = len(found.latents)
        yield f"/covariance: {len(found.covariance)} rows for {count} shared factors"
    for at, row in enumerate(found.covariance):
        if len(row) != at + 1:
            yield f"/covariance/{at}: {len(row)} values; rows must end at the diagonal"
        elif not all(map(math.isfinite, row)) or row[at] < 0:
            yield f"/covariance/{at}: a variance must be at least 0, and every value finite"
        else:
            for other, value in enumerate(row[:at]):
                most = math.sqrt(row[at] * found.covariance[other][other])
                if abs(value) > most * (1 + _ROUNDING):
                    yield f"/covariance/{at}/{other}: {value:g} is more than both variances allow"
