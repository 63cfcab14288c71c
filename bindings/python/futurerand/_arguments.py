"""What callers give, checked by name before anything is done with it."""
from __future__ import annotations

import decimal
import math
import numbers
import operator
import os
from typing import TYPE_CHECKING, Any, Optional, Union

if TYPE_CHECKING:
    import numpy as np

from . import _native
from ._errors import InvalidError

Budget = Union[str, int, float, decimal.Decimal]

# The client works without numpy, and knows its scalars by their module.


def _is_numpy(value: Any, kind: Any) -> bool:
    return type(value).__module__ == "numpy" and isinstance(value, kind)


def _is_truth(value: Any) -> bool:
    return isinstance(value, bool) or (type(value).__module__ == "numpy" and type(value).__name__ in ("bool", "bool_"))


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) or _is_numpy(value, numbers.Integral)


def _is_float(value: Any) -> bool:
    return isinstance(value, float) or (_is_numpy(value, numbers.Real) and not _is_numpy(value, numbers.Integral))


def _bounded(name: str, value: Any, low: Any, high: Any) -> Any:
    if not low <= value <= high:
        raise InvalidError(f"{name} {value} is out of range; expected {low} to {high}")
    return value


def whole(name: str, value: Any, low: Optional[int] = None, high: Optional[int] = None) -> int:
    """A whole number; True and 1.0 are none."""
    if _is_truth(value):
        raise TypeError(f"{name}: a truth value is given; expected a whole number")
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name}: {type(value).__name__} is given; expected a whole number") from None
    return number if low is None or high is None else _bounded(name, number, low, high)


def yes_or_no(name: str, value: Any) -> int:
    """A truth value, or 0 or 1. What is wrong is never quoted."""
    if not _is_truth(value) and not _is_whole(value):
        raise TypeError(f"{name}: expected a truth value, or 0 or 1")
    if not 0 <= value <= 1:
        raise InvalidError(f"{name}: it is neither 0 nor 1; expected one of them")
    return int(value)


def number(name: str, value: Any) -> float:
    """A number, finite or not. What is wrong is never quoted."""
    if _is_truth(value) or not (_is_whole(value) or _is_float(value)):
        raise TypeError(f"{name}: expected a number")
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def real(name: str, value: Any) -> float:
    if _is_truth(value) or isinstance(value, str):
        raise TypeError(f"{name}: {type(value).__name__} is given; expected a number")
    try:
        return float(value)
    except TypeError:
        raise TypeError(f"{name}: {type(value).__name__} is given; expected a number") from None


def truth(name: str, value: Any) -> bool:
    if not _is_truth(value):
        raise TypeError(f"{name}: {type(value).__name__} is given; expected True or False")
    return bool(value)


def text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{name}: {type(value).__name__} is given; expected text")
    return value


def optional(check: Any, name: str, value: Any) -> Any:
    return None if value is None else check(name, value)


def epsilon(name: str, value: Budget) -> str:
    """Returns a budget as the written decimal, so the certified epsilon is the intended one."""
    if isinstance(value, str):
        return value
    if _is_truth(value) or not (_is_whole(value) or _is_float(value) or isinstance(value, decimal.Decimal)):
        raise TypeError(f"{name}: {type(value).__name__} is given; expected a decimal such as '0.5'")
    number = decimal.Decimal(repr(float(value)) if _is_float(value) else str(value))
    if not number.is_finite():
        raise InvalidError(f"{name} {value} is no budget; expected a decimal such as '0.5'")
    return format(number.normalize(), "f")


def matrix(value: Any) -> np.ndarray:
    """One row a user, one column a period, of 0 and 1. What is wrong is never quoted."""
    import numpy as np

    array = np.asarray(value)
    if array.dtype.kind not in "bui":
        raise TypeError("values: expected an array of truth values or of the integers 0 and 1")
    if array.ndim != 2 or array.shape[1] < 1:
        raise InvalidError("values: expected an array with one row a user and one column a period")
    _bounded("periods", array.shape[1], 1, _native.MAX_PERIODS)
    if array.dtype.kind != "b" and array.size and not (0 <= array.min() and array.max() <= 1):
        raise InvalidError("values: an element is neither 0 nor 1; expected one of them")
    return np.ascontiguousarray(array, dtype=np.uint8)


def flat(name: str, value: Any, high: int, dtype: Any) -> np.ndarray:
    """A flat array of whole numbers from 0 to `high`. What is wrong is never quoted."""
    import numpy as np

    array = np.asarray(value)
    if array.dtype.kind not in "bui" and array.size:
        raise TypeError(f"{name}: expected an array of integers")
    if array.ndim != 1:
        raise InvalidError(f"{name}: expected a flat array")
    if array.size and not (0 <= array.min() and array.max() <= high):
        raise InvalidError(f"{name}: something is out of range; expected 0 to {high}")
    return np.ascontiguousarray(array, dtype=dtype)


def path(name: str, value: Any) -> str:
    try:
        given = os.fspath(value)
    except TypeError:
        raise TypeError(f"{name}: {type(value).__name__} is given; expected a path") from None
    if isinstance(given, bytes):
        given = os.fsdecode(given)
    if not given or "\0" in given:
        raise InvalidError(f"{name}: expected the path of a file or folder")
    return given
