"""What is known of each ONNX operator: whether it counts, its words in the catalogue, its settings, its memory.

An operator is in one of three groups: it multiplies and accumulates (``counting``), it does not (here), or nobody knows
(neither); the last are named to the user.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

VIEWS = frozenset({"Identity", "Reshape", "Flatten", "Squeeze", "Unsqueeze", "Dropout"})
"""Their output is their first input under another shape: no memory of its own."""
FUSED_CASTS = frozenset({"QuantizeLinear", "DequantizeLinear", "Cast", "CastLike", "Quant", "BipolarQuant"})
"""They change the type of what a neighbour computes, and are part of it on a chip: no memory of its own."""
IN_PLACE = frozenset(
    {"Abs", "Acos", "Add", "And", "Asin", "Atan", "BatchNormalization", "Ceil", "Celu", "Clip", "Cos", "Div", "Elu",
     "Equal", "Erf", "Exp", "Floor", "Gelu", "Greater", "GreaterOrEqual", "HardSigmoid", "HardSwish", "LeakyRelu",
     "Less", "LessOrEqual", "Log", "Max", "Mean", "Min", "Mish", "Mod", "Mul", "Neg", "Not", "Or", "PRelu", "Pow",
     "QLinearAdd", "QLinearMul", "Reciprocal", "Relu", "Round", "Selu", "Shrink", "Sigmoid", "Sign", "Sin", "Softplus",
     "Softsign", "Sqrt", "Sub", "Sum", "Swish", "Tan", "Tanh", "ThresholdedRelu", "Where", "Xor", "FastGelu",
     "BiasGelu", "QuickGelu", "QLinearSigmoid", "QLinearLeakyRelu"}
)  # fmt: skip
"""They work element by element and can write over an input nobody needs afterwards."""
_POOLS = frozenset(
    {"AveragePool", "GlobalAveragePool", "GlobalLpPool", "GlobalMaxPool", "LpPool", "MaxPool", "QLinearAveragePool",
     "QLinearGlobalAveragePool"}
)  # fmt: skip
_NORMALIZATIONS = frozenset(
    {"GroupNormalization", "InstanceNormalization", "LayerNormalization", "LpNormalization",
     "MeanVarianceNormalization", "RMSNormalization", "SkipLayerNormalization", "SkipSimplifiedLayerNormalization",
     "SimplifiedLayerNormalization"}
)  # fmt: skip
_MOVES = frozenset(
    {"ArgMax", "ArgMin", "Bernoulli", "BitCast", "BitShift", "BitwiseAnd", "BitwiseNot", "BitwiseOr", "BitwiseXor",
     "BlackmanWindow", "CenterCropPad", "Col2Im", "Compress", "Concat", "Constant", "ConstantOfShape", "CumProd",
     "CumSum", "DepthToSpace", "DynamicQuantizeLinear", "Expand", "EyeLike", "Gather", "GatherElements", "GatherND",
     "GridSample", "HammingWindow", "HannWindow", "Hardmax", "IsInf", "IsNaN", "LRN", "LogSoftmax", "MaxRoiPool",
     "MaxUnpool", "Multinomial", "NonMaxSuppression", "NonZero", "OneHot", "Optional", "OptionalGetElement",
     "OptionalHasElement", "Pad", "QLinearConcat", "QLinearSoftmax", "RandomNormal", "RandomNormalLike",
     "RandomUniform", "RandomUniformLike", "Range", "ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp",
     "ReduceMax", "ReduceMean", "ReduceMin", "ReduceProd", "ReduceSum", "ReduceSumSquare", "Resize",
     "ReverseSequence", "RoiAlign", "RotaryEmbedding", "Scatter", "ScatterElements", "ScatterND", "SequenceAt",
     "SequenceConstruct", "SequenceEmpty", "SequenceErase", "SequenceInsert", "SequenceLength", "ConcatFromSequence",
     "Shape", "Size", "Slice", "Softmax", "SpaceToDepth", "Split", "SplitToSequence", "Tile", "TopK", "Transpose",
     "Trilu", "Unique", "Upsample", "TensorScatter", "Acosh", "Asinh", "Atanh", "Cosh", "Sinh", "Det"}
)  # fmt: skip
WITHOUT_MACS = VIEWS | FUSED_CASTS | IN_PLACE | _POOLS | _NORMALIZATIONS | _MOVES
"""Operators whose work no count of MACs includes, ours and those the catalogue was read from alike."""
KNOWN_CUSTOM = frozenset(
    {"QLinearAdd", "QLinearMul", "QLinearSigmoid", "QLinearLeakyRelu", "QLinearAveragePool", "QLinearConcat",
     "QLinearGlobalAveragePool", "QLinearSoftmax", "FastGelu", "BiasGelu", "QuickGelu", "Gelu", "QuantizeLinear",
     "DequantizeLinear", "SkipLayerNormalization", "SkipSimplifiedLayerNormalization", "SimplifiedLayerNormalization",
     "Quant", "BipolarQuant"}
)  # fmt: skip
"""Those of them that other domains define too (ONNX Runtime, QONNX); any other operator of such a domain is unknown."""

WORDS: Mapping[str, str] = {
    **dict.fromkeys(_NORMALIZATIONS, "normalization"),
    **dict.fromkeys(("Softmax", "LogSoftmax", "QLinearSoftmax"), "softmax"),
    **dict.fromkeys(("Resize", "Upsample"), "resize"),
    **dict.fromkeys(("GridSample", "RoiAlign", "MaxRoiPool"), "sampling"),
    **dict.fromkeys(("TopK", "Unique"), "sort"),
    **dict.fromkeys(("If", "Loop", "Scan", "SequenceMap"), "control-flow"),
    "NonMaxSuppression": "nms",
}
"""Words of operators that mean the same whatever their inputs are."""
POOLS = _POOLS
"""Pooling: over three dimensions where the input has five axes."""

_QUANTIZERS = frozenset({1, 2, 4, 5, 6, 7})
SETTINGS: Mapping[str, frozenset[int]] = {
    "BatchNormalization": frozenset({3, 4}),
    "BipolarQuant": frozenset({1}),
    "Clip": frozenset({1, 2}),
    "ConvInteger": frozenset({2, 3}),
    "DequantizeLinear": frozenset({1, 2}),
    "Dropout": frozenset({1, 2}),
    "GRU": frozenset({4, 5}),
    "LSTM": frozenset({4, 5, 6}),
    "MatMulInteger": frozenset({2, 3}),
    "NonMaxSuppression": frozenset({2, 3, 4}),
    "OneHot": frozenset({1, 2}),
    "Pad": frozenset({1, 2}),
    "QLinearAdd": _QUANTIZERS,
    "QLinearConv": _QUANTIZERS,
    "QLinearMatMul": _QUANTIZERS,
    "QLinearMul": _QUANTIZERS,
    "Quant": frozenset({1, 2, 3}),
    "QuantizeLinear": frozenset({1, 2}),
    "RNN": frozenset({4, 5}),
    "Range": frozenset({0, 1, 2}),
    "Resize": frozenset({1, 2, 3}),
    "Upsample": frozenset({1}),
}
"""Inputs that are settings and no parameters: scales, zero points, limits, first states. Running mean and variance are
among them: they fold into the convolution before, and PyTorch does not count them either."""


@dataclass(frozen=True)
class StandIn:
    """A standard operator whose output has the shape of another one's, and which of its inputs it takes."""

    op: str
    inputs: tuple[int, ...] = (0,)


STAND_INS: Mapping[str, StandIn] = {
    **dict.fromkeys(("BipolarQuant", "Quant", "Gelu", "FastGelu", "BiasGelu", "QuickGelu"), StandIn("Identity")),
    **dict.fromkeys(("QLinearSigmoid", "QLinearLeakyRelu", "QLinearSoftmax"), StandIn("Identity")),
    **dict.fromkeys(("SkipLayerNormalization", "SimplifiedLayerNormalization"), StandIn("Identity")),
    "SkipSimplifiedLayerNormalization": StandIn("Identity"),
    **dict.fromkeys(("QLinearAdd", "QLinearMul"), StandIn("Add", (0, 3))),
    "QuantizeLinear": StandIn("QuantizeLinear", (0, 1, 2)),
    "DequantizeLinear": StandIn("DequantizeLinear", (0, 1, 2)),
    "QLinearGlobalAveragePool": StandIn("GlobalAveragePool"),
}
"""For operators of other domains that shape inference does not know."""
