//! `hearsay_eval recall`.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
    process::ExitCode,
};

use anyhow::Result;
use clap::{Args, ValueEnum};
use hearsay_embed::{Encoder, EncoderOptions};
use hearsay_eval::{
    figures,
    recall::{RankingMethod, Run, TestCollection},
    tasks::{self, Task},
    vector_cache::VectorCache,
};
use serde::Serialize;

use crate::{
    output::{Output, progress},
    precision::WeightPrecisionArg,
    threads::processor_count,
};

/// Measure the quality and the response time of searches on retrieval tasks
#[derive(Debug, Args)]
#[command(after_help = "\
DIR is a task folder, or a folder that contains task folders. A task folder contains
the files corpus.jsonl and queries.jsonl, and can contain facts.jsonl. If there are
several tasks, the program prints figures for each task and for all tasks together.
Each question is a search by the DM. The time of a question does not include the time
to compute the vector of the question. The figures are means over all questions, with
the bounds of 95 % bootstrap intervals. The last tables compare \"hearsay\" with the
better of \"dense\" and \"bm25\" on the same questions, and show the differences.

Example:
  hearsay_eval recall data/retrieval/locomo data/retrieval/musique --method all")]
pub(crate) struct Recall {
    /// Task folders
    #[arg(required = true, value_name = "DIR")]
    dirs: Vec<PathBuf>,
    /// Ranking method
    #[arg(long, value_enum, default_value_t = MethodArg::All)]
    method: MethodArg,
    /// Precision of the sentence encoder
    #[arg(long, value_enum, default_value_t = WeightPrecisionArg::F32)]
    precision: WeightPrecisionArg,
    /// Directory of the model
    #[arg(long, value_name = "DIR")]
    model: Option<PathBuf>,
    /// File in which the program stores vectors for later runs [default: a file in the system's cache directory]
    #[arg(long, value_name = "FILE")]
    cache: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum MethodArg {
    /// Cosine of sentence vectors only. The score of a session or document is the best score of its passages
    Dense,
    /// BM25 only, a score for shared words. Each session or document gets its score as one text
    Bm25,
    /// Combination of the rankings `dense` and `bm25` by reciprocal ranks, for comparison
    Rrf,
    /// Scores from the graph of entities and facts only
    Graph,
    /// The ranking that a game uses
    Hearsay,
    /// All methods
    All,
}

impl MethodArg {
    fn methods(self) -> Vec<RankingMethod> {
        match self {
            Self::Dense => vec![RankingMethod::Dense],
            Self::Bm25 => vec![RankingMethod::Bm25],
            Self::Rrf => vec![RankingMethod::Rrf],
            Self::Graph => vec![RankingMethod::Graph],
            Self::Hearsay => vec![RankingMethod::Hearsay],
            Self::All => RankingMethod::ALL.to_vec(),
        }
    }
}

/// The difference in one of the scores between `hearsay` and the better of `dense` and `bm25`.
#[derive(Debug, Serialize)]
struct ScoreDifference<'a> {
    set: &'a str,
    method: RankingMethod,
    against: RankingMethod,
    figure: &'static str,
    n: usize,
    ahead: f64,
    ahead_low: f64,
    ahead_high: f64,
}

/// The runs of one task, by method.
type Runs = BTreeMap<RankingMethod, Run>;

impl Recall {
    pub(crate) fn run(&self, output: &mut Output) -> Result<ExitCode> {
        let methods = self.method.methods();
        let options = EncoderOptions { threads: processor_count(), precision: self.precision.into() };
        let encoder = Encoder::open(self.model.as_deref(), options)?;
        let file = self.cache.clone().map_or_else(VectorCache::default_file, Ok)?;
        let mut cache = VectorCache::open(&file, &encoder.info().id, encoder.info().dimension)?;
        let mut runs: Vec<(String, Runs)> = Vec::new();
        for dir in &self.dirs {
            let tasks = tasks::read(dir)?;
            let mut pooled = Runs::new();
            for task in &tasks {
                let measured = measure(task, &methods, &encoder, &mut cache)?;
                for (method, run) in &measured {
                    pooled.entry(*method).or_default().pool(run);
                }
                runs.push((task.name.clone(), measured));
            }
            if let [first, _, ..] = &tasks[..] {
                let name = first.name.split('/').next().unwrap_or_default();
                runs.push((format!("{name} pooled"), pooled));
            }
        }
        progress("");
        let header = ["set", "method", "n", "hit1", "r2", "r5", "r10", "ndcg5", "ms p50", "ms p95", "index s"];
        output.line(line(&header.map(str::to_owned)))?;
        for (set, measured) in &runs {
            print_rows(set, measured, output)?;
        }
        for (set, measured) in &runs {
            compare(set, measured, output)?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Measures a task with each of the methods.
fn measure(task: &Task, methods: &[RankingMethod], encoder: &Encoder, cache: &mut VectorCache) -> Result<Runs> {
    let mut corpus = TestCollection::from_task(task)?;
    let texts: Vec<_> = corpus.texts().collect();
    let corpus_texts: BTreeSet<String> = texts.iter().map(|(_, text)| text.clone()).collect();
    let questions = task.queries.iter().map(|query| query.text.clone());
    let report_progress = |left| progress(&format!("{}: {left} texts to encode ", task.name));
    cache.fill(&corpus_texts.into_iter().chain(questions).collect(), encoder, report_progress)?;
    for (doc, text) in &texts {
        if let Some(vector) = cache.get(text) {
            corpus.set_vector(*doc, vector);
        }
    }
    let run = |method| corpus.run(task, method, |text| cache.get(text).map(<[f32]>::to_vec));
    Ok(methods.iter().map(|&method| (method, run(method))).collect())
}

/// Prints a row for each method.
fn print_rows(set: &str, measured: &Runs, output: &mut Output) -> Result<()> {
    for (&method, run) in measured {
        let row = run.row(set, method);
        output.data(&row)?;
        let f = &row.figures;
        let bounds = [
            (f.hit1_low, f.hit1_high),
            (f.r2_low, f.r2_high),
            (f.r5_low, f.r5_high),
            (f.r10_low, f.r10_high),
            (f.ndcg5_low, f.ndcg5_high),
        ];
        let score_cells =
            f.means().into_iter().zip(bounds).map(|(mean, (low, high))| format!("{mean:.3} ({low:.3}-{high:.3})"));
        let times = [row.query_ms_p50, row.query_ms_p95, row.index_s].map(|time| format!("{time:.2}"));
        let leading_cells = [set.to_owned(), method.as_str().to_owned(), row.n.to_string()];
        output.line(line(&leading_cells.into_iter().chain(score_cells).chain(times).collect::<Vec<_>>()))?;
    }
    Ok(())
}

/// Returns a line of the table.
fn line(cells: &[String]) -> String {
    let cells = cells.iter().enumerate().map(|(at, cell)| match at {
        0 => format!("{cell:22}"),
        1 => format!("{cell:8}"),
        2 => format!("{cell:>5}"),
        8.. => format!("{cell:>9}"),
        _ => format!("{cell:>20}"),
    });
    cells.collect::<String>().trim_end().to_owned()
}

/// Prints the differences between `hearsay` and the better of dense and BM25, one line per score.
fn compare(set: &str, measured: &Runs, output: &mut Output) -> Result<()> {
    let scores_of = |method| measured.get(&method).map(|run| run.scores.as_slice());
    let (Some(hearsay), Some(dense), Some(bm25)) =
        (scores_of(RankingMethod::Hearsay), scores_of(RankingMethod::Dense), scores_of(RankingMethod::Bm25))
    else {
        return Ok(());
    };
    let against = [
        (RankingMethod::Dense, figures::differences(hearsay, dense)),
        (RankingMethod::Bm25, figures::differences(hearsay, bm25)),
    ];
    output.line(format!("\n{set}: hearsay compared with the better of dense and bm25"))?;
    for (at, figure) in figures::NAMES.into_iter().enumerate() {
        // The better of the two methods is the one over which `hearsay` has the smaller lead.
        let [a, b] = &against;
        let (against, differences) = if a.1[at].mean <= b.1[at].mean { a } else { b };
        let figures::Interval { mean, low, high } = differences[at];
        let n = hearsay.len();
        let difference = ScoreDifference {
            set,
            method: RankingMethod::Hearsay,
            against: *against,
            figure,
            n,
            ahead: mean,
            ahead_low: low,
            ahead_high: high,
        };
        output.data(&difference)?;
        output.line(format!("  {figure:6} {:6}{mean:>+8.3} ({low:+.3} to {high:+.3})", against.as_str()))?;
    }
    Ok(())
}
