"""Prompt files: found, loaded, rendered, hashed.

A prompt is a Markdown file of two parts, ``# system`` and ``# user``, with ``{{name}}`` where a value goes.
Values are data: they are put in once, in one pass, and never read as templates.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Literal, TypeVar, get_args

from goldgen.errors import PromptError
from goldgen.text import stable_id
from goldgen.types import Message

_PLACEHOLDER = re.compile(r"\{\{(\w+)\}\}")
_PARTS = re.compile(r"\A# system\n(?P<system>.*?)\n# user\n(?P<user>.*)\Z", re.S)
_FRONT_MATTER = re.compile(r"\A---\n(?P<settings>.*?)\n?---\n(?P<instruction>.*)\Z", re.S)
_SETTINGS = {"needs": "chunk", "asked": "always"}
"""What a style's front matter may say, and what holds if it does not."""

Value = TypeVar("Value", bound=str)
Asked = Literal["always", "by name"]
"""Whether a style belongs to the usual mix."""
Needs = Literal["chunk", "neighbour", "other document", "no answer"]
"""What a style asks about: one chunk; a chunk and the one after it; a chunk and one of another document that
names the same rare thing; or what a chunk does not say."""


@dataclass(frozen=True, slots=True)
class Style:
    """One kind of question."""

    name: str
    instruction: str
    needs: Needs = "chunk"
    asked: Asked = "always"

    @property
    def is_usual(self) -> bool:
        """Whether it is asked for where nobody names styles."""
        return self.needs == "chunk" and self.asked == "always"


@dataclass(frozen=True, slots=True)
class Prompt:
    """One prompt file."""

    name: str
    system: str
    user: str

    @property
    def hash(self) -> str:
        """Changes when the file does, so that calls made with another wording are not reused."""
        return stable_id(self.system, self.user)

    def render(self, values: Mapping[str, str]) -> tuple[Message, ...]:
        """The messages with ``values`` in place.

        Raises PromptError if a placeholder has no value, or a value no placeholder.
        """
        placed = set(_PLACEHOLDER.findall(self.system)) | set(_PLACEHOLDER.findall(self.user))
        if left := sorted(values.keys() - placed):
            wanted = ", ".join(f"{{{{{name}}}}}" for name in left)
            raise PromptError(f"prompt {self.name!r} lacks {wanted}; write where it goes")
        return (
            Message("system", self._filled(self.system, values)),
            Message("user", self._filled(self.user, values)),
        )

    def _filled(self, template: str, values: Mapping[str, str]) -> str:
        def value(found: re.Match[str]) -> str:
            if found.group(1) not in values:
                raise PromptError(
                    f"prompt {self.name!r} asks for {found.group()}, which goldgen does not give"
                )
            return values[found.group(1)]

        return _PLACEHOLDER.sub(value, template).strip()


@dataclass(frozen=True, slots=True)
class PromptLibrary:
    """A folder of prompts: ``question.md``, ``near_miss.md``, ``verify.md`` … and ``styles/*.md``.

    What it lacks is taken from ``rest``, and styles come from both.
    """

    folder: Path
    rest: "PromptLibrary | None" = None

    @classmethod
    def packaged(cls) -> "PromptLibrary":
        """The prompts that come with goldgen: inside an installed wheel, or at the top of a checkout."""
        package = Path(str(files("goldgen")))
        shipped = package / "_prompts"
        return cls(shipped if shipped.is_dir() else package.parent / "prompts")

    @classmethod
    def of(cls, folder: Path | None) -> "PromptLibrary":
        """The user's folder before goldgen's own; None: that alone. Raises PromptError if it is no folder."""
        if folder is None:
            return cls.packaged()
        if not folder.is_dir():
            raise PromptError(f"there is no folder of prompts {folder}; copy goldgen's own, or name another")
        return cls(folder, cls.packaged())

    def load(self, name: str) -> Prompt:
        """The prompt of that name; raises PromptError if the file is missing or lacks a part."""
        if self.rest and not (self.folder / f"{name}.md").exists():
            return self.rest.load(name)
        text = self._read(f"{name}.md")
        parts = _PARTS.match(text)
        if parts is None:
            raise PromptError(f"{self.folder / name}.md needs the two headings '# system' and '# user'")
        return Prompt(name, parts["system"].strip(), parts["user"].strip())

    def styles(self) -> dict[str, Style]:
        """Each question style by its name, in the order of names. Raises PromptError if there is none."""
        folder = self.folder / "styles"
        try:
            names = sorted(path.name for path in folder.glob("*.md"))
        except OSError as error:
            raise PromptError(f"cannot read the prompts in {folder}: {error.strerror}") from error
        found = self.rest.styles() if self.rest else dict[str, Style]()
        found |= {name.removesuffix(".md"): self._style(name) for name in names}
        if not found:
            raise PromptError(f"no styles in {folder}; put at least one .md file there")
        return {name: found[name] for name in sorted(found)}

    def _style(self, file: str) -> Style:
        name, text = file.removesuffix(".md"), self._read(f"styles/{file}")
        # It becomes a field of the reply, and schemas allow nothing else for its name.
        if not re.fullmatch(r"[a-z][a-z0-9_]*", name):
            raise PromptError(
                f"the style {self.folder / 'styles' / file} needs another name: small letters, digits and _"
            )
        parts = _FRONT_MATTER.match(text)
        if parts is None:
            return Style(name, " ".join(text.split()))
        settings = _SETTINGS | dict(self._settings(file, parts["settings"]))
        needs = self._known(file, "needs", settings["needs"], get_args(Needs))
        asked = self._known(file, "asked", settings["asked"], get_args(Asked))
        return Style(name, " ".join(parts["instruction"].split()), needs, asked)

    def _settings(self, file: str, text: str) -> Iterator[tuple[str, str]]:
        for line in filter(str.strip, text.splitlines()):
            key, _, value = line.partition(":")
            yield self._known(file, "front matter with", key.strip(), tuple(_SETTINGS)), value.strip()

    def _known(self, file: str, what: str, value: str, known: tuple[Value, ...]) -> Value:
        for each in known:
            if each == value:
                return each
        path, listed = self.folder / "styles" / file, ", ".join(known)
        raise PromptError(f"the style {path} has {what} {value!r}; goldgen knows {listed}")

    def _read(self, name: str) -> str:
        path = self.folder / name
        try:
            return path.read_text(encoding="utf-8-sig")
        except OSError as error:
            raise PromptError(f"cannot read the prompt {path}: {error.strerror}") from error
        except UnicodeDecodeError as error:
            raise PromptError(f"the prompt {path} is not UTF-8; save it in that encoding") from error


def delimited(kind: str, text: str) -> str:
    """``text`` between marks that it cannot forge, since their number is a hash of it."""
    clean = "".join(map(_visible, text))
    mark = f"{kind}-{stable_id(clean)[:8]}"
    return f"<{mark}>\n{clean}\n</{mark}>"


def _visible(character: str) -> str:
    if character in "\n\t" or unicodedata.category(character) not in ("Cc", "Cf", "Cs"):
        return character
    return " " if character.isspace() else ""
