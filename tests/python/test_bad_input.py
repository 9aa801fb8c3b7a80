"""What cannot be used is said, in the user's words, before anything is done."""

import io
import pickle
from types import MappingProxyType

import numpy
import polars
import pyarrow
import pytest
from conftest import rows

import judica


def closed_file():
    with open("docs/examples/weather/outputs.jsonl") as file:
        pass
    return file


UNUSABLE = {
    "none": (lambda: None, "required"),
    "generator": (lambda: ({"id": str(at)} for at in range(3)), "list"),
    "closed file": (closed_file, "closed file"),
    "open file": (lambda: io.StringIO("{}"), "open file"),
    "dict": (lambda: {"id": "a"}, "a list with a dict for each row"),
    "number": (lambda: 7, "int"),
    "mixed": (lambda: [{"id": "a"}, "b.jsonl"], "1 dicts among 2"),
    "nested none": (lambda: ["docs/examples/weather/outputs.jsonl", None], "None"),
    "standard input": (lambda: "-", "standard input"),
    "set": (lambda: [{"id": {1, 2}}], "set"),
    "not utf-8": (lambda: b"outputs.jsonl", "bytes"),
}


@pytest.mark.parametrize("kind", UNUSABLE)
def test_inputs_of_the_wrong_kind(kind):
    value, words = UNUSABLE[kind]
    with pytest.raises(judica.BadInputError, match="(?i)" + words) as raised:
        judica.match(value())
    assert "predictions" in str(raised.value) and isinstance(raised.value, ValueError)


def test_cycles_and_odd_values():
    row = {"id": "a"}
    row["self"] = row
    with pytest.raises(judica.BadInputError, match="row 1"):
        judica.match([row])
    with pytest.raises(judica.BadInputError, match="threads"):
        judica.match([{"id": "a"}], threads=object())
    with pytest.raises(judica.BadInputError):
        judica.match([{"id": "a", "gold": "1", "prediction": "1"}], threads=0)
    with pytest.raises(judica.BadInputError, match="progress"):
        judica.match([{"id": "a"}], progress=3)
    with pytest.raises(TypeError):
        judica.match([{"id": "a"}], no_such_option=1)


def test_a_missing_file_is_an_artifact(weather, tmp_path):
    with pytest.raises(judica.ArtifactError) as raised:
        judica.eval(weather["protocol"], tmp_path / "none.jsonl", weather["outputs"])
    assert isinstance(raised.value, OSError) and "none.jsonl" in str(raised.value)


def test_a_protocol_error_points_at_the_line(weather, tmp_path):
    text = open(weather["protocol"]).read()
    wrong = tmp_path / "wrong.toml"
    wrong.write_text(text.replace("[[field]]", "[[feild]]", 1))
    with pytest.raises(judica.ProtocolError) as raised:
        judica.eval(wrong, weather["samples"], weather["outputs"])
    error = raised.value
    line = 1 + text[: text.index("[[field]]")].count("\n")
    assert error.file == str(wrong) and error.line == line and error.column == 3
    assert error.errors[0]["line"] == line and error.errors[0]["message"]
    with pytest.raises(judica.ProtocolError) as raised:
        judica.Protocol(text.replace("[[field]]", "[[feild]]", 1))
    assert raised.value.line == line


def test_exceptions_are_what_people_catch():
    assert issubclass(judica.BadInputError, (judica.JudicaError, ValueError))
    assert issubclass(judica.ProtocolError, judica.BadInputError)
    assert issubclass(judica.ArtifactError, OSError) and issubclass(judica.GateFailed, AssertionError)
    for kind in (judica.BadInputError, judica.ArtifactError, judica.GateFailed):
        assert str(pickle.loads(pickle.dumps(kind("why")))) == "why"


def test_a_protocol_is_looked_at_and_used(weather):
    protocol = judica.Protocol(weather["protocol"])
    assert protocol.name == "weather" and protocol.tasks and protocol.source
    sample, output = rows(weather["samples"])[0], rows(weather["outputs"])[0]
    record = protocol.evaluate(sample, output)
    run = judica.eval(weather["protocol"], [sample], [output])
    assert record["verdict"] == polars.DataFrame(run.records)["verdict"][0] == "pass"
    with pytest.raises(judica.BadInputError):
        protocol.evaluate([], output)


def test_rows_for_a_protocol_are_those_of_lists(weather):
    protocol = judica.Protocol(weather["protocol"])
    sample, output = rows(weather["samples"])[0], rows(weather["outputs"])[0]
    odd = MappingProxyType({**output, "seed": numpy.int64(3), "note": "\ud800"})
    assert protocol.evaluate(sample, odd)["verdict"] == protocol.evaluate(sample, output)["verdict"]
    with pytest.raises(judica.BadInputError, match="sample"):
        protocol.evaluate("\ud800", output)


def test_a_protocol_that_runs_commands_can_be_looked_at(weather):
    verifier = '\n[[verifier]]\nfamily = "own"\ncommand = ["./own"]\n'
    protocol = judica.Protocol(open(weather["protocol"]).read() + verifier)
    assert protocol.rules
    sample, output = rows(weather["samples"])[0], rows(weather["outputs"])[0]
    with pytest.raises(judica.BadInputError, match="./own`, which nothing runs"):
        protocol.evaluate(sample, output)


class Raises:
    """A table that raises when it is asked for its rows."""

    def __init__(self, error):
        self.error = error

    def __arrow_c_stream__(self, requested_schema=None):
        raise self.error


def test_what_a_table_raises_is_passed_on():
    with pytest.raises(judica.BadInputError, match="predictions: .*raised RuntimeError: gone") as raised:
        judica.match(Raises(RuntimeError("gone")))
    assert isinstance(raised.value.__cause__, RuntimeError)
    with pytest.raises(KeyboardInterrupt):
        judica.match(Raises(KeyboardInterrupt()))


def test_batches_that_do_not_fit_their_schema(capfd):
    schema = pyarrow.schema({"id": pyarrow.string(), "gold": pyarrow.string()})
    batch = pyarrow.RecordBatch.from_pydict({"id": [1, 2]})
    with pytest.raises(judica.BadInputError, match="predictions"):
        judica.match(pyarrow.RecordBatchReader.from_batches(schema, [batch]))
    assert "panicked" not in capfd.readouterr().err


def test_messages_name_what_is_still_there():
    with pytest.raises(judica.BadInputError) as raised:
        judica.match([{"id": "a"}])
    assert raised.value.rejects and "rejects.jsonl" not in str(raised.value)
    assert "`rejects` of this error" in str(raised.value)


def test_a_word_that_is_no_text():
    with pytest.raises(judica.BadInputError, match="`subject` is no text"):
        judica.match([{"id": "a", "gold": "1", "prediction": "1"}], subject="a\ud800")
