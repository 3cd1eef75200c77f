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

COMMENT_OR_STRING = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"", re.S)
WORD = re.compile(r"\b[a-z_]\w+\b")
# What a .c defines for others: a function begins its line, and its body the next; a constant has a value.
FUNCTION = re.compile(r"^(?!static\b|extern\b|typedef\b|#)[A-Za-z_][\w \t*]*[ *](\w+)\([^;{}]*\)\n\{", re.M)
CONSTANT = re.compile(r"^(?!static\b|extern\b|typedef\b|return\b)[A-Za-z_][\w ]*[ *](\w+)(?:\[[^\]]*\])*\s*=", re.M)
TAG = re.compile(r"^(?:struct|union|enum) (\w+)\s*\{", re.M)

TYPE = re.compile(r"\b(?:struct|enum|union) (\w+)")

# Of the function_names() that bear another name: the other families of functions in a file, by their beginnings.
FAMILIES = {
    "config/memory.c": ("x", "room_for_one"),
    "config/units.c": ("count_in_", "duration_", "number_", "percent_", "port_", "range_", "rate_", "size_"),
    "probe/candidate/behaviour.c": ("position_",),
    "probe/candidate/guard.c": ("run_marker_",),
    "probe/candidate/naming.c": ("guid_", "path_join"),
    "probe/case/codec.c": ("put_",),
    "probe/election/candidate_node.c": ("client_named",),
    "probe/election/chain.c": ("shared_lock",),
    "probe/election/cluster.c": ("name_hash", "servers_"),
    "probe/election/election_read.c": ("failovers_free",),
    "probe/election/findings.c": ("describe_",),
    "probe/election/registry.c": ("members_",),
    "probe/election/update.c": ("diagnose_",),
    "probe/history/complete_from_logs.c": ("recording_ahead",),
    "probe/history/history.c": ("reader_",),
    "probe/history/history_failovers.c": ("reader_",),
    "probe/history/history_line.c": ("owners_",),
    "probe/history/snapshot.c": ("item_", "items_"),
    "probe/inject/run_options.c": ("limits_passed",),
    "probe/zookeeper/server_lists.c": ("client_address_", "figure_", "milliseconds_", "version_"),
    "probe/zookeeper/session_calls.c": ("child_watches_", "request_", "requests_"),
    "tui/commands/command_output.c": ("complain",),
}

TOP_LEVEL = {"tui", "probe", "config", "tests", "Makefile", "README.md", "LICENSE", "build", "doc"}

# A foreign header, and the only files that may include it.
DOORS = {
    "curses": (r"(ncursesw?/)?(n?curses|term|panel|form|menu)\.h$", ["tui/screen/curses*"]),
    "zookeeper": (r"zookeeper/|zookeeper\w*\.h$|zoo_\w+\.h$|recordio\.h$|proto\.h$", ["probe/zookeeper/session_state.h"]),
    "yaml": (r"yaml\.h$", ["config/*"]),
    "openssl": (r"openssl/", ["probe/transport/tls*.c"]),
    "sasl": (r"(sasl|gssapi|krb5)(/|\.h$)", ["probe/transport/sasl.c"]),
    "curl": (r"curl/", ["probe/zookeeper/http.c"]),
    "sqlite": (r"sqlite3(ext)?\.h$", ["probe/history/*"]),
    "microhttpd": (r"microhttpd", ["probe/metrics/exporter.c"]),
    "zlib": (r"z(lib|conf)\.h$", ["probe/history/*", "probe/transactions/*"]),
    "libdeflate": (r"libdeflate", ["probe/case/*", "probe/history/*", "probe/metrics/exporter.c", "probe/transactions/*"]),
    "pcap": (r"pcap(/|\.h$)", ["probe/capture/capture_file.c"]),
    "archive": (r"archive(_entry)?\.h$", ["probe/transactions/log_set.c"]),
}

# Top to bottom: a file includes its own folder and those below it. Folders in one row do not know each other.
LAYERS = [
    ("tui/main.c",),
    ("tui/commands/",),
    ("tui/dashboard/",),
    ("tui/views/",),
    ("tui/output/",),
    ("tui/words/",),
    ("tui/screen/",),
    ("tui/exit_status.",),
    ("probe/report/",),
    ("probe/history/", "probe/inject/", "probe/demo/", "probe/metrics/", "probe/alert/"),
    ("probe/monitor.",),
    ("probe/watch/", "probe/candidate/"),
    ("probe/case/", "probe/capture/"),
    ("probe/zookeeper/", "probe/json/", "probe/transactions/"),
    ("probe/transport/",),
    ("probe/clock.", "probe/log."),
    ("probe/election/",),
    ("probe/loop_timer.",),
    ("config/",),
]
# Screens and texts read the model, a recording and a run's figures; they do not talk to a cluster themselves.
CLUSTERS = ("probe/transport/", "probe/zookeeper/", "probe/watch/", "probe/candidate/", "probe/demo/")
WITHOUT_CLUSTERS = ("tui/views/", "tui/output/", "tui/words/", "tui/screen/", "probe/history/", "probe/report/", "probe/json/", "probe/metrics/")

# What is pure: the model, the recipe of our own candidates, what they count.
PURE = ("probe/election/", "probe/transport/frame.", "probe/capture/packet.", "probe/capture/tcp.", "probe/capture/wire.",
        "probe/capture/capture.", "probe/candidate/candidate.", "probe/candidate/behaviour.", "probe/inject/run_stats.",
        "probe/inject/kill_schedule.")
# ... and may not touch: clocks, files, the network, the loop.
IMPURE = re.compile(r"^(uv|time|sys/time|unistd|fcntl|poll|sys/socket|netdb|pthread|curl/curl)\.h$")


def files(top, suffixes=(".c", ".h"), folders=("config", "probe", "tui")):
    for folder in folders:
        for where, below, names in os.walk(os.path.join(top, folder)):
            below.sort()
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


def code(top, path):
    """A file's text without its comments and strings."""
    with open(os.path.join(top, path), encoding="utf-8", errors="replace") as f:
        return COMMENT_OR_STRING.sub(" ", f.read())


def exports(top):
    """Of each .c, what it defines for others to name."""
    texts = {path: code(top, path) for path in files(top, (".c",))}
    return {path: set(FUNCTION.findall(text)) | set(CONSTANT.findall(text)) for path, text in texts.items()}


def declarations(top):
    """Of each header, the words in it: what it may declare."""
    return {path: set(WORD.findall(code(top, path))) for path in files(top, (".h",))}


def way_back(graph, start):
    """The shortest way from a file through others to itself; None: there is none."""
    before, queue = {}, [start]
    for path in queue:
        for other in sorted(graph[path]):
            if other == start:
                way = [start]
                while path != start:
                    way.insert(0, path)
                    path = before[path]
                return [start, *way]
            if other not in before:
                before[other] = path
                queue.append(other)
    return None


def foreign_headers(top):
    """A foreign library is known to one place only."""
    for path, number, header in includes(top):
        for library, (pattern, allowed) in DOORS.items():
            ours = header.split("/")[0] in ("config", "probe", "tui")
            if not ours and re.match(pattern, header) and not any(fnmatch.fnmatch(path, a) for a in allowed):
                yield path, number, f"{header}: {library} is included only by {', '.join(allowed)}"


def layer(path):
    """The number of a file's layer, from the top, and its folder there; None where LAYERS does not name it."""
    for number, row in enumerate(LAYERS):
        for folder in row:
            if path.startswith(folder):
                return number, folder
    return None


def upward_includes(top):
    """Dependencies point one way."""
    for path, number, header in includes(top):
        above, below = layer(path), layer(header)
        if header.startswith("tests/"):
            yield path, number, f"{header}: the program does not include its tests"
        elif header.split("/")[0] in ("config", "probe", "tui") and "/" in header and (not above or not below):
            yield path, number, f"{header}: name the folder of both in LAYERS"
        elif above and below and above != below and below[0] <= above[0]:
            yield path, number, f"{header}: {above[1]} lies below {below[1]}, or beside it"
        elif path.startswith(WITHOUT_CLUSTERS) and header.startswith(CLUSTERS):
            yield path, number, f"{header}: {above[1]} does not talk to a cluster"


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


def private_headers(top):
    """What only one folder touches is in headers that only it, and tests, include."""
    for path, number, header in includes(top, OWN_INCLUDE):
        if header.endswith("_private.h") and os.path.dirname(header) != os.path.dirname(path):
            yield path, number, f"{header}: private to {os.path.dirname(header)}/"


def writes_to_clusters(top):
    """Every write passes the guard; and only what starts its own ensemble has one that lets everything through."""
    allowed = ("probe/candidate/guard.", "probe/zookeeper/session_calls.c", "probe/zookeeper/session.h")
    for path in files(top):
        if not path.startswith(allowed):
            for number, line in lines(top, path):
                if found := WRITES.search(line):
                    yield path, number, f"{found[0]}...): only probe/candidate/guard.c writes to a cluster"
    for path in files(top):
        if not path.startswith(("probe/candidate/guard.", "probe/demo/demo_elections.c")):
            for number, line in lines(top, path):
                if "guard_new_private(" in line:
                    yield path, number, "guard_new_private(): only the cast of the demo's own ensemble writes anywhere"


def part(path):
    """Where a reader of the tree puts a file: its folder; a file beside folders is a part of its own."""
    folder = os.path.dirname(path)
    return folder if folder not in ("probe", "tui") else os.path.splitext(path)[0]


def part_circles(top):
    """Folders, and the files beside them, include one another one way."""
    graph = {}
    for path, _, header in includes(top, OWN_INCLUDE):
        graph.setdefault(part(header), {})
        if part(header) != part(path):
            graph.setdefault(part(path), {}).setdefault(part(header), []).append(f"{path} includes {header}")
    for place in sorted(graph):
        way = way_back(graph, place)
        if way and way[0] == min(way):
            steps = [graph[a][b][0] for a, b in zip(way, way[1:])]
            yield place, 0, f"includes itself in the end: {', '.join(steps)}"


def own_headers(top):
    """What a file does for others stands in the header of its name: in its own, in that of a file whose name
    its own begins with (history.h, of history_events.c), or in one that is no file's (view.h, of all views)."""
    words = declarations(top)
    shared = {header for header in words if not os.path.exists(os.path.join(top, header[:-1] + "c"))}
    for path, names in exports(top).items():
        name = path[:-2]
        for exported in sorted(names):
            homes = {header for header, said in words.items() if exported in said}
            if homes and not any(h in shared or name == h[:-2] or name.startswith(h[:-2] + "_") for h in homes):
                yield path, 0, f"{exported}() stands in {', '.join(sorted(homes))}"


def akin(word, other):
    """Two forms of one word: finding and findings, acknowledge and acknowledgement."""
    short, long = sorted((word, other), key=len)
    return word == other or (len(short) > 2 and long.startswith(short[:max(3, len(short) - 1)]))


def bears_its_file(name, path, types):
    """Whether a function's name has a word of its file or folder, or begins with a type of its header."""
    words = name.split("_")
    file = path[:-2].split("/")
    return (any(akin(word, part) for word in words for part in file[-1].split("_") + file[-2:-1])
            or any(words[0] == tag.split("_")[0] for tag in types) or name.startswith(FAMILIES.get(path, ())))


def function_names(top):
    """Who reads a call finds its function: it bears the name of its file, or of a type that its header declares."""
    headers = {path[:-2]: set(TYPE.findall(code(top, path))) for path in files(top, (".h",))}
    for path in files(top, (".c",)):
        types = {tag for stem, tags in headers.items() if path[:-2] == stem or path.startswith(stem + "_") for tag in tags}
        for name in sorted(set(FUNCTION.findall(code(top, path))) - {"main"}):
            if not bears_its_file(name, path, types):
                yield path, 0, f"{name}() bears neither the name of its file nor of a type in its header"


# How tests drive and watch an ensemble, a crowd and the demo: what they alone call.
DRIVEN_BY_TESTS = re.compile(r"private_ensemble_\w+|crowd_leader|crowd_hold|demo_elections_leader")


def unused_exports(top):
    """What a file does for others is used by others: else it is static, or dead. A test may call what the file itself
    uses."""
    seen = {path: set(WORD.findall(code(top, path))) for path in files(top, folders=("config", "probe", "tui", "tests", "doc"))}
    # The Makefile binds the C client's calls of the system to functions of the transport.
    if os.path.exists(makefile := os.path.join(top, "Makefile")):
        with open(makefile, encoding="utf-8") as f:
            seen["Makefile"] = set(WORD.findall(f.read()))
    for path, names in exports(top).items():
        for name in sorted(names - {"main"}):
            users = [other for other, said in seen.items() if name in said and other != path]
            if len(users) < 2:  # one header declares it
                yield path, 0, f"{name}() is used by nobody else"
            elif (sum(not user.startswith("tests/") for user in users) < 2 and not DRIVEN_BY_TESTS.fullmatch(name)
                  and len(re.findall(rf"\b{name}\b", code(top, path))) < 2):
                yield path, 0, f"{name}() is used by tests alone"


def struct_tags(top):
    """One tag, one thing: a reader who searches for a struct finds its one definition."""
    homes = {}
    for path in files(top):
        for tag in sorted(set(TAG.findall(code(top, path)))):
            homes.setdefault(tag, []).append(path)
    for tag, paths in sorted(homes.items()):
        paths.sort(key=lambda path: (path.endswith(".c"), path))  # a header's tag is everybody's
        for path in paths[1:]:
            yield path, 0, f"{tag} is the tag of another one in {paths[0]}"


def top_level(top):
    """The first look at the tree shows its parts and nothing else."""
    for name in sorted(os.listdir(top)):
        if name not in TOP_LEVEL and not name.startswith("."):
            yield name, 0, "does not belong to the top level"


RULES = [
    foreign_headers,
    upward_includes,
    relative_includes,
    pure_model,
    private_headers,
    writes_to_clusters,
    part_circles,
    own_headers,
    function_names,
    unused_exports,
    struct_tags,
    top_level,
]


def main():
    top = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
    broken = [(rule, found) for rule in RULES for found in rule(top)]
    for rule, (path, number, what) in broken:
        print(f"{path}:{number}: {what} ({rule.__name__})")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
