"""Rows and figures know the file and line they stand on, in the user's folders too."""

from __future__ import annotations

from dse.api import knowledge_of
from dse.catalog.places import condensed, nearest
from dse.catalog.read import read_catalog
from tests.catalog.folders import FILES, folder


def test_rows_of_a_folder_are_named_by_it(tmp_path):
    """Lines are counted with the header: the first measurement stands on line 2, the weights on line 2."""
    first = folder(tmp_path / "base", measurements=None)
    catalog = read_catalog((first, folder(tmp_path / "bench", **dict.fromkeys(("tails", "toolchains", "chips")))))
    m, a, nets = catalog.measurements, catalog.accuracies, catalog.nets
    assert [catalog.place(place) for place in m.place[-3:]] == [f"bench/measurements/mine.csv:{k}" for k in (2, 3, 4)]
    assert [catalog.place(place) for place in a.place] == [f"bench/models/accuracies.csv:{k}" for k in (2, 3)]
    assert catalog.place(nets.params_place[0]) == "bench/models/models.csv:2"
    assert nets.activations_place[0] == 0  # no row states activations
    assert catalog.place(nets.activations_place[0]) == ""
    assert catalog.place(catalog.tails["cpu-arm"].place) == "catalogs/tails.csv:3"


def test_each_figure_of_a_chip_has_the_place_of_the_file_that_states_it(tmp_path):
    """A user's maximum power stands in the user's file, the idle power still in the first; prices go all together."""
    over = "- id: my-chip\n  power:\n    max_w: 6\n  prices:\n  - {usd: 18, date: 2026-02, kind: chip}\n"
    first = folder(tmp_path / "base")
    second = folder(tmp_path / "over", **{**dict.fromkeys(("models", "accuracies", "speeds", "tails", "toolchains")),
                                          "chips": over})  # fmt: skip
    catalog = read_catalog((first, second))
    chip = catalog.chips["my-chip"]
    shown = {path: catalog.place(nearest(path, chip.places)) for path in ("power.max_w", "power.idle_w", "memory.type")}
    assert shown == {
        "power.max_w": "over/chips/mine.yaml:3",
        "power.idle_w": "catalogs/chips/mine.yaml:8",
        "memory.type": "catalogs/chips/mine.yaml:7",
    }
    assert catalog.place(chip.latest_price.place) == "over/chips/mine.yaml:5"
    assert catalog.place(nearest("modes.slow.compute_scale", chip.places)) == "catalogs/chips/mine.yaml:6"


def test_folders_of_one_name_are_told_apart(tmp_path):
    """Two folders called lab, and one called as those of dse are, get numbers; the names are the same each time."""
    roots = [tmp_path / name / last for name, last in (("a", "lab"), ("b", "lab"), ("c", "catalogs"))]
    alone = dict.fromkeys(("chips", "models", "accuracies", "tails"))
    several = {"toolchains": "pattern,group\nothertool*,other\n", "speeds": None}
    catalog = read_catalog((folder(tmp_path / "base"), *(folder(root, **alone, **several) for root in roots)))
    names = [name.removesuffix("/toolchains.csv") for name in catalog.files if name.endswith("toolchains.csv")]
    assert names == ["catalogs", "lab", "lab (2)", "catalogs (2)"]
    assert len(set(catalog.files)) == len(catalog.files)


def test_a_lone_file_of_measurements_goes_by_its_name(tmp_path):
    lone = tmp_path / "bench.csv"
    lone.write_text(FILES["measurements/mine.csv"], encoding="utf-8")
    catalog = read_catalog((folder(tmp_path / "base"), lone))
    assert catalog.place(catalog.measurements.place[-1]) == "bench.csv:4"


def test_a_licence_stands_where_the_line_of_the_facts_says_so(tmp_path):
    """The first line that fits the tag decides, `unknown` and other tags say nothing of a row that has its own."""
    models = FILES["models/models.csv"].replace("macs_source\n", "macs_source,license\n")
    models = models.replace(
        "my counter\n", "my counter,mit\nother,v2,image-classification,imagenet-1k,top1,224,224,1,1,,me,bsd\n"
    )
    facts = "pattern,weights_pattern,license,license_source\nmy*,v9,gpl-3.0,elsewhere\nmy*,v1,mit,read 2026: LICENSE\n"
    root = folder(tmp_path / "base", models=models)
    (root / "models/facts.csv").write_text(facts, encoding="utf-8")
    catalog = read_catalog((root,))
    e = catalog.entries
    assert [catalog.place(place) for place in e.license_place] == [
        "catalogs/models/facts.csv:3", "catalogs/models/models.csv:3"]  # fmt: skip
    assert e.license_source.tolist() == ["read 2026: LICENSE", ""]


def test_condensed_places_answer_as_all_of_them_do():
    places = {"": 1, "power": 4, "power.max_w": 4, "power.idle_w": 5, "modes": 7, "modes.fast": 7, "modes.fast.x": 8}
    short = condensed(places)
    assert set(short) == {"", "power", "power.idle_w", "modes", "modes.fast.x"}
    assert {path: nearest(path, short) for path in places} == places


def test_every_shipped_licence_has_its_place():
    """A licence without a line that states it could not be traced."""
    catalog = knowledge_of().catalog
    e = catalog.entries
    assert ((e.license != "") == (e.license_place > 0)).all()
    assert (catalog.measurements.place > 0).all()
    assert (catalog.accuracies.place > 0).all()
