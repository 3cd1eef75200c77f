"""The manual: every template can be filled, and the pages are well-formed for both formatters of Debian."""
import glob
import os
import re
import subprocess

import pytest

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
FLAVOUR = os.environ.get("FLAVOUR", "asan")
BUILD = os.path.join(TOP, "build", FLAVOUR) if FLAVOUR != "release" else os.path.join(TOP, "build")
MANUAL = os.path.join(BUILD, "doc/manual")
TEMPLATES = sorted(glob.glob(os.path.join(TOP, "doc", "*.in")))


def fill(template):
    return subprocess.run([MANUAL, template], capture_output=True, text=True, check=True).stdout


@pytest.fixture(scope="session", params=TEMPLATES, ids=os.path.basename)
def page(request, tmp_path_factory):
    path = tmp_path_factory.mktemp("man") / os.path.basename(request.param)[:-3]
    path.write_text(fill(request.param))
    return path


def test_there_is_a_manual():
    assert os.path.join(TOP, "doc", "electop.1.in") in TEMPLATES


def test_no_marker_is_left(page):
    assert not re.search(r"^@.*@$|@version@", page.read_text(), re.M)


def test_mandoc_has_nothing_to_say(page):
    said = subprocess.run(["mandoc", "-Tlint", "-Wstyle", page], capture_output=True, text=True).stdout
    # Pages that refer to one another are not installed here.
    assert [line for line in said.splitlines() if "referenced manual not found" not in line
            and "outdated mandoc.db" not in line] == []


def test_groff_has_nothing_to_say(page):
    run = subprocess.run(["man", "--warnings", "-l", page], capture_output=True, text=True,
                         env={**os.environ, "MANROFFSEQ": "", "MANWIDTH": "80", "LC_ALL": "C.UTF-8"})
    assert (run.returncode, run.stderr) == (0, "")


def shown_by_mandoc(page):
    shown = subprocess.run(["mandoc", "-Tutf8", "-Owidth=1000"], input=page, capture_output=True, text=True, check=True).stdout
    return re.sub(r".\x08", "", shown)


def test_no_word_is_taken_for_a_macro(page):
    """"No" and "In" are macros, also as the first word of a heading; a quote within a quote was meant to be a second one."""
    text = page.read_text()
    shown = shown_by_mandoc(text).splitlines()
    assert [heading for heading in re.findall(r"^\.S[hs] (.*)", text, re.M)
            if re.sub(r"\\&?", "", heading) not in map(str.strip, shown)] == []
    assert [line for line in shown if "’’" in line] == []


def test_every_option_and_command_is_in_the_page():
    shown = shown_by_mandoc(fill(os.path.join(TOP, "doc", "electop.1.in")))
    electop = os.path.join(BUILD, "electop")
    help_text = subprocess.run([electop, "--help"], capture_output=True, text=True, check=True).stdout
    commands = re.findall(r"^  ([a-z]+) ", help_text.split("Commands:")[1].split("\n\n")[0], re.M)
    assert commands and all(re.search(rf"^ +{command}\b", shown, re.M) for command in commands)
    options = re.findall(r"--[a-z-]+", help_text.split("\n\nA PATH")[0])
    assert options and all(option in shown for option in options)


@pytest.mark.parametrize("text, complaint", [
    ("@optoins watch@\n", "unknown marker optoins"),
    ("@options\n@options@\n", "a command belongs behind options"),
    ("@options wach@\n", "no such command: wach"),
    ("@config-keys scren@\n", "no key of the configuration begins with scren"),
])
def test_hole_in_a_page_is_an_error(tmp_path, text, complaint):
    (tmp_path / "page.in").write_text(text)
    run = subprocess.run([MANUAL, tmp_path / "page.in"], capture_output=True, text=True)
    assert run.returncode == 1 and complaint in run.stderr and run.stdout == ""


def test_the_example_of_the_configuration_is_one(tmp_path):
    """As it stands, except for its secret file, which is somewhere else here."""
    text = shown_by_mandoc(fill(os.path.join(TOP, "doc", "electop.yaml.5.in")))
    example = re.search(r"^EXAMPLES?$(.*?)^ +The file named", text, re.M | re.S).group(1)
    secret = tmp_path / "prod.auth"
    secret.write_text("digest:user:password\n")
    secret.chmod(0o600)
    (tmp_path / "electop.yaml").write_text(example.replace("/etc/electop/prod.auth", str(secret)))
    run = subprocess.run([os.path.join(BUILD, "electop"), "config", "-c", tmp_path / "electop.yaml"],
                         capture_output=True, text=True)
    assert (run.returncode, run.stderr) == (0, "")
