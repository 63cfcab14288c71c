"""Locally private counts of a yes/no state over time.

For researchers: `plan`, `audit`, `simulate`, `compare`, `randomize` and `estimate`, with numpy arrays in and out.
For services: `Client`, with `Device`, `Metric`, `Server` and stores. docs/python.md shows both.

>>> import futurerand
>>> futurerand.audit("innovation", periods=64, changes=2, epsilon="1").certified
True
"""
from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from ._client import Client, Device, MemoryStore, Metric, Store
from ._errors import (
    BusyError,
    DamagedError,
    FuturerandError,
    InvalidError,
    NoEntropyError,
    NoMemoryError,
    NoRoomError,
    NotFoundError,
    NotStartedError,
    RefusedError,
    UnauthorizedError,
    UnreachableError,
    UntrustedError,
)
from ._native import POPULATIONS, PROTOCOLS
from ._native import VERSION as __version__
from ._server import Server

if TYPE_CHECKING:
    from ._results import AuditResult, ComparisonResult, EstimateResult, PlanResult, Reports, SimulationResult
    from ._study import audit, compare, estimate, plan, randomize, simulate

# What needs numpy is imported when it is used first: a service that only reports does without.
_LATER = {
    **dict.fromkeys(("AuditResult", "ComparisonResult", "EstimateResult", "PlanResult", "Reports", "SimulationResult"), "_results"),
    **dict.fromkeys(("audit", "compare", "estimate", "plan", "randomize", "simulate"), "_study"),
}


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module 'futurerand' has no attribute '{name}'")
    found = getattr(importlib.import_module(f".{_LATER[name]}", __name__), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return __all__

__all__ = [
    "POPULATIONS",
    "PROTOCOLS",
    "AuditResult",
    "BusyError",
    "Client",
    "ComparisonResult",
    "DamagedError",
    "Device",
    "EstimateResult",
    "FuturerandError",
    "InvalidError",
    "MemoryStore",
    "Metric",
    "NoEntropyError",
    "NoMemoryError",
    "NoRoomError",
    "NotFoundError",
    "NotStartedError",
    "PlanResult",
    "RefusedError",
    "Reports",
    "Server",
    "SimulationResult",
    "Store",
    "UnauthorizedError",
    "UnreachableError",
    "UntrustedError",
    "__version__",
    "audit",
    "compare",
    "estimate",
    "plan",
    "randomize",
    "simulate",
]
