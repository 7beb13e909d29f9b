"""PostgreSQL's full-text search, behind a module of the user's own, measured by the installed command."""

import json
import os
import pwd
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import log2
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import psycopg
import pytest
from sample_set import SampleSet, make_sample_set

from goldgen.store import RANKING_DEPTH, open_store

MODULE = '''
import os
import re

import psycopg

DATABASE = os.environ["SEARCH_DATABASE"]
SEARCH = """
    select id, ts_rank(words, query) as score
    from chunks, websearch_to_tsquery('english', %s) as query
    where words @@ query
    order by score desc, id desc
    limit %s
"""
connection = psycopg.connect(DATABASE, autocommit=True)
opened = []


def every_word(question, k):
    return connection.execute(SEARCH, (question, k)).fetchall()


async def any_word(question, k):
    if not opened:
        opened.append(await psycopg.AsyncConnection.connect(DATABASE, autocommit=True))
    found = await opened[0].execute(SEARCH, (" or ".join(re.findall(r"\\w+", question)), k))
    return await found.fetchall()
'''
EVERY, ANY = "pgsearch:every_word", "pgsearch:any_word"
RETRIEVERS = ("--retriever", "bm25", "--retriever", EVERY, "--retriever", ANY)
PLACES = """
    select id, row_number() over (order by ts_rank(words, query) desc, id desc)
    from chunks, cast(%s as tsquery) as query
    where words @@ query
    order by 2
"""
Places = Mapping[str, Mapping[str, int]]
"""Question to chunk id to its place in the database's own order, from 1, ascending."""


def programs() -> Path | None:
    """The folder of initdb and pg_ctl. Debian keeps it off the PATH."""
    on_path = shutil.which("initdb")
    found = [Path(on_path)] if on_path else sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return found[-1].resolve().parent if found else None


@dataclass(frozen=True, slots=True)
class Server:
    """A server whose data and socket are in ``folder``. PostgreSQL refuses root, who runs it as nobody."""

    programs: Path
    folder: Path

    @property
    def address(self) -> str:
        return f"host={self.folder} port=5432 user=searcher dbname=postgres"

    def start(self) -> None:
        if os.geteuid() == 0:
            shutil.chown(self.folder, "nobody")
        self._run(
            "initdb", "--no-sync", "--auth=trust", "--username=searcher", "--locale=C", "--encoding=UTF8"
        )
        settings = {
            "unix_socket_directories": self.folder,
            "listen_addresses": "",
            "port": 5432,
            "fsync": "off",
        }
        with (self.folder / "data" / "postgresql.conf").open("a", encoding="utf-8") as file:
            file.writelines(f"{name} = '{value}'\n" for name, value in settings.items())
        self._run("pg_ctl", "start", "--wait", "--log", str(self.folder / "log"))

    def stop(self) -> None:
        self._run("pg_ctl", "stop", "--wait", "--mode=immediate")

    def _run(self, program: str, *arguments: str) -> None:
        nobody = pwd.getpwnam("nobody") if os.geteuid() == 0 else None
        ended = subprocess.run(
            [self.programs / program, "--pgdata", self.folder / "data", *arguments],
            cwd=self.folder,
            user=nobody.pw_uid if nobody else None,
            group=nobody.pw_gid if nobody else None,
            extra_groups=[] if nobody else None,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=60,
        )
        assert ended.returncode == 0, ended.stdout


@pytest.fixture(scope="module")
def database() -> Iterator[str]:
    """Where it is, as a connection string."""
    found = programs()
    if found is None:
        pytest.skip("PostgreSQL is not installed: apt-get install postgresql")
    # Its path must be short, for that of a socket has 107 characters at most, and open to nobody.
    with TemporaryDirectory(prefix="goldgen-", dir="/tmp") as folder:
        server = Server(found, Path(folder))
        server.start()
        try:
            yield server.address
        finally:
            server.stop()


@pytest.fixture(scope="module")
def sample(database: str, tmp_path_factory: pytest.TempPathFactory) -> SampleSet:
    """The sample set, whose chunks stand in the database too, and the user's module beside it."""
    sample = make_sample_set(tmp_path_factory.mktemp("set"))
    (sample.db.parents[1] / "pgsearch.py").write_text(MODULE, encoding="utf-8")
    with psycopg.connect(database) as connection, connection.cursor() as cursor:
        cursor.execute(
            "create table chunks (id text primary key, body text not null, "
            "words tsvector generated always as (to_tsvector('english', body)) stored)"
        )
        cursor.execute("create index on chunks using gin (words)")
        cursor.executemany(
            "insert into chunks (id, body) values (%s, %s)",
            [(chunk.id, chunk.full_text) for chunk in sample.chunks],
        )
    return sample


@pytest.fixture(scope="module")
def places(database: str, sample: SampleSet) -> Mapping[str, Places]:
    """What each of the two searches should find, asked of the database in other words."""
    with psycopg.connect(database) as connection:

        def found(query: str) -> dict[str, int]:
            return {str(name): int(place) for name, place in connection.execute(PLACES, [query])}

        every = {question: query(connection, question) for question in sample.golds}
        return {
            EVERY: {question: found(text) for question, text in every.items()},
            ANY: {question: found(text.replace("&", "|")) for question, text in every.items()},
        }


def query(connection: psycopg.Connection, question: str) -> str:
    """The question's stems, all of which are asked for."""
    row = connection.execute("select cast(plainto_tsquery('english', %s) as text)", [question]).fetchone()
    assert row is not None
    return str(row[0])


def expected(golds: Mapping[str, str], places: Places) -> dict[str, float]:
    """The means for questions with one gold each."""
    ranks = [places[question].get(gold) for question, gold in golds.items()]
    first_ten = [rank for rank in ranks if rank is not None and rank <= 10]
    first_five = [rank for rank in first_ten if rank <= 5]
    reciprocal = sum(1 / rank for rank in first_ten) / len(ranks)
    return {
        "P@5": len(first_five) / 5 / len(ranks),
        "R@5": len(first_five) / len(ranks),
        "RR@10": reciprocal,
        "AP@10": reciprocal,
        "nDCG@10": sum(1 / log2(rank + 1) for rank in first_ten) / len(ranks),
    }


@pytest.fixture(scope="module")
def report(database: str, sample: SampleSet) -> Any:
    """What the command tells as JSON."""
    run = sample.goldgen("eval", "--json", *RETRIEVERS, SEARCH_DATABASE=database)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


@pytest.fixture(scope="module")
def means(sample: SampleSet, places: Mapping[str, Places]) -> Mapping[str, Mapping[str, float]]:
    return {name: expected(sample.golds, places[name]) for name in (EVERY, ANY)}


def test_full_text_search_is_measured_beside_bm25(
    sample: SampleSet,
    places: Mapping[str, Places],
    report: Any,
    means: Mapping[str, Mapping[str, float]],
) -> None:
    results = {result["label"]: result for result in report["retrievers"]}
    assert list(results) == ["bm25", EVERY, ANY] and results["bm25"]["replies"] is None
    for name in (EVERY, ANY):
        own = results[name]["means"]
        assert {measure: own[measure] for measure in means[name]} == pytest.approx(means[name])
        replies = results[name]["replies"]
        assert (replies["questions"], replies["unknown"], replies["repeated"]) == (len(sample.golds), 0, 0)
        assert replies["empty"] == sum(not found for found in places[name].values())
        assert replies["scored"] == replies["questions"] - replies["empty"]
    # Or else the two searches would show nothing.
    assert 0 < means[EVERY]["RR@10"] < means[ANY]["RR@10"] < 1


def test_each_questions_gold_has_the_databases_rank(
    sample: SampleSet, places: Mapping[str, Places], report: Any
) -> None:
    ranks = {outcome["text"]: outcome["first_gold"] for outcome in report["outcomes"]}
    for name in (EVERY, ANY):
        found = {question: places[name][question].get(gold) for question, gold in sample.golds.items()}
        within = {
            question: rank if rank and rank <= RANKING_DEPTH else None for question, rank in found.items()
        }
        assert {question: of[name] for question, of in ranks.items()} == within
    # One beyond the depth, so that it shows.
    assert max(rank or 0 for rank in found.values()) > RANKING_DEPTH


@pytest.mark.usefixtures("report")
def test_the_rankings_kept_are_the_databases_own(sample: SampleSet, places: Mapping[str, Places]) -> None:
    with open_store(sample.db, read_only=True) as store:
        texts = {question.id: question.text for question in store.questions.all()}
        kept = store.runs.latest()
    for name in (EVERY, ANY):
        found = {
            texts[item.question_id]: [hit.chunk_id for hit in item.ranking] for item in kept[name].questions
        }
        assert found == {
            question: list(ranking)[:RANKING_DEPTH] for question, ranking in places[name].items()
        }


def test_the_table_shows_the_same(
    database: str, sample: SampleSet, means: Mapping[str, Mapping[str, float]]
) -> None:
    run = sample.goldgen("eval", *RETRIEVERS, SEARCH_DATABASE=database)
    assert run.returncode == 0, run.stderr
    rows = [line.split()[:6] for line in run.stdout.splitlines()]
    for name in (EVERY, ANY):
        assert [name, *(f"{value:.3f}" for value in means[name].values())] in rows
    assert f"{EVERY}: confused is n/a" in run.stdout


def test_a_database_that_is_gone_is_one_line(sample: SampleSet, tmp_path: Path) -> None:
    run = sample.goldgen("eval", "--retriever", EVERY, SEARCH_DATABASE=f"host={tmp_path} port=5432")
    assert (run.returncode, run.stdout) == (1, "")
    *_, line = run.stderr.splitlines()  # a slow machine tells its progress before
    assert line.startswith("error: module pgsearch cannot be imported: OperationalError: ")
