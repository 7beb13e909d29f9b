"""Where a chat model is reached, and by which name."""

import ipaddress
import re
import urllib.request
from dataclasses import dataclass
from urllib.parse import urlsplit

from pydantic import SecretStr

from goldgen.errors import SettingsError
from goldgen.types import OutputMode, Price

OPENAI_URL = "https://api.openai.com/v1"
DEFAULT_GENERATOR = "gpt-6-luna"
DEFAULT_VERIFIER = "gpt-6.1-terra"
REASONING_ROOM = 2048
"""Hosted reasoning models spend tokens of the same budget before they answer."""
_OPENAI_HOSTS = ("api.openai.com", ".openai.azure.com", ".cognitiveservices.azure.com")
EMBEDDED_GENERATOR = "Qwen2.5-Coder-1.5B-Instruct-Q4_K_M"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One chat model at one OpenAI-compatible endpoint."""

    model: str
    base_url: str
    api_key: SecretStr
    timeout: float = 120.0
    """Seconds for one call in all, retries and re-asks included."""
    concurrency: int = 8
    embedded: bool = False
    """Runs in a child of this process; its port changes from run to run."""
    output_mode: OutputMode | None = None
    """How structured output is asked for; None: found by trying."""
    price: Price | None = None
    """None: by the packaged table of prices."""

    def __post_init__(self) -> None:
        """Raises SettingsError if ``base_url`` is no URL of a server, or no header can carry the key.

        An HTTP client's own error about a key would show it.
        """
        try:
            parts = urlsplit(self.base_url)
            usable = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
        except ValueError:
            usable = False
        if not usable:
            raise SettingsError(
                f"{shown_url(self.base_url)!r} is no endpoint; give one like http://127.0.0.1:11434/v1"
            )
        key = self.api_key.get_secret_value()
        if key != key.strip() or not (key.isascii() and key.isprintable()):
            raise SettingsError(
                f"the key for {self.label} has a space or line break at an end, or a character that no key "
                "has; set it anew"
            )

    @property
    def label(self) -> str:
        """What stands in the ledger: stable, and without credentials or query."""
        if self.embedded:
            return "embedded"
        parts = urlsplit(self.base_url)
        port = f":{parts.port}" if parts.port else ""
        return f"{parts.scheme}://{parts.hostname}{port}{parts.path.rstrip('/')}"

    @property
    def remote(self) -> bool:
        """Whether text leaves this machine."""
        host = urlsplit(self.base_url).hostname or ""
        try:
            return not ipaddress.ip_address(host).is_loopback
        except ValueError:
            return host != "localhost" and not host.endswith(".localhost")


def shown_url(url: str) -> str:
    """A URL, or what was given for one, without credentials and query."""
    return re.sub(r"//[^/@]*@", "//", url).split("?", 1)[0]


def is_direct(endpoint: Endpoint) -> bool:
    """Whether no proxy of the environment applies: on this machine, and where NO_PROXY names the host.

    httpx builds a SOCKS proxy, which needs a package, before it looks at NO_PROXY.
    """
    host = urlsplit(endpoint.base_url).hostname or ""
    return not endpoint.remote or bool(urllib.request.proxy_bypass(host))


def normalised_name(model: str) -> str:
    """The name without provider, path, file ending, tag, quantisation and date: for comparing models."""
    name = model.strip().lower().replace("\\", "/").rsplit("/", 1)[-1]
    name = name.removesuffix(".gguf").split(":", 1)[0]
    name = re.sub(r"[-_.](q\d\w*|f16|bf16|fp16|fp8|awq|gptq|int4|int8)$", "", name)
    return re.sub(r"-(20\d\d-\d\d-\d\d|20\d{6}|latest)$", "", name)


def joined_models(name: str) -> tuple[str, ...]:
    """The models of a judge that is made of several, whose name joins theirs by " + "."""
    return tuple(name.split(" + "))


def family(model: str) -> str:
    """The leading word of the name: gpt, claude, qwen …"""
    found = re.match(r"[a-z]+", normalised_name(model))
    return found.group() if found else normalised_name(model)


def is_openai(url: str) -> bool:
    """Whether OpenAI's own models answer there, which spend tokens on thoughts before the reply."""
    host = urlsplit(url).hostname or ""
    return any(host == known or host.endswith(known) for known in _OPENAI_HOSTS)


def reply_limit(endpoint: Endpoint, max_tokens: int) -> int:
    """How many tokens a reply of ``max_tokens`` may cost there."""
    return max_tokens + (REASONING_ROOM if is_openai(endpoint.base_url) else 0)


def price_usd(endpoint: Endpoint, prompt_tokens: int, completion_tokens: int) -> float | None:
    """The endpoint's own price, or that of genai-prices (its packaged table, no download); else None."""
    if endpoint.price is not None:
        return endpoint.price.usd(prompt_tokens, completion_tokens)
    if endpoint.embedded:
        return 0.0
    if not endpoint.remote:
        return None
    from genai_prices import Usage, calc_price

    usage = Usage(input_tokens=prompt_tokens, output_tokens=completion_tokens)
    try:
        price = calc_price(usage, endpoint.model, provider_api_url=endpoint.base_url)
    except LookupError:
        return None
    return float(price.total_price)
