"""What an endpoint's error means: the failure of one call, or the end of the run."""

import re
from collections.abc import Mapping
from typing import NoReturn, cast

from openai import APIConnectionError, APIStatusError

from goldgen.errors import EndpointError
from goldgen.models.endpoints import Endpoint
from goldgen.models.retry import is_dropped, is_out_of_quota, retry_after
from goldgen.types import Failure

_LONGEST_MESSAGE = 200
_SHORTEST_SECRET = 12
_RETRIED = frozenset({408, 409, 429})
_TOO_LONG = re.compile(
    r"context.{0,20}(?:length|size|window|limit)|exceed.{0,40}(?:context|token)|maximum.{0,20}tokens|too long"
    r"|too many tokens|prompt is too",
    re.I,
)


def is_too_long(error: APIStatusError) -> bool:
    """Whether prompt and reply together exceed what the model can hold."""
    return error.status_code in (400, 413, 422) and (
        error.code == "context_length_exceeded" or bool(_TOO_LONG.search(error.message))
    )


def ends_the_run(error: APIStatusError, has_answered: bool) -> bool:
    """Whether every other call would meet the same refusal.

    An endpoint that has answered refuses one input with 403 or 404, and not the key or the model.
    """
    of_all = (401,) if has_answered else (401, 403, 404)
    return error.status_code in of_all or is_out_of_quota(error)


class Diagnosis:
    """Errors of one endpoint in words without its key. Raises EndpointError where no call can succeed."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint

    def of_status(self, error: APIStatusError, has_answered: bool) -> Failure:
        """One call's failure."""
        status = error.status_code
        if ends_the_run(error, has_answered):
            self._stop_for(error)
        if error.code == "content_filter":
            return Failure("content_filter", "the endpoint's content filter refused the request")
        if is_too_long(error):
            return Failure("too_long", f"the prompt does not fit the model ({status}: {self._said(error)})")
        if 400 <= status < 500 and status not in _RETRIED:
            return Failure("bad_request", f"{status}: {self._said(error)}")
        if (wait := retry_after(error) or 0.0) > self._endpoint.timeout:
            return Failure("unavailable", f"{status}, to be tried again in {wait:.0f} s, which is too long")
        return Failure("unavailable", f"{status} after every retry")

    def _stop_for(self, error: APIStatusError) -> NoReturn:
        status = error.status_code
        if is_out_of_quota(error):
            self.stop(f"the account has no quota left ({status}: {self._said(error)})")
        if status == 404:
            self.stop(
                f"model {self._endpoint.model!r} or the path was not found (404: {self._said(error)}); "
                "check the model's name, and that the base URL ends as the server wants it, mostly in /v1"
            )
        self.stop(f"the key was refused ({status}); set OPENAI_API_KEY or another key")

    def of_connection(self, error: APIConnectionError) -> Failure:
        """A connection that broke is one call's failure; nothing that listens is everybody's."""
        if not is_dropped(error):
            self.stop(f"nothing answers ({error.__cause__ or error}); is the server running?")
        return Failure("unavailable", "the connection broke at every retry")

    def of_deadline(self, last: BaseException | None) -> Failure:
        """The deadline passed: while waiting for an answer, or while the endpoint kept refusing."""
        seconds = f"{self._endpoint.timeout:g} s"
        if isinstance(last, APIStatusError):
            return Failure(
                "unavailable", f"at every retry within {seconds} {last.status_code}: {self._said(last)}"
            )
        if isinstance(last, APIConnectionError) and is_dropped(last):
            return Failure("unavailable", f"the connection broke at every retry within {seconds}")
        return Failure("timeout", f"no usable reply within {seconds}")

    def stop(self, message: str) -> NoReturn:
        """End the run."""
        raise EndpointError(self.redacted(f"{self._endpoint.label}: {message}")) from None

    def redacted(self, text: str) -> str:
        """The text without the key, which some gateways send back.

        A short key is a dummy, such as "ollama", and a word of the documents perhaps.
        """
        secret = self._endpoint.api_key.get_secret_value()
        return text.replace(secret, "<key>") if len(secret) >= _SHORTEST_SECRET else text

    def _said(self, error: APIStatusError) -> str:
        """The server's own words, in one short line."""
        body = cast("Mapping[str, object]", error.body if isinstance(error.body, Mapping) else {})
        words = str(body.get("message") or error.message).split()
        return self.redacted(" ".join(words))[:_LONGEST_MESSAGE]
