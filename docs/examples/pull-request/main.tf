# Databases and web servers of the shop.
locals {
  vms = {
    db-1 = ["n2-highmem-16", "us-central1-a"]
    web-0 = ["n2-standard-4", "us-central1-b"]
    cache-1 = ["n2-highmem-4", "us-central1-a"]
    cache-2 = ["n2-highmem-4", "us-central1-b"]
  }
}

resource "google_compute_instance" "vm" {
  for_each     = local.vms
  name         = each.key
  machine_type = each.value[0]
  zone         = each.value[1]
  project      = "shop-prod"

  network_interface {
    network = "default"
  }
}
