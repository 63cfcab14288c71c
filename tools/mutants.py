"""Finds the mutants of a C++ file, and writes the file with all of them in it, selectable at run time.

The code must be formatted, with spaces around binary operators and none around those of types.
tools/mutation_switch.hpp has the C++ side.
"""
import collections
import hashlib
import re

BINARY = ["<", "<=", ">", ">=", "==", "!=", "+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^"]
ASSIGNMENT = ["+=", "-=", "*=", "/=", "|=", "&=", "^=", ">>="]
OTHERS = dict(zip(BINARY + ASSIGNMENT,
                  ["<=", "<", ">=", ">", "!=", "==", "-", "+", "+", "*", "+", ">>", "<<", "|", "&", "&",
                   "-=", "+=", "+=", "*=", "&=", "|=", "|=", "<<="]))
PREFIX = {"!": "Not", "-": "Minus", "~": "Complement"}

# First the parts to skip: no code, or not worth a mutant (constant expressions, error texts, reserved
# memory). Then the parts to mutate.
TOKEN = re.compile(r"""
    (?P<skip> //[^\n]* | ^[ ]*\#[^\n]*(?:\\\n[^\n]*)* | "(?:\\.|[^"\\])*" | '(?:\\.|[^'\\])'
        | \bstatic_assert\b[^;]*; | \bconstexpr\s[^;{}()]*=[^;]*; | \btemplate\s<[^\n]*>\n
        | \boperator\s*[^\s\w]+\([^\n]*default; | \)\s(?:const\s)?=\s0; | \bError(?:\s\w+)?\{.*?\}; | \.reserve\([^;]*;
        | \bif\sconstexpr\b[^{]*\{ | <[\w:][\w:,\s]*> )
  | (?<=\s)(?P<assignment> \+=|-=|\*=|/=|\|=|&=|\^=|>>= )(?=\s)
  | (?<=\s)(?P<logical> &&|\|\| )(?=\s)
  | (?<=\s)(?P<binary> <<|>>|<=|>=|==|!=|<|>|\+|-|\*|/|%|&|\||\^ )(?=\s)
  | (?P<prefix> (?<![\w)\]])!(?=[\w(*]) | (?<=[\s(\[{,])-(?=[a-z(]) | (?<=[\s(\[{,])~(?=[a-z(]) )
  | (?P<choice> (?<=\s)\?(?=\s) )
  | (?P<condition> (?<=\bif\s\()(?=(?:[\w.:]|->|\((?:[\w.:]|->|\*)*\))+\)) )
  | (?P<boolean> \b(?:true|false)\b )
  | (?P<name> (?<![\w:.>~])(?:\w+::)*k[A-Z]\w*\b(?!\s*[=({:]) )
  | (?P<number> (?<![\w.'])(?:0x[0-9a-fA-F']+|\d[\d']*)[uUlL]*(?![\w.']) )
""", re.X | re.M | re.S)

NUMBER_CONSTANT = re.compile(r"\bconstexpr\s+(?:(?:std::)?\w+_t|unsigned|int|Period|Value)\s+(k[A-Z]\w*)\s*=")


class Mutant(collections.namedtuple("Mutant", "id file line column text before after key")):
    def __str__(self):
        """Omits the line number, so that the list of survivors outlasts other changes of the file."""
        return f"{self.file}: `{self.text}` {self.column}: `{self.before}` to `{self.after}`"


def number_constants(texts):
    """Returns the names of all integer constants."""
    return {name for text in texts for name in NUMBER_CONSTANT.findall(text)}


def alternatives(match, id, constants):
    """Returns the mutations of a token, and its text with the switch for them; nothing if it has none."""
    kind, token, here = match.lastgroup, match.group(), "futurerand_mutation::"
    on = f"{here}on({id})"
    if kind in ("binary", "assignment"):
        tag = (BINARY + ASSIGNMENT).index(token) + 1
        return [OTHERS[token]], f"{token} {here}Binary<{id}, {tag}>() {token}"
    if kind == "logical":
        name, other = ("And", "false") if token == "&&" else ("Or", "true")
        return ["nothing", f"{token} {other}"], f"{token} {here}{name}<{id}>() |"
    if kind == "prefix":
        return ["nothing"], f"{here}{PREFIX[token]}<{id}>() ->* "
    if kind == "choice":
        return ["? of the opposite"], f"|| {here}Flip<{id}>() ?"
    if kind == "condition":
        return ["if of the opposite"], f"{here}Condition<{id}>() ->* "
    if kind == "boolean":
        return (["false"], f"(!{on})") if token == "true" else (["true"], on)
    if kind == "name" and token.rpartition("::")[2] not in constants:
        return [], token
    return [f"{token} + 1"], f"({token} + {on})"


def mutate(file, text, first_id, left_out, constants):
    """Returns the text with all its mutants, and the mutants. Comments and spaces do not change their keys."""
    code = re.sub(r"\s+", " ", re.sub(r"//[^\n]*", "", text))
    digest = hashlib.sha256(code.encode()).hexdigest()[:12]
    mutants, out, at, id = [], [], 0, first_id
    for place, match in enumerate(match for match in TOKEN.finditer(text) if match.lastgroup != "skip"):
        if f"{file}@{digest}:{place}" in left_out:
            continue
        found, new = alternatives(match, id, constants)
        if not found:
            continue
        line = text.count("\n", 0, match.start()) + 1
        begin = text.rfind("\n", 0, match.start()) + 1
        whole = text[begin:text.find("\n", begin)]
        column = match.start() - begin - (len(whole) - len(whole.lstrip())) + 1
        for number, after in enumerate(found):
            key = f"{file}@{digest}:{place}" + f":{number}" * (number > 0)
            mutants.append(Mutant(id, file, line, column, whole.strip(), match.group() or "if", after, key))
            id += 1
        out += [text[at:match.start()], new]
        at = match.end()
    return "".join(out) + text[at:], mutants
