"""``dse catalog add-model``: what it prints and keeps, what it refuses, and that nothing is lost on the way."""

from __future__ import annotations

import csv
import multiprocessing
import subprocess
import sys
from pathlib import Path

import pytest
from onnx import TensorProto, helper

from tests.catalog.onnx_models import Net, squeezenet1_1

SAID = ("--task", "image-classification", "--dataset", "imagenet-1k", "--metric", "top1")
ROOT = Path(__file__).parents[2]


@pytest.fixture
def squeezenet(tmp_path) -> Path:
    net, out = squeezenet1_1()
    return net.save(tmp_path / "my_squeeze.onnx", out)


@pytest.fixture
def strange(tmp_path) -> Path:
    """A convolution, and behind it an operator no standard defines."""
    net = Net(("x", [1, 3, 8, 8]))
    out = net.op("Mystery", net.conv("x", 8, bn=False), domain="com.example")
    return net.save(tmp_path / "strange.onnx", out, domains=["com.example"])


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as stream:
        return list(csv.DictReader(stream))


def test_it_prints_the_row_and_keeps_nothing(dse, squeezenet, tmp_path):
    shown = dse("catalog", "add-model", squeezenet)
    assert shown.code == 0
    for line in ("id\tmy_squeeze", "gmacs\t0.349151936", "params_m\t1.235496", "operators\tconv", "input_h\t224"):
        assert line in shown.out.splitlines()
    assert "memory int8\t1.235 + 0.982 MB" in shown.out
    assert "nothing is kept: add `--into DIR` for that" in shown.err
    assert [path.name for path in tmp_path.iterdir()] == ["my_squeeze.onnx"]


def test_json_is_one_object(dse, squeezenet):
    shown = dse("catalog", "add-model", squeezenet, *SAID, "--accuracy", "58.2", "--weights", "v1", "--json")
    assert shown.code == 0
    assert shown.err == ""
    found = shown.data
    assert found["counted"]["macs"] == 349_151_936
    assert found["counted"]["peak_mb"] == {"fp32": 3.928576, "fp16": 1.964288, "int8": 0.982144}
    assert found["counted"]["weights_mb"] == 4 * 1.235496
    assert found["counted"]["inputs"] == {"image": [1, 3, 224, 224]}
    assert found["model"]["weights"] == found["accuracy"]["weights"] == "v1"
    assert found["accuracy"]["accuracy"] == "58.2"
    assert found["model"]["macs_source"] == f"counted from my_squeeze.onnx, sha256 {found['counted']['sha256'][:16]}"
    assert (found["not_counted"], found["notes"]) == ([], [])


def test_what_it_keeps_is_a_catalogue_of_ones_own(dse, squeezenet):
    """The row can be shown with its sources."""
    done = dse("catalog", "add-model", squeezenet, *SAID, "--accuracy", "99", "--license", "mit", "--into", "mine")
    assert done.code == 0
    assert "kept in mine/models/models.csv and mine/models/accuracies.csv" in done.err
    assert "use it with `--catalog mine`, or with `catalogs: [mine]` in a problem file" in done.err
    (model,), (accuracy,) = rows_of(Path("mine/models/models.csv")), rows_of(Path("mine/models/accuracies.csv"))
    assert (model["id"], model["gmacs"], model["license"]) == ("my_squeeze", "0.349151936", "mit")
    assert (accuracy["precision"], accuracy["accuracy"], accuracy["toolchain"]) == ("fp32", "99", "")
    shown = dse("catalog", "show", "my_squeeze", "--catalog", "mine")
    assert shown.code == 0
    assert "params_m@224x224\t1.2355\t" in shown.out
    assert "top1 imagenet-1k@224x224  fp32\t99.0\tA" in shown.out


def test_rows_are_added_and_every_byte_before_them_stays(dse, squeezenet):
    folder = Path("mine/models")
    folder.mkdir(parents=True)
    before = (
        b"\xef\xbb\xbfid,weights,task,dataset,metric,gmacs,source,license,params_m,activations_m,macs_source,operators,"
        b"input_h,input_w,input_c\r\n"
        b'"first",,image-classification,,,1.0,"a, b",,,,,,,,'  # no end of line
    )
    (folder / "models.csv").write_bytes(before)
    assert dse("catalog", "add-model", squeezenet, *SAID, "--into", "mine").code == 0
    after = (folder / "models.csv").read_bytes()
    assert after.startswith(before + b"\r\n")
    assert after.endswith(b"\r\n")
    assert [row["id"] for row in rows_of(folder / "models.csv")] == ["first", "my_squeeze"]
    assert not (folder / "accuracies.csv").exists()


def test_columns_that_are_missing_are_added(dse, squeezenet):
    folder = Path("mine/models")
    folder.mkdir(parents=True)
    text = "id,weights,task,dataset,metric,input_h,input_w\nfirst,,image-classification,,,32,32\n"
    (folder / "models.csv").write_text(text, encoding="utf-8")
    assert dse("catalog", "add-model", squeezenet, *SAID, "--into", "mine").code == 0
    first, second = rows_of(folder / "models.csv")
    assert (first["id"], first["input_h"], first["gmacs"]) == ("first", "32", "")
    assert (second["id"], second["gmacs"]) == ("my_squeeze", "0.349151936")


def test_a_row_that_is_there_is_replaced_only_when_asked(dse, squeezenet):
    arguments = ("catalog", "add-model", squeezenet, *SAID, "--accuracy", "58", "--into", "mine")
    assert dse(*arguments).code == 0
    assert dse("catalog", "add-model", squeezenet, *SAID, "--id", "other", "--into", "mine").code == 0
    before = {path: path.read_bytes() for path in Path("mine/models").iterdir()}
    again = dse(*arguments)
    assert again.code == 2
    assert "`my_squeeze` is there already with this input and these weights, data set and metric" in again.err
    assert "--replace takes its place" in again.err
    assert {path: path.read_bytes() for path in Path("mine/models").iterdir()} == before
    done = dse(*arguments, "--replace", "--family", "squeezenet")
    assert done.code == 0
    rows = {row["id"]: row for row in rows_of(Path("mine/models/models.csv"))}
    assert set(rows) == {"my_squeeze", "other"}
    assert rows["my_squeeze"]["family"] == "squeezenet"
    assert len(rows_of(Path("mine/models/accuracies.csv"))) == 1


def test_other_weights_are_another_row(dse, squeezenet):
    for tag in ("a", "b"):
        assert dse("catalog", "add-model", squeezenet, *SAID, "--weights", tag, "--into", "mine").code == 0
    assert [row["weights"] for row in rows_of(Path("mine/models/models.csv"))] == ["a", "b"]


def test_both_files_or_none(dse, squeezenet):
    """The accuracy breaks a rule: the model is not written either, and nothing lies around."""
    shown = dse("catalog", "add-model", squeezenet, *SAID, "--accuracy", "0.582", "--into", "mine")
    assert shown.code == 2
    assert "mine/models/accuracies.csv" in shown.err
    assert "accuracies are percent: write 58.2" in shown.err
    assert list(Path("mine/models").iterdir()) == []


def test_a_file_that_is_being_written_is_left_alone(dse, squeezenet):
    Path("mine/models").mkdir(parents=True)
    draft = Path("mine/models/.models.csv.new")
    draft.write_text("half", encoding="utf-8")
    shown = dse("catalog", "add-model", squeezenet, *SAID, "--into", "mine")
    assert shown.code == 2
    assert "is being written by another command" in shown.err
    assert draft.read_text(encoding="utf-8") == "half"
    assert not Path("mine/models/models.csv").exists()


def test_a_broken_file_is_reported_and_left_as_it_was(dse, squeezenet):
    Path("mine/models").mkdir(parents=True)
    broken = Path("mine/models/models.csv")
    broken.write_text("id;weights\n1;2\n", encoding="utf-8")
    shown = dse("catalog", "add-model", squeezenet, *SAID, "--into", "mine")
    assert shown.code == 2
    assert "separated by semicolons" in shown.err
    assert broken.read_text(encoding="utf-8") == "id;weights\n1;2\n"
    assert [path.name for path in broken.parent.iterdir()] == ["models.csv"]


def _add(folder: str, number: int) -> bool:
    """Add one row, waiting for its turn; in a process of its own."""
    from dse.catalog.append import keep_all
    from dse.catalog.columns import MODELS
    from dse.errors import CatalogError

    row = {"id": f"net{number}", "weights": "", "task": "t", "dataset": "", "metric": "", "gmacs": "1", "source": "s"}
    for _ in range(2_000):
        try:
            keep_all(Path(folder), [(MODELS, row)], replace=False)
        except CatalogError as error:
            if "being written" not in str(error):
                raise
        else:
            return True
    return False


def test_commands_at_the_same_time_lose_nothing(tmp_path):
    """Four processes write 24 rows in all into one file; those that meet another's draft try again."""
    context = multiprocessing.get_context("spawn")
    with context.Pool(4) as pool:
        assert all(pool.starmap(_add, [(str(tmp_path), number) for number in range(24)]))
    assert sorted(row["id"] for row in rows_of(tmp_path / "models/models.csv")) == sorted(f"net{k}" for k in range(24))
    assert [path.name for path in (tmp_path / "models").iterdir()] == ["models.csv"]


def test_operators_nobody_can_count(dse, strange):
    """Refused, with what was counted as a lower bound; with leave, the row says so."""
    shown = dse("catalog", "add-model", strange, "--task", "image-classification", "--into", "mine")
    assert shown.code == 2
    assert "not counted: com.example.Mystery `mystery2` is no operator of the standard" in shown.err
    assert "1.382e-05 GMACs are a lower bound: 1 operators are counted as zero" in shown.err
    assert "--allow-unknown-operators takes the bound for the figure" in shown.err
    assert not Path("mine").exists()
    allowed = dse("catalog", "add-model", strange, "--allow-unknown-operators", "--json")
    assert allowed.code == 0
    assert allowed.data["model"]["source"].endswith("; a lower bound: some operators are not counted")
    assert allowed.data["model"]["operators"] == "conv custom"
    assert allowed.data["not_counted"][0]["operator"] == "com.example.Mystery `mystery2`"
    assert "warning:" in allowed.err


def test_free_axes_on_the_command_line(dse, tmp_path):
    net = Net(("x", ["batch", 3, "h", "w"]))
    path = net.save(tmp_path / "free.onnx", net.conv("x", 8, bn=False))
    shown = dse("catalog", "add-model", path)
    assert shown.code == 2
    assert "axes have no size: `h`, `w`" in shown.err
    by_size = dse("catalog", "add-model", path, "--input", "48x64", "--json")
    by_name = dse("catalog", "add-model", path, "--dim", "h=48", "--dim", "w=64", "--dim", "batch=1", "--json")
    assert by_size.data["model"] == by_name.data["model"]
    assert (by_size.data["model"]["input_h"], by_size.data["model"]["input_w"]) == ("48", "64")
    assert by_size.data["notes"] == ["axis 0 of `x` (batch) is taken as a batch of 1"]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("--into", "mine"), "a network in a catalogue needs --task"),
        (("--dataset", "imagenet-1k"), "--dataset and --metric belong together"),
        (("--accuracy", "58"), "an accuracy means nothing without --dataset and --metric"),
        ((*SAID, "--accuracy", "nan"), "--accuracy is no finite number"),
        (("--input", "224"), "--input `224` is no size: write HEIGHTxWIDTH"),
        (("--dim", "h"), "--dim `h` is no axis with its size: write AXIS=SIZE"),
        (("--dim", "h=0"), "--dim `h=0` is no axis with its size"),
        (("--dim", "h=8"), "--dim names the axis `h`, which no input has"),
        ((*SAID, "--accuracy", "58", "--precision", "int9", "--into", "mine"), "found `int9`"),
        (("--max-mb", "0.001"), "more than the 0 allowed"),
        (("--max-mb", "-1"), "--max-mb"),
    ],
)
def test_arguments_that_make_no_sense(dse, squeezenet, arguments, expected):
    shown = dse("catalog", "add-model", squeezenet, *arguments)
    assert shown.code == 2
    assert expected in shown.err
    assert "Traceback" not in shown.err
    assert shown.out == ""


@pytest.mark.parametrize("content", [b"", b"a text\n", bytes(range(256))])
def test_files_that_are_no_model(dse, tmp_path, content):
    path = tmp_path / "wrong.onnx"
    path.write_bytes(content)
    shown = dse("catalog", "add-model", path)
    assert shown.code == 2
    assert shown.err.startswith(f"error: {path}: ")


def test_data_outside_the_folder(dse, tmp_path):
    model = Net(("x", [1, 4])).model()
    model.graph.initializer.append(TensorProto(name="w", dims=[4, 4], data_type=1, data_location=1))
    model.graph.initializer[0].external_data.add(key="location", value="../../etc/passwd")
    model.graph.node.append(helper.make_node("MatMul", ["x", "w"], ["y"]))
    model.graph.output.append(helper.make_tensor_value_info("y", 1, None))
    path = tmp_path / "evil.onnx"
    path.write_bytes(model.SerializeToString())
    shown = dse("catalog", "add-model", path)
    assert shown.code == 2
    assert "leads out of the model's folder" in shown.err


def test_the_missing_package_is_named(dse, squeezenet, monkeypatch):
    import importlib.util

    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *rest: None if name == "onnx" else find(name, *rest))
    shown = dse("catalog", "add-model", squeezenet)
    assert shown.code == 2
    assert "pip install 'dse[onnx]'" in shown.err


def test_help_does_not_load_onnx():
    code = (
        "import sys, contextlib, io\nfrom dse.cli.main import main\n"
        "for sys.argv in (['dse', '--help'], ['dse', 'catalog', 'add-model', '--help']):\n"
        "    with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):\n        main()\n"
        "print('onnx' in sys.modules, 'numpy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.split() == ["False", "False"]


def test_its_help_has_an_example(dse):
    shown = dse("catalog", "add-model", "--help")
    assert shown.code == 0
    assert "Example: dse catalog add-model" in " ".join(shown.out.split())
