//! Tests summaries that shorten a long session to a tenth of its tokens. Each question can be answered with certain
//! lines of the session. The test measures how many of these lines the summary still contains.
//!
//! The folder `long-session/` contains a small campaign, the important lines of one session, and the questions of a DM
//! who prepares the next session. The test inserts unimportant table talk between the important lines until there are
//! 300 lines.

use std::{collections::BTreeMap, fs, path::Path, time::Duration};

use hearsay_campaign::Transcript;
use hearsay_commands::session::{NewSession, TranscriptImport};
use hearsay_engine::{ExtractionSettings, Memory, MemoryOptions, ModelSettings, Settings};
use hearsay_model::Author;
use hearsay_query::session::Summarize;
use hearsay_recall::Summary;

const LINES: usize = 300;

fn lines(file: &str) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("long-session").join(file);
    let text = fs::read_to_string(path).unwrap();
    text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty()).map(str::to_owned).collect()
}

/// Returns the longest part of a line of table talk that contains no placeholder such as `{name}`.
fn fixed(line: &str) -> Option<&str> {
    let (_, said) = line.split_once(": ")?;
    said.split(['{', '}']).max_by_key(|part| part.len())
}

fn halves(line: &str) -> (String, String) {
    let (left, right) = line.split_once(" | ").unwrap_or_else(|| panic!("expected ` | ` in the line `{line}`"));
    (left.trim().to_owned(), right.trim().to_owned())
}

/// Returns the transcript of the session, and the text of each important line by its key.
fn evening() -> (String, BTreeMap<String, String>) {
    let plot: Vec<(String, String)> = lines("plot.txt").iter().map(|line| halves(line)).collect();
    let chatter = lines("chatter.txt");
    let mut seed = 88_u64;
    let mut random = |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % below
    };
    let mut text = String::new();
    let mut talk = |text: &mut String| {
        let line = chatter[random(chatter.len())].replace("{name}", ["Lyra", "Borin", "Sefa", "Quill"][random(4)]);
        text.push_str(&line.replace("{n}", &(1 + random(20)).to_string()));
        text.push('\n');
    };
    let fillers = LINES - plot.len();
    for (place, (_, said)) in plot.iter().enumerate() {
        let upto = |place: usize| fillers * place / plot.len();
        (upto(place)..upto(place + 1)).for_each(|_| talk(&mut text));
        text.push_str(said);
        text.push('\n');
    }
    let says = plot.into_iter().map(|(key, said)| (key, said.split_once(": ").unwrap().1.to_owned())).collect();
    (text, says)
}

fn table(meaning: bool) -> (Memory, BTreeMap<String, String>) {
    let model = ModelSettings { enabled: meaning, ..ModelSettings::default() };
    // Extraction would mark the table talk as out of character while the test runs. The summary would then leave it out
    // in any case, but this test measures how well the summary itself tells the important lines from the others.
    let extraction = ExtractionSettings { enabled: false, ..ExtractionSettings::default() };
    let settings = Settings { model, extraction, ..Settings::default() };
    let memory = Memory::open(MemoryOptions { settings, ..MemoryOptions::in_memory() }).unwrap();
    memory.import(Path::new(env!("CARGO_MANIFEST_DIR")).join("long-session")).unwrap().wait().unwrap();
    let (text, says) = evening();
    let import = TranscriptImport {
        name: "evening.txt".into(),
        transcript: Transcript::read("evening.txt", text.as_bytes()).unwrap(),
        session: None,
        new: NewSession { title: Some("The Drowned Bell".into()), ..NewSession::default() },
        speakers: Vec::new(),
        first_line: None,
    };
    let (report, log) = memory.read(move |world| Ok(import.plan(&world.state)?)).unwrap().wait().unwrap();
    assert_eq!(report.lines, LINES);
    memory.log(Author::Importer("evening.txt".into()), log).unwrap().wait().unwrap();
    memory.wait_for_vectors(|_, _| true).unwrap();
    (memory, says)
}

fn summary(memory: &Memory, question: &str) -> Summary {
    let compact =
        Summarize { question: question.into(), deadline: Some(Duration::from_secs(60)), ..Summarize::default() };
    let summary = memory.summarize(compact).unwrap().wait().unwrap();
    assert!(summary.tokens <= summary.budget && summary.budget * 10 <= summary.original_tokens, "{summary:?}");
    assert!(!summary.preview);
    summary
}

/// Returns the share of the needed lines that the summaries contain. The first value is for one summary per question,
/// the second for one summary without a question.
fn measure(meaning: bool) -> (f64, f64) {
    let (memory, says) = table(meaning);
    let questions: Vec<(String, String)> = lines("questions.txt").iter().map(|line| halves(line)).collect();
    assert!(questions.len() >= 25);
    let general = summary(&memory, "").text();
    // Counts the lines of table talk instead of the important lines, because an unlisted line may also state an
    // important fact in different words.
    let chatter = lines("chatter.txt");
    let talk: Vec<&str> = chatter.iter().filter_map(|line| fixed(line)).collect();
    let is_talk = |line: &&str| talk.iter().any(|said| line.contains(said));
    let (told, wasted) = (general.lines().count(), general.lines().filter(is_talk).count());
    assert!(wasted * 10 <= told, "{wasted} of {told} lines of the summary are table talk:\n{general}");
    let (mut needed, mut kept, mut by_importance) = (0, 0, 0);
    for (question, keys) in &questions {
        let of_question = summary(&memory, question);
        assert_eq!(of_question.meaning, meaning);
        let text = of_question.text();
        for key in keys.split_whitespace() {
            let said = says.get(key).unwrap_or_else(|| panic!("no line of plot.txt has the key `{key}`"));
            needed += 1;
            kept += usize::from(text.contains(said));
            by_importance += usize::from(general.contains(said));
            if !text.contains(said) {
                println!("  lacks {key}: {question}");
            }
        }
    }
    let share = |count: usize| count as f64 / f64::from(needed);
    let whole = summary(&memory, "");
    println!(
        "{LINES} lines of {} tokens, summarized in {} tokens, by {}: share of the {needed} lines that {} questions need: \
         {:.2} with the question, {:.2} without a question ({told} lines, {wasted} of them table talk)",
        whole.original_tokens,
        whole.tokens,
        if meaning { "words, graph and meaning" } else { "words and graph" },
        questions.len(),
        share(kept),
        share(by_importance)
    );
    memory.close().unwrap();
    (share(kept), share(by_importance))
}

#[test]
fn a_tenth_of_a_long_session_keeps_what_questions_need() {
    let (asked, general) = measure(false);
    assert!(asked >= 0.9, "{asked}");
    assert!(general >= 0.3, "{general}");
    let (asked, general) = measure(true);
    assert!(asked >= 0.9, "{asked}");
    assert!(general >= 0.3, "{general}");
}
