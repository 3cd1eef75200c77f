"""What every judgement came to: system, version, stage, truth, report, verdict, a line each.

The lines of one run are written below build/results, a file for each suite; `tests/field/table` joins them."""
import json
import os
import sys

FOLDER = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "build", "results"))
COLUMNS = ("system", "version", "stage", "truth", "report", "verdict")


def suite_of_this_run():
    for argument in sys.argv:
        if argument.endswith(".py") and os.path.basename(argument).startswith("test_"):
            return os.path.splitext(os.path.basename(argument))[0][5:]
    return "other"


def add(system, version, stage, truth, report, complaints, suite=None):
    """complaints: why the report is not right; none: it is."""
    os.makedirs(FOLDER, exist_ok=True)
    row = dict(zip(COLUMNS, (system, version, stage, truth, report, "; ".join(complaints) or "right")))
    with open(os.path.join(FOLDER, f"{suite or suite_of_this_run()}.jsonl"), "a", encoding="utf-8") as f:
        f.write(json.dumps(row) + "\n")
