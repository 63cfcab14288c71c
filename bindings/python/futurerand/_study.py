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
from ._arguments import matrix, path, text
from ._errors import InvalidError
from ._options import as_texts, checked, documented
from ._results import AuditResult, ComparisonResult, EstimateResult, PlanResult, Reports, SimulationResult


def _values(values: Any, options: dict[str, Any]) -> Any:
    """The array, whose columns are the periods, or None."""
    if values is None:
        return None
    array = matrix(values)
    if options.setdefault("periods", array.shape[1]) != array.shape[1]:
        raise InvalidError("periods: not as many as values has columns; expected no periods, or as many")
    return array


@documented("plan")
def plan(*, values: Any = None, **options: Any) -> PlanResult:
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
    array = _values(values, options)
    return PlanResult(json.loads(_native.plan(as_texts(checked("plan", options)), array)))


@documented("audit")
def audit(
    protocol: Optional[str] = None, *, plan: Optional[Union[Mapping[str, Any], str]] = None, **options: Any
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
    document, passed = _native.audit(as_texts(checked("audit", {"protocol": protocol, **options})), given)
    return AuditResult(json.loads(document), passed)


@documented("simulate")
def simulate(protocol: Optional[str] = None, *, values: Any = None, **options: Any) -> SimulationResult:
    """Runs real devices and the real estimator over a population, and measures.

    `values`, an array of 0 and 1 with one row a user and one column a period, takes the place of `population`.
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
    array = _values(values, options)
    given = checked("simulate", {"protocol": protocol, **options})
    return SimulationResult(json.loads(_native.simulate(as_texts(given), array)))


@documented("compare")
def compare(
    protocols: Optional[Iterable[str]] = None,
    *,
    values: Any = None,
    seed: Union[None, int, Sequence[int]] = None,
    **options: Any,
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
    names = [text("protocols", name) for name in protocols or ()]
    seeds = list(seed) if isinstance(seed, Sequence) else [seed]
    if not seeds:
        raise InvalidError("seed: an empty list is given; expected a seed, or several")
    array = _values(values, options)
    documents = []
    for one in seeds:
        given = checked("compare", {**options, "seed": one})
        documents.append(json.loads(_native.compare(names, as_texts(given), array)))
    arguments = {"protocols": names, **given, "seed": seeds if isinstance(seed, Sequence) else seed}
    if values is not None:
        del arguments["population"]
    together = {
        "results": [result for document in documents for result in document["results"]],
        "unavailable": documents[0]["unavailable"],
    }
    return ComparisonResult(together, arguments)


@documented("randomize")
def randomize(values: Any, protocol: Optional[str] = None, **options: Any) -> Reports:
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
    array = _values(matrix(values), options)
    return Reports(_native.randomize(as_texts(checked("randomize", {"protocol": protocol, **options})), array))


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


@documented("estimate")
def estimate(
    reports: Union[Reports, bytes, str, "os.PathLike[str]", Iterable[str]], **options: Any
) -> EstimateResult:
    """The server side over what devices sent: `Reports`, their bytes, the path of a file, or lines.

    Outlier devices are clipped unless `uncapped`; `document` has the largest error that this causes in an honest count.

    >>> import futurerand, numpy
    >>> values = numpy.repeat([[0, 0, 1, 1]], 500, axis=0)
    >>> found = futurerand.estimate(futurerand.randomize(values, "innovation", changes=1, epsilon="8", seed=1))
    >>> found.estimate.shape, bool(abs(found.estimate[-1] - 500) < 150)
    ((4,), True)
    >>> found.document["transcript_cap"]["rate"]
    0.0001
    """
    folding = _native.Folding(as_texts(checked("estimate", options)))
    for piece in _pieces(reports):
        folding.add(piece)
    document, csv = _native.estimate(folding)
    return EstimateResult(json.loads(document), csv)
