"""A sample of queries that stands for all of the traffic: often asked ones more likely, weights kept."""

import random
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Part:
    """A third of the traffic: ``head`` holds the queries asked most often, ``tail`` those asked least."""

    name: str
    queries: int
    asked: int
    chosen: int


def draw(sizes: Mapping[str, int], count: int | None, seed: int = 0) -> dict[str, float]:
    """``count`` keys, each with the traffic that it stands for; the weights sum up to all of the traffic.

    The chance of a key is proportional to its size (systematic sampling over the keys by falling size, so
    that head, torso and tail have their shares); one whose chance would pass 1 is in for certain. The weight
    is the size divided by the chance (Horvitz and Thompson 1952), so that a weighted mean over the sample
    is an unbiased estimate of the mean over the traffic. None or too many: all, weighing their sizes.
    """
    ordered = sorted(sizes, key=lambda key: (-sizes[key], key))
    if count is None or count >= len(ordered):
        return {key: float(sizes[key]) for key in ordered}
    rest = sum(sizes.values())
    certain = 0
    while certain < count and sizes[ordered[certain]] * (count - certain) >= rest:
        rest -= sizes[ordered[certain]]
        certain += 1
    drawn = {key: float(sizes[key]) for key in ordered[:certain]}
    if certain == count:
        return drawn
    step = rest / (count - certain)
    at = random.Random(seed).random() * step
    passed = 0
    for key in ordered[certain:]:
        passed += sizes[key]
        if passed > at and len(drawn) < count:
            drawn[key] = step
            at += step
    return drawn


def parts(sizes: Mapping[str, int], drawn: Mapping[str, float]) -> tuple[Part, ...]:
    """Head, torso and tail, and how many of each were drawn."""
    ordered = sorted(sizes, key=lambda key: (-sizes[key], key))
    total, passed = sum(sizes.values()), 0
    keys: dict[str, list[str]] = {"head": [], "torso": [], "tail": []}
    names = list(keys)
    for key in ordered:
        # Where the key begins decides, so that one query of all the traffic is head.
        keys[names[min(3 * passed // max(total, 1), 2)]].append(key)
        passed += sizes[key]
    return tuple(
        Part(name, len(found), sum(sizes[key] for key in found), sum(key in drawn for key in found))
        for name, found in keys.items()
    )
