//! Fuzz target: it reads arbitrary text and checks properties that every result must have.
//!
//! The folder `fuzz/` of the repository contains a `cargo fuzz` program and a corpus for the target. A test runs the
//! target on the corpus.

use std::sync::LazyLock;

use hearsay_model::{
    Author, Change, Entity, EntityId, Fact, Method, Operation, Provenance, State, Vocabulary, attribute,
};

use crate::{CueKind, Extraction, Extractor, FactObject, Language, Lexicon, Mention, Text, TextType};

/// Names of the fuzz targets. The folders of the corpus have the same names.
pub const TARGETS: [&str; 1] = ["extract"];

/// Runs a fuzz target on bytes, which are read as UTF-8. Invalid bytes are replaced.
///
/// # Panics
/// Panics if the target is unknown or if a result violates a property. For example, a fact does not quote its words, a
/// byte range is outside the text, or a doubtful fact has a high confidence. A violated property is a bug.
#[allow(clippy::panic, reason = "a panic is how a fuzzer is told")]
pub fn run(target: &str, bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    match target {
        "extract" => [TextType::Talk, TextType::Narration, TextType::Lore]
            .into_iter()
            .for_each(|text_type| extract(&text, text_type)),
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

/// Checks the properties that every extraction must have.
fn check(text: &str, extraction: &Extraction) {
    for fact in &extraction.facts {
        let source_text = text.get(fact.span.start..fact.span.end);
        assert!(
            !fact.quote.is_empty() && source_text == Some(fact.quote.as_str()),
            "a fact quotes its words: {fact:?}"
        );
        let object = match &fact.object {
            FactObject::Entity(mention) => Some(mention),
            FactObject::Value(_) => None,
        };
        let mentions = std::iter::once(&fact.subject).chain(&fact.stated_by).chain(&fact.told_to).chain(object);
        for mention in mentions {
            let is_unlisted = matches!(mention, Mention::New(at) if *at >= extraction.entities.len());
            assert!(!is_unlisted, "a new entity is listed: {fact:?}");
        }
        let has_no_doubt = fact.cues.iter().all(|cue| cue.kind == CueKind::Past);
        assert!(has_no_doubt || fact.confidence.get() < 0.7, "what is in doubt is not sure: {fact:?}");
    }
    for entity in &extraction.entities {
        let source_text = text.get(entity.span.start..entity.span.end);
        assert!(source_text == Some(entity.name.as_str()), "a name stands in the text: {entity:?}");
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
