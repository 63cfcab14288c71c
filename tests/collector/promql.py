"""The figures, labels and values in a PromQL expression, for comparison with the existing figures."""
import re

FUNCTIONS = {"absent", "rate", "sum", "histogram_quantile", "predict_linear", "time", "label_values"}
WORDS = {"by", "and", "or", "unless"}
FIGURE = re.compile(r"\b([a-z_]+)(\{([^}]*)\})?")


def figures(text):
    """Returns, for each name of GET /metrics, the labels of its lines. A histogram's lines are under their own names."""
    found = {}
    for line in text.splitlines():
        if line.startswith("#"):
            continue
        name, labels = re.fullmatch(r"([a-z_]+)(\{.*\})? -?[0-9.e+-]+", line).groups(default="")[:2]
        found.setdefault(name, []).append(dict(re.findall(r'([a-z_]+)="([^"]*)"', labels)))
    return found


def complaints(expression, known):
    """Returns the faults of an expression, given the existing figures, or an empty list."""
    wrong, used = [], []
    if expression.count("(") != expression.count(")") or expression.count("[") != expression.count("]"):
        wrong.append("brackets do not match")
    rest = re.sub(r"\bby \(([^)]*)\)", lambda found: wanted_labels(found[1], used), expression)
    labels_wanted, used = used, []
    if re.search(r"\[(?!\d+[smhd]\])", rest):
        wrong.append("a range is no time")
    rest = re.sub(r"\[[^\]]*\]", "", rest)
    for name, braces, matchers in FIGURE.findall(rest):
        if name in FUNCTIONS | WORDS | {"e"}:
            continue
        if name not in known:
            wrong.append(f"no figure {name}")
            continue
        used.append(name)
        for label, operator, value in re.findall(r'([a-z_]+)(=~|=)"([^"]*)"', matchers):
            values = {line.get(label) for line in known[name]}
            for one in value.split("|") if operator == "=~" else [value]:
                if values == {None} or not (one.startswith("$") or one in values):
                    wrong.append(f"{name} has no {label} {one}")
    if not used:
        wrong.append("it reads nothing")
    for label in labels_wanted:
        if not any(label in line for name in used for line in known[name]):
            wrong.append(f"no figure of it has the label {label}")
    return wrong


def wanted_labels(text, into):
    into += [label.strip() for label in text.split(",")]
    return ""
