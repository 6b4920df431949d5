"""Log entries of every kind of end, and ones that are left out, on a project of two machines."""

from support.flows.project import host, inventory, subnet
from support.flows.records import Json, entry

WEB = host("web", "10.0.1.1", external="34.1.1.1", subnetwork="front")
DB = host("db", "10.0.2.1", subnetwork="back")
KNOWN = inventory(WEB, DB, subnet("front", logs=True), subnet("back", logs=None))
FOREIGN = host("gone", "10.0.7.7", subnetwork="front")


def of_all_kinds() -> list[Json]:
    """Return records of every kind of end, repeated ones, and some of another configuration."""
    ends = ("10.0.1.1", "10.0.2.1", "34.1.1.1", "198.51.100.7", "fd00::1", "10.99.0.1")
    made = [
        entry(
            src,
            dst,
            1000 * number + at,
            start=30 * number,
            end=30 * number + 75,
            packets=at + 1,
            by=("SRC", "DEST")[(number + at) % 2],
            rtt_ms=1 + at,
            insert_id=f"{number}-{at}",
            configuration="mine" if number % 3 == 0 else None,
            is_dropped=number == 4 and at == 1,
        )
        for number, src in enumerate(ends)
        for at, dst in enumerate(ends)
    ]
    named = entry("10.0.7.7", "10.0.2.1", 77, src_vm=FOREIGN, dst_vm=DB, insert_id="n")
    pod = entry(
        "10.0.1.1", "10.0.2.1", 5, insert_id="p", src_gke_details={"pod": {"pod_name": "a"}}
    )
    place = entry(
        "10.0.1.1",
        "8.8.8.8",
        5,
        insert_id="i",
        dest_location={"continent": "Asia", "country": "jpn"},
    )
    return [*made, *made[:7], named, pod, place]


BAD: dict[str, Json] = {
    "b": entry("10.0.1.1", "10.0.2.1", -5, insert_id="b"),
    "c": entry("10.0.1.1", "10.0.2.999", 5, insert_id="c"),
    "a": entry("10.0.1.1", "10.0.2.1", 5, start=9, end=3, insert_id="a"),
    "e": entry("nowhere", "10.0.2.1", 5, insert_id="e"),
}
WHY = {
    "a": "it ends before it starts",
    "b": "a negative byte or packet count",
    "c": "an address that is not an IP address",
    "e": "an address that is not an IP address",
}
