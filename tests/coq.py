"""Checks Coq files of plans with proofs/check, for tests."""
import os
import pathlib
import re
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
# The axioms of Coq's own real numbers.
AXIOMS_OF_REALS = {
    "ClassicalDedekindReals.sig_not_dec",
    "ClassicalDedekindReals.sig_forall_dec",
    "FunctionalExtensionality.functional_extensionality_dep",
}


def check(build, *files):
    """Runs proofs/check; returns the finished process."""
    return subprocess.run([ROOT / "proofs" / "check", *files], capture_output=True, text=True, timeout=1500,
                          env={**os.environ, "BUILD_DIR": str(build)})


def check_text(build, text):
    """Checks a file with this text."""
    with tempfile.TemporaryDirectory(prefix="futurerand-coq-") as folder:
        path = pathlib.Path(folder) / "file.v"
        path.write_text(text)
        return check(build, path)


def axioms(output):
    """Returns the axioms listed by Print Assumptions."""
    return set(re.findall(r"^([A-Za-z_][\w.]*)\s+:", output.partition("Axioms:")[2], re.MULTILINE))


def plan_file(futurerand, *arguments):
    """Returns the file written by audit --coq for these arguments."""
    with tempfile.TemporaryDirectory(prefix="futurerand-coq-") as folder:
        path = pathlib.Path(folder) / "plan.v"
        subprocess.run([futurerand, "audit", *arguments, "--coq", path], check=True, capture_output=True, timeout=600)
        return path.read_text()
