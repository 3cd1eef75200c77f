"""Completion in real shells: commands, options and words from the tables, elections from the last recording."""
import os
import shutil
import subprocess

import pytest

from electop import PROGRAM, run
from recorder import Recorder


def script(shell, tmp_path):
    done = run("completion", shell)
    assert done.status == 0 and done.err == "", done
    (tmp_path / "bin").mkdir(exist_ok=True)
    link = tmp_path / "bin" / "electop"
    if not link.exists():
        link.symlink_to(os.path.abspath(PROGRAM))
    path = tmp_path / f"completion.{shell}"
    path.write_text(done.out)
    return path


def bash(tmp_path, *words, config=None):
    """What bash offers for the last of the words."""
    text = (f"source {script('bash', tmp_path)}; COMP_WORDS=({' '.join(repr(w) for w in words)}); "
            f"COMP_CWORD={len(words) - 1}; _electop; printf '%s\\n' \"${{COMPREPLY[@]}}\"")
    done = subprocess.run(["bash", "-c", text], capture_output=True, check=False, text=True, timeout=60, cwd=tmp_path,
                          env={"PATH": f"{tmp_path}/bin:/usr/bin:/bin", "HOME": str(tmp_path), "ASAN_OPTIONS": "detect_leaks=0",
                               **({"ELECTOP_CONFIG": str(config)} if config else {})})
    return done.stdout.split()


def test_bash_offers_commands_options_and_words(tmp_path):
    assert {"watch", "discover", "check"} <= set(bash(tmp_path, "electop", ""))
    assert bash(tmp_path, "electop", "disc") == ["discover"]
    assert bash(tmp_path, "electop", "discover", "--ya") == ["--yaml"]
    assert bash(tmp_path, "electop", "once", "--ya") == []
    assert bash(tmp_path, "electop", "once", "--four-letter", "") == ["auto", "off"]
    assert bash(tmp_path, "electop", "--color", "al") == ["always"]


def test_figures_are_offered_for_thresholds(tmp_path):
    for option in "-w", "-c", "--warning", "--critical":
        assert bash(tmp_path, "electop", "check", option, "cand") == ["candidates="], option
    assert {"tenure=", "failover.p99="} <= set(bash(tmp_path, "electop", "check", "-w", ""))


def test_elections_and_clusters_are_offered(zk, client, path, tmp_path):
    """From the recording and the configuration; what a shell would take apart is left out."""
    for name in ("orders", "odd name"):
        client.create(f"{path}/{name}/election/n_", b"", ephemeral=True, sequence=True, makepath=True)
    recorder = Recorder(tmp_path, zk.hosts, elections=f"[{{path: '{path}/*/election'}}]")
    try:
        recorder.wait_for("SELECT * FROM events WHERE event = 'election-seen'", 2)
    finally:
        recorder.end()
    config = recorder.config
    assert bash(tmp_path, "electop", "once", path, config=config) == [f"{path}/orders/election"]
    assert len(bash(tmp_path, "electop", "once", "--cluster", "", config=config)) == 1


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_shell_accepts_its_script(shell, tmp_path):
    if not shutil.which(shell):
        pytest.skip(f"{shell} is not installed")
    checked = subprocess.run([shell, "-n", str(script(shell, tmp_path))], capture_output=True, check=False, text=True, timeout=60)
    assert checked.returncode == 0 and checked.stderr == "", checked


@pytest.mark.skipif(not shutil.which("fish"), reason="fish is not installed")
def test_fish_offers_options_of_the_command(tmp_path):
    text = f"source {script('fish', tmp_path)}; complete -C 'electop discover --ya'; complete -C 'electop che'"
    done = subprocess.run(["fish", "--no-config", "-c", text], capture_output=True, check=False, text=True, timeout=60,
                          env={"PATH": f"{tmp_path}/bin:/usr/bin:/bin", "HOME": str(tmp_path), "ASAN_OPTIONS": "detect_leaks=0"})
    words = [line.split("\t")[0] for line in done.stdout.splitlines()]
    assert words == ["--yaml", "check"], done


def test_wrong_usage():
    assert run("completion").status == 2 and run("completion", "tcsh").status == 2
