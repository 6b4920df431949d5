"""Measure what predictions leave open, with iperf3 between your machines."""
