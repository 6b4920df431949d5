"""Kubernetes objects: lists, single objects, YAML and folders of them, and GKE's own answers.

`objects.read` takes JSON documents, `lists.read_list` large lists without building them whole,
`yaml_text.documents` YAML. `gke.read` takes clusters and node pools of the Kubernetes Engine API.
"""
