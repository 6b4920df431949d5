"""What Kubernetes clusters run: network plugins, databases, and where clients and endpoints are.

Pure functions of `model.project.kubernetes`. `networks_of` tells plugin, encapsulation, MTU and
interface with the place where each was read; `database_of` which pods look like databases;
`services` what clients would meet if a Service preferred near endpoints.
"""
