"""What each program of a live test observed, as a case: kept where the test fails, or in ELECTOP_CASES=DIR always."""
import glob
import os
import re

import pytest

KEPT = os.environ.get("ELECTOP_CASES")
FOLDER = os.path.abspath(KEPT or "build/cases")
OBSERVING = {"once", "events", "check", "record", "export", "discover", "watch", "autopsy"}
written = 0


def test_name():
    """Of the running test: module.test[parameters]; None: none runs."""
    current = os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" ")[0]
    module, _, test = current.partition("::")
    return re.sub(r"[^\w.=-]+", "_", f"{os.path.basename(module)[5:-3]}.{test[5:]}")[:120] if test else None


def observed(arguments):
    """The arguments of a command that watches, with a case of its own."""
    global written
    test = test_name()
    if not test or not arguments or arguments[0] not in OBSERVING or {"--replay", "--observe", "--help"} & set(arguments):
        return list(arguments)
    os.makedirs(FOLDER, exist_ok=True)
    written += 1
    file = os.path.join(FOLDER, f"{test}.{os.getpid()}-{written}-{arguments[0]}.case")
    return [arguments[0], "--observe", file, *arguments[1:]]


def case_of(arguments):
    """The case that these arguments name; None: none."""
    return arguments[2] if list(arguments[1:2]) == ["--observe"] else None


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """A failed test names its cases; those of one that passed go."""
    report = (yield).get_result()
    test = test_name()
    if not test:
        return
    item.failed = getattr(item, "failed", False) or report.failed
    cases = glob.glob(os.path.join(FOLDER, f"{glob.escape(test)}.{os.getpid()}-*"))
    if report.failed and cases:
        report.sections.append(("cases (electop events --replay FILE)", "\n".join(sorted(cases))))
    elif call.when == "teardown" and not item.failed and not KEPT:
        for case in cases:
            os.unlink(case)
