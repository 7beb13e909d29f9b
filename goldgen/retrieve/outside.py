"""The user's own retrievers: a Python function, or a service that speaks JSON.

Neither can index a near miss that stands only in the set's overlay, so what is measured with overlays does
not apply to them: ``indexes_overlays`` is False.
"""

import asyncio
import importlib
import json
import sys
from collections.abc import Awaitable, Callable, Collection
from contextlib import redirect_stdout, suppress
from operator import attrgetter
from pathlib import Path
from threading import Thread
from types import ModuleType, TracebackType
from typing import TYPE_CHECKING, cast

from goldgen.errors import RetrieverError
from goldgen.retrieve.hits import ReplyReader, shown
from goldgen.types import Ranking, Replies

if TYPE_CHECKING:
    import httpx2


SearchFunction = Callable[[str, int], object]
"""``(question, k)`` to ids, (id, score) pairs or dicts with both, best first; sync or async."""


class CallableRetriever:
    """A function of the user's own, called ``name`` wherever it is told of.

    Coroutines of all searches run on one event loop, so that a connection pool lives on between them.
    ``chunk_ids`` are those of the set. ``search`` raises RetrieverError for an answer that cannot be ranked
    and for whatever the function raised, a Ctrl-C apart. What it prints goes to standard error, for standard
    output is goldgen's own.
    """

    indexes_overlays = False

    def __init__(self, name: str, function: SearchFunction, chunk_ids: Collection[str]) -> None:
        self._name = name
        self._reader = ReplyReader(name, chunk_ids)
        self._function = function
        self._loop = _EventLoop()

    @property
    def replies(self) -> Replies:
        """What came back so far."""
        return self._reader.replies

    def search(self, question: str, k: int, hidden: frozenset[str] = frozenset()) -> Ranking:
        """The best ``k`` chunks; ids that the set does not have keep their rank."""
        where = f"retriever {self._name}, asked {question!r}, raised"
        with _Blame(where), redirect_stdout(sys.stderr):
            answer = self._function(question, k + len(hidden))
            if isinstance(answer, Awaitable):
                answer = self._loop.result_of(cast(Awaitable[object], answer))
            return self._reader.ranking(answer, question, k, hidden)

    def close(self) -> None:
        """Ends the event loop, if there is one."""
        self._loop.close()


class HttpRetriever:
    """A service that gets ``POST {"question": …, "k": …}`` and answers ``{"hits": [{"id": …, "score": …}]}``.

    Hits come best first; the score may be left out of all of them, and a bare id may stand for a hit.
    ``timeout`` is in seconds, for connecting and for each wait. A name and password in the URL are sent as
    basic authentication and stand in no message. ``chunk_ids`` are those of the set. There are no retries:
    a search that fails raises RetrieverError.
    """

    indexes_overlays = False

    def __init__(self, url: str, chunk_ids: Collection[str], timeout: float = 30.0) -> None:
        import httpx2

        try:
            self._url = httpx2.URL(url)
            # As it is looked up: a label of a name has at most 63 characters.
            self._url.raw_host.decode("ascii").encode("idna")
        except (httpx2.InvalidURL, UnicodeError) as error:
            raise RetrieverError(
                f"a retriever's address is wrong: {error}; give one as http://host:port/path"
            ) from error
        self.address = str(self._url.copy_with(username=None, password=None, query=None))
        """Without password and query, as it may be shown."""
        if self._url.scheme not in {"http", "https"} or not self._url.host:
            raise RetrieverError(f"{self.address!r} is no address; give one as http://host:port/path")
        self._reader = ReplyReader(self.address, chunk_ids)
        self._timeout = timeout
        # A proxy is for hosts elsewhere: it would look for this machine's services on its own.
        try:
            self._client = httpx2.Client(timeout=timeout, trust_env=self.host_is_remote)
        except ImportError as error:
            raise RetrieverError(
                f"{self.address} is to be asked through a SOCKS proxy, which needs a library: "
                "pip install 'httpx2[socks]', or set NO_PROXY for its host"
            ) from error

    @property
    def host_is_remote(self) -> bool:
        """Whether questions leave this machine; what is to be said before the first search."""
        return self._url.host not in {"localhost", "::1"} and not self._url.host.startswith("127.")

    @property
    def replies(self) -> Replies:
        """What came back so far."""
        return self._reader.replies

    def search(self, question: str, k: int, hidden: frozenset[str] = frozenset()) -> Ranking:
        """The best ``k`` chunks; ids that the set does not have keep their rank."""
        body = self._answer(question, k + len(hidden))
        if not isinstance(body, dict) or "hits" not in body:
            raise RetrieverError(
                f'retriever {self.address}, asked {question!r}, answered without "hits": '
                f"{shown(cast(object, body))}; "
                'answer {"hits": [{"id": …, "score": …}]}'
            )
        hits = cast("dict[str, object]", body)["hits"]
        return self._reader.ranking(hits, question, k, hidden)

    def close(self) -> None:
        """Closes the connections."""
        self._client.close()

    def _answer(self, question: str, k: int) -> object:
        import httpx2

        try:
            response = self._client.post(self._url, json={"question": question, "k": k})
        except httpx2.TimeoutException as error:
            raise RetrieverError(
                f"retriever {self.address} did not answer {question!r} within {self._timeout:g} s; "
                "see whether it is stuck, or allow more time"
            ) from error
        except httpx2.HTTPError as error:
            raise RetrieverError(
                f"retriever {self.address} cannot be reached: {error}; see whether it runs and listens there"
            ) from error
        if not response.is_success:
            raise self._refused(response)
        try:
            return json.loads(response.content)
        except RecursionError as error:
            raise RetrieverError(
                f"retriever {self.address} answered {question!r} with JSON that is nested too deeply; "
                'answer {"hits": [{"id": …, "score": …}]}'
            ) from error
        except ValueError as error:
            raise RetrieverError(
                f"retriever {self.address} answered {question!r} with something that is not JSON: "
                f"{_text(response)!r:.80}; see whether this is the right address"
            ) from error

    def _refused(self, response: "httpx2.Response") -> RetrieverError:
        said = " ".join(_text(response).split())[:200]
        return RetrieverError(
            f"retriever {self.address} answered with HTTP status {response.status_code}"
            f"{f': {said}' if said else ''}; see its log"
        )


def _text(response: "httpx2.Response") -> str:
    """The body as UTF-8, whatever encoding its header names: that may be none that Python has."""
    return response.content.decode("utf-8", "replace")


class _Blame:
    """Any exception of the user's code inside becomes a RetrieverError that says where it comes from.

    ``sys.exit`` too: it would end goldgen as if all were done. Only Ctrl-C passes.
    """

    def __init__(self, where: str) -> None:
        self._where = where

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None or isinstance(error, KeyboardInterrupt | RetrieverError):
            return
        said = ""
        # The words of an exception of the user's own are code that may fail as well.
        with suppress(BaseException):
            said = " ".join(str(error).split())
        what = f"{type(error).__name__}: {said}" if said else type(error).__name__
        raise RetrieverError(f"{self._where} {what}; mend it there") from error


class _EventLoop:
    """One loop in a thread of its own, begun when first needed: it works inside a running loop too."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: Thread | None = None

    def result_of(self, awaitable: Awaitable[object]) -> object:
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            self._thread = Thread(target=_run, args=(self._loop,), daemon=True)
            self._thread.start()
        future = asyncio.run_coroutine_threadsafe(_awaited(awaitable), self._loop)
        try:
            return future.result()
        finally:
            # After Ctrl-C the search would go on.
            future.cancel()

    def close(self) -> None:
        if self._loop is not None and self._thread is not None:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()
            self._loop = self._thread = None


def _run(loop: asyncio.AbstractEventLoop) -> None:
    """Until it is stopped: ``sys.exit`` in a task ends a loop, and all who wait on it would wait for ever."""
    while True:
        with suppress(SystemExit, KeyboardInterrupt):
            loop.run_forever()
            return


async def _awaited(awaitable: Awaitable[object]) -> object:
    return await awaitable


def imported(target: str, folder: Path) -> SearchFunction:
    """The function that ``module:function`` names, also with dots after the colon.

    The module is imported as anywhere in Python and, failing that, from ``folder``. Raises RetrieverError if
    it is not there.
    """
    module_name, _, attribute = target.partition(":")
    if not module_name or not attribute:
        raise RetrieverError(f"{target!r} names no function; name one as mypkg.search:retrieve")
    # At the end: a file beside the user's documents must not stand in for a library.
    if str(folder) not in sys.path:
        sys.path.append(str(folder))
    importlib.invalidate_caches()
    module = _module(module_name, folder)
    with _Blame(f"{target} cannot be looked up:"), redirect_stdout(sys.stderr):
        try:
            function = attrgetter(attribute)(module)
        except AttributeError as error:
            place = getattr(module, "__file__", None) or module_name
            raise RetrieverError(
                f"{place} has no {attribute!r}; see the name after the colon of {target}"
            ) from error
    if not callable(function):
        raise RetrieverError(f"{target} is {type(function).__name__}, no function; name one of (question, k)")
    return cast(SearchFunction, function)


def _module(name: str, folder: Path) -> ModuleType:
    with _Blame(f"module {name} cannot be imported:"), redirect_stdout(sys.stderr):
        try:
            return importlib.import_module(name)
        except ModuleNotFoundError as error:
            if error.name is None or not f"{name}.".startswith(f"{error.name}."):
                raise
            raise RetrieverError(
                f"there is no module {error.name!r}, neither installed nor in {folder}; "
                "start goldgen in the folder that holds it, or install it"
            ) from error
