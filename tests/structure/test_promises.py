"""Each promise of the page on security, and of the README's table, names the tests that show it, and these exist."""
import glob
import os
import re

import pytest

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
SECTIONS = "DESCRIPTION", "TLS", "SASL", "WHAT SERVERS SEND", "WHAT A SECURED CLUSTER HIDES", "WHAT IT TRUSTS"
MARKER = re.compile(r'^\.\\" Shown by (tests/\S+) (\w+)$', re.M)
ROWS = {
    "Writes": ["live/test_footprint.py test_writes_nothing", "live/test_keys.py test_no_command_writes",
               "live/test_keys.py test_a_run_writes_in_the_sandbox_only", "unit/guard_test.c a_run_keeps_to_itself"],
    "Sessions": ["live/test_paths.py test_many_sessions"],
    "Watches": ["live/test_footprint.py test_few_watches"],
    "Reads": ["live/test_reads.py test_events_read_no_more_than_promised", "live/test_reads.py test_the_account_shows_in_metrics"],
    "Discovery": ["live/test_discover.py test_rate_is_kept_and_progress_shown",
                  "live/test_discover.py test_changes_are_followed_without_another_walk"],
    "Server polls": ["unit/server_poll_budget_test.c over_any_stretch_it_is_a_hundredth"],
    "Dashboard": ["terminal/test_dashboard.py test_silent_server"],
    "Unknown facts": ["live/test_first_minute.py test_watches_are_hidden", "live/test_paths.py test_unreadable_leader_and_mark"],
    "Names and data of other clients": ["unit/safe_test.c shows_what_the_table_says",
                                        "terminal/test_dashboard.py test_hostile_names_stay_in_their_line"],
    "Recording": ["live/test_secrets.py test_a_recording_is_for_its_owner_and_group"],
}


def read(name):
    with open(os.path.join(TOP, name), encoding="utf-8") as f:
        return f.read()


def promises(page):
    """The paragraphs and items of the sections that promise something."""
    for section in re.split(r"^\.Sh ", page, flags=re.M):
        name, _, text = section.partition("\n")
        if name in SECTIONS:  # what follows .Ss are examples
            for part in re.split(r"^\.(?:Pp|Bl .*|El)$|^(?=\.It )", text.partition("\n.Ss ")[0], flags=re.M):
                if part and part.strip():
                    yield f"{name}: {part.strip()[:60]!r}", part


def missing(tests):
    """What is named and is no test."""
    for file, name in tests:
        path = os.path.join(TOP, file)
        begins = {".py": rf"^def {name}\(", ".c": rf"^static void {name}\(.*\n(.*\n)*.*\({name}[,)]"}
        if not os.path.exists(path) or not re.search(begins[os.path.splitext(path)[1]], read(file), re.M):
            yield f"{file} {name}"


def unshown(page):
    return [name for name, part in promises(page) if not MARKER.search(part)]


PAGE = read("doc/electop-security.7.in")


def test_each_promise_of_the_page_names_its_tests():
    assert len(list(promises(PAGE))) >= 15 and unshown(PAGE) == []


def test_each_row_of_the_readme_names_its_tests():
    table = read("README.md").split("## Safety and cost")[1].split("\n## ")[0]
    assert re.findall(r"^\| (\w.*?) \|", table, re.M) == list(ROWS)
    assert [row for row, tests in ROWS.items() if not tests] == []


def test_each_named_test_is_there():
    named = MARKER.findall(PAGE) + [tuple(("tests/" + test).split()) for tests in ROWS.values() for test in tests]
    assert list(missing(named)) == []


def test_each_suite_that_the_page_names_is_there():
    suites = re.findall(r"(?:live|unit|structure|terminal|interop|field)/\w+", "\n".join(re.findall(r"^\.Dl .*$", PAGE, re.M)))
    assert suites and [suite for suite in suites if not glob.glob(os.path.join(TOP, "tests", *suite.replace("/", "/*").split("/")) + "*")] == []


@pytest.mark.parametrize("planted", [".Pp\nelectop never errs.\n", ".Bl -tag\n.It Errors\nThere are none.\n.El\n"])
def test_a_promise_without_a_test_is_found(planted):
    assert len(unshown(PAGE.replace(".Sh SASL\n", planted + ".Sh SASL\n"))) == 1


def test_a_test_that_is_gone_is_found():
    assert list(missing([("tests/live/test_secrets.py", "test_nothing")])) == ["tests/live/test_secrets.py test_nothing"]
