"""Valid and invalid values of a schema, for requests made from openapi.yaml."""
import json
import string

# Larger plans are valid too, but take longer.
CAPS = {"periods": 128, "changes": 8, "max_changes": 8, "users": 2000, "grace_periods": 100}
EPSILONS = ["1", "0.5", "2", "4", "0.25", "1.5"]


def number(schema, chance, integral, cap):
    low = schema.get("minimum", schema.get("exclusiveMinimum", 0))
    high = min(schema.get("maximum", schema.get("exclusiveMaximum", 1 << 31)), cap)
    if integral:
        return chance.choice([low, high, chance.randint(low, high)])
    return low + (high - low) * chance.uniform(0.01, 0.99)


def value(description, schema, chance, name=""):
    """Returns a valid value of the schema."""
    schema = description.resolve(schema)
    if "enum" in schema:
        return chance.choice(schema["enum"])
    if "const" in schema:
        return schema["const"]
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    kind = chance.choice(kinds)
    if kind == "object" and "properties" not in schema:
        return {f"key{i}": value(description, schema["additionalProperties"], chance)
                for i in range(chance.randint(schema.get("minProperties", 0), schema.get("minProperties", 0) + 2))}
    if kind == "object":
        return {key: value(description, part, chance, key) for key, part in schema.get("properties", {}).items()
                if key in schema.get("required", []) or chance.random() < 0.4}
    if kind in ("integer", "number"):
        return number(schema, chance, kind == "integer", CAPS.get(name, 1 << 40))
    if kind == "array":
        return [value(description, schema["items"], chance) for _ in range(chance.randrange(3))]
    if kind == "boolean":
        return chance.random() < 0.5
    if "pattern" in schema and "0-9]+" in schema["pattern"]:
        return chance.choice(EPSILONS)
    return "".join(chance.choice(string.ascii_letters + string.digits + "._-") for _ in range(chance.randint(1, 64)))


def other_kind(given, chance):
    """Returns a value of another type."""
    others = [None, [], {}, "x", -1.5, True, [given]]
    return chance.choice([other for other in others if type(other) is not type(given)])


def broken_object(description, schema, chance):
    """Returns invalid JSON text for the schema."""
    schema = description.resolve(schema)
    good = value(description, schema, chance)
    while True:
        broken = dict(good)
        what = chance.choice(["drop", "kind", "key", "text", "whole"])
        if what == "drop" and schema.get("required"):
            del broken[chance.choice(schema["required"])]
        elif what == "kind" and broken:
            key = chance.choice(sorted(broken))
            broken[key] = other_kind(broken[key], chance)
        elif what == "key":
            broken["".join(chance.choice(string.ascii_lowercase) for _ in range(12))] = chance.choice([1, None, {}, "x"])
        elif what == "text":
            text = json.dumps(good)
            return text[:chance.randrange(1, len(text))]
        elif what == "whole":
            return chance.choice(["[]", "null", "7", '"x"', "{" * 5000, "[" * 5000, "\x00", "{}}", '{"periods":1e999}'])
        else:
            continue
        if not description.validator(schema).is_valid(broken):
            return json.dumps(broken)


def broken_text(description, schema, chance):
    """Returns an invalid query parameter for its schema."""
    schema = description.resolve(schema)
    wrong = ["", "x", "-1", "NaN", "inf", "1e400", "0x10", "1 ", "%00", "9" * 40, "null", "+1"]
    if "maximum" in schema:
        wrong.append(str(schema["maximum"] + 1))
    if schema.get("minimum", 0) >= 1:
        wrong.append("0")
    return chance.choice([text for text in wrong if text not in schema.get("enum", [])])
