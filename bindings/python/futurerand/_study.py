"""For researchers: plan, audit, simulate, compare, randomize and estimate.

Each does the work of the command of its name, by the same code, without the GIL; Ctrl-C stops it. Without a seed all
randomness is the system's; with one a result is reproducible, and never to be used for real data.
"""
from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Optional, Union

from . import _native
from ._arguments import Budget, constants as _constants, epsilon as _epsilon, matrix, optional, path, real, text, whole
from ._arguments import seed as _seed
from ._errors import InvalidError
from ._results import AuditResult, ComparisonResult, EstimateResult, PlanResult, Reports, SimulationResult

Constants = Optional[Mapping[str, float]]


def _periods(periods: Any, array: Any) -> int:
    if periods is None:
        return 256 if array is None else int(array.shape[1])
    if array is not None and array.shape[1] != whole("periods", periods):
        raise InvalidError("periods: not as many as values has columns; expected no periods, or as many")
    return whole("periods", periods)


def plan(
    *,
    users: int = 100_000,
    periods: Optional[int] = None,
    changes: int = 4,
    epsilon: Budget = "1",
    target_error: Optional[float] = None,
    delta: float = 1e-6,
    estimator: str = "online",
    drift: float = 0.01,
    constants: Constants = None,
    liars: Optional[float] = None,
    values: Any = None,
) -> PlanResult:
    """Predicts the error of every protocol, and recommends one.

    `values`, an array of 0 and 1 with one row a user and one column a period, says how many of them change more often than
    `changes`, and by how much that biases each protocol.

    >>> import futurerand
    >>> planned = futurerand.plan(users=1_000_000, periods=64, changes=2, epsilon="1")
    >>> planned.recommended
    'innovation'
    >>> planned["innovation"]["predicted_rmse"] < planned["future_rand"]["predicted_rmse"]
    True
    """
    array = None if values is None else matrix(values)
    document = _native.plan(
        whole("users", users),
        _periods(periods, array),
        whole("changes", changes),
        _epsilon("epsilon", epsilon),
        optional(real, "target_error", target_error),
        real("delta", delta),
        text("estimator", estimator),
        real("drift", drift),
        _constants(constants),
        optional(real, "liars", liars),
        array,
    )
    return PlanResult(json.loads(document))


def audit(
    protocol: str = "hybrid",
    *,
    plan: Optional[Union[Mapping[str, Any], str]] = None,
    periods: int = 256,
    changes: int = 4,
    epsilon: Budget = "1",
    users: int = 100_000,
    delta: float = 1e-6,
    exhaustive: bool = False,
    empirical: bool = False,
    samples: int = 200_000,
    confidence: float = 0.9999,
    seed: Optional[int] = None,
    constants: Constants = None,
) -> AuditResult:
    """Certifies a protocol in exact integers, or the `plan` that is given (a dict, or its JSON).

    >>> import futurerand
    >>> audit = futurerand.audit("future_rand", periods=8, changes=2, epsilon="1", exhaustive=True)
    >>> audit.certified, audit.passed
    (True, True)
    >>> audit.exact_epsilon <= 1
    True
    """
    given = plan if plan is None or isinstance(plan, str) else json.dumps(dict(plan))
    document, passed = _native.audit(
        given,
        text("protocol", protocol),
        whole("periods", periods),
        whole("changes", changes),
        _epsilon("epsilon", epsilon),
        whole("users", users),
        real("delta", delta),
        bool(exhaustive),
        bool(empirical),
        whole("samples", samples),
        real("confidence", confidence),
        _seed(seed),
        _constants(constants),
    )
    return AuditResult(json.loads(document), passed)


def _simulation(
    users: Any, periods: Any, changes: Any, epsilon: Any, population: Any, values: Any, estimator: Any, level: Any,
    trials: Any, engine: Any, threads: Any, seed: Any, constants: Any, keep_trials: Any,
) -> dict[str, Any]:  # fmt: skip
    array = None if values is None else matrix(values)
    return {
        "users": optional(whole, "users", users),
        "periods": _periods(periods, array),
        "changes": whole("changes", changes),
        "epsilon": _epsilon("epsilon", epsilon),
        "population": text("population", population),
        "values": array,
        "estimator": text("estimator", estimator),
        "level": real("level", level),
        "trials": whole("trials", trials),
        "engine": text("engine", engine),
        "threads": 0 if threads is None else whole("threads", threads),
        "seed": _seed(seed),
        "constants": _constants(constants),
        "keep_trials": bool(keep_trials),
    }


def simulate(
    protocol: str = "hybrid",
    *,
    users: Optional[int] = None,
    periods: Optional[int] = None,
    changes: int = 4,
    epsilon: Budget = "1",
    population: str = "uniform",
    values: Any = None,
    estimator: str = "online",
    level: float = 0.95,
    trials: int = 10,
    engine: str = "users",
    threads: Optional[int] = None,
    seed: Optional[int] = None,
    constants: Constants = None,
    joining: str = "start",
    dropout: float = 0.0,
    dropout_factor: float = 1.0,
    offline: float = 0.0,
    attack: Optional[str] = None,
    liars: float = 0.01,
    estimand: Optional[str] = None,
    inactive_after: int = 3,
    transcript_cap: bool = True,
    keep_trials: bool = False,
) -> SimulationResult:
    """Runs real devices and the real estimator over a population, and measures.

    `values`, an array of 0 and 1 with one row a user and one column a period, takes the place of `population`.
    With `transcript_cap` no device that comes, leaves or lies counts for more than hardly any honest one says (innovation).
    With `keep_trials` the result has the estimates of every trial in `trial_estimates`.

    >>> import futurerand
    >>> run = futurerand.simulate("innovation", users=2000, periods=16, changes=2, trials=4, seed=1)
    >>> run.estimate.shape, run.truth.dtype.kind
    ((16,), 'i')
    >>> 0.5 < run.rmse / run.predicted_rmse < 2
    True
    >>> futurerand.simulate("snapshot", users=500, periods=8, trials=3, seed=1, keep_trials=True).trial_estimates.shape
    (3, 8)
    """
    question = _simulation(
        users, periods, changes, epsilon, population, values, estimator, level, trials, engine, threads, seed, constants,
        keep_trials,
    )
    question |= {
        "joining": text("joining", joining),
        "dropout": real("dropout", dropout),
        "dropout_factor": real("dropout_factor", dropout_factor),
        "offline": real("offline", offline),
        "attack": optional(text, "attack", attack),
        "liars": real("liars", liars),
        "estimand": optional(text, "estimand", estimand),
        "inactive_after": whole("inactive_after", inactive_after),
        "transcript_cap": bool(transcript_cap),
    }
    return SimulationResult(json.loads(_native.simulate(text("protocol", protocol), question)))


def compare(
    protocols: Optional[Iterable[str]] = None,
    *,
    users: Optional[int] = None,
    periods: Optional[int] = None,
    changes: int = 4,
    epsilon: Budget = "1",
    population: str = "uniform",
    values: Any = None,
    estimator: str = "online",
    level: float = 0.95,
    trials: int = 10,
    engine: str = "users",
    threads: Optional[int] = None,
    seed: Union[None, int, Sequence[int]] = None,
    constants: Constants = None,
    keep_trials: bool = False,
) -> ComparisonResult:
    """Simulates several protocols over the same population; all of them if none is named.

    With several seeds each seed has its own population and trials; `pooled` joins them. `manifest` has what it takes to run
    the same again.

    >>> import futurerand
    >>> both = futurerand.compare(["innovation", "future_rand"], users=2000, periods=16, trials=2, seed=1)
    >>> [run.protocol for run in both]
    ['innovation', 'future_rand']
    >>> seeds = futurerand.compare(["innovation"], users=500, periods=8, trials=2, seed=[1, 2])
    >>> len(seeds), seeds.pooled()["innovation"]["trials"]
    (2, 4)
    >>> again = futurerand.compare(**seeds.manifest()["compare"])
    >>> [run.rmse for run in again] == [run.rmse for run in seeds]
    True
    """
    if isinstance(protocols, str):
        raise TypeError("protocols: one text is given; expected a list of names")
    names: Sequence[str] = [text("protocols", name) for name in protocols or ()]
    seeds = list(seed) if isinstance(seed, Sequence) else [seed]
    if not seeds:
        raise InvalidError("seed: an empty list is given; expected a seed, or several")
    documents = []
    for one in seeds:
        question = _simulation(
            users, periods, changes, epsilon, population, values, estimator, level, trials, engine, threads, one,
            constants, keep_trials,
        )  # fmt: skip
        documents.append(json.loads(_native.compare(names, question)))
    arguments = {
        "protocols": list(names),
        "users": users,
        "periods": question["periods"],
        "changes": question["changes"],
        "epsilon": question["epsilon"],
        "estimator": estimator,
        "level": level,
        "trials": trials,
        "engine": engine,
        "seed": seeds if isinstance(seed, Sequence) else seed,
        "constants": question["constants"],
    }
    if values is None:
        arguments["population"] = population
    together = {
        "results": [result for document in documents for result in document["results"]],
        "unavailable": documents[0]["unavailable"],
    }
    return ComparisonResult(together, arguments)


def randomize(
    values: Any,
    protocol: str = "hybrid",
    *,
    changes: int = 4,
    epsilon: Budget = "1",
    users: Optional[int] = None,
    seed: Optional[int] = None,
) -> Reports:
    """All that the devices of these people ever send: one row of 0 and 1 a user, one column a period.

    Users that have no row hold 0. The order of devices is random, because the order of rows would tell who is who.

    >>> import futurerand, numpy
    >>> reports = futurerand.randomize(numpy.eye(4, dtype=int), "innovation", changes=2, seed=1)
    >>> len(reports)
    4
    >>> device, index, sign = reports.signs()
    >>> sorted(set(sign.tolist()))
    [-1, 1]
    """
    return Reports(
        _native.randomize(
            matrix(values),
            text("protocol", protocol),
            whole("changes", changes),
            _epsilon("epsilon", epsilon),
            optional(whole, "users", users),
            _seed(seed),
        )
    )


def _pieces(reports: Any) -> Iterable[bytes]:
    if isinstance(reports, Reports):
        yield reports.text
    elif isinstance(reports, bytes):
        yield reports
    elif isinstance(reports, (str, os.PathLike)):
        with open(path("reports", reports), "rb") as file:
            while piece := file.read(1 << 20):
                yield piece
    else:
        for line in reports:
            yield text("reports", line).rstrip("\n").encode() + b"\n"


def estimate(
    reports: Union[Reports, bytes, str, "os.PathLike[str]", Iterable[str]],
    *,
    estimator: str = "online",
    level: float = 0.95,
    band: str = "pointwise",
    estimand: Optional[str] = None,
    inactive_after: int = 3,
    incomplete: bool = False,
    transcript_cap: bool = True,
) -> EstimateResult:
    """The server side over what devices sent: `Reports`, their bytes, the path of a file, or lines.

    With `transcript_cap` no device counts for more than hardly any honest one says (innovation); `document` has by how much
    that changes an honest count at most.

    >>> import futurerand, numpy
    >>> values = numpy.repeat([[0, 0, 1, 1]], 500, axis=0)
    >>> found = futurerand.estimate(futurerand.randomize(values, "innovation", changes=1, epsilon="8", seed=1))
    >>> found.estimate.shape, bool(abs(found.estimate[-1] - 500) < 150)
    ((4,), True)
    >>> found.document["transcript_cap"]["rate"]
    0.0001
    """
    folding = _native.Folding(bool(transcript_cap))
    for piece in _pieces(reports):
        folding.add(piece)
    document, csv = _native.estimate(
        folding,
        bool(incomplete),
        text("estimator", estimator),
        real("level", level),
        text("band", band),
        optional(text, "estimand", estimand),
        whole("inactive_after", inactive_after),
    )
    return EstimateResult(json.loads(document), csv)
