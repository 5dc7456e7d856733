"""``dse catalog add-model``: counts a network from its ONNX file and adds it to a catalogue of one's own."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from dse.cli.common import EXIT_INPUT, JsonFlag, remark, show_rows

if TYPE_CHECKING:
    from dse.catalog.model_row import Row, Stated
    from dse.catalog.onnxfile.facts import Asked, Facts

_NONE = ""


def add_model(
    file: Annotated[Path, typer.Argument(help="Network (ONNX).", show_default=False)],
    name: Annotated[str, typer.Option("--id", help="Id of the architecture; the file's name if left out.")] = _NONE,
    weights: Annotated[str, typer.Option(help="Tag of the trained weights.")] = _NONE,
    task: Annotated[
        str, typer.Option(help="What it does, as in `dse catalog list tasks`; needed with --into.")
    ] = _NONE,
    dataset: Annotated[str, typer.Option(help="Data set its accuracy is of.")] = _NONE,
    metric: Annotated[str, typer.Option(help="Metric its accuracy is in.")] = _NONE,
    accuracy: Annotated[
        float | None, typer.Option(help="The accuracy; percent metrics on 0–100.", show_default=False)
    ] = None,
    precision: Annotated[str, typer.Option(help="Precision the accuracy was taken at.")] = "fp32",
    toolchain: Annotated[str, typer.Option(help="What quantized it; nothing for the float model.")] = _NONE,
    family: Annotated[str, typer.Option(help="Family, for selection and estimates.")] = _NONE,
    license_: Annotated[str, typer.Option("--license", help="Licence of the weights.")] = _NONE,
    size: Annotated[
        str, typer.Option("--input", help="HEIGHTxWIDTH of the picture, where the file leaves it free.")
    ] = _NONE,
    dim: Annotated[
        list[str] | None,
        typer.Option(help="AXIS=SIZE of an axis the file leaves free; may be repeated.", show_default=False),
    ] = None,
    max_mb: Annotated[float, typer.Option(help="Largest file that is read.", min=0)] = 2_147,
    allow_unknown_operators: Annotated[
        bool, typer.Option("--allow-unknown-operators", help="Count operators nobody can count as zero.")
    ] = False,
    into: Annotated[
        Path | None, typer.Option(help="Folder of your own catalogue to add the row to.", show_default=False)
    ] = None,
    replace: Annotated[bool, typer.Option("--replace", help="Replace the row if it is there already.")] = False,
    as_json: JsonFlag = False,
) -> None:
    """Count the work, parameters and memory of a network from its ONNX file, and add it to a catalogue of your own.

    Example: dse catalog add-model net.onnx --task image-classification --dataset imagenet-1k --metric top1
    --accuracy 76.1 --into mine
    """
    if importlib.util.find_spec("onnx") is None:
        _fail("reading ONNX files needs the package onnx: pip install 'dse[onnx]'")
    from dse.catalog.model_row import Stated, accuracy_row, model_row
    from dse.catalog.onnxfile.facts import read_facts

    stated = Stated(
        name=name or file.stem, weights=weights, family=family, task=task, dataset=dataset, metric=metric,
        license=license_, accuracy=accuracy, precision=precision, toolchain=toolchain,
    )  # fmt: skip
    _refuse_half_said(stated, into)
    facts = read_facts(file, _asked(size, dim or [], max_mb))
    _refuse_uncounted(facts, file, allowed=allow_unknown_operators)
    source = f"counted from {file.name}, sha256 {facts.digest[:16]}"
    if facts.uncounted:
        source += "; a lower bound: some operators are not counted"
    rows = model_row(facts, stated, source), accuracy_row(facts, stated, source)
    kept = [] if into is None else _keep(into, *rows, replace=replace)
    if as_json:
        _print_json(facts, *rows)
    else:
        _print_tables(facts, *rows)
    for line in facts.remarks:
        remark(f"note: {line}")
    if into is not None:
        remark(f"kept in {' and '.join(map(str, kept))}")
        remark(f"use it with `--catalog {into}`, or with `catalogs: [{into}]` in a problem file")
    elif not as_json:
        remark("nothing is kept: add `--into DIR` for that")


def _fail(message: str) -> NoReturn:
    remark(f"error: {message}")
    raise typer.Exit(EXIT_INPUT)


def _refuse_half_said(stated: Stated, into: Path | None) -> None:
    """What the user says of the network must hang together before the file is read."""
    if into is not None and not stated.task:
        _fail("a network in a catalogue needs --task; `dse catalog list tasks` shows the words in use")
    if bool(stated.dataset) != bool(stated.metric):
        _fail("--dataset and --metric belong together: give both or neither")
    if stated.accuracy is not None and not stated.dataset:
        _fail("an accuracy means nothing without --dataset and --metric")
    if stated.accuracy is not None and not abs(stated.accuracy) < float("inf"):
        _fail("--accuracy is no finite number")


def _asked(size: str, dims: list[str], max_mb: float) -> Asked:
    from dse.catalog.onnxfile.axes import parse_dim, parse_size
    from dse.catalog.onnxfile.facts import Asked

    height_width = parse_size(size) if size else None
    if size and height_width is None:
        _fail(f"--input `{size[:40]}` is no size: write HEIGHTxWIDTH, such as 480x640")
    sizes: dict[str, int] = {}
    for text in dims:
        found = parse_dim(text)
        if found is None:
            _fail(f"--dim `{text[:80]}` is no axis with its size: write AXIS=SIZE, such as batch=1")
        sizes[found[0]] = found[1]
    return Asked(sizes, height_width, max_mb)


def _refuse_uncounted(facts: Facts, file: Path, *, allowed: bool) -> None:
    """Say aloud what is not counted; without leave, refuse."""
    if not facts.uncounted:
        return
    for line in facts.reasons:
        remark(f"not counted: {line}")
    bound = f"{facts.macs / 1e9:.4g} GMACs are a lower bound: {len(facts.uncounted)} operators are counted as zero"
    if allowed:
        remark(f"warning: {bound}")
        return
    _fail(f"{file}: {bound}; --allow-unknown-operators takes the bound for the figure")


def _print_json(facts: Facts, row: Row, accuracy: Row | None) -> None:
    import json

    found = {
        "model": dict(row),
        "accuracy": None if accuracy is None else dict(accuracy),
        "counted": {
            "macs": facts.macs,
            "binary_macs": facts.binary_macs,
            "params": facts.params,
            "weights_mb": facts.weights_bytes / 1e6,
            "activations": facts.activations,
            "peak_mb": {precision: peak / 1e6 for precision, peak in facts.peak_bytes.items()},
            "layers": facts.layers,
            "inputs": {name: list(shape) for name, shape in facts.inputs.items()},
            "sha256": facts.digest,
        },
        "not_counted": [{"operator": label, "reason": reason} for label, reason in facts.uncounted],
        "notes": list(facts.remarks),
    }
    typer.echo(json.dumps(found, indent=2, ensure_ascii=False))


def _print_tables(facts: Facts, row: Row, accuracy: Row | None) -> None:
    inputs = ", ".join(f"{name} {'×'.join(map(str, shape))}" for name, shape in facts.inputs.items())
    rows: list[list[object]] = [["counted", "figure", "meaning"]]
    rows += [
        ["inputs", inputs, ""],
        ["weights", f"{facts.weights_bytes / 1e6:.3f} MB", "parameters, as the file stores them"],
    ]
    for precision, peak in facts.peak_bytes.items():
        shown = f"{facts.params_bytes(precision) / 1e6:.3f} + {peak / 1e6:.3f} MB"
        rows.append([f"memory {precision}", shown, "weights + most values alive at one time, one after the other"])
    show_rows(rows)
    for title, one in (("models.csv", row), ("accuracies.csv", accuracy)):
        if one is not None:
            typer.echo("")
            show_rows([[title, "value"], *([column, cell] for column, cell in one.items() if cell)])


def _keep(folder: Path, row: Row, accuracy: Row | None, *, replace: bool) -> list[Path]:
    from dse.catalog.append import keep_all
    from dse.catalog.columns import ACCURACIES, MODELS

    rows = [(MODELS, row)] if accuracy is None else [(MODELS, row), (ACCURACIES, accuracy)]
    return keep_all(folder, rows, replace=replace)
