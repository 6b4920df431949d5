"""From probes to a calibration."""
