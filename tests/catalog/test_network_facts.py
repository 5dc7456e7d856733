"""Operators, licences and addresses of the networks: the shipped table says them, and says where it read them."""

from __future__ import annotations

import csv
import re

import pytest

from catalogs.importer.network_facts import (
    FILLED,
    RECORDED,
    UNKNOWN,
    by_id,
    facts_of,
    filled,
    matches,
    read_facts,
)
from dse.catalog.operators import OPERATORS
from dse.catalog.paths import shipped_root

FOLDER = shipped_root() / "models"
SOURCE = re.compile(r"(read|derived) \d{4}-\d\d-\d\d: .|recalled \d{4}-\d\d(: .|$)")
LICENSE = re.compile(r"[a-z0-9.-]+|other:[a-z0-9-]+")


@pytest.fixture(scope="module")
def facts():
    return read_facts(FOLDER / "facts.csv")


@pytest.fixture(scope="module")
def text():
    return (FOLDER / "models.csv").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def rows(text):
    return list(csv.DictReader(text.splitlines()))


def test_the_shipped_table_is_what_the_script_writes(text, facts):
    assert filled(text, facts) == text


def test_only_the_three_columns_change(rows, facts):
    table = 'id,weights,gmacs,operators,license,source\nvgg16,,15.50,?,?,"a, ""b"""\n'
    out = filled(table, facts)
    assert out.startswith("id,weights,gmacs,operators,license,weights_url,source\nvgg16,,15.50,conv,,")
    assert out.endswith(',"a, ""b"""\n')


def test_operator_words_are_closed(rows, facts):
    assert set(RECORDED) <= set(OPERATORS)
    for line in [*rows, *facts]:
        words = line["operators"].split()
        assert words == sorted(set(words) & set(RECORDED)) or line["operators"] == UNKNOWN, line


def test_every_statement_has_a_source(facts):
    for fact in facts:
        for column in ("operators", "license"):
            assert bool(fact[column]) == bool(fact[f"{column}_source"]), fact
            assert not fact[column] or SOURCE.match(fact[f"{column}_source"]), fact
        assert not fact["license"] or LICENSE.fullmatch(fact["license"]), fact
        assert fact["pattern"], fact
        assert any(fact[column] for column in FILLED), fact


def test_every_line_is_of_some_network(rows, facts):
    known = by_id({row["id"] for row in rows}, facts)
    used = {id(fact) for row in rows for fact in known[row["id"]] if matches(row, fact)}
    assert [fact for fact in facts if id(fact) not in used] == []


def test_most_networks_are_known(rows):
    known = {column: sum(bool(row[column]) for row in rows) / len(rows) for column in FILLED}
    assert known["operators"] > 0.9
    assert known["license"] > 0.7
    assert known["weights_url"] > 0.7


@pytest.mark.parametrize(
    ("network", "words", "absent"),
    [
        ("mobilenet_v2", "conv depthwise", "attention"),
        ("vgg16", "conv", "depthwise grouped"),
        ("resnext50_32x4d", "conv grouped", "depthwise"),
        ("vit_base_patch16", "attention conv normalization", "depthwise"),
        ("swin_tiny", "attention", "binary"),
        ("convnext_tiny", "depthwise normalization", "attention"),
        ("quicknet", "binary conv depthwise", "attention"),
        ("birealnet18", "binary", "depthwise"),
        ("r3d_18", "3-d", "depthwise"),
        ("easyocr:easyocrrecognizer", "recurrent", "attention"),
        ("sequencer2d_s", "recurrent", "attention"),
        ("ds_cnn", "depthwise", "recurrent"),
        ("fc_autoencoder", "dense", "conv"),
        ("yolov8n", "conv", "attention depthwise deconv"),
        ("yolov8n_seg", "conv deconv", "attention"),
        ("yolo11n", "attention depthwise", "deconv"),
        ("whisper_tiny:hfwhisperdecoder", "attention", "conv"),
    ],
)
def test_operators(rows, network, words, absent):
    cells = {row["operators"] for row in rows if row["id"] == network}
    assert cells
    for cell in cells:
        assert set(words.split()) <= set(cell.split())
        assert not set(absent.split()) & set(cell.split())


@pytest.mark.parametrize(
    ("network", "weights", "license_"),
    [
        ("yolov8n", "ultralytics", "agpl-3.0"),
        ("yolov8n", "hailo-model-zoo", "agpl-3.0"),
        ("yolov5m_v2", "hailo-model-zoo", "gpl-3.0"),
        ("resnet50", "IMAGENET1K_V2", "bsd-3-clause"),
        ("convnextv2_atto", "fcmae_ft_in1k", "cc-by-nc-4.0"),
        ("resnet18", "a1_in1k", "apache-2.0"),
        ("resnet50_v1", "vitis-ai", "other:amd-non-commercial"),
        ("yolov6n", "yolov6", "gpl-3.0"),
        ("quicknet", "larq-zoo", "apache-2.0"),
        ("scrfd_10g", "insightface", "other:non-commercial-research"),
    ],
)
def test_the_licence_is_that_of_the_publisher(rows, network, weights, license_):
    cells = [row["license"] for row in rows if (row["id"], row["weights"]) == (network, weights)]
    assert cells
    assert set(cells) == {license_}


def test_each_column_takes_the_first_line_that_fills_it():
    empty = dict.fromkeys(("source_pattern", "weights_pattern", *FILLED), "")
    facts = [
        {**empty, "pattern": "net_x", "operators": UNKNOWN},
        {**empty, "pattern": "net*", "weights_pattern": "none", "license": "mit"},
        {**empty, "pattern": "net*", "operators": "conv", "license": "apache-2.0"},
    ]
    row = {"id": "net_y", "weights": "", "source": ""}
    assert facts_of(row, facts) == {"operators": "conv", "license": "mit", "weights_url": ""}
    assert facts_of({**row, "id": "net_x", "weights": "a"}, facts) == {
        "operators": "",
        "license": "apache-2.0",
        "weights_url": "",
    }
