#!/usr/bin/env python3
"""tools/embed.py FOLDER OUT.cpp: the files of a folder as C++, for futurerand::page_assets()."""
import gzip
import hashlib
import pathlib
import sys

TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".json": "application/json",
    ".map": "application/json",
    ".txt": "text/plain; charset=utf-8",
    ".png": "image/png",
    ".ico": "image/x-icon",
    ".woff2": "font/woff2",
    ".wasm": "application/wasm",
    ".webmanifest": "application/manifest+json",
}


def literal(data: bytes) -> str:
    """Returns a string literal with octal escapes. Hexadecimal escapes have no fixed length."""
    lines = [data[i : i + 32] for i in range(0, len(data), 32)] or [b""]
    return "\n".join('"' + "".join(f"\\{byte:03o}" for byte in line) + '"' for line in lines)


def main() -> None:
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    folder, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    entries = []
    for path in sorted(p for p in folder.rglob("*") if p.is_file()):
        if path.suffix not in TYPES:
            sys.exit(f"embed: no content type is known for '{path}'")
        data = path.read_bytes()
        packed = gzip.compress(data, 9, mtime=0)
        if len(packed) >= len(data):
            packed = b""
        etag = '\\"' + hashlib.sha256(data).hexdigest()[:16] + '\\"'
        entries.append(
            f'    {{"{path.relative_to(folder).as_posix()}", "{TYPES[path.suffix]}", "{etag}",\n'
            f"     {{{literal(data)}, {len(data)}}},\n     {{{literal(packed)}, {len(packed)}}}}},\n"
        )
    if not any('"index.html"' in entry for entry in entries):
        sys.exit(f"embed: '{folder}' has no index.html")
    out.write_text(
        '#include "futurerand/collector/http/page.hpp"\n\nnamespace futurerand {\nnamespace {\n\n'
        "constexpr Asset kAssets[] = {\n" + "".join(entries) + "};\n\n}  // namespace\n\n"
        "Assets page_assets() { return kAssets; }\n\n}  // namespace futurerand\n"
    )


main()
