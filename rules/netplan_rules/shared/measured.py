"""Measurements as paths of the inventory: whose machines the ends are, and which way was taken.

An end is a machine by its name (plain, `project/zone/name`, self link, internal DNS) and by its
address; where a record has both, they must agree. The path class follows from the addresses that
were used, and is taken as recorded only where they do not tell.
"""

from collections.abc import Iterator
from datetime import UTC, date, datetime

from netplan_planner import model, paths
from netplan_planner.paths.addresses import Address
from netplan_planner.throughput import load_caps, machine_end, predict
from netplan_planner.throughput.limits.ends import network_mtu_bytes
from netplan_planner.throughput.limits.tables import path_limit
from netplan_planner.throughput.round_trips.of_path import (
    run_round_trip,
    seen_round_trips,
    with_round_trip,
)
from netplan_planner.throughput.round_trips.rtt import RoundTrip
from netplan_planner.throughput.transport.tools import late_rtts
from netplan_rules.wording import internal_dns_name

_DNS_ENDING = ".internal"
_FOREIGN = frozenset(
    {
        model.OwnerKind.LOAD_BALANCER,
        model.OwnerKind.NAT,
        model.OwnerKind.HYBRID,
        model.OwnerKind.GOOGLE_API,
    }
)
"""Owners of addresses behind which a machine may stand: the way to it is another one."""


class Run(model.Value, frozen=True, kw_only=True):
    """One measurement between two machines of the inventory."""

    measurement: model.Measurement
    src: model.Instance
    dst: model.Instance
    path_class: model.PathClass | None
    """None when it is not one between two machines, or not known."""
    why_no_path: str = ""
    is_by_address: bool = False
    """Whether the addresses that were used tell the class."""
    started: datetime | None = None


class UnmatchedMeasurement(model.Value, frozen=True, kw_only=True):
    """A measurement with one end at most in the inventory."""

    measurement: model.Measurement
    known: model.Instance | None
    """The end that is, if one is."""
    why: str
    """What is wrong with the other one, or with both."""

    @property
    def gap(self) -> model.Gap:
        """The measurement as something that could not be judged."""
        ends = (shown_end(self.measurement.src), shown_end(self.measurement.dst))
        return model.Gap(
            resource=model.ResourceRef(
                self_link=model.SelfLink(f"measurement/{ends[0]} → {ends[1]}"),
                source=self.measurement.source,
            ),
            reason="one end of the measurement is not a VM of the inventory"
            if self.known
            else "neither end of the measurement is a VM of the inventory",
        )


class _Found(model.Value, frozen=True, kw_only=True):
    """Who an end is, and by which address it was met."""

    instance: model.Instance | None = None
    met: paths.FlowEnd | None = None
    """None where the address is not recorded, or is not one of the machine's."""
    why: str = ""


def measured_runs(facts: model.Facts) -> Iterator[Run | UnmatchedMeasurement]:
    """Yield each measurement with its machines, or with why it has none; the oldest first."""
    if not facts.measurements:
        return
    book = paths.AddressBook(facts.inventory)
    # In whatever order the stores were given.
    for one in sorted(facts.measurements, key=lambda one: (one.started_at, one.run_id, one.place)):
        src, dst = _find(facts, book, one.src), _find(facts, book, one.dst)
        if src.instance is None or dst.instance is None:
            whys = dict.fromkeys(found.why for found in (src, dst) if found.why)
            yield UnmatchedMeasurement(
                measurement=one, known=src.instance or dst.instance, why="; ".join(whys)
            )
            continue
        path_class, why, is_by_address = _path(book, one, src, dst)
        yield Run(
            measurement=one,
            src=src.instance,
            dst=dst.instance,
            path_class=path_class,
            why_no_path=why,
            is_by_address=is_by_address,
            started=moment(one.started_at),
        )


def moment(text: str) -> datetime | None:
    """Return an RFC 3339 moment in UTC, None where the text is none or lacks its offset.

    >>> moment("2026-11-02T08:00:00Z").year, moment("yesterday"), moment("2026-11-02T08:00:00")
    (2026, None, None)
    """
    try:
        found = datetime.fromisoformat(text)
        return found.astimezone(UTC) if found.tzinfo is not None else None
    except (ValueError, OverflowError):
        return None


def shown_end(end: model.MeasuredEnd) -> str:
    """Return how a sentence names a measured end."""
    if end.name and end.address:
        return f"{end.name} ({end.address})"
    return end.name or end.address or "an end without a name"


def _find(facts: model.Facts, book: paths.AddressBook, end: model.MeasuredEnd) -> _Found:
    named = _named(book, end)
    address = paths.parse_address(end.address) if end.address else None
    if address is None:
        return _by_name(named, end)
    literal = paths.address_text(address)
    ownerships = book.resolve(paths.RecordedEnd(address=literal))
    held = ownerships[-1].end if ownerships else None
    link = held.owner.link if held is not None else None
    holder = facts.inventory.instance_by_link.get(link) if link else None
    if len(named) == 1:
        return _agreed(book, named[0], held, holder, literal)
    if holder is not None and (not named or holder in named):
        return _Found(instance=holder, met=held)
    return _Found(why=f"{shown_end(end)} is not a VM of the inventory")


def _by_name(named: list[model.Instance], end: model.MeasuredEnd) -> _Found:
    if len(named) == 1:
        return _Found(instance=named[0])
    if named:
        return _Found(why=f"{len(named)} VMs are named {end.name}")
    return _Found(why=f"{shown_end(end)} is not a VM of the inventory")


def _agreed(
    book: paths.AddressBook,
    machine: model.Instance,
    held: paths.FlowEnd | None,
    holder: model.Instance | None,
    literal: str,
) -> _Found:
    """Return the machine that a name means, if the address that goes with it can be its own."""
    if holder == machine or (held is not None and held.owner.kind in _FOREIGN):
        return _Found(instance=machine, met=held)
    # Two networks may use one internal address; the name says which of them is meant.
    if paths.parse_address(literal) in _internal_addresses(machine):
        said = paths.RecordedEnd(
            address=literal, vm=machine.name, project=machine.project, zone=machine.zone
        )
        told = book.resolve(said)
        return _Found(instance=machine, met=told[-1].end if told else None)
    whose = f"that of {holder.name}" if holder is not None else "not one of its addresses"
    return _Found(why=f"the record names {machine.name}, but {literal} is {whose}")


def _internal_addresses(machine: model.Instance) -> set[Address | None]:
    texts = [text for nic in machine.interfaces for text in (nic.internal_ipv4, nic.internal_ipv6)]
    return {paths.parse_address(text.partition("/")[0]) for text in texts if text}


def _named(book: paths.AddressBook, end: model.MeasuredEnd) -> list[model.Instance]:
    """Return the machines that an end's name can mean, in the recorded zone if there is one."""
    found = book.instances_named(end.name) if end.name else []
    if not found and end.name.endswith(_DNS_ENDING):
        alike = book.instances_named(end.name.partition(".")[0])
        found = [one for one in alike if end.name in _dns_names(one)]
    return [one for one in found if end.zone in (None, one.zone)]


def _dns_names(machine: model.Instance) -> tuple[str, str]:
    """Return the zonal and the global internal DNS name."""
    zonal = internal_dns_name(machine)
    return zonal, zonal.replace(f".{machine.zone}.c.", ".c.", 1)


def _path(
    book: paths.AddressBook, one: model.Measurement, src: _Found, dst: _Found
) -> tuple[model.PathClass | None, str, bool]:
    """Return the path class, why there is none, and whether the addresses tell it."""
    assert src.instance is not None
    assert dst.instance is not None
    if src.instance == dst.instance:
        return None, "both ends are the same VM", False
    by_address = _class_by_address(book, src, dst)
    found = by_address or one.path_class
    if found is None:
        return None, "no address or path class shows which path it took", False
    if not found.is_between_own_vms or found.is_pod:
        return None, f"its path is {found}, not a path between two VMs", by_address is not None
    if found.distance != _distance(src.instance, dst.instance):
        return None, f"it is recorded as {found}, which does not match where its VMs are", False
    return found, "", by_address is not None


def _class_by_address(book: paths.AddressBook, src: _Found, dst: _Found) -> model.PathClass | None:
    """Return the class that the addresses tell; an internal receiver is reached from inside."""
    assert src.instance is not None
    if dst.met is not None:
        sender = src.met or book.end_of(src.instance, is_external=False)
        return paths.classify(sender, dst.met).path_class
    if (
        src.met is not None
        and src.met.address_kind is not paths.AddressKind.INTERNAL
        and dst.instance is not None
    ):
        return paths.classify(src.met, book.end_of(dst.instance, is_external=False)).path_class
    return None


def _distance(src: model.Instance, dst: model.Instance) -> str:
    if src.zone == dst.zone:
        return "same-zone"
    return "inter-zone" if src.region == dst.region else "inter-region"


# The prediction for exactly what a run measured, and for the same run with one thing changed
#
# The limits are those of the day of the run, whatever the date of the audit's: they are what held
# when the packets were sent. The model is the shipped one: calibrated by the same runs, it would be
# held against itself.


STOCK_CEILING_BYTES = 6 * 2**20
"""The last figure of net.ipv4.tcp_rmem on a stock Linux image."""


class RunModel:
    """Predicts runs; what several of them share is worked out once."""

    def __init__(self, facts: model.Facts) -> None:
        self._facts = facts
        self._seen_ms = seen_round_trips(facts)
        self._estimates: dict[tuple[model.PathQuery, date], model.Estimate] = {}

    def query(self, run: Run) -> model.PathQuery:
        """Return the path and protocol of a run; its path class must be known."""
        one = run.measurement
        assert run.path_class is not None
        query = model.PathQuery(
            path_class=run.path_class,
            src=self._end(run.src, one.src, one.mtu_bytes),
            dst=self._end(run.dst, one.dst, one.mtu_bytes),
            streams=one.streams,
            window_bytes=recorded_window(one),
            duration_s=one.duration_s,
            omit_s=one.omit_s or 0.0,
            is_both_ways=one.is_bidirectional,
            is_sender_count=one.counted_by is model.CountedBy.SENDER,
            late_rtts=late_rtts(one),
        )
        return with_round_trip(query, self.round_trip(run))

    def round_trip(self, run: Run) -> RoundTrip:
        """Return the round-trip time of the idle path."""
        seen_ms = self._seen_ms.get(frozenset((run.src.ref.self_link, run.dst.ref.self_link)))
        return run_round_trip(run.measurement, run.src.zone, run.dst.zone, seen_ms=seen_ms)

    def caps(self, run: Run) -> model.CapsBook:
        """Return the limits of the day of a run, or those of the audit where it is not known."""
        return load_caps(run.started.date() if run.started else self._facts.caps.as_of)

    def estimate(self, run: Run, query: model.PathQuery) -> model.Estimate:
        """Return what the model says of a path on the day of a run."""
        caps = self.caps(run)
        key = (query, caps.as_of)
        if key not in self._estimates:
            self._estimates[key] = predict(query, caps, may_assume=True)
        return self._estimates[key]

    def stock_window_bytes(self, run: Run) -> float | None:
        """Return the receive window of a stock image, None where no source states one."""
        found = path_limit("tcp-window", self.caps(run).as_of)
        return found.value if found is not None else None

    def mtu_bytes(self, instance: model.Instance) -> int | None:
        """Return the MTU of a machine's first network."""
        return network_mtu_bytes(self._facts, instance)

    def _end(
        self, instance: model.Instance, measured: model.MeasuredEnd, mtu_bytes: int | None
    ) -> model.PathEnd:
        return machine_end(
            self._facts,
            instance,
            mtu_bytes=mtu_bytes,
            vcpus=measured.vcpus,
            cpu_platform=measured.cpu_platform,
        )


def recorded_window(one: model.Measurement) -> int | None:
    """Return the receive window of one stream, where a run tells it and no setting made it small.

    A ceiling below that of a stock image is a setting of the receiver that can be wrong: it is to
    be seen, so the prediction goes without it.
    """
    return None if has_small_ceiling(one) else one.max_receive_window_bytes


def has_small_ceiling(one: model.Measurement) -> bool:
    """Return whether the receiver's greatest buffer is recorded and below a stock image's."""
    ceiling = one.dst.receive_ceiling_bytes
    return ceiling is not None and 0 < ceiling < STOCK_CEILING_BYTES
