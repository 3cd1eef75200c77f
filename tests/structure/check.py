#!/usr/bin/python3
"""Hold the tree to its architecture: tui -> probe -> config, and one door for each foreign library.

    tests/structure/check.py [DIRECTORY]      the project's top by default; prints what breaks which rule

Every rule is a function that yields (file, line, what) for each violation; test_check.py plants one of
each kind in a copy and expects to see it reported.
"""
import fnmatch
import os
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]')
OWN_INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"')
WRITES = re.compile(r"\bsession_(create|delete|set)\s*\(")
LONGEST_FILE = 700

TOP_LEVEL = {"tui", "probe", "config", "tests", "Makefile", "README.md", "LICENSE", "build"}

# A foreign header, and the only files that may include it.
DOORS = {
    "curses": (r"(ncursesw?/)?(n?curses|term|panel|form|menu)\.h$", ["tui/screen/curses*"]),
    "zookeeper": (r"zookeeper/|zookeeper\w*\.h$|zoo_\w+\.h$|recordio\.h$|proto\.h$", ["probe/zookeeper/session_inner.h"]),
    "yaml": (r"yaml\.h$", ["config/*"]),
    "curl": (r"curl/", ["probe/zookeeper/http.c"]),
    "sqlite": (r"sqlite3(ext)?\.h$", ["probe/history/*"]),
    "zlib": (r"z(lib|conf)\.h$", ["probe/history/*"]),
}

# What a file below the first may include of the project: everything but the second.
UPWARD = [
    ("config/", ("probe/", "tui/", "tests/")),
    ("probe/", ("tui/", "tests/")),
    ("probe/election/", ("probe/zookeeper/", "probe/source/", "probe/sink/", "probe/inject/", "probe/history/", "probe/report/", "probe/monitor.h")),
    ("probe/zookeeper/", ("probe/source/", "probe/sink/", "probe/inject/", "probe/history/", "probe/report/", "probe/monitor.h")),
    ("probe/source/", ("probe/sink/", "probe/inject/", "probe/history/", "probe/report/", "probe/monitor.h")),
    ("probe/sink/", ("probe/source/", "probe/zookeeper/", "probe/inject/", "probe/history/", "probe/report/", "probe/monitor.h")),
    ("probe/history/", ("probe/source/", "probe/zookeeper/", "probe/inject/", "probe/report/")),
    ("probe/report/", ("probe/source/", "probe/zookeeper/", "probe/inject/", "probe/monitor.h")),
    ("tui/text/", ("tui/screen/", "tui/views/", "tui/commands/", "tui/print/")),
    ("tui/screen/", ("tui/views/", "tui/commands/", "tui/print/")),
    ("tui/report/", ("tui/commands/", "probe/zookeeper/", "probe/source/", "probe/inject/")),
    ("tui/views/", ("tui/commands/", "probe/zookeeper/", "probe/source/", "probe/inject/")),
    ("tui/", ("tests/",)),
]

# What is pure: the model, the recipe of our own candidates, what they count.
PURE = ("probe/election/", "probe/inject/candidate.", "probe/inject/behaviour.", "probe/inject/tally.",
        "probe/inject/histogram.")
# ... and may not touch: clocks, files, the network, the loop.
IMPURE = re.compile(r"^(uv|time|sys/time|unistd|fcntl|poll|sys/socket|netdb|pthread|curl/curl)\.h$")


def files(top, suffixes=(".c", ".h")):
    for folder in ("config", "probe", "tui"):
        for where, folders, names in os.walk(os.path.join(top, folder)):
            folders.sort()
            for name in sorted(names):
                if name.endswith(suffixes):
                    yield os.path.relpath(os.path.join(where, name), top)


def lines(top, path):
    with open(os.path.join(top, path), encoding="utf-8", errors="replace") as f:
        yield from enumerate(f, 1)


def includes(top, pattern=INCLUDE):
    for path in files(top):
        for number, line in lines(top, path):
            if found := pattern.match(line):
                yield path, number, found[1]


def foreign_headers(top):
    """A foreign library is known to one place only."""
    for path, number, header in includes(top):
        for library, (pattern, allowed) in DOORS.items():
            ours = header.split("/")[0] in ("config", "probe", "tui")
            if not ours and re.match(pattern, header) and not any(fnmatch.fnmatch(path, a) for a in allowed):
                yield path, number, f"{header}: {library} is included only by {', '.join(allowed)}"


def upward_includes(top):
    """Dependencies point one way."""
    for path, number, header in includes(top):
        for below, above in UPWARD:
            if path.startswith(below) and header.startswith(above):
                yield path, number, f"{header}: {below} knows nothing of it"


def relative_includes(top):
    """The project's headers are included by their path from the top, so that the direction can be seen."""
    for path, number, header in includes(top, OWN_INCLUDE):
        if "../" in header or not os.path.exists(os.path.join(top, header)):
            yield path, number, f"{header}: include it by its path from the top"


def pure_model(top):
    """The model does no I/O and reads no clock: time is an argument."""
    for path, number, header in includes(top):
        if path.startswith(PURE) and IMPURE.match(header):
            yield path, number, f"{header}: this is pure"
    for path in files(top):
        if path.startswith(PURE):
            for number, line in lines(top, path):
                if found := re.search(r"\b(clock_gettime|gettimeofday|time|fopen|socket|uv_now|uv_hrtime)\s*\(", line):
                    yield path, number, f"{found[1]}(): this is pure"


def writes_to_clusters(top):
    """Every write passes the guard; and only what starts its own ensemble has one that lets everything through."""
    allowed = ("probe/inject/guard.", "probe/zookeeper/session_calls.c", "probe/zookeeper/session.h")
    for path in files(top):
        if not path.startswith(allowed):
            for number, line in lines(top, path):
                if found := WRITES.search(line):
                    yield path, number, f"{found[0]}...): only probe/inject/guard.c writes to a cluster"
    for path in files(top):
        if not path.startswith(("probe/inject/guard.", "probe/inject/cast.c")):
            for number, line in lines(top, path):
                if "guard_new_private(" in line:
                    yield path, number, "guard_new_private(): only the cast of the demo's own ensemble writes anywhere"


def file_lengths(top):
    """A file that does not fit a reader's head is two modules."""
    for path in files(top):
        length = sum(1 for _ in lines(top, path))
        if length > LONGEST_FILE:
            yield path, length, f"{length} lines, more than {LONGEST_FILE}: make it two modules"


def top_level(top):
    """The first look at the tree shows its parts and nothing else."""
    for name in sorted(os.listdir(top)):
        if name not in TOP_LEVEL and not name.startswith("."):
            yield name, 0, "does not belong to the top level"


RULES = [foreign_headers, upward_includes, relative_includes, pure_model, writes_to_clusters, file_lengths, top_level]


def main():
    top = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
    broken = [(rule, found) for rule in RULES for found in rule(top)]
    for rule, (path, number, what) in broken:
        print(f"{path}:{number}: {what} ({rule.__name__})")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
