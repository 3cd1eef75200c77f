"""Every program that tests, scripts and the Makefile start comes from the packages that tests/support/packages lists.

tests/run gives the suites a PATH with nothing else. What PATH does not reach is read here: absolute paths, and the
commands of scripts that no suite runs."""
import functools
import os
import re
import shutil
import subprocess

import pytest

from programs import ALL_PARTS, FOLDERS, TOP, Programs

pytestmark = pytest.mark.skipif(not shutil.which("dpkg-query"), reason="without dpkg nobody knows whose a program is")
# Always there, and in no package of the list: apt, of Debian's own installer.
FOREIGN = "apt-get"
# It brings the packages, so it runs before they are there.
INSTALLER = "tests/support/packages"

ABSOLUTE = re.compile(r"(?<![\w.*}/-])(/(?:[\w.+-]+/)*s?bin/[\w.+-]+)")
PYTHON_STARTS = re.compile(r"\b(?:Popen|run|call|check_output)\(\s*\[\s*[\"']([\w.+-]+)[\"']")
# A word where a command may begin.
BEFORE = r"(?:if|then|else|do|while|exec|env|xargs)\b"
SHELL_STARTS = re.compile(rf"(?:^[ \t]*@?|[;|&({{`!] *|\b{BEFORE} +)(?!{BEFORE})([\w.+-]+)(?=[\s;)]|$)", re.M)


@functools.cache
def listed():
    return Programs(ALL_PARTS)


def foreign(path):
    return os.path.exists(path) and not listed().may_start(path)


def started(path, text):
    """The programs that a file starts, as far as its text shows, as absolute paths."""
    yield from ABSOLUTE.findall(text)
    first = text.split("\n", 1)[0]
    if path == "Makefile" or first.startswith(("#!/bin/sh", "#!/usr/bin/env bash")):
        names = SHELL_STARTS.findall(re.sub(r"(?m)(?:^|\s)#.*$", "", text))
    else:
        names = PYTHON_STARTS.findall(text) if path.endswith(".py") or "python" in first else ()
    for name in names:
        yield next((place for folder in FOLDERS if os.path.exists(place := os.path.join(folder, name))), name)


def sources():
    said = subprocess.run(["git", "ls-files", "-z", "tests", "Makefile", ".ci"], cwd=TOP, capture_output=True, text=True,
                          check=True).stdout
    return [path for path in said.split("\0") if path and path != INSTALLER]


def test_path_holds_listed_programs_only():
    """That of this very test."""
    assert os.path.exists(f"/usr/bin/{FOREIGN}") and not shutil.which(FOREIGN)
    assert shutil.which("cc") and shutil.which("java")


def test_sources_start_listed_programs_only():
    found, looked_at = [], set()
    for path in sources():
        with open(os.path.join(TOP, path), encoding="utf-8", errors="replace") as f:
            programs = set(started(path, f.read()))
        looked_at |= programs
        found += [(path, program) for program in sorted(programs) if foreign(program)]
    assert found == []
    assert {"python3", "sh", "grep", "openssl", "git"} <= {os.path.basename(program) for program in looked_at}


@pytest.mark.parametrize("path, text", [
    ("tests/live/x.py", f'PROGRAM = "/usr/bin/{FOREIGN}"\n'), ("tests/live/x.py", f'subprocess.run(["{FOREIGN}", "x"])\n'),
    ("tests/run", f'#!/usr/bin/python3\nPopen(["{FOREIGN}"])\n'), ("tests/unit/x.c", f'system("/usr/bin/{FOREIGN} x");\n'),
    ("Makefile", f"all:\n\t@{FOREIGN} x\n"), ("Makefile", f"all:\n\t@cd x && {FOREIGN}\n"),
    (".ci/run", f"#!/bin/sh\necho x | {FOREIGN} x\n"), (".ci/run", f"#!/bin/sh\nx=$({FOREIGN})\n"),
    (".ci/run", f"#!/bin/sh\nif {FOREIGN} x; then y; fi\n")])
def test_foreign_program_is_found(path, text):
    assert [program for program in started(path, text) if foreign(program)] == [f"/usr/bin/{FOREIGN}"]
