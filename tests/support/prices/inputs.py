"""A small made catalogue with machine types and tables, in the shapes that the builder reads.

Three regions, a handful of types, round prices that no catalogue has: wrong answers show.
"""

import csv
import gzip
import io
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

from netplan_pricing.building.assemble import Built
from netplan_pricing.building.from_files import build_from_files
from support.prices.skus import NETWORKING, sku, write_page

TODAY = date(2026, 11, 20)
REGIONS = ("aa-one1", "bb-two2", "cc-three3")
PLACES = {"Ay": ("aa-one1",), "Bee": ("bb-two2",), "Sea": ("cc-three3",)}
LISTS = "prices.csv"
RATES = "rates.csv"
PAGES = "pages.csv"
TYPES = "types.csv"
OFFERS = "regions.csv.gz"
ZONES = "zones.csv"
MACHINE_FILES = (TYPES, OFFERS, ZONES)
PRICE_FILES = (LISTS, RATES, PAGES)

TABLES: dict[str, str] = {
    TYPES: (
        "machine_type,series,family,guest_vcpus,billed_vcpus,memory_gib,architecture,cpu_platforms,"
        "is_shared_core,gpu_type,gpu_count,bundled_local_ssd_gib,is_bare_metal,deprecation\n"
        "n2-standard-4,n2,General,4,4,16,X86_64,Ice,0,,,,0,\n"
        "n2-standard-44,n2,General,44,44,176,X86_64,Ice,0,,,,0,\n"
        "e2-micro,e2,General,2,0.25,1,X86_64,Any,1,,,,0,\n"
        "c4n-standard-4,c4n,Network,4,4,16,X86_64,Any,0,,,,0,\n"
    ),
    OFFERS: (
        "machine_type,region,deprecation\n"
        "n2-standard-4,aa-one1,\nn2-standard-44,aa-one1,DEPRECATED\ne2-micro,aa-one1,\n"
        "n2-standard-4,bb-two2,\ne2-micro,bb-two2,\nn2-standard-4,cc-three3,\n"
        "c4n-standard-4,aa-one1,\n"
    ),
    ZONES: "machine_type,zone\nn2-standard-4,aa-one1-a\n",
    LISTS: (
        "region,machine_type,on_demand_usd_hour,spot_usd_hour,cud_1y_usd_hour,cud_3y_usd_hour,"
        "sud_full_month_usd_hour,available_in_region,source,as_of,note\n"
        "aa-one1,n2-standard-4,0.4,0.07,0.32,0.24,,1,a list,2026-07-30,\n"
        "aa-one1,c4n-standard-4,0.9,0.3,,,,1,a list,2026-07-30,\n"
        "bb-two2,n2-standard-44,5.5,2.2,4.4,3.3,,0,a list,2026-03-01,\n"
    ),
    RATES: (
        "series,region,component,usage,usd_per_unit,unit,source,as_of,note\n"
        "n2,aa-one1,custom_core,spot,0.02,vcpu-hour,solved,2026-07-30,\n"
        "n2,aa-one1,custom_ram,spot,0.002,gib-hour,solved,2026-03-01,\n"
        "n2,aa-one1,core,on_demand,0.09,vcpu-hour,solved,2026-07-30,\n"
    ),
    PAGES: (
        "class,direction,source_location,destination_location,network_tier,usage_tier,unit,"
        "price_usd,confidence,source,source_date,sku_id,note\n"
        "same_zone_external_ip,egress,any zone,same zone,,,GiB,0.01,medium,a page,2020-07-30,"
        "NET0-0001,billed as between zones\n"
        "cloud_nat_data,both,any,,,,GiB,0.9,high,a page,2026-07,,\n"
        "psc_data,both,any,,,,GiB,0.01,high,a page,2026-07,,\n"
        "vpn_tunnel,hourly,aa-one1,,,,hour,0.9,high,a page,2026,,\n"
        "external_ipv4_static_unused,hourly,aa-one1,,,,hour,0.9,high,a page,2026,,\n"
        "external_ipv4_static_unused,hourly,bb-two2,,,,hour,0.02,high,a page,2026,,\n"
        "inter_region_historical,egress,Asia,Asia,,,GiB,0.05,medium,a page,2024,,\n"
        "network_log_storage,logs,any,,,0-10 TiB per month,GiB of log,0.25,high,a page,2026,,\n"
        "network_log_storage,logs,any,,,more than 10 TiB per month,GiB of log,0.1,high,a page,"
        "2026,,\n"
    ),
}


def made_skus() -> list[dict[str, Any]]:
    """Return the SKUs of the made catalogue, each with an id of its own."""
    return [*_machines(), *_traffic(), *_rest()]


def _machines() -> list[dict[str, Any]]:
    found = []
    factor = {"aa-one1": 1, "bb-two2": 2, "cc-three3": 3}
    usages = {
        "OnDemand": ("{} Instance {} running in {}", 1.0),
        "Preemptible": ("Spot Preemptible {} Instance {} running in {}", 0.25),
        "Commit1Yr": ("Commitment v1: {} {} in {} for 1 Year", 0.8),
        "Commit3Yr": ("Commitment v1: {} {} in {} for 3 Years", 0.6),
    }
    for n, (place, regions) in enumerate(PLACES.items()):
        for series in ("N2", "E2"):
            for usage, (form, share) in usages.items():
                for group, word, unit, base in (
                    ("CPU", "Core", "h", 0.06),
                    ("RAM", "Ram", "GiBy.h", 0.01),
                ):
                    usd = f"{base * share * factor[regions[0]]:.6f}"
                    text = form.format(series, word, place)
                    identity = f"{series}{n}-{group}-{usage.upper()[:9]}"
                    found.append(
                        sku(text, group, usage=usage, regions=regions, unit=unit,
                            usd=((0, usd),), sku_id=identity)
                    )  # fmt: skip
    custom = [
        ("N2 Custom Instance Core running in Ay", "CPU", "h", "0.1"),
        ("N2 Custom Instance Ram running in Ay", "RAM", "GiBy.h", "0.01"),
        ("N2 Custom Extended Instance Ram running in Ay", "RAM", "GiBy.h", "0.02"),
        ("Nvidia L4 GPU running in Ay", "GPU", "h", "0"),
    ]
    for n, (text, group, unit, usd) in enumerate(custom):
        found.append(
            sku(text, group, unit=unit, usd=((0, usd),), regions=("aa-one1",), sku_id=f"CUST-{n}")
        )
    return found


def _traffic() -> list[dict[str, Any]]:
    found = []
    for n, (src, from_regions) in enumerate(PLACES.items()):
        for m, (dst, to_regions) in enumerate(PLACES.items()):
            if src != dst:
                found.append(
                    network(f"Network Inter Region Data Transfer Out from {src} to {dst}",
                            "InterregionEgress", f"REG-{n}-{m}", ((0, f"0.{n + 1}{m + 1}"),),
                            (*from_regions, *to_regions), geo=from_regions)
                )  # fmt: skip
        # Both parts of Europe cost the same from the first region, and not from the others.
        for area, usd in (("Western Europe", "0.4"), ("Eastern Europe", f"0.{4 + n}")):
            found.append(
                network(f"Network Internet Data Transfer Out from {src} to {area}",
                        "PremiumInternetEgress", f"WEB-{n}-{area[0]}",
                        ((0, usd), (1024, "0.3")), from_regions)
            )  # fmt: skip
        found += [
            network(f"Network Standard Data Transfer Out to Internet from {src}",
                    "StandardInternetEgress", f"STD-{n}", ((0, "0.2"),), from_regions),
            network(f"Network Data Transfer to Google Services from {src} to {src}",
                    "GoogleEgress", f"GOO-{n}", ((0, "0"),), from_regions),
        ]  # fmt: skip
    return found


def network(
    text: str,
    group: str,
    sku_id: str,
    usd: tuple[tuple[float, str], ...],
    regions: tuple[str, ...],
    *,
    unit: str = "GiBy",
    service: str = "6F81-5844-456A",
    usage: str = "OnDemand",
    geo: tuple[str, ...] | None = None,
) -> dict[str, Any]:
    """Return a SKU of the network family."""
    return sku(
        *(text, group),
        family="Network",
        sku_id=sku_id,
        usd=usd,
        regions=regions,
        unit=unit,
        service=service,
        usage=usage,
        geo=geo,
    )


def _rest() -> list[dict[str, Any]]:
    far = ("global",)
    return [
        # Five regions of a list that is not where the price holds.
        network("Network Inter Zone Data Transfer Out", "InterzoneEgress", "NET0-0001",
                ((0, "0.01"),), ("aa-one1",)),
        network("Network Inter Zone Data Transfer Out in Sea", "InterzoneEgress", "NET0-0002", (),
                ("cc-three3",)),
        network("Network Intra Zone Data Transfer Out", "IntrazoneEgress", "NET0-0003",
                ((0, "0"),), far),
        network("External IP Charge on a Standard VM", "IpAddress", "NET0-0004",
                ((0, "0"), (720, "0.005")), far, unit="h"),
        network("Static Ip Charge in Ay", "IpAddress", "NET0-0005", ((0, "0.01"),), ("aa-one1",),
                unit="h"),
        network("On-demand fee for total VM network bandwidth up to 50 Gbps in Ay",
                "AdvancedNetworking", "NET0-0006", ((0, "0.5"),), ("aa-one1",), unit="h"),
        network("Networking Cloud Nat Data Processing", "Nat", "NET0-0007", ((0, "0.045"),), far,
                service=NETWORKING),
        network("Networking Cloud VPN Tunnel Aaone1", "VPNTunnel", "NET0-0008", ((0, "0.05"),),
                ("aa-one1",), unit="h", service=NETWORKING),
        network("Networking Telemetry", "VPCFlowLogsGeneration", "NET0-0009",
                ((0, "0.25"), (10240, "0.15")), far, service=NETWORKING),
        network("Regional Internal Proxy Network Load Balancer Inbound Data Processing for Ay"
                " (aa-one1)", "LoadBalancing", "NET0-0010", ((0, "0.008"),), ("aa-one1",),
                service=NETWORKING),
        network("Global External Application Load Balancer Inbound Data Processing for Ay"
                " (aa-one1)", "LoadBalancing", "NET0-0011", ((0, "0.008"),), ("aa-one1",),
                service=NETWORKING),
    ]  # fmt: skip


def write_inputs(folder: Path, changed: Mapping[str, str | None] | None = None) -> Path:
    """Write catalogue and tables into `folder` and return it; `changed` replaces or drops some."""
    folder.mkdir(parents=True, exist_ok=True)
    write_page(folder / "skus.json", made_skus())
    for name, text in {**TABLES, **(changed or {})}.items():
        if text is None:
            continue
        content = text.encode()
        packed = gzip.compress(content, mtime=0) if name.endswith(".gz") else content
        (folder / name).write_bytes(packed)
    return folder


def built(folder: Path, changed: Mapping[str, str | None] | None = None, **more: Any) -> Built:
    """Write the made inputs, changed as told, and build a snapshot from them."""
    inputs = write_inputs(folder, changed)
    if "skus" in more:
        write_page(inputs / "skus.json", more.pop("skus"))
    return build_from_files(
        [inputs / "skus.json"],
        [inputs / name for name in MACHINE_FILES],
        [inputs / name for name in PRICE_FILES],
        **{"today": TODAY, **more},
    )


def arguments(inputs: Path) -> list[str]:
    """Return the options of `netplan prices build` for written inputs."""
    found = ["--skus", str(inputs / "skus.json")]
    for option, names in (("--machine-types", MACHINE_FILES), ("--price-tables", PRICE_FILES)):
        found += [option, *(str(inputs / name) for name in names)]
    return found


def replaced(name: str, old: str, new: str) -> dict[str, str]:
    """Return a change of one table; the text to replace must be there exactly once."""
    assert TABLES[name].count(old) == 1, (name, old)
    return {name: TABLES[name].replace(old, new)}


def read_csv(path: Path) -> list[dict[str, str]]:
    """Return the rows of a CSV file, gzip or not."""
    content = path.read_bytes()
    text = gzip.decompress(content) if path.suffix == ".gz" else content
    return list(csv.DictReader(io.StringIO(text.decode())))
