"""Plays jobs of several tasks at shared resources, in whole ticks, and searches for bad phases.

It applies only the rules of each server to jobs with given arrivals and services; it knows no arrival curves and none
of the formulas, so it can disagree with them.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from dse.timing.load import Load


@dataclass(frozen=True)
class Job:
    """A job of a task that has reached the server; `longest` is the most its service takes."""

    arrival: int
    task: int
    longest: int


Play = Callable[[list[Job], random.Random, bool], list[int]]


def draw(longest: int, dice: random.Random, full: bool) -> int:
    """A service: the longest, or anything down to nothing, often at an end."""
    return longest if full else dice.choice([0, longest, longest, dice.randint(0, longest)])


def arrivals(
    loads: Sequence[Load], offsets: list[list[int]], dice: random.Random, bunched: bool, trail: int
) -> list[Job]:
    """Jobs of all streams around an instant at which, at offset 0, each brings as many as it can.

    They go on for `trail` of the longest periods after the last one to be measured.
    """
    longest = int(max(load.period + load.jitter for load in loads))
    turn = 2 * longest
    jobs = []
    for task, (load, shifts) in enumerate(zip(loads, offsets, strict=True)):
        for shift in shifts:
            period, jitter = int(load.period), int(load.jitter)
            nominal = (turn + shift - jitter) % period
            last = 0
            while nominal < turn + (2 + trail) * longest:
                late = min(jitter, max(0, turn + shift - nominal)) if bunched else dice.randint(0, jitter)
                last = max(last, nominal + late)
                jobs.append(Job(last, task, int(load.service)))
                nominal += period
    dice.shuffle(jobs)  # ties fall either way
    return sorted(jobs, key=lambda job: job.arrival)


def worst_seen(loads: Sequence[Load], play: Play, dice: random.Random, climbs: int = 12, trail: int = 0) -> list[int]:
    """Longest time from arrival to completion of each task: together, one ahead, random phases, then hill climbing.

    `play` gives the completion of each job, below 0 for one that is not to be measured.
    """
    worst = [0] * len(loads)

    def measure(offsets: list[list[int]], full: bool, bunched: bool) -> int:
        jobs = arrivals(loads, offsets, dice, bunched, trail)
        until = 4 * max(load.period + load.jitter for load in loads)
        total = 0
        for job, end in zip(jobs, play(jobs, dice, full), strict=True):
            if end >= 0 and (trail == 0 or job.arrival < until):
                worst[job.task] = max(worst[job.task], end - job.arrival)
                total = max(total, end - job.arrival)
        return total

    def spread(reach: int) -> list[list[int]]:
        return [[-dice.randint(0, reach) for _ in range(load.streams)] for load in loads]

    starts = [spread(0), spread(1), spread(int(max(load.service for load in loads)))]
    starts += [[[-(task == early)] * load.streams for task, load in enumerate(loads)] for early in range(len(loads))]
    starts.append([[-dice.randrange(int(load.period)) for _ in range(load.streams)] for load in loads])
    scored = [(max(measure(start, True, True), measure(start, False, True), measure(start, True, False)), start)
              for start in starts]  # fmt: skip
    value, best = max(scored, key=lambda pair: pair[0])
    for _ in range(climbs):
        task = dice.randrange(len(loads))
        moved = [list(shifts) for shifts in best]
        moved[task][dice.randrange(loads[task].streams)] += dice.choice([-3, -1, 1, 3, dice.randint(-20, 20)])
        found = measure(moved, dice.random() < 0.7, True)
        if found >= value:
            value, best = found, moved
    return worst


def by_priority(loads: Sequence[Load]) -> Play:
    """One server, no preemption, lowest number first, in order of arrival among equals."""

    def play(jobs: list[Job], dice: random.Random, full: bool) -> list[int]:
        ends, waiting, free, following = [0] * len(jobs), [], 0, 0
        for _ in jobs:
            if not waiting:
                free = max(free, jobs[following].arrival)
            while following < len(jobs) and jobs[following].arrival <= free:
                waiting.append((loads[jobs[following].task].priority, following))
                following += 1
            waiting.sort()
            _, number = waiting.pop(0)
            free += draw(jobs[number].longest, dice, full)
            ends[number] = free
        return ends

    return play


def in_turns(tasks: int) -> Play:
    """One server that goes round the tasks and serves one job of each that has one."""

    def play(jobs: list[Job], dice: random.Random, full: bool) -> list[int]:
        ends, free, following, turn = [0] * len(jobs), 0, 0, dice.randrange(tasks)
        queues: list[list[int]] = [[] for _ in range(tasks)]
        for _ in jobs:
            if not any(queues):
                free = max(free, jobs[following].arrival)
            while following < len(jobs) and jobs[following].arrival <= free:
                queues[jobs[following].task].append(following)
                following += 1
            turn = next(task % tasks for task in range(turn, turn + tasks) if queues[task % tasks])
            number = queues[turn].pop(0)
            turn += 1
            free += draw(jobs[number].longest, dice, full)
            ends[number] = free
        return ends

    return play


def in_order(times: list[int], longest: list[int], servers: int, dice: random.Random, full: bool) -> list[int]:
    """Stage of equal servers: the next job to the one free first, results in order."""
    free, last, ends = [0] * servers, 0, []
    for time, most in zip(times, longest, strict=True):
        server = min(range(servers), key=free.__getitem__)
        free[server] = max(free[server], time) + draw(most, dice, full)
        last = max(last, free[server])
        ends.append(last)
    return ends


def in_row(stages: Sequence[tuple[Sequence[int], int]]) -> Play:
    """Stages of (longest time for each task, servers), passed by all."""

    def play(jobs: list[Job], dice: random.Random, full: bool) -> list[int]:
        times = [job.arrival for job in jobs]
        for longest, servers in stages:
            times = in_order(times, [longest[job.task] for job in jobs], servers, dice, full)
        return times

    return play


def unit_then_row(k: int, after: Sequence[int]) -> Play:
    """One FIFO server for all, then private stages for task k; the others are not measured."""

    def play(jobs: list[Job], dice: random.Random, full: bool) -> list[int]:
        ends = in_order([job.arrival for job in jobs], [job.longest for job in jobs], 1, dice, full)
        own = [number for number, job in enumerate(jobs) if job.task == k]
        times = [ends[number] for number in own]
        for longest in after:
            times = in_order(times, [longest] * len(own), 1, dice, full)
        measured = dict(zip(own, times, strict=True))
        return [measured.get(number, -1) for number in range(len(jobs))]

    return play


def any_server(servers: int) -> Play:
    """Equal servers behind one queue; each job leaves when it is done."""

    def play(jobs: list[Job], dice: random.Random, full: bool) -> list[int]:
        free, ends = [0] * servers, []
        for job in jobs:
            server = min(range(servers), key=free.__getitem__)
            free[server] = max(free[server], job.arrival) + draw(job.longest, dice, full)
            ends.append(free[server])
        return ends

    return play


def counted(batches: Sequence[int], servers: int = 1) -> Play:
    """Batches of exactly b items of one task, in order of completion of the batch; results in order."""

    def play(jobs: list[Job], dice: random.Random, full: bool) -> list[int]:
        groups = []
        for task, size in enumerate(batches):
            own = [number for number, job in enumerate(jobs) if job.task == task][dice.randrange(size) :]
            groups += [own[start : start + size] for start in range(0, len(own) - size + 1, size)]
        groups.sort(key=lambda group: group[-1])
        closed, longest = [jobs[group[-1]].arrival for group in groups], [jobs[group[0]].longest for group in groups]
        ends = [-1] * len(jobs)
        for group, end in zip(groups, in_order(closed, longest, servers, dice, full), strict=True):
            for number in group:
                ends[number] = end
        return ends

    return play


def closed_by_timeout(size: int, fixed: int, per_item: int, timeout: int) -> Play:
    """Batches of one task closed at their b-th item or T after their first, busy server or not."""

    def play(jobs: list[Job], dice: random.Random, full: bool) -> list[int]:
        groups: list[list[int]] = []
        closing: list[int] = []
        for number, job in enumerate(jobs):
            open_ = groups and len(groups[-1]) < size
            limit = jobs[groups[-1][0]].arrival + timeout if open_ else -1
            if open_ and (job.arrival < limit or (job.arrival == limit and dice.random() < 0.5)):
                groups[-1].append(number)
                closing[-1] = job.arrival if len(groups[-1]) == size else limit
            else:
                groups.append([number])
                closing.append(job.arrival if size == 1 else job.arrival + timeout)
        ends = in_order(closing, [fixed + per_item * len(group) for group in groups], 1, dice, full)
        return [end for group, end in zip(groups, ends, strict=True) for _ in group]

    return play


def dynamic_in_turns(batches: Sequence[int], timeouts: Sequence[int]) -> Play:
    """One server that goes round dynamic batchers, one due batch of each; any takes what a full one does."""

    def play(jobs: list[Job], dice: random.Random, full: bool) -> list[int]:
        tasks = len(batches)
        queues = [[number for number, job in enumerate(jobs) if job.task == task] for task in range(tasks)]
        ends, free, turn = [0] * len(jobs), 0, dice.randrange(tasks)
        while any(queues):
            due = []
            for queue, size, timeout in zip(queues, batches, timeouts, strict=True):
                times = [jobs[queue[0]].arrival + timeout] if queue else []
                due.append(min([*times, *([jobs[queue[size - 1]].arrival] if len(queue) >= size else [])], default=-1))
            free = max(free, min(time for time in due if time >= 0))
            turn = next(t % tasks for t in range(turn, turn + tasks) if 0 <= due[t % tasks] <= free)
            batch = [number for number in queues[turn][: batches[turn]] if jobs[number].arrival <= free]
            queues[turn] = queues[turn][len(batch) :]
            free += draw(jobs[batch[0]].longest, dice, full)
            for number in batch:
                ends[number] = free
            turn += 1
        return ends

    return play


def draw_loads(
    dice: random.Random, tasks: int, most: float = 1.0, *, streams: int = 4, jitter: bool = True
) -> list[Load]:
    """Random loads with a utilisation up to `most`, periods often in common, priorities sometimes."""
    periods = [dice.randint(12, 90) for _ in range(2)]
    shares = [dice.random() + 0.05 for _ in range(tasks)]
    total = dice.uniform(0.3, 1.0) * most / sum(shares)
    loads = []
    for task, share in enumerate(shares):
        period, count = dice.choice(periods), dice.randint(1, streams)
        loads.append(
            Load(
                max(1, int(share * total * period / count)),
                count,
                period,
                dice.choice([0, dice.randint(0, period), dice.randint(0, 2 * period)]) if jitter else 0,
                dice.choice([0, task, task // 2]),
            )
        )
    return loads


def on_one_level(loads: Sequence[Load]) -> list[Load]:
    """The same without priorities."""
    return [replace(load, priority=0) for load in loads]
