"""What labelling and merging brought, and what the pool does not answer, as lines for several commands."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from goldgen.cli.console import counted

if TYPE_CHECKING:
    from goldgen.app.labelling import LabelReport
    from goldgen.verify import Interval


def label_lines(found: "LabelReport") -> list[str]:
    """The candidates judged, the golds that brought, and what may be wrong with them; none without any."""
    lines: list[str] = []
    if found.pairs:
        of_logs = f" ({found.log_pairs} of log queries)" if found.log_pairs else ""
        lines.append(
            f"candidates  {found.judged} of {found.pairs} pairs judged{of_logs}, {found.shared} shared"
        )
    if found.unjudged:
        lines.append(f"unjudged    {counted(found.unjudged)}; the next verify tries them again")
    if found.left:
        lines.append(f"left        {found.left} pairs, the least promising, as the budget ended")
    if found.pairs > found.log_pairs:
        lines.append(f"golds       {found.golds_before} before, {found.golds} now: {found.new_golds} new")
    for recall in found.recalls:
        lines.append(f"  {recall.source:<15} recall@10 {recall.before:.3f} before, {recall.after:.3f} after")
    if found.wrong_golds is not None:
        lines.append(
            f"wrong golds estimated {shares(found.wrong_golds)} of what only a search proposed and the "
            "strict judge accepted"
        )
    if found.held_back:
        lines.append(
            f"proposed    {found.held_back} golds wait for goldgen review --show proposed; they count by "
            "themselves once verify shows a strict specificity of 0.99"
        )
    if found.withdrawn:
        lines.append(
            f"withdrawn   {found.withdrawn} golds of earlier runs wait too: strictness is no longer shown"
        )
    return lines


def unanswered_lines(to_depth: Mapping[int, int], gaps: int, what: str) -> list[str]:
    """How many ``what`` have no answer in the pool, by the depth that was judged, and how many are gaps."""
    lines = [
        f"unanswered  {count} {what} in {f'the pool to depth {depth}' if depth else 'what was judged'}"
        for depth, count in to_depth.items()
    ]
    if gaps:
        lines.append(
            f"gaps        {gaps} {what} that the documents do not answer, judged to depth 50 or over the "
            "whole corpus"
        )
    return lines


def duplicate_lines(merged: int) -> list[str]:
    """How many questions of the set another one in nearly the same words stands for; none if none."""
    if not merged:
        return []
    many = "duplicate" if merged == 1 else "duplicates"
    return [f"merged      {merged} near {many} in the set; goldgen duplicates lists them"]


def shares(found: "Interval") -> str:
    """An estimated share with its interval."""
    return f"{found.estimate:.0%} ({found.low:.0%} to {found.high:.0%})"
