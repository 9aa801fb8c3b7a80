//! `judica match` and `judica efficiency`: what can be said about answers.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use judica_run::pieces::Part;

use super::figure::FigureArgs;
use super::number;
use super::run::{MeasureArgs, NameArgs, RowArgs};

/// When two answers are the same.
#[derive(Debug, Args)]
pub struct NormalizerArgs {
    /// When two answers are the same: auto, atl, text, exact, number or json; `auto` is atl for
    /// a data set whose every gold reads as a formula, else text
    #[arg(long, value_name = "NAME", default_value = "auto")]
    pub normalizer: String,
    /// For `number`: the largest absolute difference that does not count
    #[arg(long, value_name = "X", default_value_t = 0.0, value_parser = number::tolerance)]
    pub tolerance: f64,
    /// For `number`: the largest difference that does not count, as a part of the gold
    #[arg(long, value_name = "X", default_value_t = 1e-9, value_parser = number::tolerance)]
    pub relative_tolerance: f64,
}

/// In which columns of a table, or under which keys, fields stand.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Columns")]
pub struct ColumnArgs {
    /// Where a field stands: a column, a key or a JSON pointer, for example gold=label
    /// [repeatable; fields: item, input, gold, prediction, subject, dataset, epoch, cluster,
    /// latency_ms, tokens_in, tokens_out, usd]
    #[arg(long, value_name = "FIELD=NAME")]
    pub column: Vec<String>,
    /// What names the item; several columns with commas between name it together
    #[arg(long, value_name = "COLUMN")]
    pub item: Option<String>,
    /// What holds the gold
    #[arg(long, value_name = "COLUMN")]
    pub gold: Option<String>,
    /// What holds the prediction; given several times, each column is a subject of its own
    #[arg(long, value_name = "COLUMN")]
    pub prediction: Vec<String>,
    /// What says which items stand or fall together: a passage, a template, a conversation
    #[arg(long, value_name = "COLUMN")]
    pub cluster: Option<String>,
}

impl ColumnArgs {
    /// All of it in one form.
    pub fn said(&self) -> Vec<String> {
        let short = [
            ("item", &self.item),
            ("gold", &self.gold),
            ("cluster", &self.cluster),
        ];
        let short = short.into_iter().filter_map(|(field, column)| {
            let column = column.as_ref()?;
            Some(format!("{field}={column}"))
        });
        let predictions = self.prediction.iter();
        let predictions = predictions.map(|column| format!("prediction={column}"));
        let said = self.column.iter().cloned();
        said.chain(short).chain(predictions).collect()
    }
}

/// What can be asked of answers beyond which are right.
#[derive(Debug, Default, Args)]
pub struct MoreArgs {
    /// Answers are classes: precision, recall and F1 of each, their averages, the confusion matrix
    /// and Matthews' correlation, for at most 100 classes
    #[arg(long, help_heading = "Measures")]
    pub classes: bool,
    /// What says how sure an answer is, from 0 to 1: Brier score, expected calibration error and the
    /// reliability curve
    #[arg(long, help_heading = "Measures", value_name = "COLUMN")]
    pub confidence: Option<String>,
    /// Draw the reliability curve: .svg, .pdf or .png, or one of each without an ending
    #[arg(
        long,
        help_heading = "Measures",
        value_name = "FILE",
        requires = "confidence",
        group = "drawn"
    )]
    pub figure: Option<PathBuf>,
    /// How the figure looks
    #[command(flatten)]
    pub look: FigureArgs,
    /// All of it once more for each value of a column (also `subject` or `dataset`), at most 100
    #[arg(long, help_heading = "Measures", value_name = "COLUMN")]
    pub by: Option<String>,
    /// For questions that are repeated (`epoch`): how likely one of K attempts is right (pass@k),
    /// and all of them (pass^k), for example 1,5
    #[arg(long, help_heading = "Measures", value_name = "K,…", value_delimiter = ',', value_parser = number::attempts())]
    pub k: Vec<u32>,
}

/// `judica match`
#[derive(Debug, Args)]
#[command(after_help = "\
Prediction files are JSON ({\"predictions\": [...]}, {\"detailed_results\": [...]} or a list), JSON \
lines, CSV, TSV, Parquet or Arrow, plain, .gz or .zst; a folder is read with those below. A row has `input`, its gold under \
expected_options, gold_options, outputs, expected, gold, reference or output, and its prediction \
under generated, prediction or model_output.

`atl` also parses: a prediction equal to the gold up to redundant parentheses and the order of && and \
|| operands is `structural`. A row that cannot be used never ends the run: it is counted and kept in \
rejects.jsonl (--strict makes the first one fatal).

A run folder, or a log of another harness, is predictions, too: its outputs against its targets.")]
pub struct MatchArgs {
    /// A prediction file or a folder of them [repeatable; `-` is standard input]
    #[arg(
        long,
        short,
        aliases = ["predictions_dir", "datasets"],
        required = true,
        value_name = "FILE|DIR"
    )]
    pub predictions: Vec<PathBuf>,
    /// Where fields stand
    #[command(flatten)]
    pub columns: ColumnArgs,
    /// When two answers are the same
    #[command(flatten)]
    pub normalizer: NormalizerArgs,
    /// What is asked beyond which rows match
    #[command(flatten)]
    pub more: MoreArgs,
    /// Write the JSON report to a file, too
    #[arg(long, alias = "output", value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Write how every row was decided, as JSON lines
    #[arg(long, value_name = "FILE")]
    pub details: Option<PathBuf>,
    /// Make only part I of N of the run, into the same folder: every Nth row of each file. Once all
    /// parts are there, `judica finish DIR` makes the run of them
    #[arg(long, value_name = "I/N", requires = "run", help_heading = "Run",
          conflicts_with_all = ["json", "details", "out", "figure"])]
    pub part: Option<Part>,
    /// How rows are read, what is left of them, and how it is shown
    #[command(flatten)]
    pub measure: MeasureArgs,
    /// What records are called
    #[command(flatten)]
    pub names: NameArgs,
}

/// `judica efficiency`
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
// A run says itself where things stand and what is the same.
#[command(mut_group("ColumnArgs", |group| group.requires("predictions")))]
#[command(mut_group("NormalizerArgs", |group| group.requires("predictions")))]
#[command(after_help = "\
Writes efficiency_report.json, efficiency_report.ipynb and the figures efficiency_cost and \
efficiency_latency, each as .svg, .pdf and .png, to the folder of --out. Accuracy is the judge's where --judged is given, \
else exact match; where rows got no verdict it is null, with its bounds. A prices file (YAML, TOML or JSON) maps models to price_input_per_1k and \
price_output_per_1k, or gpu_hour_usd.")]
pub struct EfficiencyArgs {
    /// Other questions about cost.
    #[command(subcommand)]
    pub of: Option<EfficiencyOf>,
    /// Runs that other commands left; accuracy is their primary metric
    #[arg(value_name = "RUN")]
    pub runs: Vec<PathBuf>,
    /// A prediction file or a folder of them; may be given several times
    #[arg(
        long,
        short,
        aliases = ["predictions_dir", "datasets"],
        required_unless_present = "runs",
        value_name = "FILE|DIR"
    )]
    pub predictions: Vec<PathBuf>,
    /// The folder that `judica judge` wrote, for the judge's accuracy
    #[arg(long, alias = "eval_dir", value_name = "DIR")]
    pub judged: Option<PathBuf>,
    /// Whose verdicts count, where several judged
    #[arg(long, value_name = "NAME", requires = "judged")]
    pub judge: Option<String>,
    /// Prices by model: YAML, TOML or JSON
    #[arg(long, value_name = "FILE")]
    pub prices: Option<PathBuf>,
    /// What a line of the report is
    #[arg(long, value_enum, default_value_t = By::Model)]
    pub by: By,
    /// Weights of accuracy, cost and latency in the composite score
    #[arg(
        long,
        value_name = "A,C,L",
        value_delimiter = ',',
        default_value = "0.5,0.25,0.25",
        value_parser = number::weight
    )]
    pub weights: Vec<f64>,
    /// Where fields stand
    #[command(flatten)]
    pub columns: ColumnArgs,
    /// When two answers are the same, for rows that do not say whether they match
    #[command(flatten)]
    pub normalizer: NormalizerArgs,
    /// The folder to write to
    #[arg(long, aliases = ["output_dir", "output"], value_name = "DIR", group = "drawn")]
    pub out: Option<PathBuf>,
    /// How the figures look
    #[command(flatten)]
    pub figure: FigureArgs,
    /// How rows are read, and how what they give is shown
    #[command(flatten)]
    pub rows: RowArgs,
}

/// What a line of the report is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum By {
    /// A model, all its runs together
    Model,
    /// A run: one prediction file
    Run,
}

/// Other questions about cost.
#[derive(Debug, Subcommand)]
pub enum EfficiencyOf {
    /// Estimate what an hour of a GPU of one's own costs
    GpuCost(GpuCostArgs),
}

/// `judica efficiency gpu-cost`
#[derive(Debug, Args)]
#[command(after_help = "\
gpu_amort_hour = gpu_price_usd / (lifespan_years x 365 x 24 x utilization)
power_hour     = avg_watts / 1000 x electricity_usd_per_kwh
overhead_hour  = overhead x (gpu_amort_hour + power_hour)
gpu_hour_usd   = gpu_amort_hour + power_hour + overhead_hour")]
pub struct GpuCostArgs {
    /// What the GPU costs
    #[arg(long, value_name = "USD", value_parser = number::amount)]
    pub gpu_price_usd: f64,
    /// How long it is used
    #[arg(long, value_name = "YEARS", value_parser = number::amount)]
    pub lifespan_years: f64,
    /// Which part of that time it works, above 0 and at most 1
    #[arg(long, value_name = "X", value_parser = number::rate)]
    pub utilization: f64,
    /// What it draws on average
    #[arg(long, value_name = "WATTS", value_parser = number::amount)]
    pub avg_watts: f64,
    /// What electricity costs
    #[arg(long, value_name = "USD", value_parser = number::amount)]
    pub electricity_usd_per_kwh: f64,
    /// Shared infrastructure, as a part of the rest: 0.1 to 0.3 is usual
    #[arg(long, value_name = "X", default_value_t = 0.0, value_parser = number::amount)]
    pub overhead: f64,
    /// Print as JSON
    #[arg(long)]
    pub json: bool,
}
