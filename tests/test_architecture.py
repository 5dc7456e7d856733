"""The data goes one way: who may import whom, and what must not be loaded to show a help text."""

from __future__ import annotations

import ast
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "dse"

# Each station may import those before it; stations on one line do not know each other.
ORDER = (
    ("errors", "schema", "words", "patterns"),
    ("simulate", "parallel"),
    ("yamlfile",),
    ("problem", "catalog"),
    ("estimate", "timing", "audit", "fidelity", "quotes", "procurement"),
    ("heldout",),
    ("candidates",),
    ("solution", "front", "budgeting"),
    ("model", "verify", "conditional"),
    ("joint",),
    ("answer", "frontier"),
    ("compare",),
    ("explaining",),
    ("report",),
    ("solving", "comparing"),
    ("explanation",),
    ("asking",),
    ("sweeping", "bundle"),
    ("results",),
    ("api",),
    ("addition", "estimation", "simulation", "quotation"),
    ("cli",),
)
RANK = {station: rank for rank, line in enumerate(ORDER) for station in line}
# Libraries that have a corner of their own.
CORNERS = {
    "ortools": ("dse.model",),
    "moocore": ("dse.model", "dse.joint.prune", "dse.front.points"),
    "typer": ("dse.cli",),
    "rich": ("dse.report", "dse.cli"),
    "pydantic": ("dse.problem",),
    "pydantic_core": ("dse.problem", "dse.candidates"),
    "onnx": ("dse.catalog.onnxfile",),
    "simpy": ("dse.simulate",),
    "joblib": ("dse.parallel",),
    "distributed": ("dse.parallel",),
    "cloudpickle": ("dse.parallel",),
    "matplotlib": ("dse.report",),
    "plotly": ("dse.report",),
    "jinja2": ("dse.report",),
    "xlsxwriter": ("dse.report",),
    "openpyxl": (),
}


def module_name(path: Path) -> str:
    return ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__")


MODULES = {module_name(path): path for path in sorted(PACKAGE.rglob("*.py"))}


@cache
def syntax(module: str) -> ast.Module:
    return ast.parse(MODULES[module].read_text(encoding="utf-8"))


@cache
def imports(module: str, *, at_import_time: bool = False) -> frozenset[str]:
    """Modules and packages a module imports; by default those inside functions and for types too."""
    tree = syntax(module)
    nodes = tree.body if at_import_time else ast.walk(tree)
    found = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module} imports relatively"
            names = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= {name if name in MODULES else str(node.module) for name in names}
    return frozenset(found)


def station(module: str) -> str:
    return module.split(".")[1] if "." in module else ""


def reachable(start: str) -> set[str]:
    """Modules loaded when a module is imported, packages of modules included."""
    seen: set[str] = set()
    todo = [start]
    while todo:
        module = todo.pop()
        if module in seen or module not in MODULES:
            continue
        seen.add(module)
        parts = module.split(".")
        todo += [".".join(parts[:k]) for k in range(2, len(parts))]
        todo += imports(module, at_import_time=True)
    return seen


def test_every_station_has_its_place():
    assert {station(module) for module in MODULES} - {""} == set(RANK)


@pytest.mark.parametrize("module", sorted(MODULES))
def test_imports_go_one_way(module):
    if module == "dse":  # the public names, loaded when first used
        assert imports(module) <= {"__future__", "typing", "dse.api", "dse"}
        return
    here = station(module)
    for other in imports(module):
        there = station(other)
        if other == "dse":
            assert here == "cli", f"{module} imports the public names: only the command line may"
        elif other.startswith("dse.") and there != here:
            assert RANK[there] < RANK[here], f"{module} ({here}) imports {other} ({there})"


@pytest.mark.parametrize("module", sorted(MODULES))
def test_no_module_imports_itself_by_a_detour(module):
    todo, seen = list(imports(module, at_import_time=True) & set(MODULES)), set()
    while todo:
        other = todo.pop()
        assert other != module, f"a circle of imports runs through {module}"
        if other not in seen:
            seen.add(other)
            todo += imports(other, at_import_time=True) & set(MODULES)


@pytest.mark.parametrize("library", sorted(CORNERS))
def test_a_library_stays_in_its_corner(library):
    users = {m for m in MODULES if any(name.split(".")[0] == library for name in imports(m))}
    strays = {m for m in users if not m.startswith(CORNERS[library] or ("nowhere",))}
    assert not strays


def test_nothing_imports_the_command_line():
    users = {m for m in MODULES if any(name.startswith("dse.cli") for name in imports(m))}
    assert all(station(module) == "cli" for module in users)


def test_the_second_road_shares_nothing_with_the_solver():
    """What verifies an answer neither names nor loads the model."""
    assert not any(name.startswith(("dse.model", "ortools", "moocore")) for name in imports("dse.verify"))
    assert not any(module.startswith("dse.model") for module in reachable("dse.verify"))
    assert loaded_by("import dse.verify", ("ortools", "dse.model")) == []


def test_the_replay_shares_nothing_with_what_it_checks():
    """A replay of bounds knows no bound: of dse it may use the exceptions alone."""
    for module in (module for module in MODULES if station(module) == "simulate"):
        others = {name for name in imports(module) if name.startswith("dse")}
        assert all(name.startswith(("dse.simulate", "dse.errors")) for name in others), module


def test_costs_and_scores_are_plain_numbers():
    """What weighs designs knows the problem file alone: neither candidates nor catalogues nor the heavy libraries."""
    for module in (module for module in MODULES if station(module) == "procurement"):
        others = {name for name in imports(module) if name.startswith("dse")}
        assert all(name.startswith(("dse.procurement", "dse.problem", "dse.errors", "dse.schema")) for name in others)
    heavy = ("dse.catalog", "dse.candidates", "numpy", "pandas", "ortools")
    assert loaded_by("import dse.procurement.scoring, dse.procurement.sensitivity", heavy) == []


def test_help_loads_nothing_heavy():
    heavy = ("ortools", "pandas", "numpy", "moocore", "pydantic", "joblib", "distributed")
    assert loaded_by("import dse", heavy) == []
    assert loaded_by("import dse.cli.main", heavy) == []


def loaded_by(statement: str, names: tuple[str, ...]) -> list[str]:
    """Which of the names a fresh interpreter has loaded after a statement."""
    code = f"import sys\n{statement}\nprint(*(name for name in {names!r} if name in sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=PACKAGE.parent)
    return done.stdout.split()


def test_every_module_says_what_it_is_for():
    silent = [module for module in MODULES if not ast.get_docstring(syntax(module))]
    assert not silent
