"""What a new user starts from: a problem file to edit, and a schema that editors complete it by."""

from __future__ import annotations

from dse.problem.spec import Problem
from dse.yamlfile.scalars import Raw

STARTER = """\
version: 1
name: Smart camera
tasks:
  - name: detect                 # a name of your own
    task: object-detection       # `dse catalog list tasks` shows what there is
    streams: 1                   # cameras
    rate_hz: 30                  # inferences per second, for each camera
    deadline_ms: 60              # worst case, from the end of exposure to the result in your program
    overhead_ms: 15              # capture, resize and post-processing together; `stages:` lists them one by one
    min_accuracy: 30             # percent: map50-95 on coco-2017
limits:                          # of the whole system
  power_w: 10                    # sustained
  price_usd: 200                 # one system, when one is bought
# A time you measured yourself goes before the catalogue:
# known: [{model: yolov5s, chip: rk3588, precision: int8, latency_ms: 20.7, statistic: mean}]
# What you use today, to compare with:
# baseline: {chip: jetson-nano, model: tiny_yolov4, precision: fp16}
"""


def json_schema() -> dict[str, Raw]:
    """JSON Schema of a problem file, for editors.

    Every field has a description with its unit. Fields that may be left out are never described as null, because
    the reader refuses a key without a value.
    """
    schema: dict[str, Raw] = _without_null(Problem.model_json_schema(by_alias=True, mode="validation"))
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    schema["title"] = "dse problem file"
    return schema


def _without_null(node: Raw) -> Raw:
    if isinstance(node, list):
        return [_without_null(item) for item in node]
    if not isinstance(node, dict):
        return node
    node = {key: _without_null(item) for key, item in node.items() if not (key == "default" and item is None)}
    options = node.get("anyOf")
    if isinstance(options, list):
        kept = [option for option in options if option != {"type": "null"}]
        if len(kept) == 1 and isinstance(kept[0], dict):
            del node["anyOf"]
            node = {**kept[0], **node}
        else:
            node["anyOf"] = kept
    return node
