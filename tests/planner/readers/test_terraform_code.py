"""File and line of a Terraform configuration's blocks."""

import json
from pathlib import Path

import pytest

from netplan_planner.readers.terraform.code import Code, Place, address_lines

MAIN = """# The fleet
variable "size" {
  type = string
}

resource "google_compute_instance" "vm" {
  count = 2
  name  = "vm-${count.index}"
  metadata = {
    startup = <<-EOT
      resource "google_compute_instance" "not_this" {
    EOT
  }
}

module "net" {
  source = "./modules/net"
}

module "far" {
  source  = "terraform-google-modules/network/google"
  version = "~> 9.0"
}

  resource "google_compute_address" "last" { name = "a" }"""

NET = """
resource "google_compute_subnetwork" "s" {
  for_each = var.regions
}
module "inner" {
  source = "../inner"
}
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for folder in ("modules/net", "modules/inner"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "main.tf").write_text(MAIN, encoding="utf-8")
    (tmp_path / "modules/net/main.tf").write_text(NET, encoding="utf-8")
    inner = {"resource": {"google_compute_network": {"n": {"name": "n"}}}}
    (tmp_path / "modules/inner/main.tf.json").write_text(json.dumps(inner, indent=1))
    return tmp_path


@pytest.mark.parametrize(
    ("address", "file", "line"),
    [
        ("google_compute_instance.vm[1]", "main.tf", 6),
        ("google_compute_address.last", "main.tf", 25),
        ('module.net.google_compute_subnetwork.s["a.b"]', "modules/net/main.tf", 2),
        ('module.net.module.inner["x"].google_compute_network.n', "modules/inner/main.tf.json", 4),
        ("module.far[0].google_compute_network.n", "main.tf", 20),
        ("module.net.google_compute_address.gone", "main.tf", 16),
    ],
)
def test_a_resource_is_at_its_block(root: Path, address: str, file: str, line: int) -> None:
    place = Code(root).place_of(address)
    assert place is not None
    assert (place.path.resolve(), place.line) == ((root / file).resolve(), line)


@pytest.mark.parametrize(
    "address",
    ["google_compute_instance.not_this", "google_compute_instance", "module.gone.a.b", "", "a b"],
)
def test_what_the_configuration_does_not_have_has_no_place(root: Path, address: str) -> None:
    assert Code(root).place_of(address) is None


@pytest.mark.parametrize("text", ["resource {", "\x00", '{"resource": [1]}', "[" * 5000])
def test_a_file_that_is_no_configuration_is_passed_over(root: Path, text: str) -> None:
    for name in ("a.tf", "b.tf.json"):
        (root / name).write_text(text, encoding="utf-8")
    assert Code(root).place_of("google_compute_instance.vm[0]") == Place(root / "main.tf", 6)


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    assert Code(tmp_path / "gone").place_of("google_compute_instance.vm") is None


def test_the_line_of_an_address_in_a_plan() -> None:
    text = json.dumps({"a": [{"address": 'x.y["<"]'}, {"address": "x.z"}]}, indent=1)
    assert address_lines(text.replace("<", "\\u003c")) == {'x.y["<"]': 4, "x.z": 7}
