"""Runs on Ray equal those of one machine, on a cluster of two nodes."""

import threading
import time

import pytest

pytest.importorskip("ray", reason="Ray is not installed")

import hostile
import numpy
import pyarrow
import ray
from conftest import STAMP, rows
from ray._private import services
from ray.cluster_utils import Cluster

import judica
import judica.ray
from judica import _engine


@pytest.fixture(scope="module")
def cluster():
    # Nothing of a test leaves this machine: Ray would take its address in the network.
    services.get_node_ip_address = lambda *_, **__: "127.0.0.1"
    node = {"num_cpus": 1, "node_ip_address": "127.0.0.1", "object_store_memory": 200 << 20}
    made = Cluster(initialize_head=True, head_node_args={**node, "include_dashboard": False})
    made.node, made.second = node, made.add_node(**node)
    ray.init(address=made.address, _node_ip_address="127.0.0.1", log_to_driver=False)
    assert len(ray.nodes()) == 2
    yield made
    ray.shutdown()
    made.shutdown()


@pytest.fixture(scope="module")
def engine(cluster, tmp_path_factory):
    functions = {
        "eval": judica.ray.eval,
        "match": judica.ray.match,
        "agree_pairs": judica.ray.agree_pairs,
    }
    return hostile.Engine(functions, tmp_path_factory.mktemp("ray"))


@pytest.mark.parametrize("order", ["sorted", "turns", "mixed"])
def test_outputs_in_any_order_and_any_number_of_pieces(engine, order):
    engine.check("eval", order, [1, 2, 7, 16])


@pytest.mark.parametrize("command", ["match", "agree_pairs"])
def test_other_commands(engine, command):
    engine.check(command, "mixed", [1, 2, 7, 16])


def test_rows_that_belong_together_must_be_dealt_together(engine, tmp_path):
    """The identity test fails where the key is wrong: each range deals by another one."""

    def wrong(argv, of, pieces):
        dealt = [rows for _, rows in _engine._deal(argv, of, pieces)]
        turn = of[1] % pieces
        return list(enumerate(dealt[turn:] + dealt[:turn]))

    given = hostile.outputs(tmp_path, "mixed")
    judica.eval(**given, run=tmp_path / "one", timestamp=STAMP)
    words = {**given, "timestamp": STAMP}
    with pytest.raises((AssertionError, judica.JudicaError)):
        run = judica.ray._Ray()
        _engine.run(run, "eval", words, out=tmp_path / "many", partitions=7, deal=wrong)
        hostile.check_same(tmp_path / "one", tmp_path / "many")


def test_a_node_is_lost_half_way(cluster, tmp_path):
    given = hostile.outputs(tmp_path, "mixed", samples=3000)
    judica.eval(**given, run=tmp_path / "one", timestamp=STAMP)
    out = tmp_path / "many"
    lost = []

    def lose():
        until = time.monotonic() + 60
        while not list(out.glob("records/part-*.json")) and time.monotonic() < until:
            time.sleep(0.01)
        cluster.remove_node(cluster.second, allow_graceful=False)
        lost.append(True)

    thread = threading.Thread(target=lose)
    thread.start()
    judica.ray.eval(**given, out=out, partitions=16, timestamp=STAMP)
    thread.join()
    assert lost
    hostile.check_same(tmp_path / "one", out)
    cluster.second = cluster.add_node(**cluster.node)


def test_two_drivers_and_one_folder(engine, tmp_path):
    given = hostile.outputs(tmp_path, "turns")
    judica.eval(**given, run=tmp_path / "one", timestamp=STAMP)
    words = {**given, "out": tmp_path / "many", "partitions": 3, "timestamp": STAMP}
    threads = [threading.Thread(target=judica.ray.eval, kwargs=words) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    hostile.check_same(tmp_path / "one", tmp_path / "many")


def test_a_dataset_brings_an_order(engine, weather, tmp_path):
    answers = [
        {"at": at, "model_name": "a", "sample_id": f"{at}", "raw_response_text": "{}"}
        for at in range(5)
    ]
    dataset = ray.data.from_items(answers)
    weather.pop("outputs")
    with pytest.raises(judica.BadInputError, match="order="):
        judica.ray.eval(**weather, outputs=dataset, out=tmp_path / "run")
    with pytest.raises(judica.BadInputError, match="no column 'when'"):
        judica.ray.eval(**weather, outputs=dataset, out=tmp_path / "run", order="when")
    for values in [[1.0, float("nan")], [1, 1], [1, None]]:
        table = pyarrow.table({"at": values, "id": ["a", "b"], "gold": ["1"] * 2, "prediction": ["1"] * 2})
        with pytest.raises(judica.BadInputError, match="at = .*stands twice"):
            judica.ray.match(ray.data.from_arrow(table), tmp_path / "match", order="at")
    # The column that says the order may be one that is needed.
    named = ray.data.from_items(
        [{"id": "b", "gold": "1", "prediction": "1"}, {"id": "a", "gold": "1", "prediction": "2"}]
    )
    run = judica.ray.match(named, tmp_path / "match", order="id")
    assert [run.record(item)["verdict"] for item in ("a", "b")] == ["fail", "pass"]


def test_values_of_a_dataset_are_those_of_a_file(engine, tmp_path):
    table = pyarrow.table(
        {
            "at": pyarrow.array([5, 4], pyarrow.timestamp("us")),
            "x": [float("nan"), float("inf")],
            "b": [b"abc", b"\xff"],
            "d": pyarrow.array([1, 2], pyarrow.decimal128(5, 2)),
        }
    )
    path = str(tmp_path / "lines")
    judica.ray._inputs(ray.data.from_arrow(table), "predictions", "at").write(path)
    assert rows(path) == [
        {"at": "1970-01-01T00:00:00.000004", "x": "inf", "b": "ff", "d": 2.0},
        {"at": "1970-01-01T00:00:00.000005", "x": None, "b": "abc", "d": 1.0},
    ]
    tensors = ray.data.from_numpy(numpy.ones((2, 2, 2))).map(lambda row: {**row, "at": 1})
    judica.ray._inputs(tensors.limit(1), "predictions", "at").write(path)
    assert rows(path) == [{"data": [[1.0, 1.0], [1.0, 1.0]], "at": 1}]


def test_what_workers_cannot_read(engine, weather, tmp_path):
    for outputs, why in [
        ("s3://bucket/outputs.jsonl", "s3://"),
        ([{"model_name": "a"}], "dict"),
        (None, "NoneType"),
    ]:
        with pytest.raises(judica.BadInputError, match=why):
            judica.ray.eval(**{**weather, "outputs": outputs}, out=tmp_path / "run")
    with pytest.raises(judica.ArtifactError, match="nowhere.jsonl"):
        judica.ray.eval(**{**weather, "outputs": "nowhere.jsonl"}, out=tmp_path / "run")
    with pytest.raises(judica.BadInputError, match="partitions"):
        judica.ray.eval(**weather, out=tmp_path / "run", partitions=0)
    assert not (tmp_path / "run").exists()
