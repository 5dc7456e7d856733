"""Where a stage runs on a chip: on the resource it names, or on its `else` where the chip lacks that; and decoder time.

Chips differ in what they lack, so a path of stages has a few variants; all of them keep number, order and names.
"""

from __future__ import annotations

from fractions import Fraction

from dse.catalog.types import Chip
from dse.problem.fields import exact
from dse.problem.spec import Source
from dse.problem.stage import Stage

DECODER = "video-decoder"
NETWORK_UNITS = frozenset({"npu", "gpu", "dla", "dsp", "mcu", "fpga"})
FULL_HD = (1920, 1080)
"""Width and height the decoders of catalogues are rated at [pixel]; taken where a source states none."""
RATED_HZ = 30
Stages = tuple[Stage, ...]


def frame_pixels(source: Source) -> int:
    """Pixels of one frame of a source; those of 1920 x 1080 where it does not say."""
    width, height = FULL_HD
    return (source.width or width) * (source.height or height)


def decoder_ms(chip: Chip, pixels: int) -> Fraction | None:
    """Time of one frame at the chip's video decoder [ms]; None where the chip states no decoder.

    A decoder of n streams 1080p30 finishes 30·n frames of 1920 x 1080 a second; its time goes with the pixels.
    """
    if not chip.decode_streams_1080p30:
        return None
    return 1000 / (RATED_HZ * exact(float(chip.decode_streams_1080p30))) * Fraction(pixels, FULL_HD[0] * FULL_HD[1])


def takes_decoder_time(stage: Stage) -> bool:
    """Whether the time of a stage is that of the chip's decoder: it is on it, and states none of its own."""
    stated = (stage.time_ms, stage.ms_per_mpx, stage.mbytes, stage.delay_ms)
    return stage.resource == DECODER and all(figure is None for figure in stated)


def lacks(stage: Stage, chip: Chip) -> bool:
    """Whether a chip has not got what a stage runs on; a time stated for this very chip says that it has a decoder."""
    if stage.resource == DECODER:
        named = stage.time_ms is not None and stage.time_ms.names(chip.id)
        return not named and not chip.decode_streams_1080p30
    return stage.resource in NETWORK_UNITS and chip.unit(stage.resource) is None


def on_chip(stages: Stages, chip: Chip) -> Stages:
    """The stages as they run on one chip."""
    return tuple(fallback(stage) if stage.otherwise is not None and lacks(stage, chip) else stage for stage in stages)


def fallback(stage: Stage) -> Stage:
    """A stage as its `else` says; nothing of it overlaps, since what was stated is of the other resource."""
    other = stage.otherwise
    if other is None:
        return stage
    changes = {"on": other.on, "time_ms": other.time_ms, "ms_per_mpx": other.ms_per_mpx}
    return stage.model_copy(update=changes | {"mbytes": None, "overlap": 0.0, "servers": 1, "otherwise": None})


def variants(stages: Stages, chips: list[Chip]) -> tuple[list[Stages], list[int]]:
    """The different forms the stages take on some chips, and for each chip its position among them."""
    choosing = [(k, stage) for k, stage in enumerate(stages) if stage.otherwise is not None]
    index: dict[tuple[int, ...], int] = {}
    found: list[Stages] = []
    of_chip = []
    for chip in chips:
        key = tuple(k for k, stage in choosing if lacks(stage, chip))
        if key not in index:
            index[key] = len(found)
            found.append(tuple(fallback(stage) if k in key else stage for k, stage in enumerate(stages)))
        of_chip.append(index[key])
    return found, of_chip
