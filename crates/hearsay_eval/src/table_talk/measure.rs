//! Measures the accuracy of the statements that a reading model finds.

use std::time::Instant;

use hearsay_embed::EmbedError;
use hearsay_extract::{
    DocumentLine, Extractor, Language, Lexicon, LineRole, LineStatements, ReadingModel, StatementFeatures,
};
use hearsay_model::Vocabulary;
use serde::Serialize;

use super::{
    labels::{Chunk, CorpusPart, DM, Label, Players, TalkLabel},
    matching::{Cast, MIN_OVERLAP, overlap},
};
use crate::{calibration, extraction::SceneEntity};

/// A statement that the reading model found.
#[derive(Debug, Clone, Serialize)]
pub struct FoundStatement {
    /// The name of the chunk that contains the line.
    pub chunk: String,
    /// Number of the line in the episode, counted from 0.
    pub line: usize,
    /// Whether the text is a written summary. If not, the text is a transcript.
    pub written: bool,
    /// The words of the line on which the statement is based.
    pub quote: String,
    /// The statement as a sentence.
    pub sentence: String,
    /// The confidence, from 0 to 1.
    pub confidence: f64,
    /// The features from which the confidence was computed.
    pub features: StatementFeatures,
    /// Whether the statement agrees with a labelled statement.
    pub right: bool,
    /// How the statement differs from the labelled statement; `None` if they agree.
    pub difference: Option<&'static str>,
    /// The relations and attributes that the patterns find in `sentence`, each as a sentence with its confidence.
    pub typed: Vec<(String, f64)>,
}

/// Figures for the written texts or for the transcripts.
#[derive(Debug, Clone, Default, Serialize)]
pub struct PartReport {
    /// The number of lines.
    pub lines: usize,
    /// The number of lines whose kind of talk was recognised.
    pub talk_right: usize,
    /// The number of labelled statements.
    pub labelled: usize,
    /// The number of accepted statements: statements whose confidence is at least `threshold`.
    pub accepted: usize,
    /// The number of accepted statements that agree with a labelled statement.
    pub accepted_right: usize,
    /// The number of statements that wait for review: statements whose confidence is at least `floor`, but below
    /// `threshold`.
    pub queued: usize,
    /// The number of statements waiting for review that agree with a labelled statement.
    pub queued_right: usize,
    /// The expected calibration error: the mean, over ten bins, of the difference between the mean confidence and the
    /// share of correct statements. Each bin is weighted by its number of statements.
    pub ece: f64,
    /// The time to read all lines, in seconds.
    pub seconds: f64,
}

/// The result of the measurement.
#[derive(Debug, Default, Serialize)]
pub struct TableTalkReport {
    /// The figures for the summaries.
    pub written: PartReport,
    /// The figures for the transcripts.
    pub spoken: PartReport,
    /// All statements that the reading model found.
    #[serde(skip)]
    pub found: Vec<FoundStatement>,
}

/// Measures a model on chunks of text. `threshold` is the minimum confidence of an accepted statement, and `floor` is
/// the minimum confidence of a statement that waits for review.
///
/// # Errors
/// Returns an error if the model's files are inconsistent.
pub fn measure(
    model: &ReadingModel,
    lexicon: &Lexicon,
    cast: &[SceneEntity],
    players: &Players,
    chunks: &[Chunk],
    (threshold, floor): (f64, f64),
) -> Result<TableTalkReport, EmbedError> {
    let extractor = Extractor::new(Language::english(), Vocabulary::default());
    let cast = Cast::from_entities(cast);
    let mut report = TableTalkReport::default();
    for chunk in chunks {
        let lines: Vec<DocumentLine<'_>> =
            chunk.lines.iter().map(|line| document_line(chunk.part, line, players)).collect();
        let first = chunk.labels.first().map_or(0, |label| label.line);
        let started = Instant::now();
        let line_statements = extractor.extract_statements(lexicon, model, &lines, first)?;
        let part = if chunk.part == CorpusPart::Written { &mut report.written } else { &mut report.spoken };
        part.seconds += started.elapsed().as_secs_f64();
        for label in &chunk.labels {
            let Some(found) = line_statements.get(label.line - first) else { continue };
            let prefix_bytes = chunk.lines[label.line].len() - lines[label.line].text.len();
            part.lines += 1;
            part.talk_right += usize::from(talk_kind(found) == label.talk);
            part.labelled += label.statements.len();
            report.found.extend(compare(&cast, chunk, label, found, prefix_bytes));
        }
    }
    for (written, part) in [(true, &mut report.written), (false, &mut report.spoken)] {
        let found: Vec<&FoundStatement> = report.found.iter().filter(|found| found.written == written).collect();
        let count_between = |from: f64, to: f64| {
            let in_range = found.iter().filter(|found| from <= found.confidence && found.confidence < to);
            in_range.fold((0, 0), |(count, correct), found| (count + 1, correct + usize::from(found.right)))
        };
        (part.accepted, part.accepted_right) = count_between(threshold, 2.0);
        (part.queued, part.queued_right) = count_between(floor, threshold);
        let bins = calibration::bins(found.iter().map(|found| (found.confidence, found.right)));
        part.ece = calibration::expected_error(&bins);
    }
    Ok(report)
}

fn document_line<'a>(part: CorpusPart, line: &'a str, players: &'a Players) -> DocumentLine<'a> {
    let spoken = (part == CorpusPart::Spoken).then(|| line.split_once(": ")).flatten();
    match spoken {
        Some((DM, text)) => DocumentLine { text, role: LineRole::Dm, speaker: None, topic: None },
        Some((player, text)) => {
            DocumentLine { text, role: LineRole::Player, speaker: players.get(&player.to_lowercase()), topic: None }
        }
        None => DocumentLine { text: line, role: LineRole::Written, speaker: None, topic: None },
    }
}

fn talk_kind(found: &LineStatements) -> TalkLabel {
    let talk = found.talk;
    let kinds = [
        (TalkLabel::Narration, talk.narration),
        (TalkLabel::InCharacter, talk.in_character),
        (TalkLabel::OutOfCharacter, talk.out_of_character),
    ];
    let best = kinds.into_iter().max_by(|a, b| a.1.total_cmp(&b.1));
    best.map_or(TalkLabel::OutOfCharacter, |(kind, _)| kind)
}

/// Compares the statements that were found in a line with the labelled statements of the line. A labelled statement
/// agrees with at most one found statement. `prefix_bytes` is the number of bytes at the start of the line that contain
/// the speaker's name.
fn compare(
    cast: &Cast,
    chunk: &Chunk,
    label: &Label,
    found: &LineStatements,
    prefix_bytes: usize,
) -> Vec<FoundStatement> {
    let mut matched = vec![false; label.statements.len()];
    let compared = found.statements.iter().map(|statement| {
        let span = statement.fact.span;
        let shifted =
            |(start, end): (usize, usize)| (start.saturating_sub(prefix_bytes), end.saturating_sub(prefix_bytes));
        let best = label
            .statements
            .iter()
            .enumerate()
            .map(|(index, label)| (index, overlap(shifted(label.span), (span.start, span.end))))
            .filter(|(index, overlap)| *overlap >= MIN_OVERLAP && !matched[*index])
            .max_by(|a, b| a.1.total_cmp(&b.1));
        let difference = match best {
            None => Some("not labelled"),
            Some((index, _)) => {
                matched[index] = true;
                let mut labelled = label.statements[index].clone();
                labelled.span = shifted(labelled.span);
                labelled.references.iter_mut().for_each(|(span, _)| *span = shifted(*span));
                cast.difference(statement, &labelled)
            }
        };
        FoundStatement {
            chunk: chunk.name.clone(),
            line: label.line,
            written: chunk.part == CorpusPart::Written,
            quote: statement.fact.quote.clone(),
            sentence: statement.fact.statement.clone(),
            confidence: statement.fact.confidence.get(),
            features: statement.features,
            right: difference.is_none(),
            difference,
            typed: statement.typed_facts.iter().map(|fact| (fact.statement.clone(), fact.confidence.get())).collect(),
        }
    });
    compared.collect()
}
