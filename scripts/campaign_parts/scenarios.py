"""Every command of the program with valid inputs: what the mutations start from."""

from dataclasses import dataclass, field


class Token(str):
    """A word of a command line that says what it stands for."""

    kind = "word"
    vital = False


def token(kind):
    def make(text, vital=False):
        made = Token(text)
        made.kind, made.vital = kind, vital
        return made
    return make


Input = token("input")      # a file or folder that is read
Output = token("output")    # a file that is written
Folder = token("folder")    # a folder that is written to
Number = token("number")    # a numeric value of an option
Name = token("name")        # any other value
Address = token("address")  # stands for the address of the chat server


def vital(path):
    """An input without which there is nothing to say: if it is unusable, success is a lie."""
    return Input(path, True)


@dataclass
class Scenario:
    command: str
    argv: list
    # Stock that is laid out: files, or folders with all below.
    needs: list = field(default_factory=list)
    # Groups of words, each of which a case may add.
    extras: list = field(default_factory=list)
    threads: bool = False
    # Standard output is the result itself, in place of a file.
    delivers: bool = False
    weight: int = 2


THREADS = ["--threads", Number("2")]
JSON = ["--json"]
STRICT = ["--strict"]
FORMATS = [["--format", Name(name)] for name in ("markdown", "latex", "csv")]
REJECTS = ["--rejects", Output("kept/rejects.jsonl")]
INTERVALS = [["--resamples", Number("50")], ["--seed", Number("3")], ["--confidence", Number("0.9")]]
GATES_OUT = [["--junit", Output("ci/gates.xml")], ["--markdown", Output("ci/gates.md")], ["--github"],
             ["--strict-gates"]]
NORMALIZERS = [["--normalizer", Name(name)] for name in ("text", "exact", "number", "json", "atl")]
TOLERANCES = [["--tolerance", Number("0.01")], ["--relative-tolerance", Number("1e-6")]]
SERVER = [["--concurrency", Number("3")], ["--rpm", Number("60000")], ["--tpm", Number("9000000")],
          ["--max-output-tokens", Number("64")],
          ["--prices", Input("answers/models.yaml"), "--max-usd", Number("2.5")]]
ASKING = ["--base-url", Address(""), "--attempts", Number("2"), "--timeout", Number("3")]


def episodes(mode, name, *more):
    return ["episodes", "--episodes", vital("episodes/episodes.jsonl"), "--predictions",
            vital(f"episodes/{name}.jsonl"), "--mode", Name(mode), "--config-path", Name("c.yaml"),
            "--backend", Name("b"), "--out", Output("out/eval.json"), *more]


EPISODE_EXTRAS = [["--details", Output("out/details.jsonl")], ["--milestones", Input("episodes/milestones.json")],
                  ["--screen", Name("1920x1080")], ["--memory-gb", Number("24")],
                  ["--timestamp", Name("2025-01-19T10:00:00Z")], ["--device", Name("cpu")],
                  REJECTS, STRICT, JSON, *FORMATS]
WEATHER = ["weather/weather.toml", "weather/samples.jsonl", "weather/outputs.jsonl"]
EVAL_EXTRAS = [["--records", Name("both")], ["--records", Name("jsonl")], ["--records", Name("none")],
               ["--task", Name("HOUR")], ["--model", Name("mine")], STRICT, JSON,
               ["--timestamp", Name("2025-01-19T10:00:00Z")]]
# A run beside the outputs that a command has anyway.
RUN = [["--run", Folder("left")], ["--run", Folder("left"), "--keep-text"],
       ["--run", Folder("left"), "--subject", Name("s"), "--dataset", Name("d")]]
TWO = [Input("scored/base.json"), Input("scored/tuned.json")]
DETAILS = [Input("scored/base.details.jsonl"), Input("scored/tuned.details.jsonl")]

SCENARIOS = [
    Scenario("demo", ["demo", "--out", Folder("demo"), "--samples", Number("6"), "--models", Number("2")],
             extras=[["--seed", Number("4")], ["--domain", Name("battery")]], threads=True, weight=1),
    Scenario("eval", ["eval", "--protocol", Name("flight"), "--samples", vital("flight/samples.jsonl"),
                      "--outputs", vital("flight/outputs.jsonl"), "--out", Folder("out")],
             ["flight"], [["--confidence", Input("flight/confidence.json")], *EVAL_EXTRAS],
             threads=True, weight=6),
    Scenario("eval", ["eval", "--protocol", vital("weather/weather.toml"), "--samples",
                      vital("weather/samples.jsonl"), "--outputs", vital("weather/outputs.jsonl"),
                      "--out", Folder("out")], WEATHER, EVAL_EXTRAS, threads=True, weight=4),
    Scenario("eval", ["eval", "--protocol", Name("flight"), "--samples", vital("flight/samples.jsonl"),
                      "--outputs", vital("flight/outputs.jsonl"), "--out", Folder("out"), "--agent", Name("llm"),
                      "--agent-model", Name("m"), "--agent-limit", Number("4"), *ASKING],
             ["flight", "answers/models.yaml"], [["--agent-records", Name("all")], JSON, *SERVER], weight=1),
    Scenario("show", ["show", Input("run"), Name("S1_000000")], ["run"],
             [["--model", Name("accurate-1")], ["--all"], JSON], weight=3),
    *[Scenario("show", ["show", Input(f"runs/{name}")], ["runs"], [JSON], weight=1)
      for name in ("first", "second", "pairs")],
    Scenario("export", ["export", Input("runs/pairs"), "--format", Name("csv"), "--out", Output("x.csv")], ["runs"],
             weight=1),
    *[Scenario("export", ["export", Input("run"), "--format", Name(form), "--out", Output(f"x.{form}")],
               ["run"], weight=1) for form in ("jsonl", "csv", "parquet", "latex", "markdown")],
    *[Scenario("export", ["export", Input("run"), "--format", Name(form)], ["run"], delivers=True, weight=1)
      for form in ("jsonl", "csv", "markdown")],
    Scenario("rules", ["rules", "--protocol", vital("weather/weather.toml")], WEATHER[:1], [JSON], weight=2),
    Scenario("rules", ["rules", "--protocol", vital("weather/weather.toml"), "--source"], WEATHER[:1],
             delivers=True, weight=1),
    Scenario("lint", ["lint", vital("weather/weather.toml")], WEATHER[:1], [JSON], weight=2),
    Scenario("explain", ["explain", Name("dew_point"), "--protocol", vital("weather/weather.toml")],
             WEATHER[:1], weight=2),
    Scenario("calibrate", ["calibrate", "--protocol", Name("flight"), "--samples", vital("flight/samples.jsonl")],
             ["flight"], [["--tolerate", Number("1")], ["--task", Name("S1")], STRICT, JSON], weight=2),
    Scenario("calibrate", ["calibrate", "--protocol", vital("weather/weather.toml"), "--samples",
                           vital("weather/samples.jsonl")], WEATHER,
             [["--tolerate", Number("1")], STRICT, JSON], weight=2),
    Scenario("reproduce", ["reproduce", Input("run")], ["run", "flight"],
             [["--inputs", Input("flight")]], threads=True, weight=4),
    Scenario("reproduce", ["reproduce", Input("runs/first")], ["runs", "answers"], threads=True, weight=2),
    Scenario("reproduce", ["reproduce", Input("runs/pairs")], ["runs", "agreement"], threads=True, weight=2),
    Scenario("finish", ["finish", Input("pieces"), "--keep-pieces"], ["pieces", "flight"], [JSON], threads=True, weight=3),
    Scenario("match", ["match", "--predictions", Input("answers/predictions"), "--out", Output("out/match.json")],
             ["answers"], [["--details", Output("out/details.jsonl")], REJECTS, STRICT, JSON, *FORMATS,
                           *NORMALIZERS, *TOLERANCES], threads=True, weight=3),
    Scenario("match", ["match", "--predictions", vital("answers/rows.jsonl"), "--out", Output("out/match.json")],
             ["answers"], [["--details", Output("out/details.jsonl")], REJECTS, STRICT, JSON, *FORMATS,
                           *NORMALIZERS, *TOLERANCES], threads=True, weight=3),
    Scenario("match", ["match", "--predictions", vital("answers/sums.jsonl"), "--normalizer", Name("number")],
             ["answers"], [["--details", Output("out/details.jsonl")], JSON, *TOLERANCES, *RUN], threads=True),
    Scenario("judge", ["judge", "--predictions", vital("answers/rows.jsonl"), "--model", Name("stand-in"),
                       "--out", Folder("out"), *ASKING], ["answers"],
             [["--votes", Number("2")], ["--probe", Number("2")], ["--judge-name", Name("j")], STRICT, JSON,
              ["--prompt", Input("answers/prompt.txt")], ["--retry-invalid"], ["--overwrite"],
              ["--cache", Output("kept/replies.sqlite3")], *SERVER, *NORMALIZERS], weight=5),
    Scenario("judge", ["judge", "--predictions", Input("answers/predictions"), "--no-llm", "--out", Folder("out")],
             ["answers"], [REJECTS, STRICT, JSON, *NORMALIZERS], weight=2),
    Scenario("judge", ["judge", "--predictions", vital("answers/rows.jsonl"), "--model", Name("stand-in"),
                       "--out", Folder("out"), "--dry-run", *ASKING], ["answers"], [JSON, *SERVER], weight=1),
    Scenario("judge", ["judge", "--print-prompt"], delivers=True, weight=1),
    Scenario("efficiency", ["efficiency", "--predictions", Input("answers/predictions"), "--out", Folder("out")],
             ["answers"], [["--prices", Input("answers/models.yaml")], ["--weights", Name("0.5,0.3,0.2")],
                           ["--by", Name("run")], REJECTS, STRICT, JSON, *FORMATS, *NORMALIZERS], weight=4),
    Scenario("efficiency", ["efficiency", "--predictions", Input("answers/predictions"), "--judged",
                            Input("judged")], ["answers", "judged"],
             [["--judge", Name("stand-in")], ["--prices", Input("answers/models.yaml")], JSON, *FORMATS], weight=2),
    Scenario("efficiency gpu-cost", ["efficiency", "gpu-cost", "--gpu-price-usd", Number("15000"),
                                     "--lifespan-years", Number("4"), "--utilization", Number("0.6"),
                                     "--avg-watts", Number("300"), "--electricity-usd-per-kwh", Number("0.2")],
             extras=[["--overhead", Number("0.2")], JSON]),
    Scenario("episodes", episodes("coord", "base"), ["episodes"], EPISODE_EXTRAS, threads=True, weight=5),
    Scenario("episodes", episodes("som", "tuned"), ["episodes"], EPISODE_EXTRAS, threads=True, weight=3),
    Scenario("schema print", ["schema", "print"], delivers=True, weight=1),
    Scenario("schema validate", ["schema", "validate", vital("scored/base.json")], ["scored"], [STRICT, JSON]),
    Scenario("schema validate", ["schema", "validate", Input("scored")], ["scored"], [STRICT, JSON], weight=1),
    Scenario("schema migrate", ["schema", "migrate", vital("episodes/legacy.json"), "--out",
                                Output("out/migrated.json")], ["episodes/legacy.json"]),
    Scenario("schema migrate", ["schema", "migrate", vital("episodes/legacy.json")], ["episodes/legacy.json"],
             delivers=True, weight=1),
    Scenario("compare", ["compare", "--files", *TWO], ["scored"],
             [["--labels", Name("A"), Name("B")], ["--details", *DETAILS], ["--alpha", Number("0.1")],
              ["--resamples", Number("50")], ["--seed", Number("2")], ["--out", Output("out/compare.json")],
              JSON, *FORMATS], weight=4),
    Scenario("compare", ["compare", Input("runs/first"), Input("runs/second")], ["runs"],
             [["--metric", Name("exact")], ["--margin", Number("0.1")], ["--difference", Number("0.1")],
              ["--fail-if-worse"], ["--alpha", Number("0.1")], ["--resamples", Number("50")],
              ["--out", Output("out/compare.json")], JSON, *FORMATS], weight=4),
    Scenario("compare", ["compare", Input("run"), "--subjects", Name("accurate-1,noisy-1")], ["run"],
             [["--out", Output("out/compare.json")], JSON], weight=2),
    Scenario("import", ["import", vital("logs/inspect.json"), "--run", Folder("out/run")], ["logs"],
             [["--as", Name("inspect")], ["--keep-all"], ["--cluster", Name("metadata.group")], STRICT, JSON, *FORMATS],
             threads=True, weight=4),
    Scenario("import", ["import", vital("logs/events.jsonl"), "--run", Folder("out/run")], ["logs"], [JSON, STRICT],
             threads=True),
    Scenario("import", ["import", vital("logs/scores.csv"), "--as", Name("table"), "--item", Name("item"), "--subject",
                        Name("model"), "--metric", Name("acc"), "--run", Folder("out/run")], ["logs"], [JSON, STRICT],
             threads=True),
    Scenario("look", ["look", Input("logs/scores.csv")], ["logs"], [JSON]),
    Scenario("look", ["look", Input("answers")], ["answers"], [JSON]),
    Scenario("match", ["match", "--predictions", vital("runs/imported")], ["runs"],
             [["--out", Output("out/again.json")], ["--normalizer", Name("text")], JSON], threads=True),
    Scenario("export", ["export", Input("runs/imported"), "--format", Name("inspect"), "--out", Output("out/log.json")],
             ["runs"]),
    Scenario("compare", ["compare", Input("runs/first"), Input("runs/second"), Input("runs/second"), "--matrix",
                         "--forest", Output("out/forest.svg")], ["runs"], [["--unpaired"], JSON]),
    Scenario("report", ["report", Input("run"), "--html", Output("out/run.html")], ["run"], threads=True, weight=2),
    Scenario("report", ["report", Input("runs/second"), "--against", Input("runs/first"), "--html",
                        Output("out/change.html")], ["runs"], threads=True),
    Scenario("export", ["export", Input("run"), "--format", Name("jsonl"), "--where", Name("verdict=fail"), "--where",
                        Name("sort=score"), "--out", Output("out/failed.jsonl")], ["run"],
             [["--where", Name("severity=critical")], ["--where", Name("item=00")]], weight=2),
    Scenario("plot", ["plot", Input("run"), "--as", Name("forest"), "--out", Output("out/forest.pdf")], ["run"],
             [["--width", Number("600")], ["--theme", Name("dark")], ["--font-size", Number("10")]]),
    Scenario("plan", ["plan", Input("runs/first"), Input("runs/second"), "--difference", Number("0.1")], ["runs"],
             [["--metric", Name("exact")], ["--alpha", Number("0.1")], ["--power", Number("0.9")],
              ["--out", Output("out/plan.json")], JSON, *FORMATS], weight=2),
    Scenario("plan", ["plan", Input("run"), "--difference", Number("1"), "--subject", Name("noisy-1")], ["run"],
             [["--correlation", Number("0.5")], JSON], weight=1),
    Scenario("plot", ["plot", Input("runs/first"), Input("runs/second"), "--out", Output("out/bars.svg")], ["runs"],
             [["--labels", Name("A"), Name("B")], ["--title", Name("T")], ["--scale", Number("1")]]),
    Scenario("plot", ["plot", "--files", *TWO, "--output", Output("out/figure.svg")], ["scored"],
             [["--labels", Name("A"), Name("B")], ["--title", Name("T")], ["--scale", Number("1")]]),
    Scenario("plot", ["plot", "--files", *TWO, "--output", Output("out/figure")], ["scored"],
             [["--metrics", Name("element_accuracy")], ["--scale", Number("1")]], weight=1),
    Scenario("plot", ["plot", "--strip", vital("scored/base.details.jsonl"), "--output", Output("out/strip.png")],
             ["scored"], [["--rows", Number("5")], ["--scale", Number("1")], ["--title", Name("T")]]),
    Scenario("aggregate", ["aggregate", "--files", *TWO], ["scored"],
             [["--by", Name("dsl_mode")], ["--out", Output("out/means.json")], STRICT, JSON, *FORMATS],
             threads=True, weight=2),
    Scenario("aggregate", ["aggregate", "--files", Input("scored")], ["scored"],
             [["--by", Name("/metadata/backend")], ["--out", Output("out/means.json")], JSON], threads=True),
    Scenario("agree pairs", ["agree", "pairs", "--pairs", vital("agreement/pairs.jsonl"), "--tsv",
                             Output("out/differ.tsv")], ["agreement"],
             [["--out", Output("out/report.json")], ["--arbitrated", Output("out/final.jsonl")], ["--hygiene"],
              ["--pa-gate", Number("0.5")], ["--kappa-gate", Number("0.2")], ["--abstain-gate", Number("0.2")],
              *GATES_OUT, *INTERVALS, REJECTS, STRICT, JSON, *FORMATS], threads=True, weight=4),
    Scenario("agree pairs", ["agree", "pairs", "--scholar", vital("agreement/scholar.jsonl"), "--auditor",
                             vital("agreement/auditor.jsonl"), "--tsv", Output("out/differ.tsv")], ["agreement"],
             [["--out", Output("out/report.json")], *GATES_OUT, *INTERVALS, STRICT, JSON, *RUN], threads=True),
    Scenario("agree judges", ["agree", "judges", "--eval-dir", Input("agreement/judges"), "--out",
                              Output("out/judges.json")], ["agreement"],
             [["--human", Input("agreement/human.json")], ["--include-deterministic"], ["--drop-invalid"],
              ["--disagreements", Number("3")], ["--aggregate", Name("dawid-skene")],
              ["--heatmap", Output("out/map.svg")], *INTERVALS, REJECTS, STRICT, JSON, *FORMATS],
             threads=True, weight=5),
    *[Scenario("agree ratings", ["agree", "ratings", "--input", vital(f"agreement/ratings.{ending}"), "--level",
                                 Name(level)], ["agreement"],
               [["--out", Output("out/ratings.json")], ["--heatmap", Output("out/map.svg")], ["--pairwise"],
                ["--delimiter", Name(",")], ["--weights", Name("linear")], ["--order", Name("1,2,3,4,5")],
                *INTERVALS, REJECTS, STRICT, JSON, *FORMATS], threads=True)
      for ending, level in (("csv", "ordinal"), ("jsonl", "nominal"), ("csv", "ratio"))],
    Scenario("gate golden", ["gate", "golden", "--golden", vital("gates/golden_queries.json"), "--outputs",
                             Input("gates/runs")], ["gates"],
             [["--report", Output("out/golden.json")], ["--gates", Input("gates/gates.toml")],
              ["--min-coverage", Number("0.5")], ["--min-recall", Number("0.5")],
              ["--min-abstention", Number("0.5")], ["--min-manifests", Number("0.5")], *GATES_OUT, JSON],
             threads=True, weight=5),
    Scenario("gate check", ["gate", "check", "--report", vital("reports/golden.json"), "--gates",
                            vital("gates/gates.toml")], ["gates", "reports"],
             [["--baseline", Input("reports/golden.json")], ["--out", Output("out/gates.json")], *GATES_OUT, JSON],
             weight=4),
    Scenario("gate check", ["gate", "check", "--report", vital("scored/base.json"), "--gates",
                            vital("own.toml")], ["scored", "own.toml"],
             [["--out", Output("out/gates.json")], *GATES_OUT, JSON], weight=2),
    Scenario("gate check", ["gate", "check", Input("runs/second"), "--gates", vital("runs.toml"), "--baseline",
                            Input("runs/first")], ["runs", "runs.toml"],
             [["--out", Output("out/gates.json")], *GATES_OUT, JSON], weight=3),
    Scenario("gate init", ["gate", "init", Input("runs/first"), "--out", Output("out/new.toml")], ["runs"],
             [["--force"]], weight=1),
    Scenario("gate init", ["gate", "init", "--report", vital("reports/golden.json"), "--out", Output("out/new.toml")],
             ["reports"], [["--force"]], weight=2),
    Scenario("gate init", ["gate", "init", "--report", vital("reports/judges.json"), "--out", Name("-")],
             ["reports"], delivers=True, weight=1),
    Scenario("release", ["release", "--config", vital("gates/release.toml"), "--out", Output("out/release.json")],
             ["gates", "agreement"], [*GATES_OUT, JSON], weight=3),
    Scenario("synth", ["synth", Name("flight"), "--samples", Number("6"), "--models", Number("2"), "--out",
                       Folder("out")], extras=[["--seed", Number("1")], ["--task", Name("S1")]], weight=2),
    Scenario("completions", ["completions", Name("bash")], delivers=True, weight=1),
    Scenario("reference", ["reference", "--format", Name("markdown"), "--out", Folder("out")], weight=1),
]

SLOTS = [scenario for scenario in SCENARIOS for _ in range(scenario.weight)]
COMMANDS = list(dict.fromkeys(scenario.command for scenario in SCENARIOS))


def slot(index):
    """The scenario of a run. A stride that shares no factor with the number of slots mixes them."""
    stride = next(n for n in range(37, 10000) if _coprime(n, len(SLOTS)))
    return SLOTS[index * stride % len(SLOTS)]


def _coprime(a, b):
    while b:
        a, b = b, a % b
    return a == 1
