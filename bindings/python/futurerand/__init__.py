"""Locally private counts of a yes/no state over time.

For researchers: `plan`, `audit`, `simulate`, `compare`, `randomize` and `estimate`, with numpy arrays in and out.
For services: `Client`, with `Device`, `Metric`, `Server` and stores. docs/python.md shows both.

>>> import futurerand
>>> futurerand.audit("innovation", periods=64, changes=2, epsilon="1").certified
True
"""
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
    RefusedError,
    UnreachableError,
)
from ._native import POPULATIONS, PROTOCOLS
from ._native import VERSION as __version__
from ._results import AuditResult, ComparisonResult, EstimateResult, PlanResult, Reports, SimulationResult
from ._server import Server
from ._study import audit, compare, estimate, plan, randomize, simulate

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
    "PlanResult",
    "RefusedError",
    "Reports",
    "Server",
    "SimulationResult",
    "Store",
    "UnreachableError",
    "__version__",
    "audit",
    "compare",
    "estimate",
    "plan",
    "randomize",
    "simulate",
]
