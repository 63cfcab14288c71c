"""Options of the studies, which the library declares (futurerand/study/option_table.cpp): nothing is declared here."""
from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from typing import Any, Callable, NamedTuple, TypeVar

from . import _native
from ._arguments import epsilon, real, text, truth, whole
from ._errors import InvalidError

Function = TypeVar("Function", bound=Callable[..., Any])


class Option(NamedTuple):
    name: str
    kind: str
    default: Any  # None: may be left out
    help: str
    constant: bool  # of a rival


_CHECKS = {"whole": whole, "real": real, "budget": epsilon, "text": text, "flag": truth}
_TYPES = {"whole": "int", "real": "float", "budget": "Budget", "text": "str", "flag": "bool"}
_TABLE = {command: [Option(*row) for row in rows] for command, rows in _native.OPTIONS.items()}


def options_of(command: str) -> list[Option]:
    return [option for option in _TABLE[command] if not option.constant]


def _constants(command: str, given: Any) -> dict[str, float]:
    known = {option.name for option in _TABLE[command] if option.constant}
    for name in given:
        if name not in known:
            raise InvalidError(f"constants: {name!r} is unknown; expected some of {', '.join(sorted(known))}")
    return {name: real(name, value) for name, value in given.items()}


def checked(command: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """All options of a command with what was given, or their defaults. `constants` is a mapping."""
    given = dict(given)
    constants = given.pop("constants", None)
    values = {}
    for option in options_of(command):
        value = given.pop(option.name, option.default)
        values[option.name] = value if value is None and option.default is None else _CHECKS[option.kind](option.name, value)
    if given:
        raise TypeError(f"{command}: there is no option {', '.join(given)}; expected some of {', '.join(values)}")
    if any(option.constant for option in _TABLE[command]):
        values["constants"] = _constants(command, dict(constants or {}))
    elif constants is not None:
        raise TypeError(f"{command}: there are no constants")
    return values


def as_texts(values: Mapping[str, Any]) -> dict[str, str]:
    """What the library reads: each value as text. Those that are None are left out."""
    flat = {**values, **values.get("constants", {})}
    flat.pop("constants", None)
    return {
        name: value if isinstance(value, str) else repr(value).lower() for name, value in flat.items() if value is not None
    }


def documented(command: str) -> Callable[[Function], Function]:
    """Gives a function the signature and the help of the options of its command."""

    def document(function: Function) -> Function:
        own = [
            parameter
            for parameter in inspect.signature(function).parameters.values()
            if parameter.kind is not inspect.Parameter.VAR_KEYWORD
        ]
        named = {parameter.name for parameter in own}
        lines = ["", "", "    Options:", ""]
        for option in options_of(command):
            if option.name in named:
                continue
            kind = _TYPES[option.kind] if option.default is not None else f"Optional[{_TYPES[option.kind]}]"
            own.append(
                inspect.Parameter(option.name, inspect.Parameter.KEYWORD_ONLY, default=option.default, annotation=kind)
            )
            meaning = re.sub(r"--([a-z-]+)", lambda flag: flag[1].replace("-", "_"), option.help)
            lines.append(f"    {option.name}: {' '.join(meaning.split())}")
        if any(option.constant for option in _TABLE[command]):
            own.append(
                inspect.Parameter("constants", inspect.Parameter.KEYWORD_ONLY, default=None, annotation="Mapping[str, float]")
            )
            lines.append("    constants: those of rivals, by name")
        function.__signature__ = inspect.Signature(own, return_annotation=inspect.signature(function).return_annotation)  # type: ignore[attr-defined]
        function.__doc__ = (function.__doc__ or "").rstrip() + "\n".join(lines) + "\n    "
        return function

    return document
