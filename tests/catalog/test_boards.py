"""Boards: what their files may say, and what a chip becomes on one; expected numbers are worked out by hand."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dse.candidates.resources import RESERVE_LINUX, rated_power, reserve_of, sustained_w
from dse.catalog.mounted import mounted
from dse.catalog.parts import Lifecycle, Link, Power, Price, Temperature
from dse.catalog.read import read_catalog
from dse.catalog.types import Board, Chip, Mode
from dse.errors import CatalogError
from dse.problem.settings import Reserve
from tests.catalog.folders import CHIP, folder

CARD = """\
- id: my-card
  vendor: Mine
  class: card
  form: m2-card
  units: [{id: npu, tail_class: soc-npu, peak_tops: {int8: 4}, precisions: [int8]}]
"""
BOARDS = """\
- id: my-board
  vendor: Mine
  chip: my-chip
  form: sbc
  host: {cpu_cores: 4}
  memory_gb: 2
  links: [{id: usb-3, kind: usb, generation: '3.0', gbs: 0.5}]
  power: {idle_w: 2, typical_w: 6, max_w: 9, boundary: board}
  temperature: {min_c: 0, max_c: 50, at: ambient}
  prices: [{usd: 70, quantity: 1, date: 2026-03, kind: board}]
  lifecycle: {status: active, until: 2035, as_of: 2026}
- id: my-stick
  vendor: Mine
  chip: my-card
  form: usb-stick
  host: {board: my-board}
  prices: [{usd: 60, quantity: 1, date: 2025-11, kind: card}]
"""
FAULTS = [
    # what stands there, what replaces it, line, message
    ("chip: my-chip", "chip: my-chop", 3, r"my-board\.chip: no chip file has `my-chop` \(did you mean `my-chip`\?"),
    ("chip: my-chip", "chip: 7", 3, r"my-board\.chip: found 7, expected text"),
    (
        "{board: my-board}",
        "{board: my-bord}",
        16,
        r"my-stick\.host\.board: no board file has `my-bord` \(did you mean `my-board`\?",
    ),
    (
        "{board: my-board}",
        "{board: my-stick}",
        16,
        r"the host `my-stick` states no CPU cores \(a host is a board with host: \{cpu_cores",
    ),
    ("  host: {cpu_cores: 4}\n", "", 15, r"my-stick\.host\.board: the host `my-board` states no CPU cores"),
    ("{board: my-board}", "{board: my-board, cpu_cores: 2}", 12, r"my-stick: the host is another board and has cores"),
    ("{cpu_cores: 4}", "{cpu_cores: 0}", 5, r"host\.cpu_cores: found 0, expected"),
    ("{cpu_cores: 4}", "{cores: 4}", 5, r"host\.cores: unknown field \(did you mean `cpu_cores`"),
    ("memory_gb: 2", "memory_mb: 2", 6, r"my-board\.memory_mb: unknown field \(did you mean `memory_gb`"),
    ("memory_gb: 2", "memory_gb: 0", 6, r"memory_gb: found 0, expected more than 0"),
    ("gbs: 0.5", "gbs: fast", 7, r"links\[0\]\.gbs: found `fast`, expected a number"),
    ("kind: usb", "kind: usb-c", 7, r"links\[0\]\.kind: found `usb-c` \(did you mean `usb`"),
    ("typical_w: 6", "typical_w: 10", 1, r"my-board: typical_w 10 is above max_w 9"),
    ("boundary: board", "boundary: socket", 8, r"power\.boundary: found `socket`"),
    ("{usd: 70, ", "{", 1, r"my-board: a price without `usd`"),
    ("{min_c: 0", "{min_c: 60", 1, r"my-board: min_c 60 is above max_c 50"),
    ("form: sbc", "form: soc", 4, r"my-board\.form: found `soc` \(did you mean `sbc`"),
    ("  form: sbc\n", "", 1, r"my-board: missing form \(an entry that changes a known one needs only its id"),
    ("id: my-stick", "id: my-board", 12, r"listed twice, first in .*mine\.yaml:1"),
    ("  memory_gb", "  chip: my-card\n  memory_gb", 6, r"the key `chip` is given twice, first in line 3"),
]


def shelf(root, boards=BOARDS):
    folder(root, chips=CHIP + CARD)
    (root / "boards").mkdir(parents=True, exist_ok=True)
    (root / "boards" / "mine.yaml").write_text(boards, encoding="utf-8")
    return root


@pytest.mark.parametrize(("old", "new", "line", "message"), FAULTS)
def test_faults_of_a_board_file_carry_their_line(tmp_path, old, new, line, message):
    assert old in BOARDS, "the case does not break anything"
    with pytest.raises(CatalogError, match=message) as caught:
        read_catalog((shelf(tmp_path, BOARDS.replace(old, new, 1)),))
    assert [(fault.file, fault.line) for fault in caught.value.faults] == [(f"{tmp_path}/boards/mine.yaml", line)]


def test_a_broken_chip_file_does_not_make_its_boards_wrong(tmp_path):
    """A chip that could not be read is no unknown chip: one fault, not one for each board as well."""
    shelf(tmp_path)
    (tmp_path / "chips" / "mine.yaml").write_text(CHIP.replace("vendor: Mine", "vender: Mine"), encoding="utf-8")
    with pytest.raises(CatalogError) as caught:
        read_catalog((tmp_path,))
    assert [fault.where for fault in caught.value.faults] == ["my-chip.vender"]


def test_a_lone_board_needs_no_list_and_a_board_no_host(tmp_path):
    lone = "id: bare\nvendor: Mine\nchip: my-card\nform: m2-card\n"
    catalog = read_catalog((shelf(tmp_path, lone),))
    board = catalog.boards["bare"]
    assert (board.name, board.chips_count, board.host_board, board.cpu_cores, board.prices) == (
        "bare",
        1,
        None,
        None,
        (),
    )
    assert board.file == "boards/mine.yaml"
    assert catalog.platform("my-card", "bare").needs_host


def test_a_users_board_goes_over_the_shipped_one_field_by_field(tmp_path):
    """Mappings by field, lists of named things by id, lists of prices whole; null takes a figure away."""
    shipped, mine = shelf(tmp_path / "shipped"), tmp_path / "mine"
    (mine / "boards").mkdir(parents=True)
    (mine / "boards" / "a.yaml").write_text(
        "- id: my-board\n  power: {max_w: 11}\n  memory_gb: 4\n  temperature: {at: null}\n"
        "  links: [{id: usb-3, gbs: 0.4}, {id: pcie, gbs: 1}]\n  prices: [{usd: 99, date: 2026-09}]\n"
        "- id: my-stick\n  host: {board: null, cpu_cores: 2}\n",
        encoding="utf-8",
    )
    catalog = read_catalog((shipped, mine))
    board = catalog.boards["my-board"]
    assert board.power == Power(2, 6, 11, "board")
    assert (board.memory_gb, board.cpu_cores, board.vendor) == (4, 4, "Mine")
    assert board.temperature == Temperature(0, 50, None)
    assert [(link.id, link.kind, link.generation, link.gbs) for link in board.links] == [
        ("usb-3", "usb", "3.0", 0.4),
        ("pcie", "pcie", None, 1),
    ]
    assert [price.usd for price in board.prices] == [99]
    assert board.lifecycle.until == "2035"
    stick = catalog.boards["my-stick"]
    assert (stick.host_board, stick.cpu_cores, stick.latest_price.usd) == (None, 2, 60)


def test_a_new_host_may_not_stand_beside_the_old_one(tmp_path):
    """Rules are judged on what all folders say together: cores of its own over a shipped host are both."""
    shipped, mine = shelf(tmp_path / "shipped"), tmp_path / "mine"
    (mine / "boards").mkdir(parents=True)
    (mine / "boards" / "a.yaml").write_text("id: my-stick\nhost: {cpu_cores: 2}\n", encoding="utf-8")
    with pytest.raises(CatalogError, match=r"a\.yaml:1:1: my-stick: the host is another board and has cores"):
        read_catalog((shipped, mine))


# A chip and boards as objects, each figure different from all others.
MODES = (Mode("fast", "vendor", 6, None, 1, True, ""), Mode("slow", "vendor", 3, None, 0.5, False, ""))
PCIE = Link("pcie", "pcie", "3", 4, 3.9)
USB = Link("usb-3", "usb", "3.0", None, 0.5)
LAB_CHIP = Chip(
    id="c", name="C", vendor="v", chip_class="card", form="m2-card", os=None, release_year=None, cpu=None,
    cpu_cores=None, toolchain=None, units=(), modes=MODES, memory_type=None, bandwidth_gbs=8, capacity_gb=1,
    regions=(), runtimes=(), links=(PCIE,), power=Power(0.5, 1.5, 2.5, "module"),
    temperature=Temperature(-40, 85, "ambient"), decode_streams_1080p30=3,
    prices=(Price(40, 1, "2026-01", "card"),), lifecycle=Lifecycle("active", "2033"), notes="", sources={},
)  # fmt: skip
LAB_HOST = Board(
    id="h", name="H", vendor="v", chip="other", chips_count=1, form="sbc", host_board=None, cpu_cores=4, memory_gb=8,
    links=(), decode_streams_1080p30=None, power=Power(3, 7, 12, "board"), temperature=Temperature(0, 50, "ambient"),
    prices=(Price(80.5, 1, "2025-06", "board", "shop"),), mpn=None, lifecycle=Lifecycle(), notes="", sources={},
)  # fmt: skip
LAB_STICK = replace(
    LAB_HOST, id="s", name="S", chip="c", form="usb-stick", host_board="h", cpu_cores=None, memory_gb=None,
    links=(USB,), power=Power(0.4, 2, 4.5, "module"), temperature=Temperature(-20, 70, "ambient"),
    prices=(Price(55, 1, "2024-01", "card"), Price(60.25, 1, "2026-02", "card", "mill")),
)  # fmt: skip
CORES = replace(LAB_STICK, id="k", form="devkit", host_board=None, cpu_cores=2)


def on(board, chip=LAB_CHIP, host=LAB_HOST):
    return mounted(chip, board, {"h": host, board.id: board})


def test_a_stick_in_its_host_by_hand():
    """Power 0.4+3, 2+7, 4.5+12 W; price 60.25 (the newest) + 80.50, as old as the host's; cores of the host."""
    whole = on(LAB_STICK)
    assert whole.power == Power(3.4, 9, 16.5, "system")
    assert whole.latest_price == Price(140.75, 1, "2025-06", "kit", "mill + shop")
    assert (whole.name, whole.form, whole.cpu_cores) == ("S on H", "devkit", 4)
    assert (whole.plugged, whole.needs_host, whole.behind_link) == (True, False, True)
    assert (whole.link.label, whole.link_gbs) == ("usb 3.0", 0.5)
    assert (whole.id, whole.units, whole.decode_streams_1080p30) == ("c", LAB_CHIP.units, 3)


def test_temperatures_hold_for_the_host_too():
    """-20 to 70 °C of the stick, 0 to 50 of the computer: together 0 to 50; a host of unknown range leaves none."""
    assert on(LAB_STICK).temperature == Temperature(0, 50, "ambient")
    assert on(LAB_STICK, host=replace(LAB_HOST, temperature=Temperature())).temperature == Temperature()
    at_case = replace(LAB_HOST, temperature=Temperature(-30, 60, "case"))
    assert on(LAB_STICK, host=at_case).temperature == Temperature(-20, 60, None)
    assert on(CORES).temperature == LAB_STICK.temperature
    assert on(replace(CORES, temperature=Temperature())).temperature == LAB_CHIP.temperature


@pytest.mark.parametrize(
    ("card", "host", "expected"),
    [
        # figure by figure; unknown stays unknown
        (Power(0.4, 2, 4.5), Power(None, 7, 12), Power(None, 9, 16.5, "system")),
        (Power(None, None, 4.5), Power(3, 7, 12), Power(None, None, 16.5, "system")),
        (Power(0.4, 2, None), Power(3, 7, None), Power(3.4, 9, None, "system")),
        (Power(0.4, 2, 4.5), Power(), Power(None, None, None, "system")),
        (Power(), Power(3, 7, 12), Power(None, None, None, "system")),
        # 1.5 x (2.5 + 1) = 5.25 W would be below the 8.65 W the card alone may draw
        (Power(None, 2.5, 8.65), Power(None, 1, None), Power(None, None, None, "system")),
        (Power(0.4, 2, None), Power(3, 7, 12), Power(3.4, None, None, "system")),
    ],
)
def test_power_of_card_and_host_is_summed_figure_by_figure(card, host, expected):
    assert on(replace(LAB_STICK, power=card), host=replace(LAB_HOST, power=host)).power == expected


@pytest.mark.parametrize(
    ("card", "host", "usd", "date"),
    [
        ((Price(60, 1, "2026-02", "card"),), (Price(80, 1, "2025-06", "board"),), 140, "2025-06"),
        ((Price(60, 1, "2024", "card"),), (Price(80, 1, "2025-06", "board"),), 140, "2024"),
        ((Price(60, 1, None, "card"),), (Price(80, 1, "2025-06", "board"),), 140, "2025-06"),
        ((Price(60.1, 1, None, "card"),), (Price(80.2, 1, None, "board"),), 140.3, None),
        ((Price(60, 1, "2026", "card"), Price(90, 1, "2025", "card")), (Price(80, 1, None, "board"),), 140, "2026"),
        ((), (Price(80, 1, "2025-06", "board"),), None, None),
        ((Price(60, 1, "2026-02", "card"),), (), None, None),
    ],
)
def test_price_of_card_and_host(card, host, usd, date):
    price = on(replace(LAB_STICK, prices=card), host=replace(LAB_HOST, prices=host)).latest_price
    assert (price and price.usd, price and price.date) == (usd, date)


def test_what_the_board_states_takes_the_place_of_the_chip():
    """Memory, link, temperature, lifecycle and decoder of the board; the chip's where it is silent. Never its price."""
    states = replace(CORES, memory_gb=0.5, decode_streams_1080p30=8, lifecycle=Lifecycle(None, "2027"))
    silent = replace(CORES, links=(), temperature=Temperature(), power=Power(), prices=())
    stated, kept = on(states), on(silent)
    assert (stated.capacity_gb, kept.capacity_gb) == (0.5, 1)
    assert (stated.links, kept.links) == ((USB,), (PCIE,))
    assert (stated.decode_streams_1080p30, kept.decode_streams_1080p30) == (8, 3)
    assert (stated.lifecycle, kept.lifecycle) == (Lifecycle(None, "2027"), LAB_CHIP.lifecycle)
    assert (stated.latest_price.usd, kept.latest_price) == (60.25, None)
    assert stated.name == "S"


def test_a_board_with_a_cpu_hosts_its_own_accelerator():
    """No host board: nothing is added, the accelerator still sits behind the link."""
    whole = on(CORES)
    assert (whole.cpu_cores, whole.form, whole.plugged, whole.behind_link) == (2, "devkit", True, True)
    assert whole.power == LAB_STICK.power


@pytest.mark.parametrize(
    ("form", "becomes"), [("m2-card", "m2-card"), ("pcie-card", "pcie-card"), ("usb-stick", "card"), ("hat", "card")]
)
def test_a_bare_card_keeps_needing_a_host(form, becomes):
    bare = on(replace(LAB_STICK, form=form, host_board=None))
    assert (bare.form, bare.needs_host, bare.plugged, bare.behind_link) == (becomes, True, False, True)
    assert bare.power == LAB_STICK.power
    assert bare.latest_price.usd == 60.25
    assert bare.cpu_cores is None


@pytest.mark.parametrize(("form", "hosts"), [("soc", False), ("module", False), ("devkit", False), ("m2-card", True)])
def test_only_a_card_needs_a_host(form, hosts):
    """A chip with a CPU of its own is a computer on any board, and behind no link."""
    whole = on(replace(CORES, cpu_cores=None), replace(LAB_CHIP, form=form, cpu_cores=6))
    assert whole.needs_host is hosts
    assert (whole.form == "devkit", whole.plugged, whole.cpu_cores) == (not hosts, False, 6)


@pytest.mark.parametrize("form", ["mcu", "sensor"])
def test_a_small_chip_on_a_board_keeps_nothing_free_for_linux(form):
    """ESP32-S3 with 8 MB: 500 MB of reserve would refuse every network; a sensor in a computer has that one's."""
    problem = type("P", (), {"reserve": Reserve()})
    chip = replace(LAB_CHIP, form=form, cpu_cores=1, capacity_gb=None)
    alone = on(replace(CORES, cpu_cores=1, memory_gb=0.008), chip)
    assert reserve_of(problem, alone) == (0, 0, 0)
    assert reserve_of(problem, on(LAB_STICK, chip)) == (*RESERVE_LINUX, 0)


@pytest.mark.parametrize(
    ("chip_form", "board_form", "host", "budgets"),
    [
        ("module", "module", None, [6, 3]),
        ("module", "devkit", None, [None, None]),
        ("soc", "sbc", None, [None, None]),
        ("m2-card", "m2-card", None, [6, 3]),
        ("m2-card", "usb-stick", "h", [None, None]),
        # what the card may draw says nothing of card and computer together
        ("m2-card", "m2-card", "h", [None, None]),
    ],
)
def test_mode_budgets_stay_on_a_board_of_the_chips_own_form(chip_form, board_form, host, budgets):
    cores = None if host else 4
    whole = on(replace(CORES, form=board_form, cpu_cores=cores, host_board=host), replace(LAB_CHIP, form=chip_form))
    assert [mode.budget_w for mode in whole.modes] == budgets
    assert [(mode.id, mode.compute_scale, mode.reference) for mode in whole.modes] == [
        ("fast", 1, True),
        ("slow", 0.5, False),
    ]


@pytest.mark.parametrize(
    ("form", "boundary", "stands"),
    [
        ("devkit", "board", True),
        ("devkit", "system", True),
        ("soc", "module", False),
        ("soc", "rail", False),
        ("soc", None, False),
        ("pcie-card", "board", False),  # the board is the card, not the computer that this one has beside it
    ],
)
def test_power_of_a_chip_sold_as_a_board_stands_for_a_board_without_one(form, boundary, stands):
    power = Power(1, 4, 6, boundary)
    chip = replace(LAB_CHIP, form=form, power=power)
    assert on(replace(CORES, power=Power()), chip).power == (power if stands else Power())
    assert on(replace(CORES, power=Power(None, 5)), chip).power == Power(None, 5, None, "board")


def test_power_of_a_card_stands_for_its_bare_board():
    chip = replace(LAB_CHIP, form="pcie-card", power=Power(1, 4, 6, "board"))
    bare = replace(LAB_STICK, form="pcie-card", power=Power(), host_board=None)
    assert on(bare, chip).power == chip.power
    assert on(replace(bare, host_board="h"), chip).power == Power(4, 11, 18, "system")


watts = st.none() | st.floats(0.1, 500).map(lambda value: round(value, 3))
prices = st.none() | st.floats(1, 5000).map(lambda value: round(value, 2))


@st.composite
def powers(draw):
    """Any of the three figures unknown, those known in order."""
    known = sorted(draw(st.lists(st.floats(0.1, 500).map(lambda value: round(value, 3)), min_size=3, max_size=3)))
    kept = draw(st.lists(st.booleans(), min_size=3, max_size=3))
    figures = [value if keep else None for value, keep in zip(known, kept, strict=True)]
    return Power(*figures, draw(st.sampled_from([None, "rail", "module", "board", "system"])))


@st.composite
def boards(draw, host):
    """A board in a host, with a CPU of its own, or bare."""
    usd, cores = draw(prices), draw(st.none() | st.integers(1, 16))
    return replace(
        LAB_STICK,
        form=draw(st.sampled_from(["sbc", "devkit", "module", "m2-card", "pcie-card", "usb-stick", "hat", "box"])),
        host_board="h" if host else None,
        cpu_cores=None if host else cores,
        memory_gb=draw(watts),
        power=draw(powers()),
        prices=() if usd is None else (Price(usd, 1, draw(st.none() | st.just("2026-01")), "card"),),
        temperature=Temperature(*sorted(draw(st.tuples(st.integers(-40, 0), st.integers(0, 90)))), "ambient"),
    )


@st.composite
def hosts(draw):
    usd = draw(prices)
    return replace(
        LAB_HOST, power=draw(powers()), prices=() if usd is None else (Price(usd, 1, "2025-06", "board"),)
    )  # fmt: skip


forms = st.sampled_from(["soc", "mcu", "module", "m2-card", "pcie-card", "card", "devkit", "sensor"])


@settings(max_examples=30, deadline=None)
@given(card=boards(host=True), host=hosts(), form=forms)
def test_a_host_never_turns_an_unknown_into_a_number(card, host, form):
    """What is unknown of one part is unknown of both; what is known of both is their sum, and above either."""
    chip = replace(LAB_CHIP, form=form, power=Power(1, 2, 3, "module"))
    whole = on(card, chip, host)
    for name in ("idle_w", "typical_w", "max_w"):
        parts = (getattr(card.power, name), getattr(host.power, name))
        figure = getattr(whole.power, name)
        if None in parts:
            assert figure is None
        elif figure is not None:
            assert math.isclose(figure, sum(parts), abs_tol=1e-6)
    stated = card.latest_price is not None and host.latest_price is not None
    assert (whole.latest_price is not None) is stated


@settings(max_examples=30, deadline=None)
@given(card=boards(host=True), host=hosts(), form=forms)
def test_a_design_in_a_host_is_never_cheaper_or_cooler_than_the_card(card, host, form):
    """Price and sustained power of card and host are at least those of the card, or unknown."""
    chip = replace(LAB_CHIP, form=form, power=Power())
    bare, whole = on(replace(card, host_board=None), chip), on(card, chip, host)
    if whole.latest_price is not None:
        assert whole.latest_price.usd >= bare.latest_price.usd
        assert whole.latest_price.date is None or whole.latest_price.date <= (bare.latest_price.date or "9")
    both, own, others = (sustained_w(power)[0] for power in (whole.power, bare.power, host.power))
    if not math.isnan(both):
        assert both >= own - 1e-6
        assert both >= others - 1e-6
    assert whole.temperature.min_c >= card.temperature.min_c
    assert whole.temperature.max_c <= card.temperature.max_c


@settings(max_examples=30, deadline=None)
@given(board=boards(host=False), form=forms, chip_power=powers())
def test_a_board_never_invents_a_figure(board, form, chip_power):
    """Every figure of the mounted chip is the board's or the chip's; a price is the board's alone."""
    chip = replace(LAB_CHIP, form=form, power=chip_power)
    whole = on(board, chip)
    for name in ("idle_w", "typical_w", "max_w"):
        expected = board.power if board.power.known else chip_power
        assert getattr(whole.power, name) in (getattr(expected, name), None)
    assert whole.capacity_gb in (board.memory_gb, chip.capacity_gb)
    assert whole.latest_price == board.latest_price
    assert whole.needs_host is (chip.needs_host and board.cpu_cores is None)
    assert {mode.budget_w for mode in whole.modes} <= {6, 3, None}


def test_a_host_that_a_problem_names_narrows_link_temperature_and_lifecycle(knowledge):
    """Hailo-8 (PCIe 3 x4, -40…85 °C) in a Raspberry Pi 5 (PCIe 2 x1, 0…50 °C): the slot and the Pi decide."""
    catalog = replace(knowledge.catalog, host="raspberry-pi-5-8gb")
    card, host = catalog.boards["hailo-8-m2"], catalog.boards["raspberry-pi-5-8gb"]
    for board in ("", "hailo-8-m2"):
        chip = catalog.platform("hailo-8", board)
        assert (chip.plugged, chip.needs_host, chip.cpu_cores) == (True, False, 4)
        assert (chip.link.generation, chip.link.lanes, chip.link_gbs) == ("2", 1, 0.5)
        assert (chip.temperature.min_c, chip.temperature.max_c) == (0, 50)
        assert chip.lifecycle.until is None  # nobody says how long the card can be bought
    chip = catalog.platform("hailo-8", "hailo-8-m2")
    assert chip.power.max_w == pytest.approx(card.power.max_w + host.power.max_w)
    assert chip.latest_price.usd == pytest.approx(card.latest_price.usd + host.latest_price.usd)
    hat = catalog.platform("hailo-8", "raspberry-pi-ai-hat-plus-26t")
    assert hat == knowledge.catalog.platform("hailo-8", "raspberry-pi-ai-hat-plus-26t")  # as its file says it is wired
    assert catalog.platform("rk3588", "") == knowledge.catalog.platform("rk3588", "")


def test_no_rated_power_holds_for_an_overclocked_part(knowledge):
    chip = knowledge.catalog.platform("raspberry-pi-5", "raspberry-pi-5-8gb")
    assert rated_power(chip, "default")[0] == 12.7
    assert math.isnan(rated_power(chip, "overclocked to 2.9 GHz")[0])


def test_a_board_rated_below_a_mode_has_no_known_power_in_it(knowledge):
    """The reComputer is rated 25 W, and the 40W mode of its Orin NX allows the module alone 40: no figure holds."""
    from dse.candidates.resources import POWER_BASES, rated_power

    box = knowledge.catalog.platform("jetson-orin-nx-16gb", "seeed-recomputer-j4012")
    assert box.power.max_w == 25
    assert rated_power(box, "25W") == (25, POWER_BASES.index("maximum of the chip"))
    watts, basis = rated_power(box, "40W")
    assert watts != watts  # not a number: unknown
    assert POWER_BASES[basis] == "unknown"
