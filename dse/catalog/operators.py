"""The words of the column ``operators``: what a network asks of a chip beyond plain additions; closed, each once.

A word is here when some unit cannot run it, or runs it much slower than a plain convolution. It says what the network
needs, not what any file format calls it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

OPERATORS: Mapping[str, str] = {
    "3-d": "convolution or pooling over three dimensions",
    "attention": "product of two computed matrices, as in attention",
    "binary": "convolution or product with weights and inputs of one bit",
    "control-flow": "branches or loops decided at run time",
    "conv": "convolution that is neither depthwise, grouped nor transposed",
    "custom": "operator no standard defines",
    "deconv": "transposed convolution",
    "deformable": "convolution that samples at computed places",
    "dense": "product with a stored matrix, as in fully connected layers",
    "depthwise": "convolution with one filter per channel",
    "dilated": "convolution with gaps in its filter",
    "embedding": "look-up in a stored table",
    "grouped": "convolution in groups of several channels",
    "nms": "non-maximum suppression inside the network",
    "normalization": "mean and variance taken at run time, as in layer normalization",
    "recurrent": "LSTM, GRU or RNN",
    "resize": "interpolation to another size, upsampling included",
    "sampling": "look-up at computed places, as in grid sampling or region-of-interest align",
    "softmax": "softmax inside the network or at its end",
    "sort": "top-k or sorting",
}
"""Words and what they mean."""


def operators_text(words: Iterable[str]) -> str:
    """The cell of the column: words in order, separated by a space.

    Raises
    ------
    ValueError
        A word is not in the vocabulary: a bug of the caller.

    Examples
    --------
    >>> operators_text({"depthwise", "conv"})
    'conv depthwise'
    """
    found = sorted(set(words))
    strange = [word for word in found if word not in OPERATORS]
    if strange:
        raise ValueError(f"not an operator word: {', '.join(strange)}")
    return " ".join(found)


def operators_of(text: str) -> frozenset[str]:
    """The words of a cell; empty where nobody said.

    Examples
    --------
    >>> sorted(operators_of("conv depthwise"))
    ['conv', 'depthwise']
    """
    return frozenset(text.split())
