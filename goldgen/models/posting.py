"""JSON posted to one endpoint that answers in one piece. Imports openai: load it when used."""

import re
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

import httpx2
from openai import APIConnectionError, APIStatusError, DefaultHttpxClient, OpenAI
from tenacity import Retrying, retry_if_exception, stop_after_attempt, stop_any, stop_before_delay

from goldgen.errors import EndpointError, ModelError
from goldgen.models.endpoints import Endpoint, is_direct
from goldgen.models.failures import is_too_long
from goldgen.models.retry import is_out_of_quota, is_transient, wait

_ATTEMPTS = 6
_FATAL = frozenset({401, 403, 404})
# Hugging Face's server, and llama.cpp's, which says so with status 500.
_TOO_LARGE = re.compile(
    r"less than \d+ (?:tokens|characters)|too large to process|maximum allowed batch", re.I
)


class TooLargeError(ModelError):
    """The endpoint takes no request of this length."""


class RefusedError(ModelError):
    """The endpoint refuses this request, and perhaps no other."""


@dataclass(frozen=True, slots=True)
class JsonEndpoint:
    """Posts requests. ``endpoint.timeout`` bounds one request in all, retries included."""

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

    def post(self, client: OpenAI, path: str, body: Mapping[str, object]) -> str:
        """The reply's text. Raises EndpointError if no request can succeed, ModelError if this one failed."""
        retrying = Retrying(
            retry=retry_if_exception(_worth_it),
            wait=wait,
            stop=stop_any(stop_before_delay(self.endpoint.timeout), stop_after_attempt(_ATTEMPTS)),
            reraise=True,
        )
        end = time.monotonic() + self.endpoint.timeout
        try:
            return retrying(self._request, client, path, body, end)
        except APIStatusError as error:
            raise self._refusal(error) from error
        except APIConnectionError as error:
            raise EndpointError(
                f"nothing answers at {self.endpoint.label} within {self.endpoint.timeout:g} s ({error}): "
                "is the server running?"
            ) from error

    def unusable(self, reason: str) -> ModelError:
        """For a reply that cannot be used."""
        return ModelError(
            f"{self.endpoint.label} {reason} by {self.endpoint.model}: check that this is a model for "
            f"{self.wanted}"
        )

    def _request(self, client: OpenAI, path: str, body: Mapping[str, object], end: float) -> str:
        """The reply's text. Parsed by us, because the SDK passes on whatever comes with a 200."""
        reply = client.post(
            path,
            cast_to=httpx2.Response,
            body=body,
            options={"timeout": max(0.1, end - time.monotonic())},
        )
        return reply.text

    def _refusal(self, error: APIStatusError) -> ModelError:
        message = " ".join(error.message.split())
        secret = self.endpoint.api_key.get_secret_value()
        if secret:
            message = message.replace(secret, "<key>")
        hint = "check the key, the model's name, and that the URL ends as the server wants it, often in /v1"
        said = (
            f"{self.endpoint.label} refused {self.wanted} by {self.endpoint.model} ({message[:200]}): {hint}"
        )
        if error.status_code in _FATAL or is_out_of_quota(error):
            return EndpointError(said)
        if _is_too_large(error):
            return TooLargeError(said)
        return RefusedError(said)


def _worth_it(error: BaseException) -> bool:
    return is_transient(error) and not (isinstance(error, APIStatusError) and _is_too_large(error))


def _is_too_large(error: APIStatusError) -> bool:
    return error.status_code == 413 or is_too_long(error) or bool(_TOO_LARGE.search(error.message))
