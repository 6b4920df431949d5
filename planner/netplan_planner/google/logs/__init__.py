"""Flow logs from Cloud Logging: page by page into a folder, as the files that a sink writes."""
