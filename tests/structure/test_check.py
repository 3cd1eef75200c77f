"""The tree keeps its rules, and each rule can be broken: a planted violation is reported."""
import functools
import glob
import os
import re
import shutil

import check
import pytest

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")


@pytest.mark.parametrize("rule", check.RULES, ids=lambda rule: rule.__name__)
def test_tree_keeps(rule):
    assert list(rule(TOP)) == []


def test_something_is_looked_at():
    # A rule over no files would always hold.
    looked_at = list(check.files(TOP))
    assert {path.split("/")[0] for path in looked_at} == {"config", "probe", "tui"}


PLANTED = [
    (check.foreign_headers, "tui/views/planted.c", "#include <curses.h>\n"),
    (check.foreign_headers, "tui/dashboard/planted.c", "#include <ncursesw/curses.h>\n"),
    (check.foreign_headers, "probe/planted.h", "# include <term.h>\n"),
    (check.foreign_headers, "probe/watch/planted.c", "#include <zookeeper/zookeeper.h>\n"),
    (check.foreign_headers, "probe/zookeeper/planted.c", "#include <zookeeper.h>\n"),
    (check.foreign_headers, "probe/inject/planted.c", "#include <zookeeper/zookeeper.jute.h>\n"),
    (check.foreign_headers, "tui/commands/planted.c", "#include <yaml.h>\n"),
    (check.foreign_headers, "probe/watch/planted.c", "#include <curl/curl.h>\n"),
    (check.foreign_headers, "probe/report/planted.c", "#include <sqlite3.h>\n"),
    (check.foreign_headers, "probe/json/planted.c", "#include <zlib.h>\n"),
    (check.foreign_headers, "probe/metrics/planted.c", "#include <microhttpd.h>\n"),
    (check.foreign_headers, "probe/zookeeper/planted.c", "#include <openssl/ssl.h>\n"),
    (check.foreign_headers, "probe/transport/planted.c", "#include <sasl/sasl.h>\n"),
    (check.foreign_headers, "probe/transport/planted.c", "#include <gssapi/gssapi.h>\n"),
    (check.upward_includes, "probe/transport/planted.c", '#include "probe/zookeeper/session.h"\n'),
    (check.upward_includes, "config/planted.c", '#include "probe/election/model.h"\n'),
    (check.upward_includes, "probe/metrics/planted.c", '#include "probe/watch/watch.h"\n'),
    (check.upward_includes, "probe/metrics/planted.c", '#include "probe/alert/alert.h"\n'),
    (check.upward_includes, "config/planted.h", '#include "tui/views/view.h"\n'),
    (check.upward_includes, "probe/json/planted.c", '#include "tui/screen/safe.h"\n'),
    (check.upward_includes, "probe/election/planted.c", '#include "probe/watch/discover.h"\n'),
    (check.upward_includes, "probe/election/planted.c", '#include "probe/zookeeper/session.h"\n'),
    (check.upward_includes, "probe/election/planted.c", '#include "probe/json/json_writer.h"\n'),
    (check.upward_includes, "probe/election/planted.c", '#include "probe/candidate/test_candidate.h"\n'),
    (check.upward_includes, "probe/inject/planted.c", '#include "probe/history/history.h"\n'),
    (check.upward_includes, "tui/screen/planted.c", '#include "tui/views/view.h"\n'),
    (check.upward_includes, "tui/planted.c", '#include "tests/support/fake.h"\n'),
    (check.relative_includes, "config/planted.c", '#include "settings.h"\n'),
    (check.relative_includes, "config/planted.c", '#include "../probe/monitor.h"\n'),
    (check.pure_model, "probe/election/planted.c", "#include <uv.h>\n"),
    (check.pure_model, "probe/election/planted.c", "long now(void)\n{\n    return time(NULL);\n}\n"),
    (check.private_headers, "tui/views/planted.c", '#include "probe/election/election_private.h"\n'),
    (check.private_headers, "probe/history/planted.h", '#include "probe/election/election_private.h"\n'),
    (check.writes_to_clusters, "probe/watch/planted.c", "    session_create(s, p, d, 1, CREATE_EPHEMERAL, f, c);\n"),
    (check.writes_to_clusters, "tui/commands/planted.c", "    session_delete (s, p, -1, f, c);\n"),
    (check.writes_to_clusters, "tui/views/planted.c", "    session_set(s, p, d, 1, -1, f, c);\n"),
    (check.writes_to_clusters, "probe/inject/planted.c", "    session_delete(s, p, -1, f, c);\n"),
    (check.writes_to_clusters, "tui/commands/planted.c", "    struct guard *g = guard_new_private();\n"),
    (check.function_names, "tui/views/planted.c", "int candidate_draw(void)\n{\n    return 1;\n}\n"),
    (check.unused_exports, "probe/planted.c", "int planted_do(void)\n{\n    return 1;\n}\n"),
    (check.struct_tags, "probe/planted.c", "struct election {\n    int planted;\n};\n"),
    (check.top_level, "notes.txt", "remember\n"),
    (check.top_level, "lib/x.c", "int x;\n"),
]


def copy_tree(top):
    for folder in ("config", "probe", "tui"):
        shutil.copytree(os.path.join(TOP, folder), top / folder)
    return top


@pytest.fixture(scope="module", name="tree")
def fixture_tree(tmp_path_factory):
    """A copy in which each test removes what it plants, and what each rule says of it without that."""
    top = copy_tree(tmp_path_factory.mktemp("tree"))
    return top, functools.cache(lambda rule: set(rule(top)))


@pytest.mark.parametrize("rule, path, text", PLANTED, ids=[f"{rule.__name__}-{path}" for rule, path, _ in PLANTED])
def test_violation_is_reported(rule, path, text, tree):
    top, said_before = tree
    before = said_before(rule)
    assert not (top / path).exists()
    write_all(top, {path: text})
    try:
        reported = set(rule(top)) - before
    finally:
        (top / path).unlink()
    if path.startswith("lib/"):
        (top / "lib").rmdir()
    assert [found[0] for found in reported] == [path.split("/")[0] if rule is check.top_level else path]


def write_all(top, texts):
    for path, text in texts.items():
        (top / path).parent.mkdir(exist_ok=True, parents=True)
        (top / path).write_text(text)


@pytest.mark.parametrize("header, circles", [("tui/screen/safe.h", 0), ("tui/views/view.h", 1), ("tui/dashboard/dashboard.h", 1)])
def test_circle_of_folders_is_reported(header, circles, tmp_path):
    # The dashboard includes views, and these include how texts are made safe.
    write_all(tmp_path, {"tui/dashboard/dashboard.h": '#include "tui/views/view.h"\n', "tui/views/view.h": '#include "tui/screen/safe.h"\n',
                         "tui/views/list.h": f'#include "{header}"\n', "tui/screen/safe.h": f'#include "{header}"\n'})
    assert len(list(check.part_circles(tmp_path))) == circles


@pytest.mark.parametrize("header, right", [("one.h", True), ("table.h", True), ("one_more.h", False), ("two.h", False)])
def test_function_stands_in_its_header(header, right, tmp_path):
    # two.h is another file's, table.h is nobody's.
    write_all(tmp_path, {"probe/one.c": "int one_do(void)\n{\n    return 1;\n}\n", "probe/two.c": "", "probe/one_more.c": "",
                         f"probe/{header}": "int one_do(void);\n"})
    assert [found[0] for found in check.own_headers(tmp_path)] == ([] if right else ["probe/one.c"])


ALLOWED = {
    "tui/screen/curses_planted.c": "#include <curses.h>\n",
    "config/planted.c": "#include <yaml.h>\n",
    "probe/candidate/guard.c": "    session_create(s, p, d, 1, CREATE_EPHEMERAL, f, c);\n",
    "tui/commands/planted.c": '#include "probe/monitor.h"\n',
    "probe/watch/planted.c": '#include "probe/zookeeper/session.h"\n#include <uv.h>\n',
    "probe/election/planted.c": "    int64_t at = moment_time(x);\n",
}


def test_what_is_right_is_not_reported(tmp_path):
    write_all(copy_tree(tmp_path), ALLOWED)
    assert [found for rule in check.RULES for found in rule(tmp_path) if found[0] in ALLOWED] == []


def test_every_diagnosis_plays_on_real_servers():
    """Each code of the table of findings stands, in quotes, in some live test."""
    with open(os.path.join(TOP, "probe/election/finding.c"), encoding="utf-8") as f:
        codes = re.findall(r'\.word = "([a-z-]+)"', f.read())
    played = ""
    for name in glob.glob(os.path.join(TOP, "tests/live/test_*.py")):
        with open(name, encoding="utf-8") as f:
            played += f.read()
    assert len(codes) > 30
    assert [code for code in codes if f'"{code}"' not in played] == []
