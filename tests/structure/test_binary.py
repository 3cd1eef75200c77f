"""The program as it is built for users: hardened, and the same wherever it is built."""
import hashlib
import os
import platform
import re
import shutil
import subprocess

import pytest

BINARY = "build/electop"
INTEL = platform.machine() == "x86_64"


def output_of(*command, **more):
    return subprocess.run(command, check=True, capture_output=True, text=True, **more).stdout


@pytest.fixture(scope="module")
def binary():
    if not os.path.exists(BINARY):
        pytest.skip(f"{BINARY} has not been built; run make")
    return BINARY


def test_addresses_are_random(binary):
    """A position-independent program: no address in it is known before."""
    assert "DYN (Position-Independent Executable file)" in output_of("readelf", "-h", binary)


def test_tables_of_functions_are_read_only(binary):
    """Full RELRO: all functions are bound at the start, and their table is closed then."""
    assert "GNU_RELRO" in output_of("readelf", "-lW", binary)
    assert re.search(r"FLAGS_1.*\bNOW\b", output_of("readelf", "-dW", binary))


def test_nothing_is_writable_and_executable(binary):
    headers = re.findall(r"^  (LOAD|GNU_STACK) .* ([R ][W ][E ]) 0x", output_of("readelf", "-lW", binary), re.M)
    assert len(headers) > 2 and not any("W" in flags and "E" in flags for _, flags in headers), headers


def test_functions_are_checked(binary):
    """The stack protector, and the checked forms of what writes into buffers."""
    symbols = output_of("readelf", "--dyn-syms", "-W", binary)
    assert "__stack_chk_fail@" in symbols
    assert {"__memcpy_chk", "__snprintf_chk", "__vsnprintf_chk"} & set(re.findall(r"(\w+_chk)@", symbols)), symbols


@pytest.mark.skipif(not INTEL, reason="of Intel's machines")
def test_jumps_have_marked_targets(binary):
    """CET: a function of ours that a pointer may lead to begins with the instruction that marks it."""
    code = output_of("objdump", "-d", "--no-show-raw-insn", "--disassemble=main", binary)
    assert re.search(r"<main>:\n.*endbr64", code), code[:400]
    functions = re.findall(r"^[0-9a-f]+ <(session_\w+|on_\w+|command_\w+)>:\n.*?\t(\w+)",
                           output_of("objdump", "-d", "--no-show-raw-insn", "--section=.text", binary), re.M)
    pointed = [first for name, first in functions if name.startswith("on_")]
    assert len(pointed) > 20 and pointed.count("endbr64") > 0.9 * len(pointed)


@pytest.mark.skipif(not INTEL, reason="probes look otherwise elsewhere")
def test_a_large_frame_is_probed(binary, tmp_path):
    """Stack-clash protection is among the options that the release is built with, and the compiler obeys it."""
    options = output_of("make", "-n", "-B", "V=1", "build/config/text.o")
    assert "-fstack-clash-protection" in options and "-fcf-protection=full" in options


@pytest.mark.slow
def test_two_builds_are_one(tmp_path):
    """Two clean builds in directories with different names: one hash."""
    hashes = set()
    for place in ("a", "another/much/longer/place"):
        top = tmp_path / place
        top.mkdir(parents=True)
        files = output_of("git", "ls-files", "-z").split("\0")
        for file in filter(os.path.isfile, files):
            (top / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(file, top / file)
        subprocess.run(["make", "-s", f"-j{os.cpu_count()}", "all"], cwd=top, check=True, stdout=subprocess.DEVNULL,
                       env={**os.environ, "FLAVOUR": "release", "CCACHE_DISABLE": "1"})
        hashes.add(hashlib.sha256((top / BINARY).read_bytes()).hexdigest())
        shutil.rmtree(top)
    assert len(hashes) == 1, hashes
