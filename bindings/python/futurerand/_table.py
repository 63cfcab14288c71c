"""Results that print as tables: text for terminals, HTML for notebooks."""
from __future__ import annotations

import html
import math
from collections.abc import Iterable, Sequence
from typing import Any

# Longer tables show their beginning and their end.
_MOST_ROWS = 24
_SHOWN_AT_EACH_END = 10


def figure(value: Any, digits: int = 0) -> str:
    """A number for people: 12,345 or 0.0523; '-' if there is none."""
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return "-"
    if isinstance(value, str):
        return value
    return f"{value:,.{digits}f}"


class Table:
    """What prints as a table. Its kinds say what is above it, in it and below it."""

    def _heading(self) -> str:
        raise NotImplementedError

    def _header(self) -> Sequence[str]:
        raise NotImplementedError

    def _rows(self) -> Sequence[Sequence[str]]:
        raise NotImplementedError

    def _notes(self) -> Iterable[str]:
        return ()

    def _shown(self) -> tuple[list[Sequence[str]], int]:
        rows = list(self._rows())
        if len(rows) <= _MOST_ROWS:
            return rows, 0
        gap = [["..."] * len(self._header())]
        return (
            [*rows[:_SHOWN_AT_EACH_END], *gap, *rows[-_SHOWN_AT_EACH_END:]],
            len(rows) - 2 * _SHOWN_AT_EACH_END,
        )

    def __str__(self) -> str:
        rows, left_out = self._shown()
        header = list(self._header())
        widths = [max(len(row[i]) for row in [header, *rows]) for i in range(len(header))]

        def line(cells: Sequence[str]) -> str:
            # The first column is a name, the others are figures.
            first = cells[0].ljust(widths[0])
            return "  ".join([first, *(cell.rjust(width) for cell, width in zip(cells[1:], widths[1:]))]).rstrip()

        parts = [self._heading(), "", line(header), *map(line, rows)]
        if left_out:
            parts += ["", f"{left_out} rows are not shown; the arrays have them all"]
        notes = list(self._notes())
        return "\n".join([*parts, "", *notes] if notes else parts)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        rows, left_out = self._shown()

        def line(tag: str, cells: Sequence[str]) -> str:
            styles = ["text-align:left"] + ["text-align:right"] * (len(cells) - 1)
            return (
                "<tr>"
                + "".join(f'<{tag} style="{style}">{html.escape(cell)}</{tag}>' for style, cell in zip(styles, cells))
                + "</tr>"
            )

        notes = list(self._notes()) + ([f"{left_out} rows are not shown"] if left_out else [])
        return (
            f"<p>{html.escape(self._heading())}</p><table><thead>{line('th', self._header())}</thead><tbody>"
            + "".join(line("td", row) for row in rows)
            + "</tbody></table>"
            + "".join(f"<p>{html.escape(note)}</p>" for note in notes)
        )
