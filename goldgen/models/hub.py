"""Whether a model can be had from the Hugging Face hub, told within two seconds."""

from functools import cache

import httpx2
from pydantic import BaseModel

from goldgen.models.waiting import within

_SECONDS = 1.8
_WEIGHTS = (".safetensors", ".bin", ".gguf")


class _File(BaseModel):
    rfilename: str


class _Listing(BaseModel):
    siblings: list[_File]


class Hub:
    """The hub, or a mirror of it, at one address. Where it was silent once, nothing more is asked of it."""

    def __init__(self, url: str, seconds: float = _SECONDS) -> None:
        self._url = url
        self._seconds = seconds
        self._is_silent = False

    def has(self, repository: str, token: str | None = None) -> bool:
        """Whether it lists weights in the repository and begins to send them, all within ``seconds``.

        A server that takes the connection and says nothing is no hub, nor is a proxy that refuses, or a
        captive portal that answers everything with a page of its own.
        """
        if self._is_silent:
            return False
        try:
            return within(self._seconds, lambda: self._sends(repository, token))
        except (TimeoutError, httpx2.TimeoutException):
            self._is_silent = True
        # Beside its own: a proxy that needs a package, an address that is none, certificates not there,
        # and a reply that is no list of files.
        except (httpx2.HTTPError, httpx2.InvalidURL, ImportError, ValueError, OSError):
            pass
        return False

    def _sends(self, repository: str, token: str | None) -> bool:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        with httpx2.Client(headers=headers, timeout=self._seconds, follow_redirects=True) as client:
            reply = client.get(f"{self._url}/api/models/{repository}")
            if not reply.is_success:
                return False
            names = [file.rfilename for file in _Listing.model_validate_json(reply.content).siblings]
            weights = next((name for end in _WEIGHTS for name in names if name.endswith(end)), None)
            if weights is None:
                return False
            # From where large files come, which may be another server that is not to be reached.
            url = f"{self._url}/{repository}/resolve/main/{weights}"
            with client.stream("GET", url, headers={"Range": "bytes=0-0"}) as begun:
                return begun.is_success and any(begun.iter_raw())


@cache
def hub_at(url: str) -> Hub:
    """One for each address, so that a silent hub is waited for once, until the process ends."""
    return Hub(url)


def hub_has(repository: str) -> bool:
    """Whether the hub may be asked (HF_HUB_OFFLINE) and has the repository, by the address of HF_ENDPOINT."""
    try:
        from huggingface_hub import constants, get_token
    except ModuleNotFoundError:
        return False
    return not constants.HF_HUB_OFFLINE and hub_at(constants.ENDPOINT).has(repository, get_token())
