"""Local files and folders for import."""

from __future__ import annotations

import re
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path

from ._errors import CairnError

FILES_MAX = 100_000
BYTES_MAX = 1024**3
NAME_CHARS_MAX = 255
CHUNK_BYTES = 64 * 1024
# Extensions of archives and exports, which the service recognizes by content. They are sent unchanged.
BY_ITSELF = re.compile(r"\.(?:zip|tar|tgz|gz|mbox|json|jsonl|ndjson)$", re.IGNORECASE)
# Maximum bytes of a tar in memory; a larger one is written to a temporary file.
HELD_BYTES_MAX = 16 * 1024 * 1024


def files_of(path: Path) -> tuple[Path, list[Path]]:
    """Returns the base folder of a path and its files in order; raises ``CairnError`` if there are none.

    Hidden files, installed packages and symbolic links are skipped.
    """
    whole = path.expanduser().resolve()
    if not whole.exists():
        raise CairnError(f'"{whole}" does not exist.')
    root = whole if whole.is_dir() else whole.parent
    files = sorted(_walk(root)) if whole.is_dir() else [whole]
    if not files:
        raise CairnError(f'"{whole}" contains no files. Hidden files and links are skipped.')
    if len(files) > FILES_MAX or sum(file.stat().st_size for file in files) > BYTES_MAX:
        raise CairnError(f'"{whole}" is larger than 1 GiB or 100 000 files. Add its subfolders one by one.')
    return root, files


def _walk(folder: Path) -> Iterator[Path]:
    for entry in folder.iterdir():
        if entry.name.startswith(".") or entry.name in ("node_modules", "__MACOSX") or entry.is_symlink():
            continue
        if entry.is_dir():
            yield from _walk(entry)
        elif entry.is_file():
            yield entry


def tar_of(root: Path, files: list[Path]) -> Iterator[bytes]:
    """Yields the files as one tar in chunks."""
    with tempfile.SpooledTemporaryFile(max_size=HELD_BYTES_MAX) as held:
        with tarfile.open(fileobj=held, mode="w", format=tarfile.PAX_FORMAT) as tar:
            for file in files:
                info = tarfile.TarInfo(file.relative_to(root).as_posix())
                with file.open("rb") as content:
                    info.size = file.stat().st_size
                    tar.addfile(info, content)
        held.seek(0)
        while chunk := held.read(CHUNK_BYTES):
            yield chunk


def place_of(path: Path) -> str:
    """Returns a path with ``~`` for the home folder. Importing the same path again replaces what changed."""
    try:
        shown = f"~/{path.relative_to(Path.home()).as_posix()}" if path != Path.home() else "~"
    except ValueError:
        shown = path.as_posix()
    return shown if len(shown) <= NAME_CHARS_MAX else f"…{shown[1 - NAME_CHARS_MAX:]}"
