"""For services: the device's part of counting, with a durable state.

The new state is saved before its lines are returned, so an index is randomized only once. If a call fails, nothing is
sent and nothing is lost. Any thread may call; a device processes one call at a time. After fork() only the parent may
continue. The value must never decide whether a service observes or pauses: participation is not hidden.
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
    """A service's own storage of a device's records. Privacy depends on its promises: each record is replaced as a
    whole, nobody else changes it meanwhile, and saved bytes survive a crash. Records are secret.

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
        """The last saved bytes, or None if nothing was ever saved. Raises if they cannot be read."""

    def save(self, record: str, data: bytes) -> None:
        """Returns once the bytes survive a crash. Raises otherwise."""

    def names(self) -> Iterable[str]:
        """The names of all saved records."""


class MemoryStore:
    """Records in memory, for tests and simulations. Without them the device starts anew.

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
    """The metric to count, certified here in exact integers, without trust in a server.

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
        """Reads the document of GET /v1/metrics/NAME. With a pinned digest of the expected plan, "sha256:..." as printed by
        `futurerand audit`, any other plan is refused."""
        given = document if isinstance(document, str) else json.dumps(dict(document))
        metric = cls(_native.Metric(given), "")
        metric.name = json.loads(given)["name"]
        found = metric.certificate()["digest"] if digest is not None else None
        if found is not None and found != text("digest", digest):
            raise RefusedError(f"the plan has the digest {found}; expected {digest}")
        return metric

    @classmethod
    def fetch(cls, server: Union[Server, str], name: str, *, digest: Optional[str] = None) -> Metric:
        """Fetches a metric from a collector, and certifies its plan. A digest pins the plan."""
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
        """Makes a metric from its parts. Without a start and a length it has a manual clock."""
        given = plan if isinstance(plan, str) else json.dumps(dict(plan))
        limits = (-(2**62), 2**62)
        seconds = whole("start", start, *limits), whole("period_seconds", period_seconds, *limits)
        return cls(_native.Metric(text("name", name), given, *seconds), name)

    def certificate(self) -> dict[str, Any]:
        """All integers, the digest of the plan and the verdict."""
        return json.loads(self._native.certificate())

    @property
    def current_period(self) -> int:
        """The current period in the collector's document; 0 for a metric from its parts."""
        return self._native.current_period()

    def period_at(self, seconds: float) -> int:
        """The period at this second since 1970: 0 before the start, one past the last after the horizon."""
        return self._native.period_at(int(seconds))


def _server(server: Union[Server, str]) -> Server:
    return server if isinstance(server, Server) else Server(server)


class Device:
    """The records of one device, with its ledger and one ceiling.

    `store` is a folder, created if missing and locked while open, or an object with load, save and names. `ceiling`
    limits the total epsilon of all metrics ever joined; `per_metric` limits each. With `ask_first` nothing is joined until
    the user agrees, that is until `participation` is set to "on". `window` is an epsilon and a number of seconds: the
    limit of all metrics together inside any stretch of this length. `clock` returns the device's own time in seconds
    since 1970, the system's by default; never pass a server's time. `entropy`, for tests, is a function from a number to
    as many bytes. The default is the operating system's, the right choice for real devices.

    Guards against old copies: `machine` is an identity of this machine, the system's by default for a folder, and "" for
    no check. Records of another machine are refused, for good. `tpm` names a TPM 2.0, such as "device:/dev/tpmrm0". Its
    NV counter distinguishes an old copy of the folder from the latest one; `tpm_index` is its NV index.

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
            raise TypeError("entropy: expected a function from a number to as many bytes")
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
        """Continues from the state of this metric. Without a state it joins in `period` and charges the ledger. For a metric
        with segments, `segment` is public and sent in the clear. The device stays in its first segment."""
        if not isinstance(metric, Metric):
            raise TypeError("metric: expected a Metric")
        return Client(self, metric, period, segment)

    def ledger(self) -> dict[str, Any]:
        """The joined metrics and their cost."""
        return json.loads(self._native.ledger())

    def history(self) -> dict[str, Any]:
        """For a settings page: the exact sent and waiting lines, the spent epsilon, and its meaning in words."""
        return json.loads(self._native.history())

    @property
    def participation(self) -> str:
        """The user's decision: "on", "off" or "local_only". It is stored. While it is "off", nothing is joined, observed or
        sent, except departures. While it is "local_only", nothing is joined."""
        return self.history()["participation"]

    @participation.setter
    def participation(self, decision: str) -> None:
        self._native.set_participation(text("participation", decision))

    def send(
        self, server: Union[Server, str, None] = None, *, attempts: int = 5, first_delay: float = 0.2
    ) -> dict[str, int]:
        """Sends the due lines of all its open clients in one request, as Client.send does. One metric's failure does not hold
        up the others: the first one is raised in the end."""
        return _send(self, list(self._clients), server, attempts, first_delay)

    def close(self) -> None:
        """Open clients continue. Every other call on the device fails."""
        self._native.close()

    def __enter__(self) -> Device:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


_COUNTED = ("accepted", "duplicates", "rejected", "early")


def _send(
    device: Device, clients: list[Client], server: Union[Server, str, None], attempts: int, first_delay: float
) -> dict[str, int]:
    """Sends the due lines of these clients: one request to each collector."""
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
    """Sends one request until it is answered. Raises without an answer, or if it is not that of a collector."""
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
        """Fetches a metric, certifies its plan and joins or continues, with a device of its own that is closed with it. A
        digest pins the plan."""
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
        """Observes the value of a period. Periods only move forward, and the first value of a period counts. A yes/no metric
        accepts truth values, or 0 and 1. A number or a distribution accepts finite numbers, and clips them to its range. A
        category accepts its labels, and a text metric any text of 1 to 64 bytes."""
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
        """Observes many yes/no values, from arrays in the order of their periods, and saves once. Either all count, or none."""
        self._device._tell_time()
        self._native.observe_all(flat("periods", periods, _MOST_PERIOD, "uint32"), flat("values", values, 1, "uint8"))

    def begin_period(self, period: int) -> None:
        """Notes that this period has begun: lines of earlier periods are due. Observing does the same."""
        self._device._tell_time()
        self._native.begin_period(whole("period", period, 0, _MOST_PERIOD))

    def leave(self, period: int) -> None:
        """Leaves the metric in this period, for good. It erases noise, key, value and signs. One line is due, which tells the
        collector and does not depend on the value. The ledger keeps the spent epsilon. The line is due again in each later
        period, in case the collector was restored from an older backup."""
        self._device._tell_time()
        self._native.leave(whole("period", period, 0, _MOST_PERIOD))

    def forget(self, period: int) -> None:
        """Leaves, and asks the collector to remove this device's reports. docs/device.md lists what cannot be undone."""
        self._device._tell_time()
        self._native.forget(whole("period", period, 0, _MOST_PERIOD))

    def lines(self) -> str:
        """Returns the due and unacknowledged lines, to POST to path(lines); empty if there are none. For a metric without an
        end it returns the lines of one season; call it again after they are acknowledged."""
        return self._native.lines()

    def path(self, lines: str) -> str:
        """The path for these lines: /v1/metrics/NAME/reports, or the address of a season of a metric without an end."""
        return self._native.path(text("lines", lines))

    def acknowledge(self, lines: str, answer: Optional[str] = None) -> None:
        """Applies the collector's answer to these lines: acknowledged ones are dropped. Without an answer, the caller knows
        that the collector has all of them. Several sends may overlap: each answer counts for its own lines only."""
        self._native.acknowledge(text("lines", lines), optional(text, "answer", answer))

    def send(
        self, server: Union[Server, str, None] = None, *, attempts: int = 5, first_delay: float = 0.2
    ) -> dict[str, int]:
        """Sends the due lines to the collector of open(), or to another one. Without due lines it makes no request.
        Returns the numbers of accepted, duplicate, rejected and early lines. An unanswered request is repeated after pauses
        that double, and so is a metric that the collector cannot accept now. If the collector lost acknowledged reports, as
        after the restore of an older backup, they are sent again, and the second answer counts."""
        return _send(self._device, [self], server, attempts, first_delay)

    def about(self) -> dict[str, Any]:
        """Its id, view, kind of value, last period and state. It has no secrets."""
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
