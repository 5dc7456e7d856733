"""What chip and board files may hold: every field with its unit and bounds."""

from __future__ import annotations

from typing import get_args

from dse.catalog.evidence import SourceText
from dse.catalog.fields import Date, Field, Flag, Group, Listed, Name, Number, Precision, Table, Text, precision_hint
from dse.words import Form, UnitKind

CHIP_CLASSES = ("mcu", "camera-soc", "phone", "module", "card", "sbc", "desktop", "server")
BOARD_FORMS = ("sbc", "devkit", "module", "m2-card", "pcie-card", "usb-stick", "hat", "box")
MODE_KINDS = ("vendor", "measured", "clock")
LINK_KINDS = ("pcie", "usb", "spi", "mipi", "ethernet", "sdio", "on-chip")
REGION_KINDS = ("sram", "tcm", "flash", "psram", "dram", "rram", "mram")
POWER_BOUNDARIES = ("rail", "module", "board", "system")
PRICE_KINDS = ("chip", "module", "card", "devkit", "board", "kit")
LIFECYCLE_STATUS = ("preview", "active", "nrnd", "last-buy", "discontinued")
SYSTEMS = ("linux", "android", "windows", "rtos", "bare-metal", "none")
UNIT_KINDS: tuple[str, ...] = get_args(UnitKind)

_CELSIUS = Number(-273.15, 1000)
_POSITIVE = Number(above=True, high=1e9)
_COUNT = Number(1, 100_000, whole=True)
_WATTS = Number(1e-6, 1e5)
_DOLLARS = Number(0.01, 1e7)

UNIT = Group(
    {
        "id": Text(),
        "kind": Text(UNIT_KINDS),
        "count": _COUNT,  # equal cores
        "peak_tops": Table(_POSITIVE, precision_hint),  # [10^12 operation/s], whole unit, dense, per precision
        "one_inference_share": Number(0, 1, above=True),  # share of the peak one inference can use
        "sram_kib": Number(),  # [1024 byte] on chip
        "precisions": Listed(Precision()),
        "tail_class": Text(),  # a row of tails.csv
    }
)
MODE = Group(
    {
        "id": Text(),
        "kind": Text(MODE_KINDS),
        "budget_w": _WATTS,
        "bandwidth_gbs": _POSITIVE,
        "compute_scale": _POSITIVE,  # rate over that of the reference mode
        "reference": Flag(),
        "source": Text(),
    }
)
LINK = Group(
    {"id": Text(), "kind": Text(LINK_KINDS), "generation": Text(), "lanes": _COUNT, "gbs": _POSITIVE}  # gbs: one way
)
REGION = Group({"id": Text(), "kind": Text(REGION_KINDS), "kib": _POSITIVE})
PRICE = Group({"usd": _DOLLARS, "quantity": _COUNT, "date": Date(), "kind": Text(PRICE_KINDS), "source": SourceText()})
# What a chip and a board both may say.
_COMMON: dict[str, Field] = {
    "id": Name(),
    "name": Text(),
    "vendor": Text(),
    "links": Listed(LINK, named=True),
    "power": Group({"idle_w": _WATTS, "typical_w": _WATTS, "max_w": _WATTS, "boundary": Text(POWER_BOUNDARIES)}),
    "temperature": Group({"min_c": _CELSIUS, "max_c": _CELSIUS, "at": Text(("junction", "case", "ambient"))}),
    "video_decode": Group({"streams_1080p30": Number()}),
    "prices": Listed(PRICE),
    "lifecycle": Group(
        {"status": Text(LIFECYCLE_STATUS), "until": Date(), "last_buy": Date(), "as_of": Date()},
    ),
    "notes": Text(),
    "sources": Table(SourceText()),
}
CHIP = Group(
    {
        **_COMMON,
        "class": Text(CHIP_CLASSES),
        "form": Text(get_args(Form)),
        "os": Text(SYSTEMS),
        "release_year": Number(1970, 2100, whole=True),
        "cpu": Text(),
        "cpu_cores": _COUNT,
        "toolchain": Text(),
        "units": Listed(UNIT, named=True),
        "modes": Listed(MODE, named=True),
        "memory": Group(
            {
                "type": Text(),
                "bandwidth_gbs": _POSITIVE,
                "capacity_gb": _POSITIVE,
                "regions": Listed(REGION, named=True),
            }
        ),
        "runtimes": Listed(Group({"id": Text(), "base_mb": Number(), "link": Text()}), named=True),
    }
)
BOARD = Group(
    {
        **_COMMON,
        "chip": Text(),
        "chips_count": _COUNT,
        "form": Text(BOARD_FORMS),
        "host": Group({"board": Text(), "cpu_cores": _COUNT}),  # the computer the application runs on
        "memory_gb": _POSITIVE,
        "mpn": Text(),
    }
)
