"""Notebooks: cells in order, outputs as short text, no pictures."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from goldgen.corpus.notebook import parse_notebook
from goldgen.corpus.outline import outline
from goldgen.corpus.parsed import Parsed, Unread


def notebook(*cells: dict[str, object], **metadata: object) -> str:
    return json.dumps({"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5})


def markdown(*lines: str) -> dict[str, object]:
    return {"cell_type": "markdown", "metadata": {}, "source": list(lines)}


def code(source: str, *outputs: dict[str, object]) -> dict[str, object]:
    return {"cell_type": "code", "metadata": {}, "execution_count": 1, "source": source, "outputs": outputs}


def stream(text: str) -> dict[str, object]:
    return {"output_type": "stream", "name": "stdout", "text": text}


def text_of(notebook_text: str) -> str:
    found = parse_notebook(notebook_text)
    assert isinstance(found, Parsed), found
    return found.text


def test_cells_come_in_order_with_their_code_fenced() -> None:
    found = parse_notebook(
        notebook(
            markdown("# Refunds\n", "\n", "How they are counted."),
            code("# not a heading\ncount()", stream("3\n")),
            code(""),
            {"cell_type": "raw", "metadata": {}, "source": "Raw text."},
            kernelspec={"language": "python"},
        )
    )
    assert isinstance(found, Parsed)
    assert found.title == "Refunds"
    assert found.text == (
        "# Refunds\n\nHow they are counted.\n\n"
        "```python\n# not a heading\ncount()\n```\n\n```\n3\n```\n\nRaw text."
    )


def test_pictures_are_left_out_with_the_words_that_stand_for_them() -> None:
    picture = {"image/png": "iVBORw0KGgo" * 500, "text/plain": ["<Figure size 640x480>"]}
    text = text_of(notebook(code("plot()", {"output_type": "display_data", "data": picture, "metadata": {}})))
    assert text == "```\nplot()\n```"


def test_outputs_are_short_and_without_terminal_codes() -> None:
    long = "\n".join(f"row {number}" for number in range(500))
    progress = "\x1b[32m10%\r50%\rdone\x1b[0m\n"
    failed: dict[str, object] = {
        "output_type": "error",
        "ename": "ValueError",
        "evalue": "no",
        "traceback": ["x"],
    }
    text = text_of(notebook(code("a", stream(long)), code("b", stream(progress)), code("c", failed)))
    assert "row 11\n…" in text
    assert "row 12" not in text
    assert "```\ndone\n```" in text
    assert "```\nValueError: no\n```" in text
    assert "\x1b" not in text


def test_a_fence_left_open_in_a_cell_hides_no_other_cell() -> None:
    text = text_of(notebook(markdown("```\nopen"), markdown("# Heading")))
    assert [heading.title for heading in outline(text).headings] == ["Heading"]


def test_front_matter_of_a_raw_first_cell_is_metadata() -> None:
    raw: dict[str, object] = {"cell_type": "raw", "metadata": {}, "source": "---\ntitle: Guide\n---"}
    found = parse_notebook(notebook(raw, markdown("Text.")))
    assert isinstance(found, Parsed)
    assert (found.title, found.text.strip()) == ("Guide", "Text.")


def test_format_3_is_read_too() -> None:
    cells: list[dict[str, object]] = [
        {"cell_type": "heading", "level": 2, "source": ["Old"]},
        {"cell_type": "code", "input": "x = 1", "outputs": [{"output_type": "stream", "text": ["out"]}]},
    ]
    assert text_of(json.dumps({"nbformat": 3, "metadata": {}, "worksheets": [{"cells": cells}]})) == (
        "## Old\n\n```\nx = 1\n```\n\n```\nout\n```"
    )


@pytest.mark.parametrize("text", ["{", "[]", "{}", '{"cells": []}', '{"cells": 3}'])
def test_what_is_no_notebook_says_so(text: str) -> None:
    assert isinstance(parse_notebook(text), Unread)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["cells", "cell_type", "source", "outputs", "data", "text/plain", "metadata", "level"]
            ),
            inner,
        )
    ),
    max_leaves=12,
)


@given(JSON)
@settings(max_examples=60)
def test_any_json_is_read_or_refused(value: object) -> None:
    assert isinstance(parse_notebook(json.dumps(value)), Parsed | Unread)
