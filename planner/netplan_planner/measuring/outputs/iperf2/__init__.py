"""What iperf 2 prints, on the client's side or the server's: text, and CSV (`-y C`)."""

from netplan_planner.measuring.outputs.base import TextFormat
from netplan_planner.measuring.outputs.iperf2 import csv_report, text
from netplan_planner.measuring.outputs.iperf2.csv_rows import is_iperf2_csv

TEXTS = (
    TextFormat(is_iperf2_csv, csv_report.measurements_of),
    TextFormat(text.is_iperf2, text.measurements_of),
)
