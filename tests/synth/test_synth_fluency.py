"""Texts from which an answer was taken out, and that must not show it."""

import pytest

from goldgen.synth.fluency import removal_problem, swap_problem

KEPT = "Seats are counted each night. Nobody is told of it. The bill comes at the end of the month."


@pytest.mark.parametrize(
    ("before", "after", "problem"),
    [
        (f"{KEPT} Each seat costs 3 euros.", KEPT, ""),
        (
            f"{KEPT}\n\nExports run at night. They are sent by mail.",
            f"{KEPT}\n\nThey are sent by mail.",
            "leans on what is gone",
        ),
        (
            f"Exporte laufen nachts. Sie kommen per Mail.\n\n{KEPT}",
            f"Sie kommen per Mail.\n\n{KEPT}",
            "leans on what is gone",
        ),
        ("輸出は夜に動きます。それはメールで届きます。", "それはメールで届きます。", "leans on what is gone"),
        (f"Exports run at night.\n\nThey cost nothing. {KEPT}", f"They cost nothing. {KEPT}", ""),
        (
            f"{KEPT}\n\nThere are two plans:\n\n- Basic\n- Pro",
            f"{KEPT}\n\n- Basic\n- Pro",
            "without its introduction",
        ),
        (
            f"{KEPT}\n\nThere are two plans:\n\nBasic and Pro.",
            f"{KEPT}\n\nThere are two plans:",
            "without what it introduces",
        ),
        (
            f"{KEPT} Plans:\n\nBasic, Pro.\n\n## More\n\nx",
            f"{KEPT} Plans:\n\n## More\n\nx",
            "without what it introduces",
        ),
        (
            f"Three firms build here. Most of these will leave.\n\n{KEPT}",
            f"Most of these will leave.\n\n{KEPT}",
            "leans on what is gone",
        ),
        (f"{KEPT}\n\nOne. (It is the first.) Two.", f"{KEPT}\n\n(It is the first.) Two.", "leans on"),
        (f"{KEPT}\n\n```sh\nrun it\n```", f"{KEPT}\n\nrun it\n```", "block of code"),
        (f"{KEPT}\n\n```sh\nrun it\n```", f"{KEPT}\n\n```sh\n\n```", "block of code"),
        (f"{KEPT}\n\n## Prices\n\n3 euros.", f"{KEPT}\n\n## Prices", "heading without text"),
        (
            f"{KEPT}\n\n## Prices\n\n3 euros.\n\n## More\n\nx",
            f"{KEPT}\n\n## Prices\n\n## More\n\nx",
            "heading",
        ),
        (f"{KEPT}\n\n- One.\n- Two.", f"{KEPT}\n\n- One.\n- ", "empty list item"),
        (f"{KEPT}\n\n1. One.\n2. Two.\n3. Three.", f"{KEPT}\n\n1. One.\n3. Three.", "numbered list"),
        (f"{KEPT}\n\n| a | b |\n|---|---|\n| 1 | 2 |", f"{KEPT}\n\n| a | b |\n|---|---|", "table"),
        (f'{KEPT} She said "no. Never".', f'{KEPT} She said "no.', "quotation mark"),
        (f"{KEPT}\n\nIt runs. By doing this it ends.", f"{KEPT}\n\nBy doing this it ends.", "leans on"),
        (f"# Top\n\n## Prices\n\n3 euros. {KEPT}", f"# Top\n\n## Prices\n\n{KEPT}", ""),
    ],
)
def test_what_a_removal_leaves(before: str, after: str, problem: str) -> None:
    found = removal_problem(before, after)
    assert problem in found
    assert bool(found) == bool(problem)


@pytest.mark.parametrize(
    ("text", "name", "fits"),
    [
        ("An owner of an Enterprise plan", "Enterprise", True),
        ("An owner of a Enterprise plan", "Enterprise", False),
        ("with an `basic` key", "basic", False),
        ("an SSO login and a unit", "SSO", True),
        ("a SSO login", "SSO", False),
        ("a European account", "European", True),
        ("the Enterprise plan", "Enterprise", True),
    ],
)
def test_the_article_fits_the_new_name(text: str, name: str, fits: bool) -> None:
    assert (swap_problem(text, name) == "") is fits
