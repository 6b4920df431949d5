"""The columns of a table of paths or measurements, which are those of published measurements.

docs/predict.md says more of each.
"""

from netplan_planner.tables.columns import Column, ColumnKind, names_of, number_column

_NUMBER, _WHOLE = ColumnKind.NUMBER, ColumnKind.WHOLE
_BY_TYPE = "where the machine type does not say"

_KIND = (
    Column(name="path_class", meaning="where the path leads", other_names=("path",)),
    Column(name="cloud", meaning="of both ends, or the sender's and the receiver's"),
    Column(name="machine_type", meaning="the sender's"),
    number_column("vcpus", f"the sender's, {_BY_TYPE}", least=0, most=1e4),
    Column(name="dst_machine_type", meaning="the receiver's"),
    number_column("dst_vcpus", f"the receiver's, {_BY_TYPE}", least=0, most=1e4),
    number_column("mtu", "of the sender's NIC", unit="bytes", kind=_WHOLE, least=68, most=65535),
    Column(name="date", meaning="whose limits hold"),
    Column(name="tier1", meaning="whether the sender has Tier_1 networking"),
    Column(name="cpu_platform", meaning="the sender's, where the cap depends on it (N1, M2)"),
    Column(name="dst_image", meaning="the receiver's, which decides its buffers"),
    Column(name="congestion_control", meaning="the sender's; CUBIC where empty"),
    Column(name="direction", meaning="one way, or both at once"),
    Column(name="plugin", meaning="of a cluster's network"),
    Column(name="encapsulation", meaning="of a cluster's network"),
    Column(name="encryption", meaning="of a cluster's network"),
    number_column(
        "host_link_gbps",
        "the link of a machine that is not Google's",
        unit="Gbit/s",
        least=1e-3,
        most=1e5,
    ),
    number_column("vpn_tunnels", "of a hybrid path", kind=_WHOLE, least=1, most=1e4),
    number_column("nics", "vNICs on physical NICs of their own", kind=_WHOLE, least=1, most=10),
    number_column(
        "quota_gbps", "the project's, of the region", unit="Gbit/s", least=1e-6, most=1e6
    ),
    Column(name="proto", meaning="TCP where empty"),
)
_PLACE = (
    Column(name="src_location", meaning="the sender's zone or region, with or without its cloud"),
    Column(name="dst_location", meaning="the receiver's"),
)
_NUMBERS = (
    number_column("streams", "connections at once", kind=_WHOLE, least=1, most=1e6),
    number_column(
        "rtt_ms", "round-trip time; 0 is one that is not known", unit="ms", least=0, most=1e6
    ),
    number_column("duration_s", "of the transfer", unit="s", least=1e-3, most=1e9),
    number_column("omit_s", "before counting begins", unit="s", least=0, most=1e9),
    number_column("bytes", "of a finite transfer", unit="bytes", least=1, most=1e18),
    number_column(
        "window_bytes", "the receiver's greatest window", unit="bytes", least=1, most=1e12
    ),
    number_column(
        "send_buffer_bytes", "the sender's greatest buffer", unit="bytes", least=1, most=1e12
    ),
)
_VALUE = Column(
    name="value",
    meaning="the measured rate, for the evaluation only; Gbit/s where `unit` does not say",
    kind=_NUMBER,
    other_names=("gbps",),
    is_aside=True,
)
_ASIDE = tuple(
    Column(name=name, meaning=meaning, is_aside=True)
    for name, meaning in (
        ("metric", "whose count the rate is"),
        ("note", "the ceiling of both ends' buffers; of pods, what their network does"),
        ("source", "the campaign, whose protocol may be known"),
        ("src", "the sender's name"),
        ("dst", "the receiver's name"),
        ("unit", "of the value"),
        ("rtt_date", "the day of the round-trip time"),
        # Of published measurements; no limit depends on these.
        ("nic", "not used"),
        ("n_samples", "not used"),
        ("network_tier", "not used"),
        ("tool", "not used"),
    )
)

PATH_COLUMNS = (*_KIND, *_PLACE, *_NUMBERS, _VALUE, *_ASIDE)
POD_NOTE = "pod_note"
"""No column: what a note says of a pod's network."""
BUFFER_NOTE, SENT_LOG2 = "buffer_note", "sent_log2"
"""No columns: the buffers that a note tells, and the next power of two of the sender's buffer."""
KIND_COLUMNS = (*names_of(_KIND), POD_NOTE, BUFFER_NOTE, SENT_LOG2)
"""Text that says which limits hold."""
PLACE_COLUMNS = names_of(_PLACE)
NUMBER_COLUMNS = names_of(_NUMBERS)
VALUE_COLUMNS = _VALUE.names
