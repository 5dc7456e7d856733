"""Plants that make no sense are refused, with what was found and what is allowed."""

from __future__ import annotations

import pytest

from dse.simulate.plant import Batch, Delay, Plant, Resource, Serve, Source, Task

NPU = Resource("npu")
CAMERA = Source("camera", 1, 10)


def task(name="task", **fields):
    return Task(name, **{"source": "camera", "steps": (Serve("run", "npu", 1),), **fields})


def batched(**fields):
    step = {"resource": "npu", "batch": 2, "policy": "count", "timeout": 0, "fixed": 1, "per_item": 1, **fields}
    return task(steps=(Batch("network", **step),))


BROKEN = {
    "resource 'npu': servers is 0, expected at least 1": ((Resource("npu", 0),), (CAMERA,), (task(),)),
    "resource 'npu': order is 'lifo', expected one of fifo, fixed-priority, round-robin": (
        (Resource("npu", 1, "lifo"),),
        (CAMERA,),
        (task(),),
    ),
    "resource: found 'npu' twice": ((NPU, NPU), (CAMERA,), (task(),)),
    "source or task: found 'camera' twice": ((NPU,), (CAMERA,), (task("camera"),)),
    "source 'camera': streams is 0, expected at least 1": ((NPU,), (Source("camera", 0, 10),), ()),
    "source 'camera': period is 0.5, expected a whole number": ((NPU,), (Source("camera", 1, 0.5),), ()),
    "source 'camera': jitter is -1, expected at least 0": ((NPU,), (Source("camera", 1, 10, -1),), ()),
    "task 'task': source is 'radio', expected one of camera": ((NPU,), (CAMERA,), (task(source="radio"),)),
    "task 'task': every_nth is 0, expected at least 1": ((NPU,), (CAMERA,), (task(every_nth=0),)),
    "task 'task': items_per_frame is 0": ((NPU,), (CAMERA,), (task(items_per_frame=0),)),
    "after is 'later', expected one of none": ((NPU,), (CAMERA,), (task(after=("later",)), task("later"))),
    "task 'both': waits for 'task', which reads 'camera', not 'other'": (
        (NPU,),
        (CAMERA, Source("other", 1, 10)),
        (task(), task("both", source="other", after=("task",))),
    ),
    "task 'both': after: found 'task' twice": ((NPU,), (CAMERA,), (task(), task("both", after=("task", "task")))),
    "step 'run': resource is 'gpu', expected one of npu": ((NPU,), (CAMERA,), (task(steps=(Serve("run", "gpu", 1),)),)),
    "step 'run': hidden is 2, expected at most its time of 1": (
        (NPU,),
        (CAMERA,),
        (task(steps=(Serve("run", "npu", 1, 2), Delay("send", 0, 0))),),
    ),
    "step 'run' hides 1 ticks behind the next step, but is the last": (
        (NPU,),
        (CAMERA,),
        (task(steps=(Serve("run", "npu", 1, 1),)),),
    ),
    "task 'task': has no step for its source to hide": (
        (NPU,),
        (Source("camera", 1, 10, steps=(Serve("decode", "npu", 2, 1),)),),
        (task(steps=()),),
    ),
    "step 'send': most is 1, expected at least 2": ((NPU,), (CAMERA,), (task(steps=(Delay("send", 2, 1),)),)),
    "step 'send': keeps is 'nothing', expected one of stream, task": (
        (NPU,),
        (CAMERA,),
        (task(steps=(Delay("send", 1, 2, "nothing"),)),),
    ),
    "step 'network': batch is 0, expected at least 1": ((NPU,), (CAMERA,), (batched(batch=0),)),
    "step 'network': policy is 'eager', expected one of count, dynamic, timeout-close": (
        (NPU,),
        (CAMERA,),
        (batched(policy="eager"),),
    ),
    "step 'network': timeout is -1, expected at least 0": ((NPU,), (CAMERA,), (batched(timeout=-1),)),
    "task 'task': step: found 'run' twice": ((NPU,), (CAMERA,), (task(steps=(Serve("run", "npu", 1),) * 2),)),
}


@pytest.mark.parametrize("message", BROKEN)
def test_a_broken_plant_is_refused(message):
    with pytest.raises(ValueError, match=message):
        Plant(*BROKEN[message])


def test_strides_multiply_along_chains_and_meet_at_joins():
    plant = Plant(
        (NPU,),
        (CAMERA,),
        (
            task("a", every_nth=2),
            task("b", every_nth=3),
            task("c", after=("a", "b")),
            task("d", after=("a",), every_nth=5),
        ),
    )
    assert plant.strides == {"a": 2, "b": 3, "c": 6, "d": 10}
