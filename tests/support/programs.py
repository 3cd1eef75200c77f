"""The programs that tests may start: those of the packages that tests/support/packages lists, of what these depend on,
and of Debian's essential packages. So a machine with more on it cannot hide that a package is missing in the list."""
import contextlib
import os
import re
import shutil
import subprocess
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LIST = os.path.join(TOP, "tests/support/packages")
FOLDERS = ("/usr/sbin", "/usr/bin", "/sbin", "/bin")
TEST_PARTS = ("build", "run", "test")
ALL_PARTS = (*TEST_PARTS, "interop", "tools", "package")


def listed(parts):
    """(package, kind, what) of each row of these parts."""
    said = subprocess.run([LIST, "--list", *parts], capture_output=True, text=True, check=True).stdout
    return [line.split(" ", 2) for line in said.splitlines()]


def _names(field):
    """The groups of alternatives of a field such as "a (>= 1) | b:any, c"."""
    groups = ([re.split(r"[ :(]", name.strip())[0] for name in group.split("|")] for group in field.split(","))
    return [[name for name in group if name] for group in groups]


def _packages(parts):
    """The installed packages of these parts: listed, essential, or needed by one of these. Each need takes the first
    alternative that is installed, as apt does."""
    said = subprocess.run(["dpkg-query", "-W", "-f", "${db:Status-Abbrev}\t${Package}\t${Essential}\t${Provides}\t"
                           "${Depends}, ${Pre-Depends}\n"], capture_output=True, text=True, check=True).stdout
    needs, providers, waiting = {}, {}, [name for name, _, _ in listed(parts)]
    for status, name, essential, provides, depends in (line.split("\t") for line in said.splitlines()):
        if status[1] == "i":
            needs[name] = _names(depends)
            for provided in (word for group in _names(provides) for word in group):
                providers.setdefault(provided, []).append(name)
            waiting += [name] if essential == "yes" else []
    found = set()
    while waiting:
        name = waiting.pop()
        if name in needs and name not in found:
            found.add(name)
            for group in needs[name]:
                waiting += next(([other] for other in group if other in needs),
                                [other for word in group for other in providers.get(word, [])])
    return found


def _place(path):
    """Where a package's file really lies: /bin is /usr/bin on a merged system."""
    return os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))


class Programs:
    """What may be started for these parts of the list. Without dpkg everything may: known is False.

    A listed command may be wherever it comes from: another JDK will do as well."""

    def __init__(self, parts):
        self.known, self.owned = shutil.which("dpkg-query") is not None, set()
        everywhere = os.pathsep.join((os.environ["PATH"], *FOLDERS))
        self.commands = [path for _, kind, what in listed(parts)
                         if kind == "command" and (path := shutil.which(what, path=everywhere))]
        if self.known:
            said = subprocess.run(["dpkg-query", "-L", *sorted(_packages(parts))], capture_output=True, text=True,
                                  check=True).stdout
            self.owned = {_place(line) for line in said.splitlines() if line.startswith("/")}
            self.owned |= {os.path.realpath(path) for path in self.commands}

    def may_start(self, path):
        """A program at an absolute path: it is a file of the packages, or one that the system's administrator chose
        among several (/etc/alternatives) is."""
        if not self.known or _place(path) in self.owned:
            return True
        chosen = os.path.islink(path) and os.readlink(path).startswith("/etc/alternatives/")
        return chosen and os.path.realpath(path) in self.owned

    def link_into(self, folder):
        for place in FOLDERS:
            for name in os.listdir(place) if os.path.isdir(place) else ():
                self.link(folder, os.path.join(place, name), self.may_start)
        for path in self.commands:
            self.link(folder, path, lambda _: True)

    @staticmethod
    def link(folder, path, allowed):
        link = os.path.join(folder, os.path.basename(path))
        if not os.path.lexists(link) and allowed(path):
            os.symlink(path, link)


@contextlib.contextmanager
def only_listed(parts):
    """Meanwhile PATH holds the programs of these parts and nothing else."""
    before, programs = os.environ["PATH"], Programs(parts)
    with tempfile.TemporaryDirectory(prefix="electop-programs-") as folder:
        os.chmod(folder, 0o755)  # programs that become another user start others from it
        if programs.known:
            programs.link_into(folder)
        os.environ["PATH"] = folder if programs.known else f"{before}:/usr/sbin:/sbin"
        try:
            yield
        finally:
            os.environ["PATH"] = before
