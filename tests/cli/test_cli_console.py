"""What reaches the terminal."""

import pytest

from goldgen.cli.console import printable


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("5 seats\n\tper plan", "5 seats\n\tper plan"),
        ("\x1b[2Jgone", "\\x1b[2Jgone"),
        ("grade \u202e3 ton\u202c", "grade \\u202e3 ton\\u202c"),
        ("\u2066a\u2069 \u200eb\u200f \u061cc", "\\u2066a\\u2069 \\u200eb\\u200f \\u061cc"),
        ("عربي עברית می‌شود 日本", "عربي עברית می‌شود 日本"),
    ],
)
def test_what_would_steer_a_terminal_or_turn_a_line_around_is_shown_as_an_escape(
    text: str, shown: str
) -> None:
    assert printable(text) == shown
