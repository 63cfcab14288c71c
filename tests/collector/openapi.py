"""Checks a collector's answers against openapi.yaml."""
import pathlib
import re

import jsonschema
import yaml

FILE = pathlib.Path(__file__).resolve().parents[2] / "futurerand" / "collector" / "api" / "openapi.yaml"
METHODS = ("get", "put", "post", "delete", "patch")


class Description:
    def __init__(self, text=None):
        self.document = yaml.safe_load(FILE.read_text() if text is None else text)
        self.operations = {(method.upper(), path): operation for path, item in self.document["paths"].items()
                           for method, operation in item.items() if method in METHODS}
        self.seen = set()

    def resolve(self, node):
        """Resolves a $ref, and merges its siblings."""
        if "$ref" not in node:
            return node
        target = self.document
        for part in node["$ref"].removeprefix("#/").split("/"):
            target = target[part]
        return {**self.resolve(target), **{key: value for key, value in node.items() if key != "$ref"}}

    def validator(self, schema):
        return jsonschema.Draft202012Validator({**schema, "components": self.document["components"]})

    def path_of(self, target):
        """Returns the path of openapi.yaml for a request's target, or the page's path by default."""
        path = re.sub("/+", "/", target.split("?")[0])  # a path is its parts, and an empty part is none
        path = path.rstrip("/") or "/"
        for template in self.document["paths"]:
            if template != "/{file}" and re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", template.replace(".", r"\.")), path):
                return template
        return "/{file}"

    def parameters(self, method, path):
        item = self.document["paths"][path]
        return [self.resolve(parameter) for parameter in item.get("parameters", []) + item[method.lower()].get("parameters", [])]

    def body_schema(self, method, path):
        content = self.operations[method, path].get("requestBody", {}).get("content", {})
        return self.resolve(content["application/json"]["schema"]) if "application/json" in content else None

    def documented(self):
        """Returns (method, path, status) of all answers that a test can cause."""
        return {(method, path, int(status)) for (method, path), operation in self.operations.items()
                for status, response in operation["responses"].items() if status != "default" and "x-untested" not in response}

    def check(self, test, method, target, status, answer, headers):
        """Fails unless the file describes this answer to this request."""
        path, asked = self.path_of(target), "GET" if method == "HEAD" else method
        where = f"{method} {target} answered {status}: {str(answer)[:200]}"
        if (asked, path) not in self.operations:
            test.assertEqual(status, 405, where)
            test.assertIn("Allow", headers)
            test.assertNotIn(asked, headers["Allow"].split(", "))
            response = self.document["components"]["responses"]["Error"]
        else:
            responses = self.operations[asked, path]["responses"]
            if str(status) in responses:
                self.seen.add((asked, path, status))
                response = self.resolve(responses[str(status)])
            else:
                response = self.resolve(responses["default"])
                test.assertIn(status, response["x-statuses"], where)
        for name, header in response.get("headers", {}).items():
            test.assertIn(name, headers, where)
            self.validator(header["schema"]).validate(headers[name])
        if "content" not in response:
            test.assertIn(answer, (b"", ""), where)
            return
        kind = headers.get("Content-Type", "").split(";")[0]
        test.assertTrue(kind in response["content"] or "*/*" in response["content"], f"{kind}: {where}")
        if method == "HEAD":
            return
        if kind == "application/json" and kind in response["content"]:
            errors = list(self.validator(response["content"][kind]["schema"]).iter_errors(answer))
            test.assertEqual(errors, [], where)
