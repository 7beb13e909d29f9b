import asyncio
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from goldgen.errors import RetrieverError
from goldgen.retrieve import CallableRetriever, imported
from goldgen.types import Hit, Replies

CHUNK_IDS = ("a", "b", "c", "7")
Written = Callable[[str], CallableRetriever]


@pytest.fixture
def written(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Written]:
    """Writes a module whose ``retrieve`` is the code given, and opens it."""
    before = list(sys.path)
    opened: list[CallableRetriever] = []

    def write(code: str) -> CallableRetriever:
        module = f"search_{abs(hash(request.node.nodeid))}_{len(opened)}"
        (tmp_path / f"{module}.py").write_text(code, encoding="utf-8")
        opened.append(opened_in(tmp_path, f"{module}:retrieve"))
        return opened[-1]

    yield write
    for retriever in opened:
        retriever.close()
    sys.path[:] = before


def opened_in(folder: Path, target: str) -> CallableRetriever:
    return CallableRetriever(target, imported(target, folder), CHUNK_IDS)


def returns(written: Written, answer: str) -> CallableRetriever:
    return written(f"def retrieve(question, k):\n    return {answer}\n")


@pytest.mark.parametrize(
    ("answer", "ranking"),
    [
        ("['b', 'a']", (Hit("b", 1.0), Hit("a", 0.5))),
        ("[('b', 2), ('a', -0.5)]", (Hit("b", 2.0), Hit("a", -0.5))),
        ("[['b', 2], ['a', 1]]", (Hit("b", 2.0), Hit("a", 1.0))),
        (
            "[{'id': 'b', 'score': 2.5, 'text': 'more'}, {'id': 'a', 'score': 0}]",
            (Hit("b", 2.5), Hit("a", 0.0)),
        ),
        ("[{'id': 'b'}, {'id': 'a'}]", (Hit("b", 1.0), Hit("a", 0.5))),
        ("(name for name in ['b', 'a'])", (Hit("b", 1.0), Hit("a", 0.5))),
        ("[7]", (Hit("7", 1.0),)),
        ("__import__('numpy').array([7])", (Hit("7", 1.0),)),
        ("[('b', __import__('numpy').float32(0.5))]", (Hit("b", 0.5),)),
        ("[('b', __import__('decimal').Decimal('0.5'))]", (Hit("b", 0.5),)),
        ("[__import__('uuid').UUID(int=1)]", (Hit("00000000-0000-0000-0000-000000000001", 1.0),)),
        ("[('a', 1.0), ('c', 1.0), ('b', 1.0)]", (Hit("c", 1.0), Hit("b", 1.0), Hit("a", 1.0))),
        ("[]", ()),
        ("dict.fromkeys(['b', 'a']).keys()", (Hit("b", 1.0), Hit("a", 0.5))),
        ("{'b': 2.0, 'a': 1.0}.items()", (Hit("b", 2.0), Hit("a", 1.0))),
    ],
)
def test_ids_pairs_and_dicts_become_a_ranking(
    written: Written, answer: str, ranking: tuple[Hit, ...]
) -> None:
    assert returns(written, answer).search("why?", 10) == ranking


def test_question_and_k_are_handed_over_and_what_is_beyond_k_is_cut(written: Written) -> None:
    retriever = written("def retrieve(question, k):\n    return [question + str(n) for n in range(2 * k)]\n")
    assert [hit.chunk_id for hit in retriever.search("q", 2)] == ["q0", "q1"]
    assert retriever.search("q", 0) == ()


def test_hidden_chunks_are_left_out_and_as_many_more_are_asked_for(written: Written) -> None:
    retriever = written("def retrieve(question, k):\n    return ['a', 'b', 'c'][:k]\n")
    assert [hit.chunk_id for hit in retriever.search("q", 2, frozenset({"a"}))] == ["b", "c"]


def test_what_is_odd_is_counted(written: Written) -> None:
    retriever = written(
        "answers = iter([['a', 'x', 'a', 'b'], [], [('y', 2.0), ('a', 1.0)]])\n"
        "def retrieve(question, k):\n    return next(answers)\n"
    )
    assert [hit.chunk_id for hit in retriever.search("q", 10)] == ["a", "x", "b"]
    assert retriever.search("q", 10) == ()
    assert [hit.chunk_id for hit in retriever.search("q", 10)] == ["y", "a"]
    assert retriever.replies == Replies(questions=3, empty=1, hits=5, unknown=2, repeated=1, scored=1)


def test_a_repeated_chunk_keeps_its_best_rank(written: Written) -> None:
    retriever = returns(written, "[('a', 3.0), ('b', 2.0), ('a', 1.0)]")
    assert retriever.search("q", 10) == (Hit("a", 3.0), Hit("b", 2.0))


def test_coroutines_share_one_loop_that_ends_with_the_retriever(written: Written) -> None:
    retriever = written(
        "import asyncio\n"
        "loops = set()\n"
        "async def retrieve(question, k):\n"
        "    await asyncio.sleep(0)\n"
        "    loops.add(id(asyncio.get_running_loop()))\n"
        "    return [(str(len(loops)), 1.0)]\n"
    )
    assert [retriever.search("q", 1)[0].chunk_id for _ in range(3)] == ["1", "1", "1"]
    retriever.close()
    retriever.close()


def test_a_coroutine_is_awaited_inside_a_running_loop_too(written: Written) -> None:
    retriever = written("async def retrieve(question, k):\n    return ['a']\n")

    async def notebook() -> tuple[Hit, ...]:
        return retriever.search("q", 1)

    assert asyncio.run(notebook()) == (Hit("a", 1.0),)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ("None", "answered with None; return a list, best first, of ids"),
        ("3", "answered with a int: 3; return a list"),
        ("'abc'", "answered with a str: 'abc'; return a list"),
        ("{'a': 1.0}", r"answered with a dict: \{'a': 1.0\}; return a list"),
        ("[None]", "answered with a hit that is None; return a list"),
        ("[True]", "answered with a hit that is a bool: True"),
        ("[('a', 1.0, 'text')]", "answered with a hit that is a tuple"),
        ("[{'chunk': 'a'}]", "answered with a hit that is a dict"),
        ("[('a', 1.0), 'b']", "gave only 1 of 2 hits a score; score all or none"),
        ("[('a', float('nan'))]", "gave 'a' the score nan; a score is a finite number"),
        ("[('a', float('inf'))]", "gave 'a' the score inf"),
        ("[('a', '0.5')]", "gave 'a' the score '0.5'"),
        ("[('a', __import__('numpy').array([1.0, 2.0]))]", "gave 'a' the score array"),
        ("[('a', 0.1), ('b', 0.3)]", "ranks 'a' with 0.1 above 'b' with 0.3; return the best first"),
        ("1 / 0", r"search_\d+_0:retrieve, asked 'why\?', raised ZeroDivisionError: division by zero"),
        ("iter(lambda: 1 / 0, 0)", "raised ZeroDivisionError"),
        ("{'a', 'b'}", "answered with a set, which has no order; return a list, best first"),
        ("frozenset({'a'})", "answered with a frozenset, which has no order"),
        ("[('a', 10 ** 400)]", "gave 'a' the score 10+; a score is a finite number"),
        ("[('a', 10 ** 5000)]", "gave 'a' the score too long to show; a score is a finite number"),
        ("['\\ud83d']", r"gave the id '\\ud83d', which holds half a character"),
        ("iter(str, 1)", "gave more than 10,000 hits where 10 were asked for; return at most k"),
    ],
)
def test_an_answer_that_cannot_be_ranked_is_named(written: Written, answer: str, message: str) -> None:
    retriever = returns(written, answer)
    with pytest.raises(RetrieverError, match=message) as raised:
        retriever.search("why?", 10)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("code", "message"),
    [
        (
            "async def retrieve(question, k):\n    raise OSError('no database')\n",
            "raised OSError: no database",
        ),
        ("def retrieve(question):\n    return []\n", "raised TypeError: retrieve.. takes 1 positional"),
        ("def retrieve(question, k):\n    raise SystemExit(3)\n", "raised SystemExit: 3; mend it there"),
        ("def retrieve(question, k):\n    raise GeneratorExit\n", "raised GeneratorExit; mend it there"),
        ("def retrieve(question, k):\n    yield 'a'\n    exit()\n", "raised SystemExit"),
        ("class Own(BaseException): ...\ndef retrieve(question, k):\n    raise Own('x')\n", "raised Own: x"),
        (
            "class Mute(Exception):\n    def __str__(self): return 1 / 0\n"
            "def retrieve(question, k):\n    raise Mute\n",
            "raised Mute; mend it there",
        ),
    ],
)
def test_what_the_function_raises_is_its_own_to_mend(written: Written, code: str, message: str) -> None:
    with pytest.raises(RetrieverError, match=message) as raised:
        written(code).search("why?", 10)
    assert raised.value.__cause__ is not None


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("retriever = 1\n", r"search_\d+_0.py has no 'retrieve'; see the name after the colon"),
        ("retrieve = [1]\n", "is list, no function"),
        ("import no_such_library\n", "cannot be imported: ModuleNotFoundError: No module named 'no_such_lib"),
        ("def retrieve(:\n", "cannot be imported: SyntaxError"),
        ("raise RuntimeError('set DSN')\n", "cannot be imported: RuntimeError: set DSN"),
        ("import sys\nsys.exit()\n", "cannot be imported: SystemExit; mend it there"),
        ("def __getattr__(name):\n    raise SystemExit\n", "cannot be looked up: SystemExit; mend it there"),
    ],
)
def test_a_module_that_does_not_serve_is_named(written: Written, code: str, message: str) -> None:
    with pytest.raises(RetrieverError, match=message):
        written(code)


@pytest.mark.parametrize("ending", ["SystemExit", "GeneratorExit", "asyncio.CancelledError"])
def test_a_coroutine_that_would_end_the_loop_costs_its_own_question_only(
    written: Written, ending: str
) -> None:
    retriever = written(
        "import asyncio\n"
        "async def retrieve(question, k):\n"
        "    await asyncio.sleep(0)\n"
        f"    if question == 'end': raise {ending}\n"
        "    return ['a']\n"
    )
    with pytest.raises(RetrieverError, match=f"raised {ending.rpartition('.')[2]}; mend it there"):
        retriever.search("end", 1)
    assert retriever.search("why?", 1) == (Hit("a", 1.0),)


def test_a_task_left_in_the_loop_may_end_as_it_likes(written: Written) -> None:
    retriever = written(
        "import asyncio, sys\n"
        "async def leave():\n    sys.exit()\n"
        "async def retrieve(question, k):\n"
        "    task = asyncio.create_task(leave())\n"
        "    await asyncio.wait([task])\n"
        "    task.exception()\n"
        "    return ['a']\n"
    )
    assert [retriever.search("why?", 1) for _ in range(2)] == [(Hit("a", 1.0),)] * 2


def test_ctrl_c_is_not_the_functions_to_mend(written: Written) -> None:
    with pytest.raises(KeyboardInterrupt):
        written("def retrieve(question, k):\n    raise KeyboardInterrupt\n").search("why?", 1)


def test_more_than_was_asked_for_is_no_fault_while_it_ends(written: Written) -> None:
    assert len(returns(written, "list(range(20_000))").search("why?", 10)) == 10
    assert len(returns(written, "iter(range(10_000))").search("why?", 10)) == 10
    assert len(returns(written, "iter(range(4 * k))").search("why?", 2501)) == 2501


def test_what_the_code_prints_is_kept_off_standard_output(
    written: Written, capsys: pytest.CaptureFixture[str]
) -> None:
    written("print('imported')\ndef retrieve(question, k):\n    print('called')\n    yield 'a'\n").search(
        "q", 1
    )
    written("async def retrieve(question, k):\n    print('awaited')\n    return ['a']\n").search("q", 1)
    print("a table of goldgen's")  # noqa: T201  what must stand there alone
    printed = capsys.readouterr()
    assert printed.out == "a table of goldgen's\n"
    assert printed.err.split() == ["imported", "called", "awaited"]


@pytest.mark.parametrize("target", ["", "mypkg", "mypkg:", ":retrieve"])
def test_a_target_without_module_or_function_says_the_form(target: str, tmp_path: Path) -> None:
    with pytest.raises(RetrieverError, match=r"names no function; name one as mypkg\.search:retrieve"):
        opened_in(tmp_path, target)


def test_a_missing_module_names_the_folder(written: Written, tmp_path: Path) -> None:
    with pytest.raises(RetrieverError, match=f"there is no module 'no_such_pkg', neither .* in {tmp_path}"):
        opened_in(tmp_path, "no_such_pkg.search:retrieve")


def test_a_module_in_a_package_and_a_method_are_found(written: Written, tmp_path: Path) -> None:
    package = tmp_path / "some_package_of_mine"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "search.py").write_text(
        "class Engine:\n    def find(self, question, k):\n        return ['a']\nengine = Engine()\n",
        encoding="utf-8",
    )
    retriever = opened_in(tmp_path, "some_package_of_mine.search:engine.find")
    assert retriever.search("q", 1) == (Hit("a", 1.0),)
    with pytest.raises(RetrieverError, match=r"there is no module 'some_package_of_mine\.lost'"):
        opened_in(tmp_path, "some_package_of_mine.lost:retrieve")


def test_a_library_goes_before_a_file_of_its_name(written: Written, tmp_path: Path) -> None:
    (tmp_path / "wave.py").write_text("def open(question, k):\n    return ['mine']\n", encoding="utf-8")
    retriever = opened_in(tmp_path, "wave:open")
    with pytest.raises(RetrieverError, match="wave:open, asked 'q', raised"):
        retriever.search("q", 1)
