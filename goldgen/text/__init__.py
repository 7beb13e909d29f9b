"""Text as everything else sees it: folded, cut into sentences and words, hashed."""

from goldgen.text.folding import FoldedText, fold, fold_with_offsets
from goldgen.text.ids import stable_id

__all__ = ["FoldedText", "fold", "fold_with_offsets", "stable_id"]
