#!/usr/bin/python3 -B
"""Writes the files of a folder as one C++ source: a function that returns them as Assets.

usage: embed.py FOLDER OUT.cpp
"""
import gzip
import hashlib
import sys
from pathlib import Path

TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".woff2": "font/woff2",
}


def literal(data):
    """Octal escapes of three digits: nothing that follows can become part of one."""
    text = "".join(
        chr(b) if 32 <= b < 127 and b not in b'"\\?' else f"\\{b:03o}" for b in data
    )
    lines, at = [], 0
    while at < len(text):
        end = min(at + 4000, len(text))
        # An escape is not cut in two.
        cut = text.rfind("\\", end - 3, end)
        end = cut if cut > at and end < len(text) else end
        lines.append(f'"{text[at:end]}"')
        at = end
    return "\n".join(lines) or '""'


def main(folder, out):
    folder = Path(folder)
    entries = []
    for path in sorted(p for p in folder.rglob("*") if p.is_file()):
        body = path.read_bytes()
        packed = gzip.compress(body, 9, mtime=0)
        pays = len(packed) < 0.9 * len(body)
        etag = hashlib.sha256(body).hexdigest()[:16]
        entries.append(
            f'    {{"{path.relative_to(folder).as_posix()}", "{TYPES[path.suffix]}",'
            f' "\\"{etag}\\"",\n'
            f"     std::string_view({literal(body)}, {len(body)}),\n"
            f'     std::string_view({literal(packed) if pays else chr(34) * 2}, {len(packed) if pays else 0})}},\n'
        )
    source = (
        '#include "apps/service/page.hpp"\n\n'
        "namespace futurerand::apps {\nnamespace {\n\n"
        "constexpr Asset kPage[] = {\n" + "".join(entries) + "};\n\n"
        "}  // namespace\n\n"
        "Assets page() { return kPage; }\n\n"
        "}  // namespace futurerand::apps\n"
    )
    Path(out).write_text(source, encoding="ascii")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
