"""A small set of made price tables, in the shape that the snapshot builder reads.

Three regions, a handful of types, round prices that no catalogue has: wrong answers show.
"""

import csv
import gzip
import io
from collections.abc import Mapping
from pathlib import Path

REGIONS = ("aa-one1", "bb-two2", "cc-three3")
PRICE_HEAD = (
    "region,machine_type,on_demand_usd_hour,spot_usd_hour,cud_1y_usd_hour,cud_3y_usd_hour,"
    "sud_full_month_usd_hour,available_in_region,source,as_of,note"
)
NETWORK_HEAD = (
    "kind,source_place_or_item,source_regions,destination_place,destination_regions,tier_start,"
    "usd_per_unit,unit,as_of"
)
DAY = "2026-04-30"


def _network() -> str:
    lines = [NETWORK_HEAD]
    for n, src in enumerate(REGIONS):
        for m, dst in enumerate(REGIONS):
            if src != dst:
                lines.append(f"interregion_out,P{n},{src},P{m},{dst},0,0.{n + 1}{m + 1},GiBy,{DAY}")
        # Both parts of Europe cost the same from the first region, and not from the others.
        for area, usd in (("Western Europe", "0.4"), ("Eastern Europe", f"0.{4 + n}")):
            lines.append(f"internet_premium_out,P{n},{src},{area},,1024,0.3,GiBy,{DAY}")
            lines.append(f"internet_premium_out,P{n},{src},{area},,0,{usd},GiBy,{DAY}")
        lines.append(f"internet_standard_out,P{n},{src},Internet,,0,0.2,GiBy,{DAY}")
        lines.append(f"google_services_out,P{n},{src},P{n},,0,0,GiBy,{DAY}")
    lines += [
        f"interzone_out,,global,,,0,0.01,GiBy,{DAY}",
        f"interzone_out,,cc-three3,,,,,no-tiers-in-catalogue,{DAY}",
        f"intrazone_out,,global,,,0,0,GiBy,{DAY}",
        f"external_ip,External IP Charge on a Standard VM,global,,,0,0,h,{DAY}",
        f"external_ip,External IP Charge on a Standard VM,global,,,720,0.005,h,{DAY}",
        f"external_ip,Static Ip Charge in P0,aa-one1,,,0,0.01,h,{DAY}",
    ]
    return "\n".join(lines) + "\n"


TABLES: dict[str, str] = {
    "catalog/machine_types.csv": (
        "machine_type,series,family,guest_vcpus,billed_vcpus,memory_gib,architecture,cpu_platforms,"
        "is_shared_core,gpu_type,gpu_count,bundled_local_ssd_gib,is_bare_metal,deprecation\n"
        "n2-standard-4,n2,General,4,4,16,X86_64,Ice,0,,,,0,\n"
        "n2-standard-44,n2,General,44,44,176,X86_64,Ice,0,,,,0,\n"
        "e2-micro,e2,General,2,0.25,1,X86_64,Any,1,,,,0,\n"
    ),
    "catalog/machine_type_regions.csv.gz": (
        "machine_type,region,deprecation\n"
        "n2-standard-4,aa-one1,\nn2-standard-44,aa-one1,DEPRECATED\ne2-micro,aa-one1,\n"
        "n2-standard-4,bb-two2,\ne2-micro,bb-two2,\nn2-standard-4,cc-three3,\n"
    ),
    "catalog/machine_type_zones.csv.gz": "machine_type,zone\nn2-standard-4,aa-one1-a\n",
    "catalog/prices.csv.gz": (
        PRICE_HEAD + "\n"
        f"aa-one1,n2-standard-4,0.4,0.1,0.3,0.2,0.32,1,cyclenerd-pricing.yml,{DAY},\n"
        f"aa-one1,n2-standard-44,4.4,,3.3,2.2,3.52,1,cyclenerd-pricing.yml,{DAY},spot-withheld\n"
        f"aa-one1,e2-micro,0.04,0.01,,,,1,cyclenerd-pricing.yml,{DAY},\n"
        f"bb-two2,n2-standard-4,0.5,0.2,0.4,0.3,0.4,1,cyclenerd-pricing.yml,{DAY},\n"
        f"bb-two2,n2-standard-44,5.5,2.2,4.4,3.3,4.4,0,cyclenerd-pricing.yml,{DAY},\n"
    ),
    "catalog/component_prices.csv.gz": (
        "series,region,component,usage,usd_per_unit,unit,source,as_of,note\n"
        f"n2,aa-one1,custom_core,on_demand,0.1,vcpu-hour,billing-api-dump,{DAY},\n"
        f"n2,aa-one1,custom_ram,on_demand,0.01,gib-hour,billing-api-dump,{DAY},\n"
        f"n2,aa-one1,extended_ram,on_demand,0.02,gib-hour,billing-api-dump,{DAY},\n"
        f"gpu,aa-one1,nvidia-l4,on_demand,0,gpu-hour,billing-api-dump,{DAY},\n"
    ),
    "catalog/sustained_use_discounts.csv": (
        "series,scope,max_discount_percent_full_month,rate_multiplier_per_quarter_of_month\n"
        "n2,all,20,1.0|0.8678|0.733|0.6\ne2,all,0,1.0|1.0|1.0|1.0\n"
    ),
    "catalog/tier1_network_prices.csv": (
        "region,ondemand_total_bandwidth_up_to_50_gbps_usd_hour,"
        "ondemand_total_bandwidth_up_to_75_gbps_usd_hour,"
        "ondemand_total_bandwidth_up_to_100_gbps_usd_hour,ondemand_tier1_performance_usd_hour,"
        "spot_total_bandwidth_up_to_50_gbps_usd_hour,spot_total_bandwidth_up_to_75_gbps_usd_hour,"
        "spot_total_bandwidth_up_to_100_gbps_usd_hour,spot_tier1_performance_usd_hour,as_of\n"
        f"aa-one1,0.5,0.75,1,0.01,0.1,0.15,0.2,0.01,{DAY}\n"
    ),
    "catalog/network_prices.csv.gz": _network(),
    "network/network_sku_ids.csv": (
        "resource_group,usage_type,sku_id,description_in_2022,likely_description_since_2023,"
        "source_label,destination_label,tier1_cap_gbps,service_regions,date_seen\n"
        "InterregionEgress,OnDemand,AAAA-0001,x,,P0,P1,,aa-one1 bb-two2,2022\n"
        "InterregionEgress,OnDemand,AAAA-0002,x,,P0,P2,,aa-one1 cc-three3,2022\n"
        "InterregionEgress,OnDemand,AAAA-0003,x,,P0,P2,,aa-one1 cc-three3,2022\n"
        "InterzoneEgress,OnDemand,AAAA-0004,x,,,,,aa-one1,2022\n"
        "InterzoneEgress,OnDemand,AAAA-0005,x,,P2,,,cc-three3,2022\n"
        "AdvancedNetworking,OnDemand,AAAA-0006,x,,P0,,50,aa-one1,2022\n"
    ),
    "network/traffic_prices.csv": (
        "class,direction,source_location,destination_location,network_tier,usage_tier,unit,"
        "price_usd,confidence,source,source_date,sku_id,note\n"
        "same_zone_external_ip,egress,any zone,same zone,,,GiB,0.01,medium,a page,2020-07-30,"
        "AAAA-0004,billed as between zones\n"
        "cloud_nat_data,both,any,,,,GiB,0.045,high,a page,2026-07,,\n"
        "vpn_tunnel,hourly,aa-one1,,,,hour,0.05,high,a page,2026,,\n"
        "external_ipv4_static_unused,hourly,aa-one1,,,,hour,0.9,high,a page,2026,,\n"
        "external_ipv4_static_unused,hourly,bb-two2,,,,hour,0.02,high,a page,2026,,\n"
        "inter_region_historical,egress,Asia,Asia,,,GiB,0.05,medium,a page,2024,,\n"
        "vpc_flow_log_generation,logs,any,,,0-10 TiB per month,GiB of log,0.25,high,a page,2026,,\n"
        "vpc_flow_log_generation,logs,any,,,more than 10 TiB per month,GiB of log,0.1,high,a page,"
        "2026,,\n"
    ),
}


def write_tables(folder: Path, changed: Mapping[str, str | None] | None = None) -> Path:
    """Write the tables into `folder` and return it; `changed` replaces or (None) drops some."""
    for name, text in {**TABLES, **(changed or {})}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if text is None:
            continue
        content = text.encode()
        path.write_bytes(gzip.compress(content, mtime=0) if name.endswith(".gz") else content)
    return folder


def replaced(name: str, old: str, new: str) -> dict[str, str]:
    """Return a change of one table; the text to replace must be there exactly once."""
    assert TABLES[name].count(old) == 1, (name, old)
    return {name: TABLES[name].replace(old, new)}


def read_csv(path: Path) -> list[dict[str, str]]:
    """Return the rows of a CSV file, gzip or not."""
    content = path.read_bytes()
    text = gzip.decompress(content) if path.suffix == ".gz" else content
    return list(csv.DictReader(io.StringIO(text.decode())))
