"""What is installed beside the program: the services keep to what they need."""
import glob
import os
import re
import shutil
import subprocess

import pytest

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
UNITS = sorted(glob.glob(os.path.join(TOP, "config", "systemd", "*.service")))


def test_both_services_are_there():
    assert [os.path.basename(unit) for unit in UNITS] == ["electop-export.service", "electop-record.service"]


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd is not installed")
@pytest.mark.parametrize("unit", UNITS, ids=os.path.basename)
def test_service_is_exposed_little(unit, tmp_path):
    installed = tmp_path / os.path.basename(unit)
    installed.write_text(open(unit).read().replace("@BIN@", "/usr/bin"))
    said = subprocess.run(["systemd-analyze", "security", "--offline=true", installed],
                          capture_output=True, text=True)
    exposure = re.search(r"Overall exposure level for .*: ([0-9.]+)", said.stdout)
    assert exposure and float(exposure[1]) <= 2.0, said.stdout + said.stderr


def test_tarball_holds_what_builds(tmp_path):
    subprocess.run(["make", "-s", "-C", TOP, "dist"], check=True)
    subprocess.run(["tar", "-xzf", sorted(glob.glob(os.path.join(TOP, "build", "electop-*.tar.gz")))[-1], "-C", tmp_path], check=True)
    top = next(tmp_path.iterdir())
    assert all((top / name).exists() for name in ("Makefile", "tui/main.c", "doc/manual.c", "config/debian/control"))
    assert not (top / ".git").exists()
    # Make finds all that it needs there, without git.
    dry = subprocess.run(["make", "-n", "-C", top, "all"], capture_output=True, text=True)
    assert dry.returncode == 0, dry.stderr
