"""Each sentence of the page on security names the tests that show it, or is marked as a limit or another's fact; so does each
row of the README's table; and these tests exist."""
import glob
import os
import re

import pytest

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
OTHER_SECTIONS = "NAME", "WHAT IS TESTED", "REPORTING A VULNERABILITY", "MESSAGES", "CONFIGURATION", "SEE ALSO"
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
    """The sentences of the page, each with the comment before it."""
    for section in re.split(r"^\.Sh ", page, flags=re.M)[1:]:
        name, _, text = section.partition("\n")
        text = re.sub(r"^\.Bd (.*\n)*?\.Ed$|^\.(?:Pp|Ss|Bl|El|It|Dl)\b.*$", "", text, flags=re.M)
        if name not in OTHER_SECTIONS:
            yield from filter(str.strip, re.split(r"(?<=\.)$", text, flags=re.M))


def missing(tests):
    """What is named and is no test."""
    for file, name in tests:
        path = os.path.join(TOP, file)
        begins = {".py": rf"^def {name}\(", ".c": rf"^TEST(?:_BETWEEN)?\({name}[,)]"}
        if not os.path.exists(path) or not re.search(begins[os.path.splitext(path)[1]], read(file), re.M):
            yield f"{file} {name}"


def unshown(page):
    return [part.strip() for part in promises(page) if not MARKER.search(part) and '.\\" A limit\n' not in part]


PAGE = read("doc/electop-security.7.in")


def test_each_promise_of_the_page_names_its_tests():
    assert len(list(promises(PAGE))) >= 70 and unshown(PAGE) == []


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


def test_each_way_of_testing_names_its_command():
    items = re.split(r"^\.It ", PAGE.split(".Sh WHAT IS TESTED")[1].split("\n.El")[0], flags=re.M)[1:]
    assert [item for item in items if not re.search(r"^\.Dl .*\n*\Z", item, re.M)] == []


def test_each_message_is_one():
    """Some words stand for what a message names."""
    sources = "".join(read(name) for folder in ("config", "probe", "tui") for name in glob.glob(f"{folder}/**/*.c", root_dir=TOP, recursive=True))
    messages = re.findall(r"^\.It (.*)$", PAGE.split(".Sh MESSAGES")[1], re.M)
    assert messages and [m for m in messages if not all(part.strip() in sources for part in re.split("NAME|FILE|PRINCIPAL|DIGEST-MD5|GSSAPI|[,;]", m))] == []


@pytest.mark.parametrize("planted", [".Pp\nelectop never errs.\n", ".Bl -tag\n.It Errors\nThere are none.\n.El\n",
                                     '.\\" A limit\nWho errs errs.\nelectop never\nerrs.\n'])
def test_a_promise_without_a_test_is_found(planted):
    assert len(unshown(PAGE.replace(".Sh SASL\n", planted + ".Sh SASL\n"))) == 1


def test_a_test_that_is_gone_is_found():
    assert list(missing([("tests/live/test_secrets.py", "test_nothing")])) == ["tests/live/test_secrets.py test_nothing"]
