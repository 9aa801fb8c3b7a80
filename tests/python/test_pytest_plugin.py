"""The plugin: a test for each gate."""

import fnmatch

import pytest

import judica

GATE = '[[gate]]\nname = "{}"\nmetric = "matched"\nop = ">="\nthreshold = {}\n'
ROWS = [{"id": str(at), "gold": "1", "prediction": str(at % 2)} for at in range(10)]


@pytest.fixture
def project(pytester, monkeypatch):
    judica.match(ROWS, run=pytester.path / "run")
    monkeypatch.chdir(pytester.path)

    def made(gates, ini='judica_gates = "gates.toml"\njudica_run = "run"\n', name="gates.toml"):
        if gates is not None:
            (pytester.path / name).parent.mkdir(exist_ok=True)
            (pytester.path / name).write_text(gates)
        pytester.makepyprojecttoml("[tool.pytest.ini_options]\n" + ini)
        # In a process of its own: the plugin is there by its entry point alone.
        return lambda *words: pytester.runpytest_subprocess("-p", "no:cacheprovider", *words)

    return made


def test_one_test_for_each_gate(project):
    run = project("version = 1\n" + GATE.format("low", 0.1) + GATE.format("high", 0.9))
    result = run("-v")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*gates.toml::low PASSED*", "*gates.toml::high FAILED*"])
    result.stdout.fnmatch_lines(["high (matched) is 0.5, must be >= 0.9 (n 10; interval *"])
    run("gates.toml::low").assert_outcomes(passed=1)
    run("-k", "high").assert_outcomes(failed=1, deselected=1)


def test_beside_other_tests_and_the_fixture(project, pytester):
    ini = 'testpaths = ["checks"]\njudica_gates = ["gates/one.toml", "gates/two.toml"]\njudica_run = "run"\n'
    project("version = 1\n" + GATE.format("low", 0.1), ini, "gates/one.toml")
    run = project("version = 1\n" + GATE.format("lower", 0.2), ini, "gates/two.toml")
    (pytester.path / "checks").mkdir()
    (pytester.path / "checks/test_it.py").write_text(
        "def test_run(judica_run):\n    assert len(judica_run.records) == 10\n"
    )
    run().assert_outcomes(passed=3)
    # Whoever names a test gets that test.
    run("checks/test_it.py").assert_outcomes(passed=1)
    run("-o", "judica_run=elsewhere").assert_outcomes(errors=2)


@pytest.mark.parametrize(
    ("folder", "more"),
    [
        ("build", ""),
        (".github", ""),
        ("build", 'addopts = "--ignore=build"\n'),
        ("build", 'testpaths = ["checks"]\n'),
        ("checks", 'collect_ignore_glob = ["*.toml"]\n'),
    ],
)
def test_folders_that_pytest_passes_over(project, pytester, folder, more):
    ini = f'judica_gates = "{folder}/gates.toml"\njudica_run = "run"\n'
    conftest = more.startswith("collect")
    gates = "version = 1\n" + GATE.format("low", 0.1) + GATE.format("high", 0.9)
    run = project(gates, ini + ("" if conftest else more), f"{folder}/gates.toml")
    for name in {"checks", folder}:
        (pytester.path / name).mkdir(exist_ok=True)
        (pytester.path / name / f"test_{name.strip('.')}.py").write_text("def test_it():\n    pass\n")
    if conftest:
        (pytester.path / "conftest.py").write_text(more)
    # What else stands in the folder is passed over as ever.
    for words in [(), (".", f"{folder}/gates.toml")]:
        result = run(*words, "--deselect", f"{folder}/gates.toml::low", "-v")
        result.assert_outcomes(passed=1, failed=1, deselected=1)
        result.stdout.fnmatch_lines([f"*{folder}/gates.toml::high FAILED*"])


@pytest.mark.parametrize(
    ("gates", "ini", "words"),
    [
        (None, None, "gates.toml*no such file"),
        ("version = 1\n", None, "there is no ?*gate"),
        ("version = [", None, "gates.toml:1"),
        ("", None, "version = 1"),
        ("version = 1\n" + GATE.format("x", 1).replace("matched", "nothing"), None, "nothing"),
        ("version = 1\n" + GATE.format("x", 1), 'judica_gates = "gates.toml"\n', "needs judica_run"),
        ("version = 1\n" + GATE.format("x", 1), 'judica_gates = "gates.toml"\njudica_run = "no-run"\n', "no-run"),
    ],
    ids=["missing", "empty", "malformed", "blank", "no metric", "no run said", "no run there"],
)
def test_what_cannot_be_used_fails_loudly(project, gates, ini, words):
    run = project(gates, **({"ini": ini} if ini else {}))
    result = run()
    assert result.ret not in (0, 5)
    said = result.stdout.str() + result.stderr.str()
    assert fnmatch.fnmatch(said, f"*{words}*"), said
    assert "passed" not in said


def test_without_gates_nothing_changes(project, pytester):
    run = project(None, "")
    pytester.makepyfile("def test_it():\n    pass\n")
    run().assert_outcomes(passed=1)
    pytester.makepyfile("def test_it(judica_run):\n    pass\n")
    result = run()
    assert "needs judica_run" in result.stdout.str() and result.ret == 1
