"""Reads packaging/Containerfile for tools/image and for its test."""
import json
import re
import shlex


def instructions(text):
    """Returns (instruction, argument) in order, with continued lines joined and comments left out."""
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    joined = re.sub(r"\\\n\s*", "", "\n".join(lines))
    return [tuple(re.split(r"\s+", line.strip(), maxsplit=1)) for line in joined.splitlines() if line.strip()]


class Recipe:
    """The instructions that this project uses, checked while they are read."""

    def __init__(self, text):
        self.labels, self.volumes, self.ports, self.copies, self.scripts = {}, [], [], [], []
        self.base = self.user = self.stop_signal = self.entrypoint = self.command = None
        for name, argument in instructions(text):
            if name == "FROM" and self.base is None:
                self.base = argument
            elif name == "LABEL":
                self.labels.update(part.split("=", 1) for part in shlex.split(argument))
            elif name == "COPY":
                self.copies.append(tuple(argument.split()))
            elif name == "RUN":
                self.scripts.append(argument)
            elif name == "USER":
                self.user = argument
            elif name == "VOLUME":
                self.volumes.append(argument)
            elif name == "EXPOSE":
                self.ports.append(argument)
            elif name == "STOPSIGNAL":
                self.stop_signal = argument
            elif name == "ENTRYPOINT":
                self.entrypoint = json.loads(argument)
            elif name == "CMD":
                self.command = json.loads(argument)
            else:
                raise ValueError(f"the instruction is {name}; expected FROM once, or one of LABEL, COPY, RUN, USER, VOLUME, EXPOSE, "
                                 "STOPSIGNAL, ENTRYPOINT, CMD")
