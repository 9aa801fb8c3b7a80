//! What can be typed, for each command: from the root of a clone, in the order shown. A test
//! runs all of them. One that ends with another code than 0 says so behind a `#`.

/// Commands and their examples.
pub const EXAMPLES: &[(&str, &[&str])] = &[
    (
        "eval",
        &[
            "judica eval --protocol docs/examples/weather/weather.toml \\
    --samples docs/examples/weather/samples.jsonl \\
    --outputs docs/examples/weather/outputs.jsonl --out weather-run",
            "judica show weather-run mon-06 --subject south",
        ],
    ),
    (
        "rules",
        &[
            "judica rules --protocol battery",
            "judica rules --protocol flight --source",
            "judica rules --from-schema docs/examples/schema/ticket.json",
        ],
    ),
    ("lint", &["judica lint docs/examples/weather/weather.toml"]),
    (
        "explain",
        &[
            "judica explain rapid_descent",
            "judica explain dew_point --protocol docs/examples/weather/weather.toml",
        ],
    ),
    (
        "calibrate",
        &[
            "judica calibrate --protocol docs/examples/weather/weather.toml \\
    --samples docs/examples/weather/samples.jsonl",
            "judica calibrate --protocol docs/examples/weather/weather.toml \\
    --samples docs/examples/weather/samples.jsonl --fit",
        ],
    ),
    (
        "match",
        &[
            "judica match --predictions docs/examples/answers/predictions --run answers-run",
            "judica show answers-run",
        ],
    ),
    (
        "judge",
        &[
            "judica judge --predictions docs/examples/answers/predictions --model qwen3 \\
    --base-url http://localhost:11434/v1 --out judged --dry-run",
            "judica judge --predictions docs/examples/answers/predictions --model qwen3 \\
    --base-url http://localhost:11434/v1 --out judged",
            "judica judge --print-prompt",
        ],
    ),
    (
        "efficiency",
        &[
            "judica efficiency --predictions docs/examples/answers/predictions \\
    --prices docs/examples/answers/models.yaml --out efficiency",
        ],
    ),
    (
        "efficiency gpu-cost",
        &[
            "judica efficiency gpu-cost --gpu-price-usd 15000 --lifespan-years 4 \\
    --utilization 0.6 --avg-watts 300 --electricity-usd-per-kwh 0.2 \\
    --overhead 0.2",
        ],
    ),
    (
        "episodes",
        &[
            "judica episodes --episodes docs/examples/episodes/episodes.jsonl \\
    --predictions docs/examples/episodes/base.jsonl --mode coord \\
    --config-path config.yaml --backend qwen3 --out eval.json --run agent-run",
            "judica show agent-run",
        ],
    ),
    ("schema", &["judica schema print"]),
    ("schema print", &["judica schema print"]),
    (
        "schema validate",
        &["judica schema validate docs/examples/episodes/legacy.json  # exits 2"],
    ),
    (
        "schema migrate",
        &["judica schema migrate docs/examples/episodes/legacy.json --out new.json"],
    ),
    (
        "aggregate",
        &[
            "judica episodes --episodes docs/examples/episodes/episodes.jsonl \\
    --predictions docs/examples/episodes/base.jsonl --mode coord \\
    --config-path config.yaml --backend qwen3 --out evals/base.json",
            "judica aggregate --files evals",
        ],
    ),
    (
        "agree",
        &[
            "judica agree ratings --input docs/examples/agreement/ratings.csv \\
    --level ordinal",
        ],
    ),
    (
        "agree pairs",
        &[
            "judica agree pairs --pairs docs/examples/agreement/pairs.jsonl  # exits 1",
            "judica agree pairs --print-policy",
        ],
    ),
    (
        "agree judges",
        &[
            "judica agree judges --eval-dir docs/examples/agreement/judges \\
    --human docs/examples/agreement/human.json --out agreement.json",
        ],
    ),
    (
        "agree ratings",
        &[
            "judica agree ratings --input docs/examples/agreement/ratings.csv \\
    --level ordinal",
            "judica agree ratings --input docs/examples/agreement/ratings.csv \\
    --level nominal --pairwise --heatmap kappas.svg",
        ],
    ),
    (
        "import",
        &[
            "judica match --predictions docs/examples/answers/predictions --keep-text \\
    --run answers-run",
            "judica export answers-run --format inspect --out logs",
            "judica import logs --run imported-run",
        ],
    ),
    (
        "show",
        &[
            "judica demo",
            "judica show judica-demo/run",
            "judica show judica-demo/run S1_000059 --subject unsafe-1",
        ],
    ),
    (
        "view",
        &[
            "judica match --predictions docs/examples/answers/predictions --run answers-run",
            "judica view answers-run",
        ],
    ),
    (
        "report",
        &[
            "judica match --predictions docs/examples/answers/predictions --run answers-run",
            "judica report answers-run --html answers.html",
        ],
    ),
    (
        "export",
        &[
            "judica demo --samples 60",
            "judica export judica-demo/run --format latex",
            "judica export judica-demo/run --format csv --where verdict=fail \\
    --where severity=critical --where sort=score --out failed.csv",
        ],
    ),
    (
        "compare",
        &[
            "judica demo --samples 60",
            "judica compare judica-demo/run --subjects rate-limited-1,format-breaking-1",
        ],
    ),
    (
        "plan",
        &[
            "judica demo --samples 60",
            "judica plan judica-demo/run --subjects accurate-1,noisy-1 --difference 0.5",
        ],
    ),
    (
        "plot",
        &[
            "judica match --predictions docs/examples/answers/predictions --run answers-run",
            "judica plot answers-run --by dataset --metrics matched --out answers.svg",
        ],
    ),
    (
        "reproduce",
        &[
            "judica match --predictions docs/examples/answers/predictions --run answers-run",
            "judica reproduce answers-run",
        ],
    ),
    (
        "finish",
        &[
            "judica match --predictions docs/examples/answers/predictions \\
    --run parts-run --part 1/2",
            "judica match --predictions docs/examples/answers/predictions \\
    --run parts-run --part 2/2",
            "judica finish parts-run",
        ],
    ),
    (
        "gate",
        &[
            "judica gate golden --golden docs/examples/gates/golden_queries.json \\
    --outputs docs/examples/gates/runs --gates docs/examples/gates/gates.toml",
        ],
    ),
    (
        "gate golden",
        &[
            "judica gate golden --golden docs/examples/gates/golden_queries.json \\
    --outputs docs/examples/gates/runs --gates docs/examples/gates/gates.toml",
        ],
    ),
    (
        "gate check",
        &[
            "judica match --predictions docs/examples/answers/predictions --run answers-run",
            "judica gate init answers-run --out gates.toml",
            "judica gate check answers-run --gates gates.toml",
        ],
    ),
    (
        "gate init",
        &[
            "judica match --predictions docs/examples/answers/predictions --run answers-run",
            "judica gate init answers-run --out gates.toml",
        ],
    ),
    (
        "release",
        &["judica release --config docs/examples/gates/release.toml  # exits 1"],
    ),
    (
        "demo",
        &[
            "judica demo",
            "judica demo --domain battery --samples 60 --out battery-demo",
        ],
    ),
    (
        "look",
        &[
            "judica look docs/examples/agreement/ratings.csv",
            "judica look docs/examples/answers/predictions",
        ],
    ),
    (
        "synth",
        &["judica synth flight --samples 600 --models 5 --seed 1 --out data"],
    ),
    ("completions", &["judica completions bash"]),
    (
        "reference",
        &[
            "judica reference --format man --out man",
            "judica reference --format markdown --out reference",
        ],
    ),
];
