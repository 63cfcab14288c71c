"""A certificate authority for tests, made with the openssl command, with valid and invalid certificates."""
import datetime
import pathlib
import subprocess


def openssl(*arguments, **options):
    return subprocess.run(["openssl", *arguments], check=True, capture_output=True, timeout=60, **options)


def curve_key(path):
    openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", path)


class Authority:
    """Signs certificates for names and addresses into files of its folder."""

    def __init__(self, folder, name="Tests"):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.file, self.key = self.folder / "authority.pem", self.folder / "authority.key"
        curve_key(self.key)
        openssl("req", "-x509", "-new", "-key", self.key, "-out", self.file, "-days", "2", "-subj", f"/CN={name}",
                "-addext", "basicConstraints=critical,CA:TRUE", "-addext", "keyUsage=critical,keyCertSign")

    def issue(self, name, alternatives="DNS:localhost,IP:127.0.0.1", days=(-1, 2)):
        """Returns (certificate, key) of a server, valid between two numbers of days from now."""
        certificate, key, request = (self.folder / f"{name}.{end}" for end in ("pem", "key", "csr"))
        curve_key(key)
        openssl("req", "-new", "-key", key, "-subj", f"/CN={name}", "-out", request)
        extensions = self.folder / f"{name}.ext"
        extensions.write_text(f"[server]\nsubjectAltName={alternatives}\nbasicConstraints=CA:FALSE\nextendedKeyUsage=serverAuth\n")
        begin, end = (f"{datetime.datetime.utcnow() + datetime.timedelta(days=day):%Y%m%d%H%M%SZ}" for day in days)
        # Only `ca` signs for a past time. It needs its own folder.
        (self.folder / "index").write_text("")
        (self.folder / "index.attr").write_text("unique_subject = no\n")
        settings = self.folder / "ca.cnf"
        settings.write_text(f"[ca]\ndefault_ca=here\n[here]\ndatabase={self.folder}/index\nrand_serial=yes\ndefault_md=sha256\n"
                            f"new_certs_dir={self.folder}\npolicy=any\n[any]\ncommonName=supplied\n")
        openssl("ca", "-batch", "-notext", "-config", settings, "-cert", self.file, "-keyfile", self.key, "-in", request,
                "-out", certificate, "-startdate", begin, "-enddate", end, "-extfile", extensions, "-extensions", "server")
        key.chmod(0o600)
        return certificate, key

    def self_signed(self, name="alone"):
        certificate, key = self.folder / f"{name}.pem", self.folder / f"{name}.key"
        curve_key(key)
        openssl("req", "-x509", "-new", "-key", key, "-out", certificate, "-days", "2", "-subj", "/CN=localhost",
                "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1")
        return certificate, key
