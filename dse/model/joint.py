"""Several tasks on one device as one CP-SAT model: one row per task, coupled by what they share.

    exactly_one(x[k, .]) for every task k;   sum of x[k, .] on device d = y[d];   exactly_one(y)
    per unit:   load      sum of U_r x_r <= cap
                waiting   S_r x_r + sum over the other tasks of I_r x_r <= D_k, where task k runs on the unit
                batcher   a dynamic batcher shares its unit with nobody
    per device: memory, power

Every row is necessary, none sufficient: S_r is the latency of a row alone, I_r the least that one task adds to another.
What they let through is judged exactly; a combination that fails is cut off with all that are no easier. So the
answer is the best of those that hold exactly, not of those a linear form can prove.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from ortools.sat.python import cp_model

from dse.model.scaling import MAX_ROW_SUM, assert_small

UNIT = 1 << 16
"""A whole deadline, load or memory in the coefficients of a row: fine enough, and thousands of them stay below 2^30."""


@dataclass(frozen=True)
class Row:
    """One way to run a task: what the model knows of it.

    ``alone``, ``added`` are S and I [tick], ``load`` U [ppm], ``memory`` without the runtime, ``costs`` per goal of
    which the sum over tasks counts; ``place`` ranks the rows by name.
    """

    device: int
    unit: str
    alone: int
    added: int
    load: int
    memory: int
    runtime: str
    base: int
    exclusive: bool
    costs: tuple[int, ...]
    place: int


@dataclass(frozen=True)
class Instance:
    """Rows of each task, deadlines [tick], None without one, and memory of each device, None where unknown.

    Of ``priorities`` 0 is highest: who is lower adds no more than one job, which the model leaves out.
    """

    tasks: tuple[tuple[Row, ...], ...]
    deadlines: tuple[int | None, ...]
    priorities: tuple[int, ...]
    capacities: tuple[int | None, ...]
    most_load: int


@dataclass(frozen=True)
class Cut:
    """Rows of each task of which not all tasks may choose one."""

    rows: tuple[tuple[int, ...], ...]


class JointModel:
    """The model and what was cut off so far."""

    def __init__(self, instance: Instance) -> None:
        self._instance = instance
        self.model = cp_model.CpModel()
        self.select = [
            [self.model.new_bool_var(f"select[{k},{r}]") for r in range(len(rows))]
            for k, rows in enumerate(instance.tasks)
        ]
        for column in self.select:
            self.model.add_exactly_one(column)
        self._one_device()
        self._units()
        self._memory()

    def _places(self) -> dict[tuple[int, str], list[list[int]]]:
        """Rows per device and unit, per task."""
        found: dict[tuple[int, str], list[list[int]]] = {}
        for k, rows in enumerate(self._instance.tasks):
            for r, row in enumerate(rows):
                found.setdefault((row.device, row.unit), [[] for _ in self._instance.tasks])[k].append(r)
        return found

    def _one_device(self) -> None:
        """All tasks on the same device."""
        first = self._instance.tasks[0]
        devices = sorted({row.device for row in first})
        self.device = {d: self.model.new_bool_var(f"device[{d}]") for d in devices}
        self.model.add_exactly_one(self.device.values())
        for k, rows in enumerate(self._instance.tasks):
            by_device: dict[int, list[cp_model.IntVar]] = {d: [] for d in devices}
            for r, row in enumerate(rows):
                if row.device in by_device:
                    by_device[row.device].append(self.select[k][r])
                else:
                    self.model.add(self.select[k][r] == 0)
            for d, columns in by_device.items():
                self.model.add(sum(columns) == self.device[d])

    def _units(self) -> None:
        instance = self._instance
        for (_, _), lists in sorted(self._places().items()):
            present = [k for k, rows in enumerate(lists) if rows]
            if len(present) < 2:
                continue
            self._row([(k, r, self._scaled(instance.tasks[k][r].load, instance.most_load))
                       for k in present for r in lists[k]], UNIT)  # fmt: skip
            for k in present:
                deadline = instance.deadlines[k]
                before = [j for j in present if j != k and instance.priorities[j] <= instance.priorities[k]]
                others = [(j, r) for j in before for r in lists[j]]
                if deadline is not None and deadline > 0:
                    waits = [(j, r, self._scaled(instance.tasks[j][r].added, deadline)) for j, r in others]
                    most = sum(max((w for j2, _, w in waits if j2 == j), default=0) for j in present)
                    own = [(k, r, self._scaled(instance.tasks[k][r].alone, deadline) + most) for r in lists[k]]
                    self._row([*own, *waits], UNIT + most)
                exclusive = [self.select[k][r] for r in lists[k] if instance.tasks[k][r].exclusive]
                for j in present:
                    if exclusive and j != k:
                        self.model.add_at_most_one([*exclusive, *(self.select[j][r] for r in lists[j])])

    def _memory(self) -> None:
        """Weights and activations add up, a runtime is loaded once."""
        instance = self._instance
        for d, variable in self.device.items():
            capacity = instance.capacities[d]
            if capacity is None or capacity <= 0:
                continue
            terms, bases = [], {}
            for k, rows in enumerate(instance.tasks):
                for r, row in enumerate(rows):
                    if row.device != d:
                        continue
                    terms.append((self.select[k][r], self._scaled(row.memory, capacity)))
                    if row.base:
                        if row.runtime not in bases:
                            bases[row.runtime] = self.model.new_bool_var(f"runtime[{d},{row.runtime}]")
                            terms.append((bases[row.runtime], self._scaled(row.base, capacity)))
                        self.model.add_implication(self.select[k][r], bases[row.runtime])
            terms = [(variable, weight) for variable, weight in terms if weight]
            if terms:
                self._checked([weight for _, weight in terms])
                self.model.add(sum(weight * one for one, weight in terms) <= UNIT).only_enforce_if(variable)

    @staticmethod
    def _scaled(value: int, whole: int) -> int:
        """A share of the whole, rounded down so that no combination is lost, and never more than it takes to fail."""
        return min(value * UNIT // whole, 2 * UNIT)

    def _row(self, terms: Sequence[tuple[int, int, int]], most: int) -> None:
        self._checked([weight for _, _, weight in terms] + [most])
        self.model.add(sum(weight * self.select[k][r] for k, r, weight in terms) <= most)

    @staticmethod
    def _checked(weights: Sequence[int]) -> None:
        assert_small(np.array(weights, dtype=np.int64))

    def cost(self, goal: int) -> cp_model.LinearExprT:
        """Sum over the tasks of the chosen rows' costs."""
        terms = [row.costs[goal] * self.select[k][r] for k, rows in enumerate(self._instance.tasks)
                 for r, row in enumerate(rows) if row.costs[goal]]  # fmt: skip
        return sum(terms)

    def waiting(self, variable: cp_model.IntVar, step: int) -> None:
        """The variable is at least the latency of every task, in steps: alone, and what others on the unit add."""
        tasks = self._instance.tasks
        for lists in self._places().values():
            present = [k for k, rows in enumerate(lists) if rows]
            for k in present:
                before = [j for j in present if j != k and self._instance.priorities[j] <= self._instance.priorities[k]]
                own = [(k, r, tasks[k][r].alone // step) for r in lists[k]]
                waits = [(j, r, tasks[j][r].added // step) for j in before for r in lists[j]]
                most = sum(max(tasks[j][r].added // step for r in lists[j]) for j in before)
                total = sum(weight for _, _, weight in (*own, *waits)) + most * len(own)
                coarse = total // (MAX_ROW_SUM // 2) + 1
                terms = [*waits, *((k, r, weight + most) for k, r, weight in own)]
                row = sum(weight // coarse * self.select[j][r] for j, r, weight in terms)
                self.model.add(variable >= coarse * (row - most // coarse - 1))

    def forbid(self, cut: Cut) -> None:
        """Not all tasks at once may choose among these rows."""
        chosen = [self.select[k][r] for k, rows in enumerate(cut.rows) for r in rows]
        self.model.add(sum(chosen) <= len(cut.rows) - 1)

    def at_least(self, variable: cp_model.IntVar, value: int, cut: Cut) -> None:
        """A cost is at least `value` where all tasks choose among these rows."""
        chosen = [self.select[k][r] for k, rows in enumerate(cut.rows) for r in rows]
        everyone = self.model.new_bool_var("")
        self.model.add(sum(chosen) >= len(cut.rows)).only_enforce_if(everyone)
        self.model.add(sum(chosen) <= len(cut.rows) - 1).only_enforce_if(~everyone)
        self.model.add(variable >= value).only_enforce_if(everyone)
