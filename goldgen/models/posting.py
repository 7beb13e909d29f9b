"""JSON posted to one endpoint that answers in one piece. Imports openai: load it when used."""

import re
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import cast

import httpx2
from openai import APIConnectionError, APIStatusError, APITimeoutError, DefaultHttpxClient, OpenAI
from pydantic import BaseModel, ValidationError
from tenacity import Retrying, retry_if_exception, stop_after_attempt, stop_any, stop_before_delay

from goldgen.errors import EndpointError, ModelError
from goldgen.models.endpoints import Endpoint, is_direct
from goldgen.models.failures import is_too_long
from goldgen.models.retry import is_out_of_quota, is_transient, wait
from goldgen.models.waiting import within

_ATTEMPTS = 6
_LONGEST_MESSAGE = 200
_FATAL = frozenset({401, 403, 404})
_HINTS = {
    401: "check the key",
    402: "the account has no quota left",
    403: "check the key, and what it may do",
    404: "check the model's name, and that the URL ends as the server wants it, often in /v1",
    429: "wait, or ask for a higher limit",
}
# Hugging Face's server, and llama.cpp's, which says so with status 500.
_TOO_LARGE = re.compile(
    r"less than \d+ (?:tokens|characters)|too large to process|maximum allowed batch", re.I
)


class TooLargeError(ModelError):
    """The endpoint takes no request of this length."""


class RefusedError(ModelError):
    """The endpoint refuses this request, and perhaps no other."""


class _Refusal(BaseModel):
    """What some servers send with status 200 in place of a result."""

    error: object


@dataclass(frozen=True, slots=True)
class JsonEndpoint:
    """Posts requests, each until a deadline that the caller sets, retries included."""

    endpoint: Endpoint
    wanted: str
    """What is asked for, in a word, such as "embeddings"."""

    @contextmanager
    def opened(self) -> Generator[OpenAI]:
        """Raises ModelError if the environment names a proxy that needs an extra package."""
        try:
            client = OpenAI(
                base_url=self.endpoint.base_url,
                api_key=self.endpoint.api_key.get_secret_value() or "none",
                max_retries=0,
                http_client=DefaultHttpxClient(trust_env=not is_direct(self.endpoint)),
            )
        except ImportError as error:
            raise ModelError(
                f"the proxy in the environment needs an extra package ({error}); "
                "install it, or set NO_PROXY for the endpoint's host"
            ) from error
        with client:
            yield client

    def deadline(self) -> float:
        """The time, by the monotonic clock, at which ``endpoint.timeout`` has passed from now."""
        return time.monotonic() + self.endpoint.timeout

    def post(self, client: OpenAI, path: str, body: Mapping[str, object], end: float) -> str:
        """The reply's text, by ``end`` on the monotonic clock however slowly it drips in.

        Raises EndpointError if no request can succeed, ModelError if this one failed.
        """
        retrying = Retrying(
            retry=retry_if_exception(_worth_it),
            wait=wait,
            stop=stop_any(stop_before_delay(end - time.monotonic()), stop_after_attempt(_ATTEMPTS)),
            reraise=True,
        )
        try:
            return retrying(self._request, client, path, body, end)
        except APIStatusError as error:
            raise self._refusal(error) from error
        except (TimeoutError, APITimeoutError) as error:
            raise EndpointError(
                f"{self.endpoint.label} did not finish {self.wanted} by {self.endpoint.model} within "
                f"{self.endpoint.timeout:g} s: look at the server, or set a longer GOLDGEN_TIMEOUT"
            ) from error
        except APIConnectionError as error:
            raise EndpointError(
                f"nothing answers at {self.endpoint.label} within {self.endpoint.timeout:g} s ({error}): "
                "is the server running?"
            ) from error

    def unusable(self, reason: str, reply: str = "") -> ModelError:
        """For a reply that cannot be used, in the server's own words if the reply holds an error."""
        try:
            error = _Refusal.model_validate_json(reply).error
        except ValidationError:
            error = None
        if error:
            return ModelError(
                f"{self.endpoint.label} answered {self.wanted} by {self.endpoint.model} with an error "
                f"({self._shown(error)}): look at the server's log"
            )
        return ModelError(
            f"{self.endpoint.label} {reason} by {self.endpoint.model}: check that this is a model for "
            f"{self.wanted}"
        )

    def _request(self, client: OpenAI, path: str, body: Mapping[str, object], end: float) -> str:
        """The reply's text. Parsed by us, because the SDK passes on whatever comes with a 200."""
        left = end - time.monotonic()
        if left <= 0:
            raise TimeoutError

        def send() -> httpx2.Response:
            # The client's own time-out ends what nobody waits for any more.
            return client.post(path, cast_to=httpx2.Response, body=body, options={"timeout": left})

        return within(left, send).text

    def _refusal(self, error: APIStatusError) -> ModelError:
        status = error.status_code
        fallback = "look at the server's log" if status >= 500 else "check the model's name and what it takes"
        hint = _HINTS[402] if is_out_of_quota(error) else _HINTS.get(status, fallback)
        said = (
            f"{self.endpoint.label} refused {self.wanted} by {self.endpoint.model} "
            f"({self._shown(error.message)}): {hint}"
        )
        if error.status_code in _FATAL or is_out_of_quota(error):
            return EndpointError(said)
        if _is_too_large(error):
            return TooLargeError(said)
        return RefusedError(said)

    def _shown(self, said: object) -> str:
        """The server's words in one short line, without the key."""
        if isinstance(said, Mapping) and (message := cast("Mapping[str, object]", said).get("message")):
            said = message
        secret = self.endpoint.api_key.get_secret_value()
        line = " ".join(str(cast(object, said)).split())
        return (line.replace(secret, "<key>") if secret else line)[:_LONGEST_MESSAGE]


def _worth_it(error: BaseException) -> bool:
    return is_transient(error) and not (isinstance(error, APIStatusError) and _is_too_large(error))


def _is_too_large(error: APIStatusError) -> bool:
    return error.status_code == 413 or is_too_long(error) or bool(_TOO_LARGE.search(error.message))
