"""Random sets of records of all kinds for the flow oracle, on a project of four machines."""

from hypothesis import strategies as st

from netplan_planner.model import Inventory
from support.flows.oracle import Place, Record
from support.flows.project import host, inventory, subnet
from support.flows.records import Json, entry, stamp

START_US = 1_772_445_600_000_000
"""`flow_records.START`."""

HOSTS = (
    host("web", "10.0.1.1", external="34.1.1.1", subnetwork="front"),
    host("app", "10.0.1.2", subnetwork="front", zone="us-central1-b"),
    host("db", "10.0.2.1", external="34.1.1.2", subnetwork="back"),
    host("lone", "10.0.3.1"),
)


def places() -> dict[str, Place]:
    """Whose each address is, written down without the address book."""
    found = {
        "198.51.100.7": Place("internet:unknown", is_machine=False, is_internet=True),
        "198.51.100.8": Place("internet:unknown", is_machine=False, is_internet=True),
        "10.99.0.1": Place("unknown:10.99.0.1", is_machine=False),
    }
    for machine in HOSTS:
        nic = machine.interfaces[0]
        for address in (nic.internal_ipv4, nic.external_ipv4):
            if address is not None:
                found[address] = Place(
                    owner=machine.ref.self_link,
                    zone=machine.zone,
                    subnetwork=nic.subnetwork,
                    external=nic.external_ipv4,
                    is_external=address == nic.external_ipv4,
                )
    return found


PLACES = places()


@st.composite
def records(draw: st.DrawFn) -> Record:
    start_us = START_US + 1000 * draw(st.integers(0, 180_000) | st.integers(0, 12_000_000))
    duration_us = draw(
        st.integers(0, 60_000_000) | st.integers(0, 900_000_000) | st.sampled_from([0, 60_000_000])
    )
    src = draw(st.sampled_from(sorted(PLACES)))
    dst = draw(st.sampled_from(sorted(PLACES)))
    return Record(
        src=src,
        dst=dst,
        by=draw(st.sampled_from(["SRC", "DEST"])),
        start_us=start_us,
        end_us=start_us + duration_us,
        payload=draw(st.integers(0, 10**6) | st.integers(0, 10**12)),
        packets=draw(st.integers(0, 10**6)),
        protocol=draw(st.sampled_from([1, 6, 17, 47])),
        port=draw(st.integers(1, 3)),
        is_dropped=draw(st.integers(0, 9)) == 0,
    )


LOGGING = {
    "nothing said": (None, None),
    "both": (True, True),
    "front only": (True, False),
}


def project(front: bool | None, back: bool | None) -> Inventory:
    return inventory(*HOSTS, subnet("front", logs=front), subnet("back", logs=back))


def as_entry(record: Record) -> Json:
    """Return the entry of a record; its payload decides how its times are written."""
    seconds = [(us - START_US) / 1e6 for us in (record.start_us, record.end_us)]
    made = entry(
        record.src,
        record.dst,
        record.payload,
        start=seconds[0],
        end=seconds[1],
        packets=record.packets,
        by=record.by,
        protocol=record.protocol,
        ports=(1, record.port),
        is_dropped=record.is_dropped,
    )
    form = record.payload % 3
    times = {"start_time": stamp(seconds[0], form), "end_time": stamp(seconds[1], form)}
    return {**made, "jsonPayload": {**made["jsonPayload"], **times}}
