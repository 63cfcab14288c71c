"""What the study functions return. Each has the whole `document` that the command prints as JSON."""
from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Optional

import numpy as np

from ._arguments import path
from ._native import VERSION
from ._table import Table, figure


def _column(rows: Sequence[dict[str, Any]], key: str) -> np.ndarray:
    """A series as an array; what is undetermined is not a number."""
    values = [row[key] for row in rows]
    if all(isinstance(value, int) for value in values):
        return np.array(values, dtype=np.int64)
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)


def _setting(document: dict[str, Any]) -> str:
    return (
        f"{document['users']:,} users, {document['periods']:,} periods, at most {document['max_changes']:,} "
        f"changes each, epsilon {document['epsilon']:g} over the whole horizon"
    )


class _Document(Table):
    def __init__(self, document: dict[str, Any]):
        self.document = document


class PlanResult(_Document):
    """Every protocol with its predicted error; `recommended` names the one to take.

    >>> import futurerand
    >>> futurerand.plan(users=1_000_000, periods=64, changes=2, epsilon="1").recommended
    'innovation'
    """

    @property
    def recommended(self) -> Optional[str]:
        return self.document["recommended"]

    @property
    def protocols(self) -> list[dict[str, Any]]:
        return self.document["protocols"]

    def __getitem__(self, name: str) -> dict[str, Any]:
        for row in self.protocols:
            if row["name"] == name:
                return row
        raise KeyError(name)

    def _heading(self) -> str:
        return _setting(self.document)

    def _header(self) -> Sequence[str]:
        needed = ["users needed"] if any("users_needed" in row for row in self.protocols) else []
        return ["protocol", "epsilon spent", "rmse", "95% max", *needed, "guarantee"]

    def _rows(self) -> Sequence[Sequence[str]]:
        return [
            [
                row["name"],
                "unbounded" if row.get("unbounded") else figure(row["exact_epsilon"], 6),
                figure(row["predicted_rmse"]),
                figure(row["predicted_max_error"]),
                *([figure(row["users_needed"])] if "users_needed" in row else []),
                row["guarantee"] or row.get("unavailable", "-"),
            ]
            for row in self.protocols
        ]

    def _notes(self) -> Iterable[str]:
        yield "rmse: typical error of a period in users; 95% max: no period errs by more, in 95 of 100 runs"
        yield f"recommended: {self.recommended}"
        if self.document.get("warning"):
            yield f"warning: {self.document['warning']}"


class AuditResult(_Document):
    """The exact certificate of a plan, or what a rival loses. `passed` is the verdict of all that was asked.

    >>> import futurerand
    >>> futurerand.audit("hybrid", periods=8, changes=2, epsilon="1").passed
    True
    """

    def __init__(self, document: dict[str, Any], passed: bool):
        super().__init__(document)
        self.passed = passed

    @property
    def certified(self) -> bool:
        return self.document["certified"]

    @property
    def exact_epsilon(self) -> Optional[float]:
        """The spent epsilon. For long plans of `innovation` it is a certified upper bound."""
        return self.document["exact_epsilon"]

    @property
    def digest(self) -> Optional[str]:
        return self.document["digest"]

    @property
    def plan(self) -> Optional[dict[str, Any]]:
        """The plan as devices read it, for `Metric.create`; none of a rival."""
        return self.document["plan"]

    def _heading(self) -> str:
        document = self.document
        return (
            f"{document['protocol']}: {document['verdict']}; {document['periods']:,} periods, at most "
            f"{document['max_changes']:,} changes, epsilon {document['epsilon']}"
        )

    def _header(self) -> Sequence[str]:
        return ["a device reports", "epsilon spent", "gap"]

    def _rows(self) -> Sequence[Sequence[str]]:
        return [
            [view["view"], figure(view["exact_epsilon"], 9), figure(view["gap"], 9)]
            for view in self.document["views"]
        ]

    def _notes(self) -> Iterable[str]:
        most = "at most " if self.document["protocol"] == "innovation" else ""
        yield f"epsilon spent: {most}{figure(self.exact_epsilon, 9)}"
        yield f"guarantee: {self.document['guarantee']}"
        if self.digest:
            yield f"plan: {self.digest}"
        if "empirical" in self.document:
            yield f"black box: epsilon is at least {self.document['empirical']['epsilon_at_least']:.4f}"
        if "exhaustive" in self.document:
            yield f"every input and every coin: {'passed' if self.passed else 'FAILED'}"


class SimulationResult(_Document):
    """One protocol over one population. Arrays have one entry a period; estimates are of the first trial.

    >>> import futurerand
    >>> run = futurerand.simulate("hybrid", users=500, periods=8, changes=2, trials=2, seed=1)
    >>> run.period.tolist() == list(range(1, 9)), run.lower.shape == run.upper.shape
    (True, True)
    """

    def __init__(self, document: dict[str, Any]):
        super().__init__(document)
        series = document["series"]
        self.period = _column(series, "period")
        self.truth = _column(series, "truth")
        self.estimate = _column(series, "estimate")
        self.stddev = _column(series, "stddev")
        self.lower = _column(series, "lower")
        self.upper = _column(series, "upper")
        self.bias = _column(series, "bias")
        trials = document.get("trial_estimates")
        # One row a trial, one column a period; only with keep_trials.
        self.trial_estimates = None if trials is None else np.array(trials, dtype=np.float64)

    @property
    def protocol(self) -> str:
        return self.document["protocol"]

    @property
    def rmse(self) -> float:
        return self.document["rmse"]

    @property
    def rmse_interval(self) -> Optional[tuple[float, float]]:
        """A confidence interval of the rmse over trials, at `level`; none of a single trial."""
        lower, upper = self.document["rmse_lower"], self.document["rmse_upper"]
        return None if lower is None else (lower, upper)

    @property
    def predicted_rmse(self) -> Optional[float]:
        return self.document["predicted_rmse"]

    @property
    def band_coverage(self) -> float:
        return self.document["band_coverage"]

    @property
    def seconds(self) -> float:
        return self.document["seconds"]

    def _heading(self) -> str:
        return f"{self.protocol}: {_setting(self.document)}; {self.document['trials']:,} trials"

    def _header(self) -> Sequence[str]:
        return ["period", "truth", "estimate", "lower", "upper"]

    def _rows(self) -> Sequence[Sequence[str]]:
        columns = zip(self.period, self.truth, self.estimate, self.lower, self.upper)
        return [[str(at), *(figure(float(value)) for value in values)] for at, *values in columns]

    def _notes(self) -> Iterable[str]:
        if self.rmse is None:
            yield "no answer in any period"
        else:
            yield (
                f"rmse {figure(self.rmse)} users (predicted {figure(self.predicted_rmse)}); "
                f"{100 * self.band_coverage:.1f}% of periods inside their {100 * self.document['level']:g}% band"
            )
        yield f"guarantee: {self.document['guarantee']}"
        if self.document["warning"]:
            yield f"warning: {self.document['warning']}"


def _pool(results: Sequence[SimulationResult]) -> dict[str, Any]:
    """One protocol under several seeds, each with as many trials: mean squares, and their independent errors."""
    documents = [result.document for result in results]
    pooled: dict[str, Any] = {
        "seeds": len(results),
        "trials": sum(document["trials"] for document in documents),
        "rmse": None,
        "rmse_lower": None,
        "rmse_upper": None,
        "predicted_rmse": results[0].predicted_rmse,
        "guarantee": documents[0]["guarantee"],
    }
    if any(document["rmse"] is None for document in documents):
        return pooled
    mean = sum(document["rmse"] ** 2 for document in documents) / len(documents)
    pooled["rmse"] = mean**0.5
    if all(document["rmse_upper"] is not None for document in documents):
        reaches = [document["rmse_upper"] ** 2 - document["rmse"] ** 2 for document in documents]
        reach = sum(value**2 for value in reaches) ** 0.5 / len(reaches)
        pooled["rmse_lower"], pooled["rmse_upper"] = max(0.0, mean - reach) ** 0.5, (mean + reach) ** 0.5
    return pooled


class ComparisonResult(_Document):
    """Several protocols over one population: those private over the whole sequence first, then by error.

    >>> import futurerand
    >>> both = futurerand.compare(["hybrid", "warner"], users=500, periods=8, changes=2, trials=2, seed=1)
    >>> {run.protocol: run.rmse > 0 for run in both} == {"hybrid": True, "warner": True}
    True
    """

    def __init__(self, document: dict[str, Any], arguments: Optional[dict[str, Any]] = None):
        super().__init__(document)
        self.results = [SimulationResult(result) for result in document["results"]]
        self._arguments = arguments or {}

    def manifest(self) -> dict[str, Any]:
        """What it takes to make a figure again: `futurerand.compare(**manifest["compare"])` runs the same. Values that
        were given as an array are not in it."""
        return {"futurerand": VERSION, "compare": self._arguments, "document": self.document}

    def pooled(self) -> dict[str, dict[str, Any]]:
        """By protocol, over all seeds: the number of trials, the rmse and its confidence interval.

        >>> import futurerand
        >>> seeds = futurerand.compare(["snapshot"], users=500, periods=8, trials=4, seed=[1, 2, 3])
        >>> found = seeds.pooled()["snapshot"]
        >>> found["rmse_lower"] < found["rmse"] < found["rmse_upper"], found["seeds"]
        (True, 3)
        """
        groups: dict[str, list[SimulationResult]] = {}
        for result in self.results:
            groups.setdefault(result.protocol, []).append(result)
        return {protocol: _pool(results) for protocol, results in groups.items()}

    def to_latex(self) -> str:
        """A LaTeX table (booktabs), pooled over seeds.

        >>> import futurerand
        >>> table = futurerand.compare(["snapshot"], users=500, periods=8, trials=4, seed=1).to_latex()
        >>> table.splitlines()[0]
        '\\\\begin{tabular}{lrrrl}'
        """
        lines = [r"\begin{tabular}{lrrrl}", r"\toprule", r"protocol & rmse & interval & predicted & guarantee \\", r"\midrule"]
        for protocol, found in self.pooled().items():
            interval = "--" if found["rmse_lower"] is None else f"[{figure(found['rmse_lower'])}, {figure(found['rmse_upper'])}]"
            cells = [
                protocol.replace("_", r"\_"),
                "no answer" if found["rmse"] is None else figure(found["rmse"]),
                interval,
                "--" if found["predicted_rmse"] is None else figure(found["predicted_rmse"]),
                found["guarantee"],
            ]
            lines.append(" & ".join(cells) + r" \\")
        return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", ""])

    @property
    def unavailable(self) -> dict[str, str]:
        """Protocols that cannot serve these settings, with why."""
        return {row["protocol"]: row["reason"] for row in self.document["unavailable"]}

    def __getitem__(self, protocol: str) -> SimulationResult:
        for result in self.results:
            if result.protocol == protocol:
                return result
        raise KeyError(protocol)

    def __iter__(self) -> Iterator[SimulationResult]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    def _heading(self) -> str:
        return _setting(self.document["results"][0]) if self.results else "no protocol can serve these settings"

    def _header(self) -> Sequence[str]:
        return ["protocol", "rmse", "predicted", "largest error", "in band", "guarantee"]

    def _rows(self) -> Sequence[Sequence[str]]:
        return [
            [
                result.protocol,
                figure(result.rmse),
                figure(result.predicted_rmse),
                figure(result.document["max_error"]),
                "no answer" if result.band_coverage is None else f"{100 * result.band_coverage:.1f}%",
                result.document["guarantee"],
            ]
            for result in self.results
        ]

    def _notes(self) -> Iterable[str]:
        for protocol, reason in self.unavailable.items():
            yield f"{protocol}: {reason}"


def _stride(view: Mapping[str, Any], periods: int) -> int:
    """How far apart the indices are that one device of a view reports (core/plan/schedule.hpp)."""
    return -(-(periods >> view["order"]) // view["law"]["signs"]) if view["kind"] == "snapshot" else 1


class Reports:
    """All that devices sent, as the lines of docs/wire.md: a header, then each device's lines.

    >>> import futurerand, numpy
    >>> futurerand.randomize(numpy.eye(4, dtype=int), "hybrid", changes=2, seed=1)
    <Reports of 4 devices: hybrid, 4 periods>
    """

    def __init__(self, text: bytes):
        self.text = text

    @property
    def header(self) -> dict[str, Any]:
        return json.loads(self.text[: self.text.index(b"\n")])

    @property
    def lines(self) -> list[str]:
        """Without the header."""
        return self.text.decode().splitlines()[1:]

    def signs(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Three arrays with one entry a sign: the device's number, the index in its view, and +1, -1 or 0.

        Indices of one device are consecutive, but for snapshots, which are a stride apart.
        """
        plan = self.header["plan"]
        strides = [_stride(view, plan["periods"]) for view in plan["views"]]
        stride: dict[str, int] = {}
        devices: list[np.ndarray] = []
        indices: list[np.ndarray] = []
        signs: list[np.ndarray] = []
        numbers: dict[str, int] = {}
        value = np.zeros(256, dtype=np.int8)
        value[ord("+")], value[ord("-")] = 1, -1
        for line in map(json.loads, self.lines):
            client = line["client"]
            number = numbers.setdefault(client, len(numbers))
            if "view" in line:
                stride[client] = strides[line["view"]]
            if "signs" in line:
                run = value[np.frombuffer(line["signs"].encode(), dtype=np.uint8)]
                devices.append(np.full(run.size, number, dtype=np.int64))
                indices.append(line["index"] + stride[client] * np.arange(run.size, dtype=np.int64))
                signs.append(run)
        if not signs:
            return np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.int8)
        return np.concatenate(devices), np.concatenate(indices), np.concatenate(signs)

    def save(self, file: Any) -> None:
        """Writes them to a file, for `futurerand estimate --reports`."""
        with open(path("file", file), "wb") as out:
            out.write(self.text)

    def __len__(self) -> int:
        return len({json.loads(line)["client"] for line in self.lines})

    def __repr__(self) -> str:
        plan = self.header["plan"]
        return f"<Reports of {len(self):,} devices: {plan['protocol']}, {plan['periods']} periods>"


class EstimateResult(_Document):
    """Estimates with bands, one entry a period; not a number where the reports do not determine it.

    >>> import futurerand, numpy
    >>> found = futurerand.estimate(futurerand.randomize(numpy.eye(4, dtype=int), "innovation", changes=2, seed=1))
    >>> found.devices, bool((found.lower <= found.upper).all())
    (4, True)
    """

    def __init__(self, document: dict[str, Any], csv: str):
        super().__init__(document)
        self._csv = csv
        rows = document["periods"]
        self.period = _column(rows, "period")
        self.estimate = _column(rows, "estimate")
        self.stddev = _column(rows, "stddev")
        self.lower = _column(rows, "lower")
        self.upper = _column(rows, "upper")
        self.share = _column(rows, "share")
        self.share_lower = _column(rows, "share_lower")
        self.share_upper = _column(rows, "share_upper")
        self.reports = _column(rows, "reports")
        self.expected = _column(rows, "expected")

    @property
    def devices(self) -> int:
        return self.document["devices"]

    def to_csv(self) -> str:
        """The rows as `futurerand estimate --format csv` and the HTTP API give them."""
        return self._csv

    def _heading(self) -> str:
        document, plan = self.document, self.document["plan"]
        return (
            f"{plan['protocol']}: {self.devices:,} devices, {plan['periods']:,} periods; "
            f"counted: {document['counted']}"
        )

    def _header(self) -> Sequence[str]:
        return ["period", "estimate", "stddev", "lower", "upper"]

    def _rows(self) -> Sequence[Sequence[str]]:
        columns = zip(self.period, self.estimate, self.stddev, self.lower, self.upper)
        return [[str(at), *(figure(float(value), 1) for value in values)] for at, *values in columns]

    def _notes(self) -> Iterable[str]:
        for key in ("note", "warning", "alarm"):
            if self.document[key]:
                yield f"{key}: {self.document[key]}"
