"""Secured servers for tests: certificates by openssl, a KDC on loopback, and ZooKeeper with each security."""
import contextlib
import json
import os
import shutil
import socket
import ssl
import subprocess
import threading
import time

from ensemble import Ensemble
from fake_server import _Server, free_port
from waiting import until
from wall_clock import WallClock

MODES = ("plain", "tls", "mutual tls", "digest-md5", "kerberos", "kerberos in tls", "digest-md5 in tls")
REALM = "TEST.REALM"
TLS = {"tls", "mutual tls", "kerberos in tls", "digest-md5 in tls"}
KERBEROS = {"kerberos", "kerberos in tls"}
SASL = {"digest-md5", "digest-md5 in tls"} | KERBEROS


def openssl(*arguments, cwd, text=None):
    return subprocess.run(["openssl", *arguments], cwd=cwd, check=True, capture_output=True, text=True, input=text).stdout


class Authority:
    """A certificate authority, and what it signs, as PEM files in a folder."""

    def __init__(self, folder):
        self.folder = str(folder)
        self._key("ca.key")
        openssl("req", "-x509", "-key", "ca.key", "-out", "ca.pem", "-days", "30", "-subj", "/CN=test authority", cwd=self.folder)
        self.ca = self.path("ca.pem")

    def path(self, name):
        return os.path.join(self.folder, name)

    def _key(self, name):
        openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", name, cwd=self.folder)
        os.chmod(self.path(name), 0o600)

    def issue_until(self, name, seconds):
        """As issue(), for so many seconds from now."""
        self._key(f"{name}.key")
        openssl("req", "-new", "-key", f"{name}.key", "-out", f"{name}.csr", "-subj", f"/CN={name}", cwd=self.folder)
        for file, text in (("index.txt", ""), ("serial", "1000\n"), (f"{name}.ext", "subjectAltName=IP:127.0.0.1\n"),
                           ("sign.conf", "[ca]\ndefault_ca=one\n[one]\ndatabase=index.txt\nserial=serial\nnew_certs_dir=.\n"
                            "default_md=sha256\npolicy=any\n[any]\ncommonName=supplied\n")):
            with open(self.path(file), "w", encoding="ascii") as f:
                f.write(text)
        when = [time.strftime("%Y%m%d%H%M%SZ", time.gmtime(time.time() + s)) for s in (-3600, seconds)]
        openssl("ca", "-batch", "-notext", "-config", "sign.conf", "-cert", "ca.pem", "-keyfile", "ca.key", "-in", f"{name}.csr",
                "-out", f"{name}.crt", "-startdate", when[0], "-enddate", when[1], "-extfile", f"{name}.ext", cwd=self.folder)

    def issue(self, name, names="IP:127.0.0.1,DNS:localhost", more=()):
        """NAME.key, NAME.crt, and NAME.pem with both."""
        self._key(f"{name}.key")
        openssl("req", "-new", "-key", f"{name}.key", "-out", f"{name}.csr", "-subj", f"/CN={name}", cwd=self.folder)
        with open(self.path(f"{name}.ext"), "w", encoding="ascii") as f:
            f.write(f"subjectAltName={names}\n")
        openssl("x509", "-req", "-in", f"{name}.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-out", f"{name}.crt",
                *(more or ("-days", "30")), "-extfile", f"{name}.ext", cwd=self.folder)
        with open(self.path(f"{name}.pem"), "w", encoding="ascii") as f:
            for part in (f"{name}.key", f"{name}.crt"):
                with open(self.path(part), encoding="ascii") as source:
                    f.write(source.read())
        os.chmod(self.path(f"{name}.pem"), 0o600)
        return self.path(name)


class FakeKdc:
    """Answers whatever it is asked with one error of Kerberos."""

    def __init__(self, folder, error):
        body = bytes.fromhex("a003020105" "a10302011e" "a411180f") + b"20260101000000Z" + bytes.fromhex("a503020100")
        body += bytes([0xa6, 3, 2, 1, error]) + self._tagged(0xa9, self._tagged(0x1b, REALM.encode()))
        service = self._tagged(0xa0, b"\x02\x01\x02") + self._tagged(0xa1, self._tagged(
            0x30, self._tagged(0x1b, b"krbtgt") + self._tagged(0x1b, REALM.encode())))
        body += self._tagged(0xaa, self._tagged(0x30, service))
        self.answer = self._tagged(0x7e, self._tagged(0x30, body))
        self.server = socket.create_server(("127.0.0.1", 0))
        self.config = os.path.join(str(folder), "fake.conf")
        with open(self.config, "w", encoding="ascii") as f:
            f.write(f"[libdefaults]\n default_realm = {REALM}\n udp_preference_limit = 1\n dns_lookup_kdc = false\n"
                    f"[realms]\n {REALM} = {{\n  kdc = 127.0.0.1:{self.server.getsockname()[1]}\n }}\n")
        threading.Thread(target=self._serve, daemon=True).start()

    @staticmethod
    def _tagged(tag, body):
        return bytes([tag]) + (bytes([len(body)]) if len(body) < 128 else bytes([0x81, len(body)])) + body

    def _serve(self):
        while True:
            try:
                near = self.server.accept()[0]
            except OSError:
                return
            with near:
                near.recv(65536)
                near.sendall(len(self.answer).to_bytes(4, "big") + self.answer)

    def close(self):
        self.server.close()


class Kdc:
    """A Kerberos KDC on loopback, with the principals zookeeper/localhost and watcher. Ends with close()."""

    def __init__(self, folder, lifetime="1h"):
        self.folder, self.port = str(folder), free_port()
        self.config, profile = self.path("krb5.conf"), self.path("kdc.conf")
        with open(self.config, "w", encoding="ascii") as f:
            f.write(f"[libdefaults]\n default_realm = {REALM}\n dns_lookup_kdc = false\n dns_lookup_realm = false\n"
                    f" dns_canonicalize_hostname = false\n rdns = false\n udp_preference_limit = 1\n"
                    f"[realms]\n {REALM} = {{\n  kdc = 127.0.0.1:{self.port}\n }}\n[domain_realm]\n localhost = {REALM}\n")
        with open(profile, "w", encoding="ascii") as f:
            f.write(f"[kdcdefaults]\n kdc_listen = 127.0.0.1:{self.port}\n kdc_tcp_listen = 127.0.0.1:{self.port}\n"
                    f"[realms]\n {REALM} = {{\n  database_name = {self.path('db')}\n  key_stash_file = {self.path('stash')}\n"
                    f"  max_life = {lifetime}\n }}\n")
        self.env = {**os.environ, "KRB5_CONFIG": self.config, "KRB5_KDC_PROFILE": profile}
        self._run("kdb5_util", "create", "-s", "-P", "master", "-r", REALM)
        for principal, keytab in (("zookeeper/localhost", "zookeeper.keytab"), ("watcher", "watcher.keytab")):
            self._run("kadmin.local", "-q", f"addprinc -randkey {principal}")
            self._run("kadmin.local", "-q", f"ktadd -k {self.path(keytab)} {principal}")
        self.process = subprocess.Popen(["krb5kdc", "-n", "-r", REALM], env=self.env, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)
        self.kinit(self.path("probe.cache"), within=20)

    def path(self, name):
        return os.path.join(self.folder, name)

    def _run(self, *command):
        return subprocess.run(command, env=self.env, check=True, capture_output=True, stdin=subprocess.DEVNULL)

    def add_service(self, host):
        """A host whose service the KDC knows, too."""
        self._run("kadmin.local", "-q", f"addprinc -randkey zookeeper/{host}")

    def unknown(self):
        """The keytab of a principal that the KDC no longer knows."""
        keytab = self.path("former.keytab")
        for query in "addprinc -randkey former", f"ktadd -k {keytab} former", "delprinc -force former":
            self._run("kadmin.local", "-q", query)
        return keytab

    def kinit(self, cache, within=5, lifetime=None):
        """A ticket for watcher in this cache; waits until the KDC answers."""
        more = ["-l", lifetime] if lifetime else []
        command = ["kinit", "-k", "-t", self.path("watcher.keytab"), "-c", cache, *more, "watcher"]
        until(lambda: subprocess.run(command, env=self.env, capture_output=True, check=False).returncode == 0, within,
              "the KDC gives a ticket")

    @contextlib.contextmanager
    def ahead(self, seconds, *lines):
        """The same realm, by a KDC whose clock is ahead: the configuration that names it, with these lines more."""
        clock, port = WallClock(self.folder, seconds), free_port()
        for name, text in (("ahead.profile", self._read("kdc.conf").replace(f":{self.port}", f":{port}")),
                           ("ahead.conf", self._read("krb5.conf").replace(f":{self.port}", f":{port}").replace(
                               "[libdefaults]", "\n ".join(["[libdefaults]", *lines])))):
            with open(self.path(name), "w", encoding="ascii") as f:
                f.write(text)
        process = subprocess.Popen(["krb5kdc", "-n", "-r", REALM], env={**self.env, "KRB5_KDC_PROFILE": self.path("ahead.profile"),
                                                                       **clock.environment}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            until(lambda: self._listens(port), 20, "the KDC listens")
            yield self.path("ahead.conf")
        finally:
            process.kill()
            process.wait()

    @staticmethod
    def _listens(port):
        with socket.socket() as one:
            return one.connect_ex(("127.0.0.1", port)) == 0

    def _read(self, name):
        with open(self.path(name), encoding="ascii") as f:
            return f.read()

    def close(self):
        self.process.kill()
        self.process.wait()


def tls_lines(authority, client_auth):
    """Lines of zoo.cfg for a server with TLS, but for its port."""
    lines = ["serverCnxnFactory=org.apache.zookeeper.server.NettyServerCnxnFactory", f"ssl.clientAuth={client_auth}",
             "admin.portUnification=true"]
    for prefix in ("ssl", "ssl.quorum"):
        lines += [f"{prefix}.keyStore.location={authority.path('server.pem')}", f"{prefix}.keyStore.type=PEM",
                  f"{prefix}.trustStore.location={authority.ca}", f"{prefix}.trustStore.type=PEM"]
    return lines


class Secured:
    """One server, or three, with one of the MODES, and the configurations by which the tool and other clients reach it."""

    def __init__(self, mode, folder, authority, kdc, config=(), unified=False, required=True, java=(), servers=1):
        """unified: TLS on the port without it, too; needed for three servers."""
        self.mode, self.folder, self.authority, self.kdc = mode, str(folder), authority, kdc
        os.makedirs(self.folder, exist_ok=True)
        self.env = {"KRB5_CONFIG": kdc.config} if kdc else {}
        lines, java = [], [*java]
        if mode in SASL:
            java += [f"-Djava.security.auth.login.config={self._jaas(kdc)}"]
            java += [f"-Djava.security.krb5.conf={kdc.config}"] if mode in KERBEROS else []
            java += ["-Dzookeeper.sessionRequireClientSASLAuth=true"] if required else []
            lines += ["authProvider.1=org.apache.zookeeper.server.auth.SASLAuthenticationProvider"]
        self.ensemble = self._start(servers, unified, [*lines, *config], java)
        host = "localhost" if mode in KERBEROS else "127.0.0.1"
        ports = [address.rsplit(":", 1)[1] for address in self.ensemble.addresses]
        self.hosts = ",".join(f"{host}:{port}" for port in (ports if mode not in TLS or unified else [self.port]))
        self.admin = self.ensemble.admin
        self.config = self._write(authority, kdc)

    def _start(self, servers, unified, lines, java, again=2):
        """Another process may take the port for TLS before the server does: then with another one."""
        self.port = free_port()
        tls = self._tls_lines(self.authority, unified) if self.mode in TLS else []
        try:
            return Ensemble(servers, config=[*tls, *lines], java=java)
        except AssertionError as error:
            if "bind" not in str(error) or not again:
                raise
            return self._start(servers, unified, lines, java, again - 1)

    def _tls_lines(self, authority, unified):
        lines = tls_lines(authority, "need" if self.mode == "mutual tls" else "none")
        return lines + (["client.portUnification=true", "authProvider.x509=org.apache.zookeeper.server.auth.X509AuthenticationProvider"] if unified
                        else [f"secureClientPort={self.port}", "secureClientPortAddress=127.0.0.1"])

    def _jaas(self, kdc):
        file = os.path.join(self.folder, "jaas.conf")
        with open(file, "w", encoding="ascii") as f:
            if self.mode in KERBEROS:
                f.write("Server {\n com.sun.security.auth.module.Krb5LoginModule required useKeyTab=true storeKey=true "
                        f'useTicketCache=false keyTab="{kdc.path("zookeeper.keytab")}" principal="zookeeper/localhost@{REALM}";\n}};\n')
            else:
                f.write('Server {\n org.apache.zookeeper.server.auth.DigestLoginModule required user_watcher="secret";\n};\n')
        return file

    def tls_settings(self, authority):
        client = authority.path("client")
        mutual = f", cert: {client}.crt, key: {client}.key" if self.mode == "mutual tls" else ""
        return f"{{ca: {authority.ca}{mutual}}}"

    def _write(self, authority, kdc):
        credentials = os.path.join(self.folder, "credentials")
        with open(os.open(credentials, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="ascii") as f:
            f.write("watcher:secret\n")
        text = f"clusters:\n  - name: secured\n    hosts: {self.hosts}\n    servers: {{admin: {self.admin.split(',')}, every: 500ms}}\n"
        if self.mode in TLS:
            text += f"    tls: {self.tls_settings(authority)}\n"
        if self.mode in KERBEROS:
            text += f"    sasl: {{keytab: {kdc.path('watcher.keytab')}, principal: watcher@{REALM}}}\n"
        elif self.mode in SASL:
            text += f"    sasl: {{credentials_file: {credentials}}}\n"
        text += f"    elections:\n      - {{path: /election}}\nhistory: {{file: {self.folder}/history.db}}\n"
        return self.write("config.yaml", text)

    def for_kazoo(self):
        """What KazooClient() takes beside the hosts, as JSON, and the environment in which it finds its ticket."""
        client, more, env = self.authority and self.authority.path("client"), {"timeout": 20}, dict(self.env)
        if self.mode in TLS:
            more.update(use_ssl=True, ca=self.authority.ca)
        if self.mode == "mutual tls":
            more.update(certfile=f"{client}.crt", keyfile=f"{client}.key")
        if self.mode in KERBEROS:
            env["KRB5CCNAME"] = os.path.join(self.folder, "kazoo.cache")
            self.kdc.kinit(env["KRB5CCNAME"], within=20)
            more["sasl_options"] = {"mechanism": "GSSAPI", "service": "zookeeper", "principal": f"watcher@{REALM}"}
        elif self.mode in SASL:
            more["sasl_options"] = {"mechanism": "DIGEST-MD5", "username": "watcher", "password": "secret"}
        return json.dumps(more), env

    def for_java(self):
        """The arguments with which Java's client does the same."""
        more = []
        if self.mode in TLS:
            more += ["zookeeper.client.secure=true", "zookeeper.clientCnxnSocket=org.apache.zookeeper.ClientCnxnSocketNetty",
                     f"zookeeper.ssl.trustStore.location={self.authority.ca}", "zookeeper.ssl.trustStore.type=PEM",
                     "zookeeper.ssl.enabledProtocols=TLSv1.2,TLSv1.3"]  # of its own it takes TLS 1.3 alone, which 3.8 has not
        if self.mode == "mutual tls":
            more += [f"zookeeper.ssl.keyStore.location={self.authority.path('client')}.pem", "zookeeper.ssl.keyStore.type=PEM"]
        if self.mode in KERBEROS:
            login = ("com.sun.security.auth.module.Krb5LoginModule required useKeyTab=true storeKey=true useTicketCache=false "
                     f'keyTab="{self.kdc.path("watcher.keytab")}" principal="watcher@{REALM}"')
            more += [f"java.security.krb5.conf={self.kdc.config}", "zookeeper.sasl.client.canonicalize.hostname=false"]
        elif self.mode in SASL:
            login = 'org.apache.zookeeper.server.auth.DigestLoginModule required username="watcher" password="secret"'
        if self.mode in SASL:
            more += [f"java.security.auth.login.config={self.write('client.jaas', f'Client {{ {login}; }};')}"]
        return [f"-D{each}" for each in more]

    def write(self, name, text):
        file = os.path.join(self.folder, name)
        with open(file, "w", encoding="utf-8") as f:
            f.write(text)
        return file

    def close(self):
        self.ensemble.close()
        shutil.rmtree(self.folder, ignore_errors=True)


class OpensslServer:
    """openssl s_server, for what no ZooKeeper does with TLS."""

    def __init__(self, authority, name, *more, quiet=True):
        self.port = free_port()
        self.hosts = f"127.0.0.1:{self.port}"
        self.process = subprocess.Popen(["openssl", "s_server", "-accept", str(self.port), "-cert", authority.path(f"{name}.crt"), "-key",
                                         authority.path(f"{name}.key"), *(["-quiet"] if quiet else []), *more], stdin=subprocess.PIPE,
                                        stdout=subprocess.DEVNULL if quiet else subprocess.PIPE, stderr=subprocess.DEVNULL)
        until(self._listens, 10, "openssl s_server listens")

    def _listens(self):
        with socket.socket() as one:
            return one.connect_ex(("127.0.0.1", self.port)) == 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


class TlsServer(_Server):
    """As _Server, behind a TLS handshake; it is silent where it is not told what to say."""

    def __init__(self, authority, talk=None, name="server", clients=False, newest=None, resumes=True, offers=()):
        """offers: protocols; clients: they must have a certificate of the authority; newest: the latest version of TLS that is offered; resumes:
        sessions, in TLS 1.3."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(authority.path(f"{name}.crt"), authority.path(f"{name}.key"))
        if not resumes:
            context.num_tickets = 0
        if newest:
            context.maximum_version = newest
        context.set_alpn_protocols(list(offers))
        if clients:
            context.verify_mode = ssl.CERT_REQUIRED
            context.load_verify_locations(authority.ca)

        def serve(connection):
            with context.wrap_socket(connection, server_side=True) as secured:
                names = secured.getpeercert() if clients else None
                self.clients.append(names["subject"][0][0][1] if names else None)
                self.resumed += secured.session_reused
                self.chosen.append(secured.selected_alpn_protocol())
                self.open.append(secured)
                if talk:
                    talk(secured)
                while secured.recv(65536):
                    self.heard += 1
        self.heard, self.chosen = 0, []  # how often, behind a handshake; the protocols
        self.clients, self.resumed, self.open = [], 0, []  # the names in their certificates, one a handshake
        super().__init__(serve)

    def drop(self):
        """Ends all connections without a word."""
        while self.open:
            with contextlib.suppress(OSError):
                socket.socket.shutdown(self.open.pop(), socket.SHUT_RDWR)
