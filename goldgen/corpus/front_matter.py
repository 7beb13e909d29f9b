"""Front matter: what stands of a page above its text, between ``---`` (YAML) or ``+++`` (TOML)."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from typing import cast

_KEY_LINE = re.compile(
    r"(?P<key>[^\W\d][\w .-]*|\"[^\"]+\"|'[^']+'):(?:\s+(?P<value>.*))?",
)
_NESTED_LINE = re.compile(r"\s+\S.*|-(?:\s.*)?|\s*#.*|\s*|[}\]],?")
_ENDS = {"---": ("---", "..."), "+++": ("+++",)}


def front_matter(text: str) -> tuple[Mapping[str, str], str]:
    """Metadata and the text after it; only a closed block of ``key: value`` lines, or of TOML, is some."""
    lines = text.split("\n")
    mark = lines[0].rstrip()
    ends = _ENDS.get(mark, ())
    end = next((number for number, line in enumerate(lines[1:], 1) if line.rstrip() in ends), 0)
    if not end:
        return {}, text
    block = lines[1:end]
    metadata = _of_yaml(block) if mark == "---" else _of_toml(block)
    return ({}, text) if metadata is None else (metadata, "\n".join(lines[end + 1 :]))


def _of_toml(block: Sequence[str]) -> dict[str, str] | None:
    try:
        return _flat(tomllib.loads("\n".join(block)))
    except tomllib.TOMLDecodeError:
        return None


def _flat(values: Mapping[str, object]) -> dict[str, str]:
    flat: dict[str, str] = {}
    for key, value in values.items():
        if isinstance(value, dict):
            below = _flat(cast("Mapping[str, object]", value))
            flat |= {f"{key}.{name}": text for name, text in below.items()}
        elif isinstance(value, list):
            flat[key] = ", ".join(map(str, cast("list[object]", value)))
        else:
            flat[key] = str(value)
    return flat


def _of_yaml(block: Sequence[str]) -> dict[str, str] | None:
    """Flat values; the lines nested under a key are joined to one value. None if it is not YAML."""
    if not any(map(str.strip, block)):
        return {}
    known = all(_KEY_LINE.fullmatch(line) or _NESTED_LINE.fullmatch(line) for line in block)
    if not known or not any(map(_KEY_LINE.fullmatch, block)):
        return None
    nested: dict[str, list[str]] = {}
    key = ""
    for line in block:
        match = _KEY_LINE.fullmatch(line)
        if match:
            key = _unquoted(match["key"])
            value = (match["value"] or "").strip()
            nested[key] = [] if value in ("", "|", ">", "|-", ">-") else [_unquoted(value)]
        elif key and line.strip() and not line.strip().startswith("#"):
            nested[key].append(_unquoted(line.strip().removeprefix("-").strip()))
    return {key: ", ".join(values) for key, values in nested.items()}


def _unquoted(value: str) -> str:
    if len(value) >= 2 and value[0] == value[-1] and value[0] in "\"'":
        return value[1:-1]
    return re.sub(r"\s+#\s.*$", "", value)
