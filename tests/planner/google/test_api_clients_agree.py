"""Google's own client, pointed at the same server, sees what netplan's reader sees."""

import warnings
from typing import Any

import pytest

from netplan_planner.google.compute import read_projects
from netplan_planner.google.options import ApiOptions
from netplan_planner.model import canonical_link
from support.projects import one_project
from support.servers.compute import ComputeServer


@pytest.fixture(scope="module")
def compute_v1() -> Any:
    with warnings.catch_warnings():
        # About Python versions that Google will stop supporting; not ours to fix.
        warnings.simplefilter("ignore")
        return pytest.importorskip("google.cloud.compute_v1")


def client(compute_v1: Any, name: str, url: str) -> Any:
    from google.api_core.client_options import ClientOptions
    from google.auth.credentials import AnonymousCredentials

    return getattr(compute_v1, name)(
        credentials=AnonymousCredentials(),  # type: ignore[no-untyped-call]
        client_options=ClientOptions(api_endpoint=url),
    )


def test_both_clients_see_the_same_machines(compute_v1: Any) -> None:
    with ComputeServer(page_limit=2) as server:
        server.add_project(one_project.PROJECT, one_project.resources())
        options = ApiOptions(endpoint=server.url, is_anonymous=True)
        inventory = read_projects([one_project.PROJECT], options)
        google = client(compute_v1, "InstancesClient", server.url)
        with google:
            pages = google.aggregated_list(project=one_project.PROJECT)
            theirs = [found for _, scope in pages for found in scope.instances]
    ours = {instance.ref.self_link: instance for instance in inventory.instances}
    assert {canonical_link(found.self_link) for found in theirs} == ours.keys()
    for found in theirs:
        instance = ours[canonical_link(found.self_link)]
        assert instance.name == found.name
        assert instance.status == found.status
        assert instance.machine_type == found.machine_type.rpartition("/")[2]
        assert instance.instance_id == str(found.id)
        assert dict(instance.labels) == dict(found.labels)
        assert instance.is_spot == (
            found.scheduling.preemptible or found.scheduling.provisioning_model == "SPOT"
        )
        assert [
            (nic.name, nic.internal_ipv4 or "", nic.nic_type or "") for nic in instance.interfaces
        ] == [(nic.name, nic.network_i_p, nic.nic_type) for nic in found.network_interfaces]
        assert [nic.external_ipv4 or "" for nic in instance.interfaces] == [
            "".join(config.nat_i_p for config in nic.access_configs)
            for nic in found.network_interfaces
        ]


def test_both_clients_see_the_same_networks_and_addresses(compute_v1: Any) -> None:
    with ComputeServer(page_limit=1) as server:
        server.add_project(one_project.PROJECT, one_project.resources())
        options = ApiOptions(endpoint=server.url, is_anonymous=True)
        inventory = read_projects([one_project.PROJECT], options)
        with client(compute_v1, "NetworksClient", server.url) as networks:
            theirs = list(networks.list(project=one_project.PROJECT))
        with client(compute_v1, "AddressesClient", server.url) as addresses:
            pages = addresses.aggregated_list(project=one_project.PROJECT)
            held = [found for _, scope in pages for found in scope.addresses]
    assert {n.ref.self_link: n.mtu_bytes for n in inventory.networks} == {
        canonical_link(found.self_link): found.mtu or 1460 for found in theirs
    }
    assert sorted(a.address for a in inventory.addresses) == sorted(a.address for a in held)
