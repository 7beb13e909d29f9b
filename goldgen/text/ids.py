"""Identifiers that are equal on every machine, because they are hashes of content."""

import hashlib


def stable_id(*parts: str) -> str:
    """20 hex digits from the parts; moving a boundary between parts changes the id."""
    digest = hashlib.blake2b(digest_size=10)
    for part in parts:
        encoded = part.encode("utf-8", "surrogatepass")
        digest.update(len(encoded).to_bytes(8, "big"))
        digest.update(encoded)
    return digest.hexdigest()
