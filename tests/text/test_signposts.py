import pytest

from goldgen.text.signposts import only_points


@pytest.mark.parametrize(
    "text",
    [
        "To learn how to set up an exporter, please refer to the [exporter pages](https://a.test/x).",
        "See [Limits](limits.md).",
        "For a full list of flags, see the reference.",
        "We recommend that you read [On Alerting](https://a.test/doc) by a colleague.",
        "This document specifies how the two sides agree on a protocol.",
        "In this tutorial we will set up an alert.",
        "The documents in this section are largely exploratory.",
        "* This guide walks through the first start.",
        "Further settings can be found in the appendix.",
        "Once your server is up and running, proceed to [Use cases](cases.md).",
        "Siehe den Abschnitt über Grenzen.",
        "Dieses Kapitel beschreibt die Einrichtung.",
        "Ce document décrit les limites.",
        "Este documento describe los límites.",
        "Esta página descreve os limites.",
        "This page lists all flags. See also the reference.",
    ],
)
def test_a_sentence_that_only_sends_elsewhere(text: str) -> None:
    assert only_points(text)


@pytest.mark.parametrize(
    "text",
    [
        "The limit is 30 seconds (see [limits](limits.md)).",
        "To switch it off, set `keep` to false.",
        "For Pro plans the limit is 500 rows.",
        "Follower reads are off by default.",
        "This setting is on by default.",
        "In this mode we keep two copies.",
        "Readers see rows of the last hour only.",
        "This page size is 4 KiB.",
        "Check **Allow** and click **Add**.",
        "To switch it off, go to the settings.",
        "# Read the password from stdin",
        "See the reference. The limit is 500 rows.",
        "Dieser Wert gilt je Seite.",
        "",
    ],
)
def test_a_sentence_that_states_something(text: str) -> None:
    assert not only_points(text)
