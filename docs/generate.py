"""Writes the parts of the manual that repeat the program: field tables, commands, columns, and real answers.

Each part stands between ``<!-- generated NAME -->`` and ``<!-- end -->`` in a Markdown file; the rest of the file is
written by hand and left alone. ``python docs/generate.py`` rewrites the parts, ``--check`` only says which are stale.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
FILES = (
    "README.md",
    "docs/problem-file.md",
    "docs/answers.md",
    "docs/cli.md",
    "docs/systems.md",
    "docs/compare.md",
    "docs/explain.md",
)
PART = re.compile(r"(<!-- generated (?P<name>[\w-]+) -->\n).*?(<!-- end -->)", re.DOTALL)
WIDTH = 80
"""Columns of the terminal that shown answers were printed in."""

MODELS = (
    ("Problem", "The file as a whole"),
    ("Source", "`sources[]`"),
    ("Task", "`tasks[]`"),
    ("Stage", "`stages[]` of a source or a task"),
    ("Fallback", "`else` of a stage"),
    ("InputRange", "`tasks[].input`"),
    ("Items", "`tasks[].items_per_frame`"),
    ("Chain", "`chains[]`"),
    ("Search", "`search`"),
    ("Selection", "Selections of names: `models`, `boards`, `runtimes`"),
    ("ChipSelection", "`search.chips`"),
    ("Where", "`search.chips.where`"),
    ("Batching", "`search.batching`"),
    ("Devices", "`search.devices`"),
    ("Reserve", "`reserve`"),
    ("Host", "`host`"),
    ("Guard", "`guard`"),
    ("Objective", "`objectives[]`"),
    ("Known", "`known[]`"),
    ("Procurement", "`procurement`"),
    ("Engineering", "`procurement.engineering`"),
    ("Baseline", "`baseline`"),
    ("Scoring", "`scoring`"),
)
"""Parts of the file format in the order of the manual, with where they stand."""

RULES: Mapping[tuple[str, str], str] = {
    ("Task", "dataset"): "the main one of the task",
    ("Task", "metric"): "the main one of the data set",
    ("Task", "rate_hz"): "this or period_ms: required",
    ("Task", "period_ms"): "this or rate_hz: required",
    ("Source", "rate_hz"): "this or period_ms: required",
    ("Source", "period_ms"): "this or rate_hz: required",
    ("Task", "deadline_ms"): "required",
    ("Task", "overhead_ms"): "0",
    ("Task", "stages"): "upload (auto, if behind a link) and infer",
    ("Stage", "on"): "dma for a transfer, cpu for a time, none for a delay",
    ("Task", "models"): "all",
    ("Task", "items_per_frame"): "1",
    ("Task", "search"): "the common one",
    ("Source", "stages"): "none",
    ("Search", "chips"): "all",
    ("Search", "boards"): "all",
    ("Search", "units"): "all",
    ("Search", "runtimes"): "all",
    ("Selection", "include"): "all",
    ("ChipSelection", "include"): "all",
    ("Where", "vendor"): "all",
    ("Where", "form"): "all",
    ("Where", "toolchain"): "all",
    ("Search", "batches"): "[1] for one stream, else [1, 2, 4, 8, 16]",
    ("Search", "precisions"): "all the unit executes and whose accuracy is known or estimated",
    ("Reserve", "memory_mb"): "500; on a microcontroller or sensor 0",
    ("Reserve", "cpu_cores"): "1; on a microcontroller or sensor 0",
    ("Reserve", "power_w"): "0",
    ("Known", "mode"): "the highest of the chip",
    ("Known", "latency_ms"): "this or period_ms: required",
    ("Known", "period_ms"): "this or latency_ms: required",
    ("Known", "chip"): "this or board: required",
    ("Known", "board"): "this or chip: required",
    ("Known", "unit"): "the first the chip has of npu, gpu, dla, dsp, fpga, cpu, mcu",
    ("Problem", "limits"): "utilization at most 0.95",
    ("Problem", "objectives"): "accuracy within 0.1, then price_usd, power_w, worst_case_ms",
    ("Guard", "unknown"): "reject; flag for price_usd, lifecycle_until and license",
    ("Objective", "maximize"): "this or minimize: required",
    ("Objective", "minimize"): "this or maximize: required",
    ("Objective", "within"): "0",
    ("Scoring", "values"): "from the worst to the best among the feasible designs",
}
"""Defaults that are a rule instead of a value, as the manual says them."""

COLUMN_MEANINGS: Mapping[str, str] = {
    "task": "name of the task in the problem file",
    "chip": "id of the chip",
    "board": "id of the board; empty: the chip alone",
    "host": "what a card is plugged into: `owned`, `stated`, `none` or a board; empty for chips that need none",
    "link": "link of a card to its host",
    "mode": "power mode",
    "unit": "kind of processor the network runs on",
    "cores": "cores of that unit in use; empty: not stated",
    "runtime": "runtime and where its figures come from",
    "model": "id of the network",
    "weights": "tag of the trained weights",
    "input_h": "height of the input",
    "input_w": "width of the input",
    "precision": "number format",
    "batch": "items per run, at most",
    "policy": "how a batch is gathered: `dynamic`, `count` or `timeout-close`",
    "timeout_ms": "longest wait for further items of a batch",
    "buffers": "1: transfer and network in series; 2: double-buffered",
    "accuracy_grade": "evidence of the accuracy, A to E",
    "grade": "evidence of the network's time, A to E",
    "feasible": "`true` or `false`: whether every limit is met",
    "violated": "the limits that are broken, joined by ` | `",
}
COLUMN_UNITS = {"input_h": "pixel", "input_w": "pixel", "timeout_ms": "ms"}

Json = dict[str, Any]


def main() -> int:
    """Rewrite the generated parts, or with ``--check`` say which files are stale (exit code 1)."""
    parser = argparse.ArgumentParser(description="Rewrite the generated parts of the manual.")
    parser.add_argument("--check", action="store_true", help="change nothing; exit code 1 when a file is stale")
    only_check = parser.parse_args().check
    stale = [name for name in FILES if (ROOT / name).read_text(encoding="utf-8") != rendered(name)]
    for name in stale:
        if not only_check:
            (ROOT / name).write_text(rendered(name), encoding="utf-8", newline="\n")
        sys.stderr.write(f"{'stale' if only_check else 'written'}: {name}\n")
    return int(only_check and bool(stale))


def rendered(name: str) -> str:
    """Text of a file of `FILES` with every generated part made anew."""
    text = (ROOT / name).read_text(encoding="utf-8")
    return PART.sub(lambda part: f"{part[1]}{PARTS[part['name']]()}{part[3]}", text)


def fields() -> str:
    """Tables of every field of a problem file: unit, what it may be, default, meaning."""
    from dse.problem.starter import json_schema

    schema = json_schema()
    shapes = {"Problem": schema, **schema["$defs"]}
    shapes["Objective"] = schema["properties"]["objectives"]["anyOf"][0]
    abouts = {name: shape.get("description", "") for name, shape in shapes.items()}
    return "".join(_model_table(name, title, shapes[name], abouts) for name, title in MODELS)


def limits() -> str:
    """Table of the limits with a bare number's direction, and the names in other units."""
    from dse.problem.limits import ALIASES, KINDS

    signs = {"max": "at most", "min": "at least", "covers": "must be covered"}
    rows = [(f"`{name}`", _unit(k.meaning), signs[k.direction], _without_unit(k.meaning)) for name, k in KINDS.items()]
    table = _table(("limit", "unit", "a bare number means", "what is bounded"), rows)
    others = ", ".join(f"`{alias}` ({name})" for alias, (name, _) in ALIASES.items())
    return f"{table}\nIn other units: {others}.\n"


def scored_figures() -> str:
    """Table of the figures that can have a weight: unit, direction, meaning."""
    from dse.problem.scoring import FIGURES

    rows = [
        (f"`{name}`", _unit(f.meaning), "more" if f.higher_is_better else "less", _without_unit(f.meaning))
        for name, f in FIGURES.items()
    ]
    return _table(("figure", "unit", "better", "meaning"), rows)


def quantities() -> str:
    """Table of the physical columns: unit, resolution at which objectives compare, direction, meaning."""
    from dse.schema import QUANTITIES

    rows = [
        (f"`{q.name}`", q.unit, f"{q.resolution / q.scale:g}", "more" if q.higher_is_better else "less", q.meaning)
        for q in QUANTITIES.values()
    ]
    return _table(("quantity", "unit", "resolution", "better", "meaning"), rows)


def columns() -> str:
    """Table of the columns of the candidate table, in their order."""
    from dse.report.table import COLUMNS
    from dse.schema import QUANTITIES

    rows = []
    for name in COLUMNS:
        known = QUANTITIES.get(name)
        unit, meaning = (known.unit, known.meaning) if known else (COLUMN_UNITS.get(name, ""), COLUMN_MEANINGS[name])
        rows.append((f"`{name}`", unit, meaning))
    return _table(("column", "unit", "meaning"), rows)


SWEEP_MEANINGS: Mapping[str, str] = {
    "point": "number of the point, from 1",
    "status": "`optimal`, `feasible` (not proven the best), `infeasible` (proven), `unknown` (stopped by a time limit)",
    "label": "`feasible` when measurements of grade A alone decide, else `feasible if estimates hold`; as in JSON",
    "winner_changes": "whether another design wins than at the nearest point before along the last field that has one, "
    "or where there is none along the field before it, and so on: `true` or `false`; empty without a design, and where "
    "no such point has one",
    "deadline_ms": "deadline of the task; empty: none",
    "required_hz": "items per second of all streams that are asked for",
    "flagged": "limits passed only because a missing figure is flagged, joined by ` | `",
    "bottleneck": "stage and resource that are full first",
    "reason": "why there is no design: limits that every candidate breaks; else those that alone refuse most of the "
    "candidates that meet all others; else those that refuse most: at most three",
}
SWEEP_UNITS = {"deadline_ms": "ms", "required_hz": "1/s"}


def sweep_columns() -> str:
    """Table of the columns of a sweep after the fields varied, in their order."""
    from dse.schema import QUANTITIES
    from dse.sweeping.rows import COLUMNS

    rows = []
    for name in COLUMNS:
        known = QUANTITIES.get(name)
        unit = known.unit if known else SWEEP_UNITS.get(name) or COLUMN_UNITS.get(name, "")
        meaning = SWEEP_MEANINGS.get(name) or (known.meaning if known else COLUMN_MEANINGS[name])
        rows.append((f"`{name}`", unit, meaning))
    return _table(("column", "unit", "meaning"), rows)


FRONT_MEANINGS: Mapping[str, str] = {
    "kind": "`front`, `near` (with `--near`) or, in the second file, `unknown`",
    "ties": "candidates with the very figures of this row on every axis, itself included; the row is the first by name",
    "label": "`feasible` when measurements of grade A alone decide, else `feasible if estimates hold`; as in answers",
    "tightest_limit": "of the limits on figures, the one with the smallest margin",
    "tightest_margin": "what that limit leaves, as a share of it",
    "bottleneck": "stage and resource that are full first",
    "bottleneck_load": "load of that resource",
}
FRONT_UNITS = {"tightest_margin": "share", "bottleneck_load": "share"}


def front_columns() -> str:
    """Table of the columns that a front adds to those of the candidate table."""
    from dse.report.front_data import ADDED
    from dse.schema import QUANTITIES

    rows = []
    for name in ADDED:
        known = QUANTITIES.get(name)
        unit = known.unit if known else FRONT_UNITS.get(name, "")
        rows.append((f"`{name}`", unit, known.meaning if known else FRONT_MEANINGS[name]))
    return _table(("column", "unit", "meaning"), rows)


def axes() -> str:
    """Table of the attributes that can be an axis beside the quantities."""
    from dse.front.axes import ATTRIBUTES

    return _table(("axis", "unit"), [(f"`{name}`", unit) for name, unit in ATTRIBUTES.items()])


def commands() -> str:
    """Every command with its help, arguments and options, read from the application itself."""
    from typer.main import get_command

    from dse.cli.main import app

    return "".join(_command(path, command) for path, command in walk(get_command(app), "dse"))


def walk(command: Any, path: str) -> Iterator[tuple[str, Any]]:  # noqa: ANN401 - click's types moved between versions
    """The commands below `command` that do something, with their full names."""
    below = getattr(command, "commands", None)
    if below is None:
        yield path, command
    for name, child in (below or {}).items():
        yield from walk(child, f"{path} {name}")


def answer_to(problem: str, catalogs: tuple[Path, ...] = ()) -> str:
    """Terminal answer to a problem file below the root, as it is printed into a pipe."""
    from dse import api
    from dse.cli.common import console
    from dse.report.text import show_answer

    result = api.solve(api.load_problem(ROOT / problem, catalogs), catalogs=catalogs)
    with contextlib.redirect_stdout(io.StringIO()) as out, _columns(WIDTH):
        show_answer(result.data, console())
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines())


def shortened(text: str) -> str:
    """An answer without the designs after the second and the conditions after the first; cuts are marked."""
    kept: list[str] = []
    skipping = False
    for line in text.splitlines():
        design, condition = re.match(r"[3-9] \S", line), line.startswith("if: ")
        if design or (condition and any(earlier.startswith("if: ") for earlier in kept)):
            if not skipping:
                kept.append("…")
            skipping = True
        elif line.startswith(("worst case ", "proof: ")):
            skipping = False
        if not skipping:
            kept.append(line)
    return "\n".join(kept)


def own_catalogue(folder: Path) -> Path:
    """The user's folder that README.md shows, written below `folder`: each block after the file it names."""
    section = (ROOT / "README.md").read_text(encoding="utf-8").partition("## Your own chips")[2].partition("\n## ")[0]
    names = re.findall(r"`(mine/\S+?\.(?:yaml|csv))`", section)
    blocks = re.findall(r"^```(?:yaml|csv)\n(.*?)^```$", section, re.DOTALL | re.MULTILINE)
    for name, block in zip(names, blocks, strict=True):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(block, encoding="utf-8")
    return folder / "mine"


def _own_block() -> str:
    """The first lines of the answer over the user's folder."""
    with tempfile.TemporaryDirectory() as folder:
        lines = answer_to("problems/inspection.yaml", (own_catalogue(Path(folder)),)).splitlines()
    start = next(k for k, line in enumerate(lines) if line.startswith("→ "))
    end = next(k for k, line in enumerate(lines) if line.startswith("2 "))
    return "```text\n" + "\n".join(lines[start - 1 : end]) + "\n…\n```\n"


def _answer_block(problem: str, *, short: bool = False) -> Callable[[], str]:
    def block() -> str:
        text = answer_to(problem)
        return f"```text\n{shortened(text) if short else text}\n```\n"

    return block


def recorder() -> str:
    """Table of the recorder at three sizes: the design chosen, its loads, and what fills up first."""
    from dse import api
    from dse.report.saturation import counted_streams

    text = (ROOT / "problems" / "surveillance.yaml").read_text(encoding="utf-8")
    rows = []
    for cameras in (16, 24, 32):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "recorder.yaml"
            path.write_text(text.replace("    streams: 16 ", f"    streams: {cameras} "), encoding="utf-8")
            data = api.solve(api.load_problem(path)).data
        a, bottleneck = data["assignments"][0], data["bottleneck"]
        loads = [f"{one['stage']} on {one['resource']} {100 * one['utilization']:.1f} %" for one in bottleneck["loads"]]
        fills = [f"{one['stage']} at {counted_streams(one['streams'])}" for one in bottleneck["saturates"]]
        worst = f"{a['latency']['worst_case_ms']:.1f} ms"
        design = (data["devices"][0]["chip"], f"{a['model']}, {a['precision']}", f"{a['accuracy']:.1f}", worst)
        rows.append((str(cameras), *design, ", ".join(loads), f"**{fills[0]}**", ", ".join(fills[1:])))
    head = ("cameras", "chip", "network", "map50-95", "worst case", "loads", "saturates first", "then")
    return _table(head, rows)


def budgeted_streams() -> str:
    """Terminal budget of the hundred streams, as it is printed into a pipe."""
    from dse import api
    from dse.cli.common import console
    from dse.report.budget_terminal import show_budget

    data = api.budget(api.load_problem(ROOT / "problems" / "hundred-streams.yaml")).data
    with contextlib.redirect_stdout(io.StringIO()) as out, _columns(WIDTH):
        show_budget(data, console())
    return "```text\n" + "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n```\n"


def compared_recorder() -> str:
    """Terminal table of the recorder's nine chips, as it is printed into a pipe."""
    from dse import api
    from dse.cli.common import console
    from dse.report.compare_terminal import show_comparison

    data = api.compare(api.load_problem(ROOT / "docs" / "systems" / "recorder.yaml")).data
    with contextlib.redirect_stdout(io.StringIO()) as out, _columns(WIDTH):
        show_comparison(data, console())
    return "```text\n" + "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n```\n"


def _explained_block(file: str, **options: Any) -> Callable[[], str]:  # noqa: ANN401 - options of many types
    """Terminal output of ``dse explain``, as it is printed into a pipe."""

    def block() -> str:
        from dse import api
        from dse.cli.common import console
        from dse.report.explained_terminal import show_explanation

        data = api.explain(api.load_problem(ROOT / file), **options).data
        with contextlib.redirect_stdout(io.StringIO()) as out, _columns(WIDTH):
            show_explanation(data, console())
        return "```text\n" + "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n```\n"

    return block


def comparison_columns() -> str:
    """Columns of the comparison's CSV file, in their order."""
    from dse.report.compare_table import EVIDENCE, HEADER

    listed = (", ".join(f"`{name}`" for name in names) for names in (HEADER, EVIDENCE))
    return "\n\n".join(f"{title}: {names}." for title, names in zip(("Rows", "Evidence"), listed, strict=True)) + "\n"


@contextlib.contextmanager
def _columns(width: int) -> Iterator[None]:
    before = os.environ.get("COLUMNS")
    os.environ["COLUMNS"] = str(width)
    try:
        yield
    finally:
        if before is None:
            del os.environ["COLUMNS"]
        else:
            os.environ["COLUMNS"] = before


def _model_table(name: str, title: str, shape: Json, abouts: Mapping[str, str]) -> str:
    required = set(shape.get("required", ()))
    rows = []
    for field, details in shape["properties"].items():
        below = details.get("$ref", "").rpartition("/")[2]
        default = RULES.get((name, field)) or ("required" if field in required else _default(details, below))
        text = details.get("description") or abouts.get(below, "")
        rows.append((f"`{field}`", _unit(text), _kind(details), default, _without_unit(text)))
    about = abouts[name] if name not in ("Problem", "Objective") else ""
    head = f"### {title}\n\n" + (f"{about}\n\n" if about else "")
    return f"\n{head}{_table(('field', 'unit', 'may be', 'default', 'meaning'), rows)}"


def _unit(text: str) -> str:
    found = re.search(r"\[([^\]]+)\]", text)
    return found[1] if found else ""


def _without_unit(text: str) -> str:
    return re.sub(r"\s*\[[^\]]+\]", "", text, count=1).strip()


def _kind(details: Json) -> str:
    """What a value may be, in the words of a YAML file."""
    if "$ref" in details:
        return "a mapping (see below)"
    if "const" in details:
        return f"`{details['const']}`"
    if "enum" in details:
        return ", ".join(f"`{word}`" for word in details["enum"])
    if "anyOf" in details:
        words = [_kind(option) for option in details["anyOf"]]
        return " or ".join(dict.fromkeys(word for word in words if word))
    kind = details.get("type")
    if kind == "array":
        return "a list"
    names = {"number": "number", "integer": "whole number", "string": "text", "boolean": "true, false"}
    names["object"] = "a mapping"
    return names[kind or "number"] + _range(details)


def _range(details: Json) -> str:
    signs = (("exclusiveMinimum", ">"), ("minimum", "≥"), ("exclusiveMaximum", "<"), ("maximum", "≤"))
    bounds = [f"{sign} {details[key]:,}" for key, sign in signs if key in details]
    return f" {', '.join(bounds)}" if bounds else ""


def _default(details: Json, below: str = "") -> str:
    if "default" not in details:
        return "by its fields" if below and below not in ("Fallback", "Engineering", "Baseline", "Scoring") else "none"
    value = details["default"]
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return ", ".join(_default({"default": item}) for item in value) or "none"
    if isinstance(value, int | float):
        return f"{value:g}"
    return str(value) or "none"


def _command(path: str, command: Any) -> str:  # noqa: ANN401
    about, _, example = (command.help or "").partition("Example:")
    arguments = [p for p in command.params if p.param_type_name == "argument"]
    options = [p for p in command.params if p.param_type_name == "option" and p.name != "help"]
    words = [p.name.upper() if p.required else f"[{p.name.upper()}]" for p in arguments]
    usage = " ".join([path, *words, *(["[OPTIONS]"] if options else [])])
    rows = [(f"`{p.name.upper()}`", getattr(p, "help", None) or "", _shown_default(p)) for p in arguments]
    rows += [(f"`{', '.join(p.opts)}`", p.help or "", _shown_default(p)) for p in options]
    table = "\n" + _table(("", "meaning", "default"), rows) if rows else ""
    return f"\n## `{path}`\n\n{about.strip()}\n\n```console\n$ {example.strip()}\n```\n\nUsage: `{usage}`\n{table}"


def _shown_default(parameter: Any) -> str:  # noqa: ANN401
    if parameter.required:
        return "required"
    value = parameter.default
    if value is None or value is False or callable(value):
        return ""
    return f"`{getattr(value, 'value', value)}`"


def _table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |\n" for line in lines)


PARTS: Mapping[str, Callable[[], str]] = {
    "fields": fields,
    "limits": limits,
    "scored-figures": scored_figures,
    "quantities": quantities,
    "columns": columns,
    "commands": commands,
    "sweep-columns": sweep_columns,
    "front-columns": front_columns,
    "axes": axes,
    "inspection": _answer_block("problems/inspection.yaml", short=True),
    "own": _own_block,
    "jetson-nano": _answer_block("docs/systems/resnet50-jetson-nano.yaml"),
    "face-lock": _answer_block("docs/systems/face-lock.yaml"),
    "budgeted-streams": budgeted_streams,
    "compared-recorder": compared_recorder,
    "comparison-columns": comparison_columns,
    "explained-locker": _explained_block("docs/systems/locker.yaml", remedies=False),
    "explained-speaker": _explained_block("problems/smart-speaker.yaml"),
    "rk3588": _answer_block("problems/smart-camera-rk3588.yaml"),
    "recorder": recorder,
    "rk3588-tuned": _answer_block("problems/smart-camera-rk3588-tuned.yaml"),
}

if __name__ == "__main__":
    sys.exit(main())
