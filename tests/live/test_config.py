"""`electop config`: the example, the difference, and the schema, all from the one table of keys."""
import json
import subprocess

from electop import PROGRAM, run


def test_example_is_read_and_has_every_key():
    example = run("config", "--example")
    assert example.status == 0 and example.err == "", example
    read = subprocess.run([PROGRAM, "config", "--diff", "-c", "/dev/stdin"], input=example.out.encode(), capture_output=True,
                          check=False, timeout=60)
    # Every value is the default: only the cluster itself differs.
    assert read.returncode == 0 and read.stdout.decode() == "clusters:\n  - hosts: 127.0.0.1:2181\n", read
    keys = {line.split(":")[0].strip() for line in run("config", "--help").out.partition("Keys of the")[2].splitlines()
            if line.startswith("  ") and ":" in line and "," not in line.split(":")[0]}
    shown = {line.lstrip("# -").split(":")[0] for line in example.out.splitlines()}
    assert len(keys) > 60 and keys - {"lock or hybrid"} <= shown, keys - shown


def test_diff_shows_what_differs(tmp_path):
    config = tmp_path / "c.yaml"
    config.write_text("clusters:\n  - {name: a, hosts: 'h:1', servers: {every: 5s, four_letter: 'off'}, tls: {},\n"
                      "     elections: [{path: /e, kind: leader, allow: {vacancy: 9s}}]}\nscreen: {mouse: true, utc: true}\n")
    done = run("config", "--diff", "-c", str(config))
    assert done.out == ("clusters:\n  - name: a\n    hosts: h:1\n    tls: {}\n    servers:\n      four_letter: off\n"
                        "    elections:\n      - path: /e\n        kind: leader\n        allow:\n          vacancy: 9s\n"
                        "screen:\n  utc: true\n"), done
    again = subprocess.run([PROGRAM, "config", "--diff", "-c", "/dev/stdin"], input=done.out.encode(), capture_output=True,
                           check=False, timeout=60)
    assert again.stdout.decode() == done.out, again


def test_schema_knows_every_key_and_no_other():
    schema = json.loads(run("config", "--schema").out)
    cluster = schema["properties"]["clusters"]["items"]
    assert cluster["required"] == ["hosts"] and cluster["additionalProperties"] is False
    assert cluster["properties"]["elections"]["items"]["properties"]["kind"]["enum"] == ["leader", "lock", "auto"]
    assert schema["properties"]["screen"]["properties"]["mouse"]["type"] == "boolean"


def test_one_form_at_a_time():
    done = run("config", "--example", "--schema")
    assert done.status == 2 and "exclude each other" in done.err, done


def test_more_elections_than_a_person_writes(tmp_path):
    """What `discover --yaml` writes of a large cluster is read again, whatever its size: here only one comes twice."""
    item = "      - path: /teams/t%05d/leader\n        kind: leader\n        recipe: curator-latch\n"
    file = tmp_path / "many.yaml"
    file.write_text("clusters:\n  - hosts: '127.0.0.1:1'\n    elections:\n" + "".join(item % i for i in range(6000)) + item % 7)
    done = run("config", "-c", str(file), within=80)
    assert done.status == 2 and len(done.err.splitlines()) == 1, done.err
    assert "/teams/t00007/leader" in done.err and "is already there, on line 25; keep one of them" in done.err, done.err
