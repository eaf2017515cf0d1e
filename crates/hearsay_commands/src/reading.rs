//! Reading: the conversion of facts that were extracted from a passage into proposals. The hearers of the passage learn
//! these facts.

mod draft;
mod name_lookup;
mod passage_context;
mod passing;
mod promises;
mod pronoun_reference;
mod proposals;

use std::sync::Arc;

use hearsay_extract::{
    DocumentLine, Extraction, Extractor, Lexicon, LineRole, LineStatements, ReadingModel, SentenceEncoder,
    TalkProbabilities,
};
use hearsay_model::{
    Author, Change, Confidence, EntityId, Kind, Operation, Passage, PassageId, State, TalkKind, Timestamp,
};

use crate::{
    policy::TextOrigin,
    session::{has_game_phrase, is_greeting, is_table_line},
};
pub use draft::{Draft, DraftExtraction};
pub use passage_context::{PassageWithContext, SessionLines};
pub use pronoun_reference::refers_by_pronoun;
pub use proposals::operation;

/// Maximum number of passages that are read together. The maximum is small, so that the first facts arrive soon.
const MAX_BATCH_SIZE: usize = 16;

/// Maximum number of lines of an imported session that are read together. This number is larger than
/// [`MAX_BATCH_SIZE`], because for each batch the reading model also reads the lines before the batch, as context.
const MAX_IMPORT_BATCH_SIZE: usize = 128;

/// Returns the number of passages in the next batch of the extraction. `waiting` contains all passages that were not
/// read yet, in the order of reading.
pub fn batch_size(state: &State, waiting: impl ExactSizeIterator<Item = PassageId>) -> usize {
    let is_imported_line = |id: &PassageId| {
        state.passage(*id).is_some_and(|passage| TextOrigin::from_passage(passage) == TextOrigin::SessionImport)
    };
    let waiting_count = waiting.len();
    let imported_lines = waiting.take(MAX_IMPORT_BATCH_SIZE).take_while(is_imported_line).count();
    imported_lines.max(MAX_BATCH_SIZE).min(waiting_count)
}

/// Findings in a passage: the facts and entities that were extracted from it.
#[derive(Debug, Clone)]
pub struct Findings {
    /// The passage.
    pub passage: Arc<Passage>,
    /// Facts and entities that were extracted from the passage.
    pub extraction: Extraction,
    /// Name of the language model that extracted the facts; `None` if no language model was used.
    pub model: Option<String>,
    /// Kind of talk of the passage: the recorded kind, or the kind that the reading model found. `None` if the kind is
    /// unknown.
    pub talk_kind: Option<TalkKind>,
}

/// Maximum confidence of a fact that the patterns alone find in a text of an origin; `None` for no limit.
///
/// The weights of the patterns were fitted to sentences that were written for this purpose, so their confidence is too
/// high for real texts. The limits are the shares of right facts among the facts with a confidence of at least 0.95 in
/// real transcripts (24 of 41) and summaries (48 of 64). The guide's chapter on benchmarks describes the measurement.
fn max_pattern_confidence(origin: TextOrigin) -> Option<f64> {
    match origin {
        TextOrigin::Live => None,
        TextOrigin::SessionImport => Some(0.59),
        TextOrigin::CampaignText => Some(0.75),
    }
}

/// Limits the confidence of facts that the patterns found in a text of an origin.
fn limit_confidence(extraction: &mut Extraction, origin: TextOrigin) {
    let Some(limit) = max_pattern_confidence(origin).and_then(|limit| Confidence::new(limit).ok()) else { return };
    extraction.facts.iter_mut().for_each(|fact| fact.confidence = fact.confidence.min(limit));
}

/// Tools for reading passages: the extractor, its inputs, and the reading model.
#[derive(Clone, Copy)]
pub struct ReadingTools<'a> {
    /// Extractor with the words and patterns of the language.
    pub extractor: &'a Extractor,
    /// Lexicon, which contains the names of all entities.
    pub lexicon: &'a Lexicon,
    /// Sentence encoder for the comparison of sentences by meaning; `None` if there is no encoder.
    pub encoder: Option<&'a dyn SentenceEncoder>,
    /// Reading model; `None` if only patterns are used.
    pub model: Option<&'a ReadingModel>,
}

/// Extracts facts and entities from passages. Returns the findings in the order of the passages. The reading model
/// reads consecutive passages of one session or document together, because it needs the context of each line.
pub fn read_passages(passages: Vec<PassageWithContext>, tools: &ReadingTools<'_>) -> Vec<Findings> {
    let mut statements = match tools.model {
        Some(model) => passage_statements(&passages, tools, model),
        None => Vec::new(),
    }
    .into_iter();
    let findings = passages.into_iter().map(|passage| {
        let mut extraction = passage.extract_with_patterns(tools);
        let PassageWithContext { passage, speaker_kind, .. } = passage;
        let origin = TextOrigin::from_passage(&passage);
        limit_confidence(&mut extraction, origin);
        let mut talk_kind = passage.talk_kind;
        if let Some(page_statements) = statements.next() {
            let found_kind = talk_kind.unwrap_or_else(|| {
                decide_talk_kind(&page_statements.talk, passage.speaker.as_ref(), speaker_kind.as_ref(), &passage.text)
            });
            // The people at the table also talk about the game, but an NPC does not.
            let is_table_speech = origin == TextOrigin::SessionImport && !is_npc(speaker_kind.as_ref());
            extraction.add_statements(page_statements, found_kind, is_table_speech);
            talk_kind = talk_kind.or_else(|| is_table_line(&passage).then_some(found_kind));
        } else if talk_kind.is_none() && is_table_line(&passage) && is_game_talk(speaker_kind, &passage.text) {
            talk_kind = Some(TalkKind::OutOfCharacter);
        }
        if talk_kind.is_some_and(|kind| !kind.is_heard()) {
            extraction.clear_facts();
        }
        Findings { passage, extraction, model: None, talk_kind }
    });
    findings.collect()
}

/// Minimum probability of table talk at which even an exclamation of a character is treated as table talk.
const MIN_CERTAIN_TABLE_TALK: f32 = 0.9;

/// Returns the kind of talk of a line. If the reading model takes the line for table talk, three kinds of lines are still
/// in character: lines of NPCs without a phrase about the game, because few people talk about the game under the name of
/// an NPC, greetings and farewells of characters, and exclamations of characters ("Tobin! Drop the key!"), unless the model
/// is certain. The facts of a line that counts as table talk are lost.
fn decide_talk_kind(
    talk: &TalkProbabilities,
    speaker: Option<&EntityId>,
    speaker_kind: Option<&Kind>,
    text: &str,
) -> TalkKind {
    let is_shout = speaker.is_some() && text.contains('!') && talk.out_of_character < MIN_CERTAIN_TABLE_TALK;
    let is_npc_speech = is_npc(speaker_kind) && !has_game_phrase(text);
    let is_courtesy = speaker.is_some() && is_greeting(text);
    match talk.kind() {
        TalkKind::OutOfCharacter if is_shout || is_npc_speech || is_courtesy => TalkKind::InCharacter,
        kind => kind,
    }
}

/// Returns whether a speaker of this kind is not played by a player.
fn is_npc(speaker_kind: Option<&Kind>) -> bool {
    speaker_kind.is_some_and(|kind| *kind != Kind::Player)
}

/// Returns whether a player talks about the game, according to the words alone.
fn is_game_talk(speaker_kind: Option<Kind>, text: &str) -> bool {
    speaker_kind == Some(Kind::Player) && has_game_phrase(text)
}

/// Returns the kind of talk of a line that a person at the table says. `before` contains the preceding lines, each with
/// its speaker. The reading model decides. Without the reading model, a line is out of character if its speaker is a
/// player character and the line contains a phrase about the game. Returns `None` for any other line.
pub(crate) fn find_talk_kind(
    speaker: Option<&EntityId>,
    speaker_kind: Option<Kind>,
    text: &str,
    before: &[(Option<EntityId>, String)],
    tools: &ReadingTools<'_>,
) -> Option<TalkKind> {
    if let Some(model) = tools.model {
        let context = before.iter().map(|(speaker, text)| (speaker.as_ref(), text.as_str()));
        let lines: Vec<(Option<&EntityId>, &str)> = context.chain([(speaker, text)]).collect();
        let read = document_statements(tools, model, &lines, before.len(), None);
        if let Some(statements) = read.first() {
            return Some(decide_talk_kind(&statements.talk, speaker, speaker_kind.as_ref(), text));
        }
    }
    is_game_talk(speaker_kind, text).then_some(TalkKind::OutOfCharacter)
}

/// Returns the operation that records the kinds of talk that were found in lines. Lines that no longer exist, and lines
/// whose kind is already recorded, are omitted. Returns `None` if no line remains.
pub fn record_talk_kinds(state: &State, kinds: &[(PassageId, TalkKind)], now: Timestamp) -> Option<Operation> {
    let is_unknown = |id: PassageId| state.passage(id).is_some_and(|passage| passage.talk_kind.is_none());
    let new_kinds = kinds.iter().filter(|(id, _)| is_unknown(*id));
    let changes: Vec<Change> =
        new_kinds.map(|(passage, kind)| Change::SetTalkKind { passage: *passage, kind: *kind }).collect();
    let summary = match changes.len() {
        0 => return None,
        1 => "record the kind of talk of 1 line".to_owned(),
        count => format!("record the kind of talk of {count} lines"),
    };
    Some(Operation { recorded: now, ..Operation::new(Author::Extractor, summary, changes) })
}

/// Returns the statements in the lines of a document, starting at line `first_line`. If any line has a speaker, lines
/// without a speaker count as spoken by the DM. If no line has a speaker, all lines count as written text. `topic` is
/// the entity whose note contains the lines. Returns nothing if the model fails.
fn document_statements(
    tools: &ReadingTools<'_>,
    model: &ReadingModel,
    lines: &[(Option<&EntityId>, &str)],
    first_line: usize,
    topic: Option<&EntityId>,
) -> Vec<LineStatements> {
    let has_speakers = lines.iter().any(|(speaker, _)| speaker.is_some());
    let role = |speaker: Option<&EntityId>| match speaker {
        Some(_) => LineRole::Player,
        None if has_speakers => LineRole::Dm,
        None => LineRole::Written,
    };
    let lines: Vec<DocumentLine<'_>> = lines
        .iter()
        .map(|(speaker, text)| DocumentLine { text, role: role(*speaker), speaker: *speaker, topic })
        .collect();
    tools.extractor.extract_statements(tools.lexicon, model, &lines, first_line).unwrap_or_default()
}

/// Returns the statements in each passage. Returns nothing if the model fails, so that only the patterns apply.
fn passage_statements(
    pages: &[PassageWithContext],
    tools: &ReadingTools<'_>,
    model: &ReadingModel,
) -> Vec<LineStatements> {
    let mut found = Vec::with_capacity(pages.len());
    for text in pages.chunk_by(|previous, page| page.continues(previous)) {
        let Some(first) = text.first() else { continue };
        let before = first.before.iter().map(|(speaker, text)| (speaker.as_ref(), text.as_str()));
        let own = text.iter().map(|page| (page.passage.speaker.as_ref(), page.passage.text.as_str()));
        let lines: Vec<(Option<&EntityId>, &str)> = before.chain(own).collect();
        // The texts of a note are read separately, so `text` has only one topic.
        let read = document_statements(tools, model, &lines, first.before.len(), first.topic.as_ref());
        if read.is_empty() {
            return Vec::new();
        }
        found.extend(read);
    }
    found
}

#[cfg(test)]
mod tests;
