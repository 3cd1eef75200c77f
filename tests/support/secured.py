"""Secured servers for tests: certificates by openssl, a KDC on loopback, and ZooKeeper with each of six securities."""
import os
import shutil
import subprocess

from ensemble import Ensemble
from fake_server import free_port
from waiting import until

MODES = ("plain", "tls", "mutual tls", "digest-md5", "kerberos", "kerberos in tls")
REALM = "TEST.REALM"
TLS = {"tls", "mutual tls", "kerberos in tls"}
KERBEROS = {"kerberos", "kerberos in tls"}
SASL = {"digest-md5"} | KERBEROS


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
        self.env = {**os.environ, "KRB5_CONFIG": self.config, "KRB5_KDC_PROFILE": profile,
                    "PATH": os.environ["PATH"] + ":/usr/sbin"}
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

    def kinit(self, cache, within=5, lifetime=None):
        """A ticket for watcher in this cache; waits until the KDC answers."""
        more = ["-l", lifetime] if lifetime else []
        command = ["kinit", "-k", "-t", self.path("watcher.keytab"), "-c", cache, *more, "watcher"]
        until(lambda: subprocess.run(command, env=self.env, capture_output=True, check=False).returncode == 0, within,
              "the KDC gives a ticket")

    def close(self):
        self.process.kill()
        self.process.wait()


def has_tls():
    return os.path.exists("/usr/share/java/netty-handler.jar")


class Secured:
    """One server with one of the MODES, and the configuration by which the tool reaches it."""

    def __init__(self, mode, folder, authority, kdc, config=(), unified=False, required=True):
        self.mode, self.folder = mode, str(folder)
        os.makedirs(self.folder, exist_ok=True)
        self.env = {"KRB5_CONFIG": kdc.config} if kdc else {}
        lines, java, self.port = [], [], free_port()
        if mode in TLS:
            lines += self._tls_lines(authority, unified)
        if mode in SASL:
            java += [f"-Djava.security.auth.login.config={self._jaas(kdc)}"]
            java += [f"-Djava.security.krb5.conf={kdc.config}"] if mode in KERBEROS else []
            java += ["-Dzookeeper.sessionRequireClientSASLAuth=true"] if required else []
            lines += ["authProvider.1=org.apache.zookeeper.server.auth.SASLAuthenticationProvider"]
        self.ensemble = Ensemble(1, config=[*lines, *config], java=java)
        host = "localhost" if mode in KERBEROS else "127.0.0.1"
        plain = self.ensemble.hosts.rsplit(":", 1)[1]
        self.hosts = f"{host}:{plain if mode not in TLS or unified else self.port}"
        self.admin = self.ensemble.admin
        self.config = self._write(authority, kdc)

    def _tls_lines(self, authority, unified):
        store = authority.path("server.pem")
        lines = ["serverCnxnFactory=org.apache.zookeeper.server.NettyServerCnxnFactory",
                 f"ssl.clientAuth={'need' if self.mode == 'mutual tls' else 'none'}", "admin.portUnification=true"]
        for prefix in ("ssl", "ssl.quorum"):
            lines += [f"{prefix}.keyStore.location={store}", f"{prefix}.keyStore.type=PEM",
                      f"{prefix}.trustStore.location={authority.ca}", f"{prefix}.trustStore.type=PEM"]
        return lines + (["client.portUnification=true"] if unified
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
        text = f"clusters:\n  - name: secured\n    hosts: {self.hosts}\n    servers: {{admin: ['{self.admin}'], every: 500ms}}\n"
        if self.mode in TLS:
            text += f"    tls: {self.tls_settings(authority)}\n"
        if self.mode in KERBEROS:
            text += f"    sasl: {{keytab: {kdc.path('watcher.keytab')}, principal: watcher@{REALM}}}\n"
        elif self.mode in SASL:
            text += f"    sasl: {{credentials_file: {credentials}}}\n"
        text += f"    elections:\n      - {{path: /election}}\nhistory: {{file: {self.folder}/history.db}}\n"
        return self.write("config.yaml", text)

    def write(self, name, text):
        file = os.path.join(self.folder, name)
        with open(file, "w", encoding="utf-8") as f:
            f.write(text)
        return file

    def close(self):
        self.ensemble.close()
        shutil.rmtree(self.folder, ignore_errors=True)
