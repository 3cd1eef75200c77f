"""Some of the inputs of `make campaign`: changed files and requests, each through a command that reads it."""
import subprocess
import sys

import pytest

LIMIT_S = 200


@pytest.mark.parametrize("kind, count", [("logs", 12), ("recordings", 12), ("captures", 6), ("cases", 12), ("requests", 200)])
def test_changed_inputs(kind, count):
    """Each ends with a message, at the latest when it is interrupted."""
    done = subprocess.run([sys.executable, "tests/fuzz/campaign", f"{kind}={count}"], capture_output=True, text=True)
    assert done.returncode == 0 and f"{kind}: {count} inputs, 0 wrong" in done.stdout, done
