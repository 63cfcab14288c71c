"""Programs out of tree against what `cmake --install` gave: usage: install_test.py BUILD_FOLDER SOURCE_FOLDER FUTURERAND"""
import ctypes
import http.server
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import unittest

BUILD, SOURCE, COMMAND = (pathlib.Path(argument).resolve() for argument in sys.argv[1:4])
sys.path.insert(0, str(SOURCE / "tests" / "collector"))
import harness  # noqa: E402

harness.COMMAND = str(COMMAND)
OK, NOT_FOUND, NO_ENTROPY, UNREACHABLE = 0, 2, 5, 8

CPP_PROJECT = """
cmake_minimum_required(VERSION 3.25)
project(outside LANGUAGES CXX)
find_package(futurerand 0.3 REQUIRED)
add_executable(device device.cpp)
target_link_libraries(device PRIVATE futurerand::client)
"""
INCLUDING_PROJECT = f"""
cmake_minimum_required(VERSION 3.25)
project(outside LANGUAGES CXX)
add_subdirectory({SOURCE} futurerand)
add_executable(device {SOURCE}/examples/device.cpp)
target_link_libraries(device PRIVATE futurerand::client)
"""


class Server(ctypes.Structure):
    _fields_ = [("url", ctypes.c_char_p), ("token", ctypes.c_char_p), ("ca_file", ctypes.c_char_p), ("timeout_ms", ctypes.c_uint32),
                ("attempts", ctypes.c_uint32)]


class Error(ctypes.Structure):
    _fields_ = [("code", ctypes.c_int), ("message", ctypes.c_char * 508)]


def run(*command, **options):
    result = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=600, **options)
    assert result.returncode == 0, f"{command}: {result.stdout}{result.stderr}"
    return result.stdout


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.scratch.name)
        cls.prefix = cls.folder / "prefix"
        for component in ["client_runtime", "client_dev"]:
            run("cmake", "--install", BUILD, "--prefix", cls.prefix, "--component", component)
        cls.library = next(cls.prefix.rglob("libfuturerand.so"))
        cls.environment = dict(os.environ, PKG_CONFIG_PATH=str(cls.library.parent / "pkgconfig"),
                               LD_LIBRARY_PATH=str(cls.library.parent))

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def pkg_config(self, *arguments):
        return run("pkg-config", *arguments, env=self.environment).split()

    def check_devices(self, program, sent):
        """A few devices over a whole horizon: all that they owe is counted, and nothing is refused."""
        with harness.collector() as it:
            it.start()
            it.create("example", periods=4, protocol="optimal")
            for period in range(1, 6):
                for device in range(2):
                    out = run(program, f"http://127.0.0.1:{it.port}", it.folder / f"device{device}", "example",
                              str((period + device) % 2), env=self.environment)
                    self.assertIn(sent, out)
                if period < 5:
                    it.advance("example")
            sums = it.get("/v1/metrics/example/sums")
            self.assertEqual(sums["devices"], 2)
            for view in sums["views"]:
                self.assertEqual(view["counts"], [sum(view["enrolled"])] * len(view["counts"]))
            self.assertEqual(it.get("/v1/metrics/example")["rejected"], 0)

    def test_a_program_in_c99(self):
        program = self.folder / "device_c"
        run("gcc", "-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", SOURCE / "examples" / "device.c",
            *self.pkg_config("--cflags", "--libs", "futurerand"), "-o", program)
        self.check_devices(program, "example: period")

    def test_a_program_in_cpp(self):
        outside = self.folder / "outside"
        outside.mkdir()
        (outside / "CMakeLists.txt").write_text(CPP_PROJECT)
        (outside / "device.cpp").write_text((SOURCE / "examples" / "device.cpp").read_text())
        build = outside / "build"
        run("cmake", "-S", outside, "-B", build, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={self.prefix}",
            "-DCMAKE_BUILD_TYPE=Debug")
        run("cmake", "--build", build)
        needed = run("readelf", "--dynamic", build / "device")
        for absent in ["boost", "libpq", "libfuturerand.so"]:
            self.assertNotIn(absent, needed)
        self.check_devices(build / "device", "accepted")

    def test_a_project_that_includes_the_sources(self):
        """It gets the client alone, needs nothing of the server, and warnings do not stop its build."""
        outside = self.folder / "including"
        outside.mkdir()
        (outside / "CMakeLists.txt").write_text(INCLUDING_PROJECT)
        build = outside / "build"
        absent = [f"-DCMAKE_DISABLE_FIND_PACKAGE_{package}=ON"
                  for package in ["CLI11", "fmt", "ZLIB", "GTest", "benchmark", "pybind11", "Threads"]]
        run("cmake", "-S", outside, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug", *absent)
        self.assertNotIn("libpq", (build / "CMakeCache.txt").read_text())
        commands = run("ninja", "-C", build, "-t", "commands", "all")
        self.assertNotIn("-Werror", commands)
        for folder in ["collector", "estimator", "simulator", "apps", "dashboard"]:
            self.assertNotIn(f"/{folder}/", commands)
        if os.environ.get("FUTURERAND_LONG"):
            run("cmake", "--build", build, "--target", "device")
            self.check_devices(build / "device", "accepted")

    def test_pkg_config_of_the_static_library(self):
        flags = self.pkg_config("--cflags", "--libs", "futurerand-client")
        self.assertIn("-lfuturerand_client", flags)

    def test_the_public_headers_are_few(self):
        include = self.prefix / "include"
        installed = {str(path.relative_to(include)) for path in include.rglob("*.h*") if path.is_file()}
        self.assertEqual(installed, {"futurerand.h", "futurerand.hpp"} | {f"futurerand/{name}.hpp" for name in (
            "core/base/result", "transport/http_connection", "transport/tls_stream", "transport/collector_exchange")})
        documented = (SOURCE / "docs" / "device.md").read_text()
        for header in installed:
            self.assertIn(f"`{header}`", documented)

    def test_only_symbols_of_c_are_exported(self):
        lines = run("nm", "--dynamic", "--defined-only", self.library).splitlines()
        names = {line.split()[-1].split("@")[0] for line in lines}
        declared = (SOURCE / "bindings" / "c" / "futurerand.h").read_text()
        functions = {name for name in names if name != "FUTURERAND_0"}
        self.assertGreater(len(functions), 15)
        for name in functions:
            self.assertIn(f"{name}(", declared)
        self.assertIn("libfuturerand.so.0", run("readelf", "--dynamic", self.library))

    def test_send_is_one_request_and_a_busy_metric_is_tried_again(self):
        """fr_send of two clients, to a server that cannot take the metric `b` a few times."""
        seen, busy = [], [2]

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                answers = []
                for line in body.splitlines():
                    if line.startswith('{"metric":'):
                        answers.append({**json.loads(line), "status": 200, "answer": {"accepted": 0, "duplicates": 0, "rejected": 0, "errors": []}})
                    else:
                        answers[-1]["answer"]["accepted"] += 1
                seen.append([each["metric"] for each in answers])
                if busy[0] > 0 and answers[-1]["metric"] == "b":
                    busy[0] -= 1
                    answers[-1].update(status=503, answer=None)
                text = json.dumps({"metrics": answers}).encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, *_):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        self.addCleanup(server.server_close)
        self.addCleanup(thread.join)
        self.addCleanup(server.shutdown)

        library, error = ctypes.CDLL(str(self.library)), Error()
        device, clients = ctypes.c_void_p(), (ctypes.c_void_p * 2)()

        def call(function, *arguments):
            code = getattr(library, function)(*arguments, ctypes.byref(error))
            self.assertEqual(code, OK, f"{function}: {error.message}")

        with tempfile.TemporaryDirectory() as folder:
            with open(SOURCE / "tests" / "data" / "vectors.jsonl") as vectors:
                plan = json.dumps(json.loads(vectors.readline())["plan"]).encode()
            call("fr_device_open_folder", folder.encode(), b"16", None, None, ctypes.byref(device))
            for i, name in enumerate((b"a", b"b")):
                metric, client = ctypes.c_void_p(), ctypes.c_void_p()
                call("fr_metric_create", name, plan, ctypes.c_size_t(len(plan)), ctypes.c_int64(0), ctypes.c_int64(0), ctypes.byref(metric))
                call("fr_client_open", device, metric, 1, ctypes.byref(client))
                clients[i] = client.value
                library.fr_metric_close(ctypes.byref(metric))
            address, accepted = f"http://127.0.0.1:{server.server_port}".encode(), ctypes.c_size_t()
            call("fr_send", ctypes.byref(Server(address, None, None, 30_000, 0)), clients, ctypes.c_size_t(2), ctypes.byref(accepted))
            self.assertEqual((seen, accepted.value), ([["a", "b"], ["b"], ["b"]], 2))
            call("fr_send", ctypes.byref(Server(address, None, None, 30_000, 0)), clients, ctypes.c_size_t(2), None)
            self.assertEqual(len(seen), 3)  # nothing is due
            for client in clients:
                call("fr_client_observe", ctypes.c_void_p(client), 2, 1)
            busy[0] = 100
            code = library.fr_send(ctypes.byref(Server(address, None, None, 30_000, 2)), clients, ctypes.c_size_t(2), ctypes.byref(accepted),
                                   ctypes.byref(error))
            self.assertEqual((code, seen[3:], accepted.value), (UNREACHABLE, [["a", "b"], ["b"]], 0), error.message)
            for client, waits in zip(clients, (False, True)):
                text = ctypes.c_void_p()
                call("fr_client_lines", ctypes.c_void_p(client), ctypes.byref(text))
                self.assertEqual(ctypes.string_at(text) != b"", waits)
                library.fr_free(text)
                library.fr_client_close(ctypes.byref(ctypes.c_void_p(client)))
            library.fr_device_close(ctypes.byref(device))

    def test_vectors_through_the_shared_library(self):
        library = ctypes.CDLL(str(self.library))
        load_type = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p, ctypes.POINTER(ctypes.c_void_p),
                                     ctypes.POINTER(ctypes.c_size_t))
        save_type = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p, ctypes.c_size_t)
        each_type = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p)
        names_type = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, each_type, ctypes.c_void_p)
        fill_type = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)

        class Store(ctypes.Structure):
            _fields_ = [("context", ctypes.c_void_p), ("load", load_type), ("save", save_type), ("names", names_type)]

        class Entropy(ctypes.Structure):
            _fields_ = [("context", ctypes.c_void_p), ("fill", fill_type)]

        for line in (SOURCE / "tests" / "data" / "vectors.jsonl").read_text().splitlines():
            vector = json.loads(line)
            records, tape = {}, bytearray.fromhex(vector["entropy"])

            @load_type
            def load(_, record, data, size):
                if record not in records:
                    return NOT_FOUND
                data[0], size[0] = ctypes.addressof(records[record]), len(records[record])
                return OK

            @save_type
            def save(_, record, data, size):
                records[record] = ctypes.create_string_buffer(ctypes.string_at(data, size), size)
                return OK

            @names_type
            def names(_, each, to):
                for record in records:
                    each(to, record)
                return OK

            @fill_type
            def fill(_, data, size):
                if size > len(tape):
                    return NO_ENTROPY
                ctypes.memmove(data, bytes(tape[:size]), size)
                del tape[:size]
                return OK

            error = Error()
            device, metric, client = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
            store, entropy = Store(None, load, save, names), Entropy(None, fill)

            def call(function, *arguments):
                code = getattr(library, function)(*arguments, ctypes.byref(error))
                self.assertEqual(code, OK, f"{vector['metric']}: {function}: {error.message}")

            plan = json.dumps(vector["plan"]).encode()
            call("fr_device_open", ctypes.byref(store), b"16", None, ctypes.byref(entropy), ctypes.byref(device))
            call("fr_metric_create", vector["metric"].encode(), plan, ctypes.c_size_t(len(plan)),
                 ctypes.c_int64(vector["start"]), ctypes.c_int64(vector["period_seconds"]), ctypes.byref(metric))
            call("fr_client_open", device, metric, vector["joined"], ctypes.byref(client))
            self.assertEqual(len(tape), 0)
            for step in vector["steps"] + vector.get("departure", []):
                value = step.get("value")
                if "call" in step:
                    call(f"fr_client_{step['call']}", client, step["period"])
                elif isinstance(value, float):
                    call("fr_client_observe_number", client, step["period"], ctypes.c_double(value))
                elif isinstance(value, str):
                    text = value.encode()
                    call("fr_client_observe_text", client, step["period"], text, ctypes.c_size_t(len(text)))
                else:
                    call("fr_client_observe", client, step["period"], value)
                text = ctypes.c_void_p()
                call("fr_client_lines", client, ctypes.byref(text))
                self.assertEqual(ctypes.string_at(text).decode().splitlines(), step["lines"], vector["metric"])
                library.fr_free(text)
                if step["acknowledged"] and step["lines"]:
                    sent = "".join(line + "\n" for line in step["lines"]).encode()
                    call("fr_client_acknowledge", client, sent, ctypes.c_size_t(len(sent)), None, ctypes.c_size_t(0))
            library.fr_client_close(ctypes.byref(client))
            library.fr_device_close(ctypes.byref(device))
            library.fr_metric_close(ctypes.byref(metric))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
