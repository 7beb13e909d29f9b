"""A BERT of a few kilobytes, as the libraries save and load it."""

from pathlib import Path
from typing import Any

from goldgen.models.weights import FoundWeights

WORDS = ["alpha", "beta", "gamma", "delta", "plan", "price", "limit", "region"]
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]


def save_bert(folder: Path, *, labels: int | None = None, broken: bool = False) -> FoundWeights:
    """A tiny BERT with random weights and a vocabulary of eight words; with ``labels``, a cross-encoder."""
    import torch
    import transformers as library
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    transformers: Any = library
    words: Any = Tokenizer(
        models.WordLevel({word: n for n, word in enumerate([*SPECIAL, *WORDS])}, unk_token="[UNK]")
    )
    words.pre_tokenizer = pre_tokenizers.Whitespace()
    words.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=words, pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]", sep_token="[SEP]"
    )
    tokenizer.save_pretrained(str(folder))
    torch.manual_seed(7)
    config = transformers.BertConfig(
        vocab_size=len(SPECIAL) + len(WORDS),
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=256,
        num_labels=labels or 1,
    )
    model = transformers.BertForSequenceClassification(config) if labels else transformers.BertModel(config)
    # Random weights are too small for the words to tell.
    model.get_input_embeddings().weight.data *= 50
    if labels:
        model.classifier.weight.data *= 50
    if broken:
        model.classifier.bias.data.fill_(float("nan"))
    model.save_pretrained(str(folder))
    return FoundWeights(str(folder), "path")
