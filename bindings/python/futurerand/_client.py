"""For services: a device's part in counting, durable, from Python.

The new state is saved before its lines can be had, so that an index is randomized once, ever. Whatever fails, nothing
is sent and nothing is lost. Any thread may call; a device takes one call at a time. After fork() only the parent may go
on. Services must observe every period, or be silent, whatever the value is: that a device takes part is not hidden.
"""
from __future__ import annotations

import json
import os
import random
import time
import weakref
from collections.abc import Iterable, Mapping
from typing import Any, Callable, Optional, Protocol, Union

from . import _native
from ._arguments import Budget, epsilon, flat, number, optional, path, text, whole, yes_or_no
from ._errors import FuturerandError, InvalidError, RefusedError, UnreachableError, UntrustedError, of_code
from ._server import MOST_ANSWER, Server

_MOST_PERIOD = 2**32 - 1


class Store(Protocol):
    """Where a service keeps a device's records, if not in a folder. Privacy rests on what it promises: each record is
    replaced as a whole, nobody else changes it meanwhile, and what was saved survives a crash. Records are secret.

    >>> import futurerand
    >>> class Recorded(futurerand.MemoryStore):
    ...     def save(self, record, data):
    ...         print("saving", record)
    ...         super().save(record, data)
    >>> plan = futurerand.audit("hybrid", periods=8, changes=2, epsilon="1").plan
    >>> client = futurerand.Device(Recorded(), ceiling="4").open(futurerand.Metric.create("m", plan), period=1)
    saving ledger
    saving metric-...
    """

    def load(self, record: str) -> Optional[bytes]:
        """What was saved last, or None if nothing ever was. Raises if it cannot be read."""

    def save(self, record: str, data: bytes) -> None:
        """Returns once the bytes survive a crash. Raises otherwise."""

    def names(self) -> Iterable[str]:
        """The names of all records that were saved."""


class MemoryStore:
    """Records in memory, for tests and simulations: whoever loses them is a new device.

    >>> import futurerand
    >>> store = futurerand.MemoryStore()
    >>> with futurerand.Device(store, ceiling="4") as device:
    ...     device.ledger()["ceiling"]
    '4'
    """

    def __init__(self) -> None:
        self.records: dict[str, bytes] = {}

    def load(self, record: str) -> Optional[bytes]:
        return self.records.get(record)

    def save(self, record: str, data: bytes) -> None:
        self.records[record] = data

    def names(self) -> Iterable[str]:
        return list(self.records)


class Metric:
    """What is to be counted, certified here in exact integers: no server is believed.

    >>> import futurerand
    >>> plan = futurerand.audit("innovation", periods=8, changes=2, epsilon="1").plan
    >>> metric = futurerand.Metric.create("dark-mode", plan)
    >>> metric.certificate()["certified"]
    True
    """

    def __init__(self, native: Any, name: str):
        self._native, self.name = native, name

    @classmethod
    def accept(cls, document: Union[str, Mapping[str, Any]], *, digest: Optional[str] = None) -> Metric:
        """The document of GET /v1/metrics/NAME. A service may give the digest of the plan that it expects, "sha256:..." as
        `futurerand audit` prints it: any other plan is refused."""
        given = document if isinstance(document, str) else json.dumps(dict(document))
        metric = cls(_native.Metric(given), "")
        metric.name = json.loads(given)["name"]
        found = metric.certificate()["digest"] if digest is not None else None
        if found is not None and found != text("digest", digest):
            raise RefusedError(f"the plan has the digest {found}; expected {digest}")
        return metric

    @classmethod
    def fetch(cls, server: Union[Server, str], name: str, *, digest: Optional[str] = None) -> Metric:
        """Asks a collector for it, and certifies its plan; a digest pins that."""
        document = _server(server).ask(name)
        try:
            metric = cls.accept(document, digest=digest)
        except InvalidError as error:
            raise UntrustedError(f"the collector's answer is no metric: {error}") from None
        if metric.name != name:
            raise UntrustedError("the collector describes a metric of another name; expected the one asked for")
        return metric

    @classmethod
    def create(
        cls, name: str, plan: Union[str, Mapping[str, Any]], *, start: int = 0, period_seconds: int = 0
    ) -> Metric:
        """From its parts; without a start and a length, periods are moved by hand."""
        given = plan if isinstance(plan, str) else json.dumps(dict(plan))
        limits = (-(2**62), 2**62)
        seconds = whole("start", start, *limits), whole("period_seconds", period_seconds, *limits)
        return cls(_native.Metric(text("name", name), given, *seconds), name)

    def certificate(self) -> dict[str, Any]:
        """All integers, the digest of the plan and the verdict."""
        return json.loads(self._native.certificate())

    @property
    def current_period(self) -> int:
        """What the collector said was running; 0 for a metric from its parts."""
        return self._native.current_period()

    def period_at(self, seconds: float) -> int:
        """The period that runs at this second since 1970: 0 before the start, one past the last after the horizon."""
        return self._native.period_at(int(seconds))


def _server(server: Union[Server, str]) -> Server:
    return server if isinstance(server, Server) else Server(server)


class Device:
    """The records of one device: what it joined and what that cost, under one ceiling.

    `store` is a folder, which is made if need be and locked while it is open, or an object with load, save and names.
    `ceiling` is the epsilon that all metrics together may ever cost; `per_metric` bounds each. With `ask_first` nothing is
    joined before the user agreed, that is before `participation` is set to "on" once. `window` is an epsilon and
    a number of seconds: what all metrics together may cost inside any so many seconds. `clock` gives the device's own
    time in seconds since 1970, the system's by default; never pass a server's. `entropy`, for tests, gives so many bytes;
    without it they are the operating system's, which is what a device should use.

    Guards against old copies: `machine` is an identity of this machine, the system's by default for a folder, and "" for
    no check. Records of another machine are refused, for good. `tpm` names a TPM 2.0, such as "device:/dev/tpmrm0", whose
    NV counter tells an old copy of the folder from the latest; `tpm_index` is its NV index.

    >>> import futurerand
    >>> plan = futurerand.audit("innovation", periods=8, changes=2, epsilon="1").plan
    >>> with futurerand.Device(futurerand.MemoryStore(), ceiling="4") as device:
    ...     client = device.open(futurerand.Metric.create("dark-mode", plan), period=1)
    ...     client.observe(1, True)
    ...     device.ledger()["spent"]
    '1'
    """

    def __init__(
        self,
        store: Union[Store, str, "os.PathLike[str]"],
        ceiling: Budget,
        *,
        per_metric: Optional[Budget] = None,
        ask_first: bool = False,
        window: Optional[tuple[Budget, int]] = None,
        clock: Optional[Callable[[], float]] = None,
        entropy: Optional[Callable[[int], bytes]] = None,
        machine: Optional[str] = None,
        tpm: Optional[str] = None,
        tpm_index: int = 0,
    ):
        folder = None if hasattr(store, "load") else path("store", store)
        if folder is None and not all(callable(getattr(store, part, None)) for part in ("load", "save", "names")):
            raise TypeError("store: it lacks load, save or names; expected a folder, or an object that has them")
        if entropy is not None and not callable(entropy):
            raise TypeError("entropy: expected a function that gives so many bytes")
        limits = epsilon("ceiling", ceiling), None if per_metric is None else epsilon("per_metric", per_metric)
        if clock is not None and not callable(clock):
            raise TypeError("clock: expected a function that gives seconds since 1970")
        guards = optional(text, "machine", machine), optional(text, "tpm", tpm), whole("tpm_index", tpm_index, 0, 2**32 - 1)
        if folder is None and tpm is not None:
            raise TypeError("tpm: it counts what a folder keeps; expected a folder as the store")
        self._native = _native.Device(folder, None if folder else store, *limits, entropy, *guards)
        self._clients: weakref.WeakKeyDictionary[Client, None] = weakref.WeakKeyDictionary()  # in the order of opening
        if ask_first:
            self._native.ask_first()
        self._clock = clock
        if window is not None:
            self._native.set_window(epsilon("window", window[0]), whole("window", window[1], 1, 2**62))

    def _tell_time(self) -> None:
        if self._clock is not None:
            self._native.believe(int(self._clock()))

    def open(self, metric: Metric, period: int, segment: str = "") -> Client:
        """Goes on from the state of this metric, or else joins in `period`, which charges the ledger. For a metric with segments,
        `segment` is public and sent in the clear. The device stays in the segment that it joined with."""
        if not isinstance(metric, Metric):
            raise TypeError("metric: expected a Metric")
        return Client(self, metric, period, segment)

    def ledger(self) -> dict[str, Any]:
        """What was joined and what it cost."""
        return json.loads(self._native.ledger())

    def history(self) -> dict[str, Any]:
        """What a settings page may show: the exact lines sent and waiting, what was spent, and what that means in words."""
        return json.loads(self._native.history())

    @property
    def participation(self) -> str:
        """The user's decision: "on", "off" or "local_only". It is remembered. While it is "off" nothing is joined, observed or
        sent, except that clients leave; while it is "local_only" nothing is joined."""
        return self.history()["participation"]

    @participation.setter
    def participation(self, decision: str) -> None:
        self._native.set_participation(text("participation", decision))

    def send(
        self, server: Union[Server, str, None] = None, *, attempts: int = 5, first_delay: float = 0.2
    ) -> dict[str, int]:
        """Sends what is due of all its open clients in one request, as Client.send does. One metric's failure does not hold up
        the others: the first one is raised in the end."""
        return _send(self, list(self._clients), server, attempts, first_delay)

    def close(self) -> None:
        """Clients that are open go on; nothing else can be done with it."""
        self._native.close()

    def __enter__(self) -> Device:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


_COUNTED = ("accepted", "duplicates", "rejected", "early")


def _send(
    device: Device, clients: list[Client], server: Union[Server, str, None], attempts: int, first_delay: float
) -> dict[str, int]:
    """Sends what is due of these clients: one request to each collector."""
    most = whole("attempts", attempts, 1, 1000)
    places: dict[int, tuple[Server, list[Client]]] = {}
    for client in clients:
        place = client._server if server is None else _server(server)
        if place is None:
            raise InvalidError("no server; expected one, since the client was opened without")
        key = id(place) if server is None else 0
        places.setdefault(key, (place, []))[1].append(client)
    counts = dict.fromkeys(_COUNTED, 0)
    failures: list[FuturerandError] = []
    for place, members in places.values():
        natives = [client._native for client in members]
        try:
            for request in json.loads(_native.requests_of(device._native, natives)):
                _deliver(device, natives, place, request, most, first_delay, counts, failures)
        except FuturerandError as error:
            failures.append(error)
    if failures:
        raise failures[0]
    return counts


def _deliver(
    device: Device,
    natives: list[Any],
    place: Server,
    request: str,
    attempts: int,
    first_delay: float,
    counts: dict[str, int],
    failures: list[FuturerandError],
) -> None:
    """Sends one request until it is answered. Raises if nobody answers, or not as a collector does."""
    resent = False
    attempt = 0
    while request:
        attempt += 1
        again = ""
        try:
            answer = place.post("/v1/reports", request.encode(), MOST_ANSWER)
            outcome = json.loads(_native.apply_answer(device._native, natives, request, answer))
        except UnreachableError:
            if attempt >= attempts:
                raise
        else:
            for key in _COUNTED:
                counts[key] += outcome[key]
            failures += [of_code(failure["code"], failure["message"]) for failure in outcome["failures"]]
            request = outcome["busy"]
            if outcome["lost"] and not resent:
                again, resent = outcome["lost"], True
            if request and attempt >= attempts:
                failures.append(UnreachableError(outcome["why_busy"]))
                request = ""
        if request:
            # The pause is drawn, so that a fleet does not come back at one moment.
            time.sleep(random.random() * min(60.0, first_delay * 2 ** (attempt - 1)))
        request += again


class Client:
    """One device's part in one metric.

    >>> import futurerand
    >>> plan = futurerand.audit("innovation", periods=8, changes=2, epsilon="1").plan
    >>> device = futurerand.Device(futurerand.MemoryStore(), ceiling="4")
    >>> with device.open(futurerand.Metric.create("dark-mode", plan), period=1) as client:
    ...     client.observe_many([1, 2, 3, 4], [0, 0, 1, 1])
    ...     len(client.lines().splitlines())
    2
    """

    def __init__(self, device: Device, metric: Metric, period: int, segment: str = ""):
        device._tell_time()
        self._native = _native.Client(
            device._native, metric._native, whole("period", period, 0, _MOST_PERIOD), text("segment", segment)
        )
        self._device = device
        self.metric = metric
        self._kind: str = self.about()["value"]
        device._clients[self] = None
        self._server: Optional[Server] = None
        self._owned: Optional[Device] = None

    @classmethod
    def open(
        cls,
        server: Union[Server, str],
        metric: str,
        *,
        store: Union[Store, str, "os.PathLike[str]"],
        ceiling: Budget,
        per_metric: Optional[Budget] = None,
        digest: Optional[str] = None,
        segment: str = "",
    ) -> Client:
        """Asks a collector for a metric, certifies it and takes part, with a device of its own that is closed with it. A digest
        pins the plan."""
        place = _server(server)
        found = Metric.fetch(place, metric, digest=digest)
        device = Device(store, ceiling, per_metric=per_metric)
        try:
            client = cls(device, found, found.current_period, segment)
        except BaseException:
            device.close()
            raise
        client._server, client._owned = place, device
        return client

    def observe(self, period: int, value: Any) -> None:
        """One value a period, of the kind that the metric takes; periods only forward, and the first value of a period
        counts. A yes/no metric takes truth values, or 0 and 1. A number or a distribution takes finite numbers, and clips
        them to its range. A category takes one of its labels, and a text metric any text of 1 to 64 bytes."""
        at = whole("period", period, 0, _MOST_PERIOD)
        self._device._tell_time()
        if self._kind == "yes_no":
            self._native.observe(at, yes_or_no("value", value))
        elif self._kind in ("number", "distribution"):
            self._native.observe_number(at, number("value", value))
        else:
            # What UTF-8 cannot write becomes bytes that the library refuses, so no error of Python's quotes the text.
            self._native.observe_text(at, text("value", value).encode("utf-8", "surrogatepass"))

    def observe_many(self, periods: Any, values: Any) -> None:
        """Many yes/no values at once, from arrays in the order of their periods, saved once: all of them count, or none."""
        self._device._tell_time()
        self._native.observe_all(flat("periods", periods, _MOST_PERIOD, "uint32"), flat("values", values, 1, "uint8"))

    def begin_period(self, period: int) -> None:
        """This period has begun: what concerns those before it may be sent. Observing says so too."""
        self._device._tell_time()
        self._native.begin_period(whole("period", period, 0, _MOST_PERIOD))

    def leave(self, period: int) -> None:
        """Leaves the metric in this period, whatever the value is, and for good. Noise, key, value and signs are erased, and
        what is due is one line that says so. The ledger keeps what was spent. The line is due again in each later period,
        in case the collector was restored from an older backup."""
        self._device._tell_time()
        self._native.leave(whole("period", period, 0, _MOST_PERIOD))

    def forget(self, period: int) -> None:
        """Leaves, and asks the collector to take out what this device reported. docs/device.md says what cannot be taken back."""
        self._device._tell_time()
        self._native.forget(whole("period", period, 0, _MOST_PERIOD))

    def lines(self) -> str:
        """What is due and not acknowledged, to POST to path(lines); empty if nothing is. Of a metric without an end, the
        lines of one season: ask again after they are acknowledged."""
        return self._native.lines()

    def path(self, lines: str) -> str:
        """Where these lines go: /v1/metrics/NAME/reports, or the address of a season of a metric without an end."""
        return self._native.path(text("lines", lines))

    def acknowledge(self, lines: str, answer: Optional[str] = None) -> None:
        """Forgets what the collector has of these lines, by its answer to them; without one, the caller knows that it
        has all. Several may be on their way: each answer counts for its own lines only."""
        self._native.acknowledge(text("lines", lines), optional(text, "answer", answer))

    def send(
        self, server: Union[Server, str, None] = None, *, attempts: int = 5, first_delay: float = 0.2
    ) -> dict[str, int]:
        """Sends what is due to the collector that it was opened with, or to another; asks nobody if nothing is.
        Returns how many lines were accepted, duplicates, rejected and early. What nobody answers, or what the collector
        cannot take now, is tried again after pauses that double. If the collector lost what it had, as after an older
        backup was restored, that is sent again, and the second answer counts."""
        return _send(self._device, [self], server, attempts, first_delay)

    def about(self) -> dict[str, Any]:
        """Its id, view, kind of values, last period and whether it is closed: nothing secret."""
        return json.loads(self._native.about())

    def close(self) -> None:
        self._device._clients.pop(self, None)
        self._native.close()
        if self._owned is not None:
            self._owned.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
