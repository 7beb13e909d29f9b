"""The stub as a process: `python -m stub [--delay S] [--rate-limited SHARE]`, run in tests/.

It plays a capable generator and verifier, prints its URL in the first line and serves until it is ended.
"""

import argparse
import hashlib
import json
import sys
import threading
from dataclasses import replace

from stub.generator import generator_script
from stub.replies import rate_limited
from stub.server import Body, Reply, Script, Stub


def limited_once(script: Script, share: float) -> Script:
    """``script``, but 429 to that share of the requests when they come for the first time.

    Which ones is a matter of their messages, so that it is the same in every run.
    """
    refused: set[bytes] = set()

    def answer(number: int, body: Body) -> Reply:
        digest = hashlib.blake2b(json.dumps(body["messages"]).encode(), digest_size=4).digest()
        if int.from_bytes(digest) < share * 2**32 and digest not in refused:
            refused.add(digest)
            return rate_limited("1")
        return script(number, body)

    return answer


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m stub", description=(__doc__ or "").split("\n\n")[1])
    parser.add_argument("--delay", type=float, default=0.0, help="seconds before each answer")
    parser.add_argument("--rate-limited", type=float, default=0.0, metavar="SHARE", help="answered 429 once")
    given = parser.parse_args()

    def slow(number: int, body: Body) -> Reply:
        return replace(generator_script(number, body), delay=given.delay)

    with Stub(limited_once(slow, given.rate_limited), recording=False) as stub:
        sys.stdout.write(f"{stub.url}\n")
        sys.stdout.flush()
        threading.Event().wait()


if __name__ == "__main__":
    main()
