#!/usr/bin/python3 -B
import tempfile
import unittest
from pathlib import Path

import layers
import layers_picture

RULES = (Path(__file__).resolve().parent / "layers.txt").read_text(encoding="utf-8")

GOOD = {
    "core/base/result.hpp": "#include <string>\n",
    "core/law/law.hpp": '#include <vector>\n#include "futurerand/core/base/result.hpp"\n',
    "core/law/law.cpp": '#include "futurerand/core/law/law.hpp"\n'
    "#include <boost/multiprecision/cpp_int.hpp>\n#include <boost/throw_exception.hpp>\n",
    "core/privacy/certificate.hpp": '#include "futurerand/core/law/law.hpp"\n',
    "core/plan/plan.hpp": '#include "futurerand/core/privacy/certificate.hpp"\n',
    "core/randomizer/random_source.hpp": "#include <cstdint>\n",
    "core/randomizer/sampler.hpp": '#include "futurerand/core/randomizer/random_source.hpp"\n',
    "core/randomizer/sampler_test.cpp": '#include <random>\n#include "futurerand/client/client.hpp"\n',
    "entropy/system.hpp": '#include "futurerand/core/randomizer/random_source.hpp"\n',
    "wire/lines.hpp": '#include "futurerand/core/plan/plan.hpp"\n',
    "client/client.hpp": '#include "futurerand/entropy/system.hpp"\n'
    '#include "futurerand/core/randomizer/sampler.hpp"\n',
    "estimator/estimate.hpp": '#include <thread>\n#include "futurerand/core/plan/plan.hpp"\n',
    "collector/fold/fold.cpp": '#include "futurerand/estimator/estimate.hpp"\n',
    "simulator/trial.cpp": '#include "futurerand/core/randomizer/sampler.hpp"\n',
}


class LayersTest(unittest.TestCase):
    def errors(self, changes, outside=None):
        with tempfile.TemporaryDirectory() as root:
            files = {f"futurerand/{k}": v for k, v in {**GOOD, **changes}.items()}
            for name, text in {**files, **(outside or {})}.items():
                path = Path(root, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            return layers.Checker(root, layers.Rules(RULES)).check()

    def assert_one(self, errors, *parts):
        self.assertEqual(len(errors), 1, errors)
        for part in parts:
            self.assertIn(part, errors[0])

    def test_good_tree_passes(self):
        self.assertEqual(self.errors({}), [])

    def test_direct_violation(self):
        errors = self.errors({"core/law/bad.cpp": '#include "futurerand/core/plan/plan.hpp"\n'})
        self.assertIn(
            "futurerand/core/law/bad.cpp -> futurerand/core/plan/plan.hpp: "
            "core/law may include only core/base, core/law/shapes",
            errors,
        )

    def test_a_folder_test_is_for_tests(self):
        shared = {
            "core/base/test/folder.hpp": "#include <filesystem>\n",
            "core/law/law_test.cpp": '#include "futurerand/core/base/test/folder.hpp"\n',
            "client/test/fixture.hpp": '#include <gtest/gtest.h>\n#include "futurerand/core/base/test/folder.hpp"\n',
        }
        self.assertEqual(self.errors(shared), [])
        errors = self.errors({**shared, "client/bad.cpp": '#include "futurerand/client/test/fixture.hpp"\n'})
        self.assert_one(errors, "client/bad.cpp -> ", "for tests")

    def test_allowed_folder_does_not_allow_naming_what_it_includes(self):
        errors = self.errors({"wire/bad.hpp": '#include "futurerand/core/privacy/certificate.hpp"\n'})
        self.assert_one(errors, "wire/bad.hpp -> ", "wire may include only")

    def test_transitive_violation_names_the_chain(self):
        errors = self.errors(
            {
                "estimator/smooth.hpp": '#include "futurerand/core/plan/plan.hpp"\n',
                "core/plan/plan.hpp": '#include "futurerand/core/plan/view.hpp"\n',
                "core/plan/view.hpp": '#include "futurerand/core/randomizer/sampler.hpp"\n',
            }
        )
        chain = (
            "futurerand/core/plan/plan.hpp -> futurerand/core/plan/view.hpp -> "
            "futurerand/core/randomizer/sampler.hpp: "
        )
        found = [e for e in errors if e.startswith("futurerand/estimator/")]
        self.assertIn(f"futurerand/estimator/estimate.hpp -> {chain}estimator must never reach", found[0])
        self.assertTrue(any(e.startswith("futurerand/core/plan/view.hpp -> ") for e in errors), errors)

    def test_violation_through_an_indented_include_and_cycles(self):
        errors = self.errors(
            {
                "core/base/a.hpp": '  #  include "futurerand/core/base/b.hpp"\n',
                "core/base/b.hpp": '#include "futurerand/core/base/a.hpp"\n'
                '#include "futurerand/core/law/law.hpp"\n',
            }
        )
        self.assertTrue(any("its own files" in e for e in errors), errors)

    def test_comments_are_not_includes(self):
        text = '// #include "futurerand/client/client.hpp"\n/*\n#include <thread>\n*/\n'
        self.assertEqual(self.errors({"core/base/result.hpp": text}), [])

    def test_entropy_may_include_only_the_random_source(self):
        errors = self.errors({"entropy/bad.cpp": '#include "futurerand/core/randomizer/sampler.hpp"\n'})
        self.assert_one(errors, "core/randomizer/sampler.hpp: entropy may include only")

    def test_an_allowed_file_brings_nothing_with_it(self):
        errors = self.errors(
            {"core/randomizer/random_source.hpp": '#include "futurerand/core/law/law.hpp"\n'}
        )
        self.assert_one(errors, "random_source.hpp -> futurerand/core/law/law.hpp: entropy may reach only")

    def test_server_tests_may_not_reach_the_device_either(self):
        text = '#include "futurerand/wire/lines.hpp"\n#include "futurerand/audit/trial.hpp"\n'
        reaches = {"audit/trial.hpp": '#include "futurerand/client/client.hpp"\n'}
        for folder in ("collector/fold", "collector/http", "estimator"):
            errors = self.errors({f"{folder}/x_test.cpp": text, **reaches})
            self.assertTrue(errors and all("must never reach" in e for e in errors), errors)
        self.assertEqual(self.errors({"wire/x_test.cpp": text, **reaches}), [])

    def test_the_flow_inside_the_collector_and_the_command(self):
        for folder, later in (
            ("collector/log", "futurerand/collector/fold/fold.hpp"),
            ("collector/fold", "futurerand/collector/writer/writer.hpp"),
            ("collector/writer", "futurerand/collector/api/api.hpp"),
            ("collector/api", "futurerand/collector/http/server.hpp"),
            ("simulator", "futurerand/rivals/rappor.hpp"),
            ("core/law/shapes", "futurerand/core/law/law.hpp"),
            ("collector/http", "apps/cli/flags.hpp"),
        ):
            errors = self.errors({f"{folder}/x.hpp": f'#include "{later}"\n'})
            self.assertTrue(any(f"{folder}/x.hpp -> {later}" in e for e in errors), errors)
        for folder, later in (("cli", "report"), ("report", "commands"), ("fleet", "commands")):
            outside = {f"apps/{folder}/x.hpp": f'#include "apps/{later}/y.hpp"\n'}
            self.assert_one(self.errors({}, outside), f"apps/{folder} may include only")
            back = {f"apps/{later}/x.hpp": f'#include "apps/{folder}/y.hpp"\n'}
            self.assertEqual(self.errors({}, back), [])

    def test_unknown_folder(self):
        for name in ("util/x.hpp", "core/util/x.hpp", "x.hpp"):
            self.assert_one(self.errors({name: ""}), f"futurerand/{name}: ", "not in the table")

    def test_including_an_unknown_folder(self):
        errors = self.errors({"client/x.hpp": '#include "futurerand/util/x.hpp"\n'})
        self.assert_one(errors, "client/x.hpp -> futurerand/util/x.hpp", "not in the table")

    def test_forbidden_headers_in_core(self):
        for header in "thread chrono iostream fstream mutex random ctime".split():
            errors = self.errors({"core/base/result.hpp": f"#include <{header}>\n"})
            self.assert_one(errors, f"result.hpp -> <{header}>", "core may use only std")
        for header in ("boost/asio.hpp", "sodium.h", "fmt/format.h"):
            self.assert_one(self.errors({"core/law/x.hpp": f"#include <{header}>\n"}), f"<{header}>")
            self.assertEqual(self.errors({"transport/x.hpp": f"#include <{header}>\n"}), [])

    def test_devices_carry_no_tls(self):
        for folder in ("core/base", "entropy", "wire", "device", "client"):
            for header in ("openssl/ssl.h", "boost/asio/ssl.hpp", "sys/socket.h"):
                self.assertEqual(len(self.errors({f"{folder}/x.hpp": f"#include <{header}>\n"})), 1)
        self.assertEqual(self.errors({"transport/x.hpp": "#include <openssl/ssl.h>\n"}), [])

    def test_relative_includes(self):
        for text in ('#include "law.hpp"\n', '#include "futurerand/core/law/../law/law.hpp"\n'):
            self.assert_one(self.errors({"core/law/x.cpp": text}), "starts at the root")
        self.assert_one(self.errors({}, {"apps/main.cpp": '#include "plan.hpp"\n'}), "starts at the root")

    def test_system_brackets_do_not_hide_an_include(self):
        errors = self.errors({"estimator/x.hpp": "#include <futurerand/client/client.hpp>\n"})
        self.assertTrue(any("not <>" in e for e in errors), errors)
        self.assertTrue(any("must never reach" in e for e in errors), errors)

    def test_include_by_macro(self):
        self.assert_one(self.errors({"client/x.hpp": "#include HEADER\n"}), "macro")

    def test_outer_folders_may_include_any(self):
        text = '#include "futurerand/client/client.hpp"\n#include "apps/command.hpp"\n#include <thread>\n'
        self.assertEqual(self.errors({}, {"apps/main.cpp": text, "bench/x_bench.cpp": text}), [])

    def test_the_picture_leaves_out_what_follows_from_other_arrows(self):
        rules = layers.Rules("a:\nb: a\nb/c: a\nd: a b\ne: b/c/x.hpp a")
        self.assertEqual(
            layers_picture.reduced_arrows(rules),
            {"a": [], "b": ["a"], "b/c": ["a"], "d": ["b", "b/c"], "e": ["b/c"]},
        )

    def test_readme_shows_the_picture(self):
        page = (Path(__file__).resolve().parents[1] / "docs/how-it-works.md").read_text(encoding="utf-8")
        shown = layers_picture.picture(layers.Rules(RULES))
        self.assertIn(f"```mermaid\n{shown}\n```", page, "paste the output of tools/layers_picture.py into docs/how-it-works.md")


if __name__ == "__main__":
    unittest.main()
