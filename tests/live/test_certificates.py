"""Certificates, keys and their passwords: read again where they have changed, checked, and used by every connection."""
import json
import os
import re
import shutil
import signal
import ssl
import struct
import subprocess
import threading

import pytest

from electop import PROGRAM, Events, check_sanitizers, run
from framing import STAT, head, scripted
from secured import Secured, TlsServer, openssl
from waiting import until

LIMIT_S = 240


def answer(number, kind, path):  # pylint: disable=unused-argument
    """An empty election, and nothing else."""
    return head(number) + struct.pack(">i", 0) + STAT if kind == 12 else None


class Files:
    """The tool's files of one cluster, to be replaced while it runs."""

    def __init__(self, authority, folder, hosts, more=""):
        self.authority, self.folder = authority, str(folder)
        self.use("first")
        shutil.copy(authority.ca, self.path("ca.pem"))
        self.config = self.path("config.yaml")
        with open(self.config, "w", encoding="ascii") as f:
            f.write(f"clusters:\n  - name: c\n    hosts: {hosts}\n    servers: {{admin: off, four_letter: off}}\n"
                    f"    elections: [{{path: /election}}]\n"
                    f"    tls: {{ca: {self.path('ca.pem')}, cert: {self.path('c.crt')}, key: {self.path('c.key')}{more}}}\n"
                    f"history: {{file: {self.path('history.db')}}}\n")

    def path(self, name):
        return os.path.join(self.folder, name)

    def use(self, name):
        """Another client's certificate and key under the same names, moved there as programs that renew them do."""
        made = self.authority.issue(name)
        for end in ("key", "crt"):
            shutil.copy(f"{made}.{end}", self.path("new"))
            os.rename(self.path("new"), self.path(f"c.{end}"))

    def spoil(self, name):
        with open(self.path(name), "w", encoding="ascii") as f:
            f.write("-----BEGIN CERTIFICATE-----\nnone\n")


class Recorder:
    def __init__(self, config, *command):
        self.process = subprocess.Popen([PROGRAM, *(command or ["record"]), "-c", config], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.PIPE, text=True)
        self.said = ""
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stderr:
            self.said += line

    def reload(self):
        self.process.send_signal(signal.SIGHUP)

    def close(self):
        self.process.send_signal(signal.SIGINT)
        assert self.process.wait(60) == 130, self.said
        check_sanitizers(self.said)


@pytest.mark.parametrize("command", [["record"], ["export", "--listen", "127.0.0.1:0"]], ids=["record", "export"])
def test_read_again_on_sighup(command, authority, tmp_path):
    """A new connection shows the new certificate; where the new file is wrong it is said, and nothing changes."""
    with TlsServer(authority, scripted(answer), clients=True) as server:
        files = Files(authority, tmp_path, server.address)
        recorder = Recorder(files.config, *command)
        until(lambda: server.clients, 30, "the recorder connects")
        files.use("second")
        recorder.reload()
        until(lambda: server.clients[-1] == "second", 30, "it connects with the new certificate")
        for name, what in (("c.crt", "cannot read the certificate"), ("ca.pem", "cannot read the authority's certificate")):
            shutil.copy(files.path(name), files.path("kept"))
            before, said = len(server.clients), recorder.said.count("kept the previous configuration")
            files.spoil(name)
            recorder.reload()
            until(lambda: recorder.said.count("kept the previous configuration") > said, 30, "it is told")
            assert what in recorder.said and files.path(name) in recorder.said, recorder.said
            server.drop()
            until(lambda: len(server.clients) > before, 30, "it connects again, all the same")
            assert server.clients[-1] == "second"
            os.rename(files.path("kept"), files.path(name))
        os.chmod(files.path("c.key"), 0o644)
        said = recorder.said.count("kept the previous configuration")
        recorder.reload()
        until(lambda: recorder.said.count("kept the previous configuration") > said, 30, "a key that others can read is refused")
        assert "can be read or written by others; run chmod 600 on it" in recorder.said
        recorder.close()
    assert set(server.clients) == {"first", "second"}


def test_keytab_on_sighup(kdc, tmp_path):
    """One that holds another's key, or none, is told at once, and changes nothing; so it is at the start."""
    made = Secured("kerberos", tmp_path / "s", None, kdc)
    keytab = tmp_path / "keytab"
    with open(made.config, encoding="utf-8") as f:
        config = made.write("own.yaml", f.read().replace(kdc.path("watcher.keytab"), str(keytab)))

    def use(content):
        keytab.write_bytes(content)
        keytab.chmod(0o600)

    def reads():
        return re.search("lop=(EXIS|GETC|GETD|PING|REMW)", made.ensemble.ask("cons"))  # REMW: drops a watch
    os.environ.update(made.env)
    with open(kdc.path("watcher.keytab"), "rb") as ours, open(kdc.unknown(), "rb") as others:
        good, wrong = ours.read(), [(others.read(), "has no key for watcher@"), (b"", "contains no key"), (b"nonsense", "contains no key")]
    use(good)
    recorder = Recorder(config)
    until(reads, 30, "the recorder is logged in")
    for content, what in wrong:
        use(content)
        done = run("once", "--quick", "-c", config)
        assert done.status == 2 and what in done.err, done
        before = recorder.said.count("kept the previous configuration")
        recorder.reload()
        until(lambda: recorder.said.count("kept the previous configuration") > before, 30, "it is told")
        assert recorder.said.count(what) > 0, recorder.said
    assert reads(), (made.ensemble.ask("cons"), recorder.said)
    recorder.close()
    made.close()


def test_read_again_by_every_command(authority, tmp_path):
    """Without a signal, too: before the next connection. What is wrong then is in the log."""
    with TlsServer(authority, scripted(answer), clients=True) as server:
        files = Files(authority, tmp_path, server.address)
        log = files.path("log")
        with Events(None, "-c", files.config, "--log", log) as events:
            events.expect("connection", state="connected")
            files.use("second")
            before = len(server.clients)
            server.drop()
            until(lambda: len(server.clients) > before, 30, "it connects again")
            assert server.clients[before] == "second", server.clients
            files.spoil("c.crt")

            def told():
                server.drop()
                with open(log, encoding="utf-8") as f:
                    return "the previous files stay in use" in f.read()
            until(told, 30, "the log says that the new one is wrong")
            before = len(server.clients)
            server.drop()
            until(lambda: len(server.clients) > before, 30, "it connects again, all the same")
    assert set(server.clients) == {"first", "second"}


def test_session_is_resumed(authority, tmp_path):
    """The second connection to a server needs no whole handshake, in TLS 1.2 and in 1.3."""
    for newest in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
        with TlsServer(authority, scripted(answer), newest=newest) as server:
            folder = tmp_path / newest.name
            folder.mkdir()
            files = Files(authority, folder, server.address)
            with Events(None, "-c", files.config) as events:
                events.expect("connection", state="connected")
                server.drop()
                until(lambda: server.resumed > 0, 30, "a handshake resumes the session")


def test_no_other_http(authority, tmp_path):
    """AdminServer is asked by HTTP/1.1, whatever it offers: the bounds are made for it."""
    with TlsServer(authority, scripted(answer)) as server, TlsServer(authority, offers=["h2", "http/1.1"]) as admin:
        files = Files(authority, tmp_path, server.address, more=", admin: https")
        with open(files.config, encoding="ascii") as f:
            text = f.read().replace("admin: off", f"admin: ['{admin.address}']")
        with open(files.config, "w", encoding="ascii") as f:
            f.write(text)
        with Events(None, "-c", files.config):
            until(lambda: admin.chosen, 20, "AdminServer is asked")
    assert set(admin.chosen) == {"http/1.1"}


@pytest.fixture(scope="module")
def mutual(authority, tmp_path_factory):
    made = Secured("mutual tls", tmp_path_factory.mktemp("mutual"), authority, None)
    yield made
    made.close()


def test_key_with_password(mutual, authority, tmp_path):
    """The password comes from a file, which is checked as the key is; it opens the key for AdminServer, too."""
    key, secret = str(tmp_path / "locked.key"), str(tmp_path / "password")
    openssl("pkcs8", "-topk8", "-v2", "aes-256-cbc", "-in", authority.path("client.key"), "-out", key, "-passout", "pass:open sesame",
            cwd=str(tmp_path))
    os.chmod(key, 0o600)
    config = tmp_path / "config.yaml"
    config.write_text(f"clusters:\n  - name: c\n    hosts: {mutual.hosts}\n    servers: {{admin: ['{mutual.admin}'], four_letter: off}}\n"
                      f"    tls: {{ca: {authority.ca}, cert: {authority.path('client.crt')}, key: {key}, key_password_file: {secret}, "
                      "admin: https}\n")

    def look(password, mode=0o600):
        if password is not None:
            with open(secret, "w", encoding="ascii") as f:
                f.write(password)
            os.chmod(secret, mode)
        done = run("once", "--quick", "--json", "-c", str(config), "--wait", "5s", within=60)
        assert "sesame" not in done.out + done.err
        return done
    done = look(None)
    assert done.status == 2 and "the file with the key's password" in done.err and "cannot be read (No such file" in done.err, done
    done = look("open sesame\n", 0o640)
    assert done.status == 2 and "can be read or written by others; run chmod 600 on it" in done.err, done
    for password in ("wrong\n", "", "x" * 5000):
        done = look(password)
        assert done.status in (2, 3) and "key_password_file" in done.out + done.err, done
    done = look("open sesame\n")
    cluster = json.loads(done.out)["clusters"][0]
    assert cluster["state"] == "connected" and cluster["servers"][0]["watches_from"] == "adminserver", done


def test_admin_server_waits_for_the_key(mutual, authority, tmp_path):
    """It is not asked with a key that others can read, while the session goes on; and is once the key is right."""
    key, log, config = tmp_path / "c.key", tmp_path / "log", tmp_path / "config.yaml"
    ca, cert = tmp_path / "ca.pem", tmp_path / "c.crt"
    shutil.copy(authority.path("client.key"), key)
    shutil.copy(authority.path("client.crt"), cert)
    shutil.copy(authority.ca, ca)
    key.chmod(0o600)
    config.write_text(f"clusters:\n  - name: c\n    hosts: {mutual.hosts}\n    servers: {{admin: ['{mutual.admin}'], four_letter: off, every: 200ms}}\n"
                      f"    elections: [{{path: /election}}]\n"
                      f"    tls: {{ca: {ca}, cert: {cert}, key: {key}, admin: https}}\n")
    with Events(None, "-c", str(config), "--log", str(log)) as events:
        events.expect("connection", state="connected")
        for mode, told in (0o644, "can be read or written by others"), (0o600, "the files of TLS can be read again"):
            key.chmod(mode)
            until(lambda: told in log.read_text(), 40, told)
        for file in ca, cert:  # a pipe holds up nothing
            os.rename(file, f"{file}.old")
            os.mkfifo(file)
            until(lambda: f"{file}: is not a plain file" in log.read_text(), 40, "it is named")
            told = log.read_text().count("can be read again")
            os.rename(f"{file}.old", file)
            until(lambda: log.read_text().count("can be read again") > told, 40, "it is read again")
        assert not [e for e in events.all("connection") if e["state"] != "connected"], events.seen


def test_least_version(authority, tmp_path):
    """min_version 1.3: a server with 1.2 only is refused, and said to be too old; one with 1.3 is not."""
    for newest, fits in ((ssl.TLSVersion.TLSv1_2, False), (ssl.TLSVersion.TLSv1_3, True)):
        with TlsServer(authority, scripted(answer), newest=newest) as server:
            folder = tmp_path / newest.name
            folder.mkdir()
            files = Files(authority, folder, server.address, ", min_version: '1.3'")
            done = run("once", "--quick", "-c", files.config, "--wait", "4s")
        assert (server.clients != []) == fits, done
        assert fits or (done.status == 3 and f"{server.address} has no TLS 1.3; set tls: min_version to 1.2" in done.out + done.err), done


@pytest.mark.parametrize("command", ["once", "events", "check", "inject"])
def test_files_are_checked_first(command, authority, tmp_path):
    """What is wrong with them is said at once, and nobody is connected to."""
    client = authority.path("client")
    other = authority.issue("other")
    missing, pipe = str(tmp_path / "missing.pem"), str(tmp_path / "pipe")
    os.mkfifo(pipe)
    path = "/electop-sandbox/files" if command == "inject" else "/election"
    for files, said in (((missing,), f"certificate {missing} (No such file or directory); check tls: ca (--tls-ca)"),
                        ((pipe,), f"the file {pipe} is not a plain file; name a plain file"),
                        ((authority.ca, pipe, f"{client}.key"), f"the file {pipe} is not a plain file; name a plain file"),
                        ((authority.ca, missing, f"{client}.key"), f"certificate {missing} (No such file or directory); check tls: cert (--tls-cert)"),
                        ((authority.ca, f"{client}.crt", f"{other}.key"), f"does not belong to the certificate {client}.crt; check tls: key (--tls-key)")):
        options = [word for pair in zip(("--tls-ca", "--tls-cert", "--tls-key"), files) for word in pair]
        done = run(command, "-s", "127.0.0.1:1", *options, path)
        assert done.status == (3 if command == "check" else 2) and said in done.err + done.out, done


def test_own_certificate_expires(authority):
    """The server says only that it refuses it: the message says what is wrong with it."""
    authority.issue_until("ours", -5)
    with TlsServer(authority, clients=True, resumes=False) as server:
        done = run("once", "--quick", "-s", server.address, "--tls-ca", authority.ca, "--tls-cert", authority.path("ours.crt"), "--tls-key",
                   authority.path("ours.key"), "--admin", "off", "--four-letter", "off", "--wait", "12s")
    assert f"the client certificate {authority.path('ours.crt')} expired on 20" in done.err, done
    assert done.status == 3, done


def test_files_of_one_cluster(zk, client, path, tmp_path):
    """A cluster whose files cannot be used is named; the others are watched."""
    client.ensure_path(path)
    client.create(f"{path}/n_", b"host-a:1", ephemeral=True, sequence=True)
    file = tmp_path / "config.yaml"
    file.write_text("clusters:\n- {name: broken, hosts: '127.0.0.1:1', tls: {ca: /nonexistent/ca.pem}}\n"
                    f"- {{name: sound, hosts: '{zk.hosts}', elections: [{{path: {path}}}]}}\n")
    done = run("once", "--json", "--quick", "-c", str(file), "--wait", "5s")
    assert "/nonexistent/ca.pem (No such file or directory); check tls: ca (--tls-ca)" in done.err, done
    assert {c["name"]: c["state"] == "connected" for c in json.loads(done.out)["clusters"]} == {"broken": False, "sound": True}
