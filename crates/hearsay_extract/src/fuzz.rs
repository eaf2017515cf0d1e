//! Fuzz targets: they read arbitrary text and check properties that every result must have.
//!
//! The folder `fuzz/` of the repository contains a `cargo fuzz` program and a corpus for each target. A test runs the
//! targets on their corpora.

use std::sync::LazyLock;

use hearsay_embed::{EncoderOptions, find_model};
use hearsay_model::{
    Author, Change, Entity, EntityId, Fact, Factuality, Method, Operation, Provenance, State, TalkKind, Vocabulary,
    attribute,
};

use crate::{
    CueKind, DocumentLine, ExtractedFact, Extraction, Extractor, FactObject, Language, Lexicon, LineRole,
    LineStatements, Mention, READING_MODEL, ReadingModel, Text, TextType,
};

/// Names of the fuzz targets. The folders of the corpus have the same names.
pub const TARGETS: [&str; 2] = ["extract", "statements"];

/// Runs a fuzz target on bytes, which are read as UTF-8. Invalid bytes are replaced.
///
/// # Panics
/// Panics if the target is unknown or if a result violates a property. For example, a fact does not quote its words, a
/// byte range is outside the text, or a doubtful fact has a high confidence. A violated property is a bug.
#[allow(clippy::panic, reason = "the fuzzer reports a panic as a bug")]
pub fn run(target: &str, bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    match target {
        "extract" => [TextType::Talk, TextType::Narration, TextType::Lore]
            .into_iter()
            .for_each(|text_type| extract(&text, text_type)),
        "statements" => read_document(bytes),
        _ => panic!("there is no target {target}"),
    }
}

static EXTRACTOR: LazyLock<Extractor> = LazyLock::new(|| Extractor::new(Language::english(), Vocabulary::default()));
static LEXICON: LazyLock<Lexicon> = LazyLock::new(lexicon);

/// Known entities: id, kind and names.
const KNOWN_ENTITIES: [(&str, &str, &[&str]); 6] = [
    ("mirela-voss", "npc", &["Mirela Voss", "the Grey Lady"]),
    ("odo-brandt", "npc", &["Odo Brandt", "Hope"]),
    ("lyra", "player", &["Lyra"]),
    ("salt-quay", "location", &["the Salt Quay"]),
    ("guild", "faction", &["the Ferrymen's Guild"]),
    ("ledger", "document", &["the Black Ledger"]),
];

fn lexicon() -> Lexicon {
    let mut changes = Vec::new();
    for (id, kind, names) in KNOWN_ENTITIES {
        let Ok(id) = EntityId::new(id) else { continue };
        changes.push(Change::AddEntity(Entity::new(id.clone())));
        let names = names.iter().enumerate().map(|(number, name)| match number {
            0 => (attribute::NAME, *name),
            _ => (attribute::ALIAS, *name),
        });
        for (name, value) in names.chain([(attribute::KIND, kind)]) {
            let fact = Fact::attribute(&id, name, value, Provenance::new(Method::Authored, Author::Dm));
            changes
                .extend(fact.and_then(hearsay_model::FactBuilder::build).map(|fact| Change::AssertFact(fact.into())));
        }
    }
    let mut state = State::default();
    let _ = state.apply(Operation::new(Author::Dm, "people", changes));
    Lexicon::from_state(&state)
}

fn extract(text: &str, text_type: TextType) {
    let present: Vec<EntityId> = ["lyra", "odo-brandt"].into_iter().filter_map(|id| EntityId::new(id).ok()).collect();
    let input = Text {
        speaker: present.first(),
        present: &present,
        preceding: &["Mirela came in."],
        ..Text::new(text, text_type)
    };
    let extraction = EXTRACTOR.extract(&LEXICON, &input);
    check(text, &extraction);
    assert!(extraction == EXTRACTOR.extract(&LEXICON, &input), "the same text gives the same facts");
}

/// Maximum number of bytes that the target `statements` reads. More bytes would only repeat the same steps.
const MAX_DOCUMENT_BYTES: usize = 4_000;

/// Maximum size of a text that the real reading model reads too, in bytes. The model is slow.
const MAX_REAL_MODEL_BYTES: usize = 80;

/// The reading model beside the default sentence encoder; `None` if it is not found.
static MODEL: LazyLock<Option<ReadingModel>> = LazyLock::new(|| {
    let encoder = find_model(None).ok()?;
    ReadingModel::load(&encoder.parent()?.join(READING_MODEL), &EncoderOptions::with_threads(1)).ok()
});

/// Reads the lines of a text with a reading model. The bytes of the text are also the results of the model. If the text
/// is short, the real model reads it too.
fn read_document(bytes: &[u8]) {
    let bytes = &bytes[..bytes.len().min(MAX_DOCUMENT_BYTES)];
    let text = String::from_utf8_lossy(bytes);
    let player = EntityId::new("lyra").ok();
    let document_line = |line| match str::split_once(line, ": ") {
        Some(("DM", text)) => DocumentLine { text, role: LineRole::Dm, speaker: None, topic: None },
        Some(("Lyra", text)) => DocumentLine { text, role: LineRole::Player, speaker: player.as_ref(), topic: None },
        _ => DocumentLine { text: line, role: LineRole::Written, speaker: None, topic: None },
    };
    let lines: Vec<DocumentLine<'_>> = text.lines().map(document_line).collect();
    // The first third of the lines is context.
    let first = lines.len() / 3;
    read_statements(&lines, first, &ReadingModel::from_bytes(bytes));
    if bytes.len() <= MAX_REAL_MODEL_BYTES
        && let Some(model) = &*MODEL
    {
        read_statements(&lines, first, model);
    }
}

fn read_statements(lines: &[DocumentLine<'_>], first: usize, model: &ReadingModel) {
    let read = EXTRACTOR.extract_statements(&LEXICON, model, lines, first);
    assert!(read.is_ok(), "every text can be read: {read:?}");
    let read = read.unwrap_or_default();
    assert_eq!(read.len(), lines.len() - first, "each line after the context is read once");
    for (line, found) in lines[first..].iter().zip(read) {
        check_statements(line.text, &found);
        let (talk_kind, is_transcript) = (found.talk.kind(), line.role != LineRole::Written);
        let text = Text { speaker: line.speaker, ..Text::new(line.text, TextType::Narration) };
        let mut extraction = EXTRACTOR.extract(&LEXICON, &text);
        extraction.add_statements(found, talk_kind, is_transcript);
        assert!(talk_kind != TalkKind::OutOfCharacter || extraction.facts.is_empty(), "such a line states no facts");
        for fact in &extraction.facts {
            check_fact(line.text, fact, extraction.entities.len());
        }
        for entity in &extraction.entities {
            assert!(line.text.get(entity.span.start..entity.span.end).is_some(), "a name has evidence: {entity:?}");
        }
    }
}

/// Checks the properties that the statements in a line must have.
fn check_statements(line: &str, found: &LineStatements) {
    let talk = found.talk;
    let sum = talk.narration + talk.in_character + talk.out_of_character;
    assert!((sum - 1.0).abs() < 1e-3, "the kinds of talk exclude each other: {talk:?}");
    for statement in &found.statements {
        let is_sure = statement.fact.confidence.get() >= 0.7;
        assert!(
            !is_sure || statement.factuality != Factuality::Hedged,
            "a hedged statement is not sure: {statement:?}"
        );
        for fact in std::iter::once(&statement.fact).chain(&statement.typed_facts) {
            check_fact(line, fact, found.entities.len());
        }
        for (span, name) in &statement.resolved_references {
            let words = line.get(span.start..span.end);
            assert!(words.is_some_and(|words| !words.is_empty()), "`{name}` replaces words: {statement:?}");
        }
    }
}

/// Checks the properties that every fact must have. `entity_count` is the number of new names that the fact can refer
/// to.
fn check_fact(text: &str, fact: &ExtractedFact, entity_count: usize) {
    let source_text = text.get(fact.span.start..fact.span.end);
    assert!(!fact.quote.is_empty() && source_text == Some(fact.quote.as_str()), "a fact quotes its words: {fact:?}");
    let object = match &fact.object {
        FactObject::Entity(mention) => Some(mention),
        FactObject::Value(_) => None,
    };
    let mentions = std::iter::once(&fact.subject).chain(&fact.stated_by).chain(&fact.told_to).chain(object);
    for mention in mentions {
        let is_unlisted = matches!(mention, Mention::New(at) if *at >= entity_count);
        assert!(!is_unlisted, "a new entity is listed: {fact:?}");
    }
    assert!(!fact.is_doubtful() || fact.confidence.get() < 0.7, "a doubtful fact is not sure: {fact:?}");
}

/// Checks the properties that every extraction by the patterns must have.
fn check(text: &str, extraction: &Extraction) {
    for fact in &extraction.facts {
        check_fact(text, fact, extraction.entities.len());
        let has_no_doubt = fact.cues.iter().all(|cue| cue.kind == CueKind::Past);
        assert!(has_no_doubt || fact.confidence.get() < 0.7, "a fact with a cue of doubt is not sure: {fact:?}");
    }
    for entity in &extraction.entities {
        let words = text.get(entity.span.start..entity.span.end);
        let has_words = words.is_some_and(|words| entity.name.split(' ').all(|word| words.contains(word)));
        assert!(has_words, "a name stands in the text: {entity:?}");
    }
    for mention in &extraction.mentions {
        assert!(text.get(mention.span.start..mention.span.end).is_some(), "a mention stands in the text");
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            for target in TARGETS {
                run(target, &bytes);
            }
        }
    }
}
