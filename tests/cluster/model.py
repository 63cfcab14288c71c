"""The valid answers of a collector: an independent model of one metric, device by device.

A device's lines are applied one after the other. What was acknowledged is there from then on; what was sent and not answered
may be there or not. Every answer, a negative one too, must be true at some moment between its request and its arrival.
"""
import json


class DeviceModel:
    """A position is the number of a device's counted lines: 0 before its enrolment."""

    def __init__(self, lines):
        self.spans = []  # of each line, the index after it; the enrolment has none
        for line in lines:
            said = json.loads(line)
            self.spans.append((said["index"], said["index"] + len(said["signs"])) if "signs" in said else None)
        self.low = 0   # lines counted for certain
        self.high = 0  # lines possibly counted

    def expected(self, position):
        """Returns the next index expected by a collector at this position; None if it does not know the device."""
        if position == 0:
            return None
        if position == 1:
            return self.spans[1][0] if len(self.spans) > 1 else None
        return self.spans[position - 1][1]


class Model:
    """Devices of one sender, with one request at a time."""

    def __init__(self):
        self.devices, self.places = {}, {}

    def add(self, device, lines):
        self.devices[device.id] = DeviceModel(lines)
        for number, line in enumerate(lines):
            self.places[line] = (device.id, number)

    def sending(self, batch):
        """From now on these lines may count, in order."""
        for line in batch:
            device, number = self.places[line]
            model = self.devices[device]
            model.high = max(model.high, number + 1) if number <= model.high else model.high

    def check(self, batch, answer):
        """Raises AssertionError for an impossible answer, and learns from a possible one."""
        errors = {error["line"] - 1: error for error in answer["errors"]}
        maybe_new = 0
        for at, line in enumerate(batch):
            device, number = self.places[line]
            model = self.devices[device]
            if at in errors:
                self.check_rejection(model, number, errors[at])
                continue
            # It counts now, new or not.
            assert number <= model.high, (line, "counts, although one before it was never sent")
            if number >= model.low:
                maybe_new += 1
                model.low = number + 1
        assert answer["rejected"] == len(errors), answer
        assert answer["accepted"] <= maybe_new, (answer, maybe_new, "lines may be new")
        assert answer["accepted"] + answer["duplicates"] + answer["rejected"] == len(batch), answer

    @staticmethod
    def check_rejection(model, number, error):
        reason = error["reason"]
        if reason == "unknown_client":
            assert model.low == 0, (error, "its enrolment was acknowledged")
        elif reason == "gap":
            possible = {model.expected(position) for position in range(max(model.low, 1), model.high + 1)}
            assert error["expected"] in possible, (error, possible, "is what a collector may expect")
            assert error["expected"] < model.spans[number][0], error
        else:
            raise AssertionError((error, "is no answer that anything here may get"))
