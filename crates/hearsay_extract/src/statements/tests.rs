use std::{path::Path, sync::LazyLock};

use hearsay_model::{
    Author, Change, Entity, EntityId, Fact, Method, Operation, Provenance, State, Vocabulary, attribute,
};

use super::*;
use crate::Language;

static MODEL: LazyLock<ReadingModel> = LazyLock::new(|| {
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets/models");
    ReadingModel::load(&models.join(crate::READING_MODEL), 1).unwrap()
});

fn id(text: &str) -> EntityId {
    EntityId::new(text).unwrap()
}

/// A group of adventurers: Ilva (she), Torv (he), and their party.
fn lexicon() -> Lexicon {
    let mut changes = Vec::new();
    for (entity, name, kind, pronouns) in [
        ("ilva", "Ilva", "player", Some("she")),
        ("torv", "Torv", "player", Some("he")),
        ("red-lanterns", "The Red Lanterns", "party", None),
    ] {
        changes.push(Change::AddEntity(Entity::new(id(entity))));
        let values = [(attribute::NAME, name), (attribute::KIND, kind)].into_iter();
        for (attribute, value) in values.chain(pronouns.map(|value| ("pronouns", value))) {
            let fact =
                Fact::attribute(&id(entity), attribute, value, Provenance::new(Method::Authored, Author::Dm)).unwrap();
            changes.push(Change::AssertFact(fact.build().unwrap().into()));
        }
    }
    let mut state = State::default();
    state.apply(Operation::new(Author::Dm, "adventurers", changes)).unwrap();
    Lexicon::from_state(&state)
}

fn read(lines: &[(LineRole, Option<&str>, &str)], first: usize) -> Vec<LineStatements> {
    let speakers: Vec<Option<EntityId>> = lines.iter().map(|(_, speaker, _)| speaker.map(id)).collect();
    let lines: Vec<DocumentLine<'_>> = lines
        .iter()
        .zip(&speakers)
        .map(|((role, _, text), speaker)| DocumentLine { text, role: *role, speaker: speaker.as_ref() })
        .collect();
    let extractor = Extractor::new(Language::english(), Vocabulary::default());
    extractor.extract_statements(&lexicon(), &MODEL, &lines, first).unwrap()
}

fn sentences(lines: &[LineStatements]) -> Vec<&str> {
    lines.iter().flat_map(|line| &line.statements).map(|statement| statement.fact.statement.as_str()).collect()
}

#[test]
fn pronouns_and_missing_subjects_become_names() {
    let text = "Ilva finds an old map in the cellar. She gives it to Torv and leaves the city.";
    let read = read(&[(LineRole::Written, None, text)], 0);
    let sentences = sentences(&read);
    assert!(sentences.iter().any(|sentence| sentence.starts_with("Ilva finds an old map")), "{sentences:?}");
    assert!(sentences.iter().any(|sentence| sentence.starts_with("Ilva gives it to Torv")), "{sentences:?}");
    assert!(sentences.iter().any(|sentence| sentence.starts_with("Ilva leaves the city")), "{sentences:?}");
}

#[test]
fn the_party_is_an_entity() {
    let text = "The party travels to the harbour. They agree to help the mayor.";
    let read = read(&[(LineRole::Written, None, text)], 0);
    let about: Vec<&Mention> =
        read.iter().flat_map(|line| &line.statements).map(|statement| &statement.fact.subject).collect();
    assert!(about.contains(&&Mention::Known(id("red-lanterns"))), "{:?}", sentences(&read));
}

#[test]
fn talk_about_the_game_is_told_from_the_story() {
    let read = read(
        &[
            (LineRole::Dm, None, "You arrive at the gates of the city. A guard steps forward and asks for your names."),
            (LineRole::Player, Some("torv"), "Can I roll perception? I got a seventeen plus four."),
            (LineRole::Player, Some("ilva"), "I have to leave at ten tonight, guys."),
        ],
        0,
    );
    let kinds: Vec<TalkKind> = read.iter().map(|line| line.talk.kind()).collect();
    assert_eq!(kinds, [TalkKind::Narration, TalkKind::OutOfCharacter, TalkKind::OutOfCharacter], "{read:?}");
}

#[test]
fn an_out_of_character_line_has_no_facts() {
    let text = "Ilva finds an old map in the cellar. She gives it to Torv.";
    let patterns = Extractor::new(Language::english(), Vocabulary::default())
        .extract(&lexicon(), &Text::new("Torv works for Zarael.", TextType::Talk));
    assert!(!patterns.facts.is_empty() && !patterns.entities.is_empty(), "{patterns:?}");
    for (kind, has_facts) in
        [(TalkKind::Narration, true), (TalkKind::InCharacter, true), (TalkKind::OutOfCharacter, false)]
    {
        let line = read(&[(LineRole::Written, None, text)], 0).remove(0);
        assert!(!line.statements.is_empty());
        let mut extraction = patterns.clone();
        extraction.add_statements(line, kind, false);
        assert_eq!(!extraction.facts.is_empty(), has_facts, "{kind:?}");
        assert_eq!(!extraction.entities.is_empty(), has_facts, "{kind:?}");
    }
}

#[test]
fn a_line_is_out_of_character_only_if_that_is_more_probable_than_not() {
    let kind = |narration, in_character, out_of_character| {
        TalkProbabilities { narration, in_character, out_of_character }.kind()
    };
    assert_eq!(kind(0.3, 0.1, 0.6), TalkKind::OutOfCharacter);
    assert_eq!(kind(0.3, 0.25, 0.45), TalkKind::Narration);
    assert_eq!(kind(0.25, 0.3, 0.45), TalkKind::InCharacter);
}

#[test]
fn every_statement_quotes_its_line_and_names_are_resolved_by_gender() {
    let lines = [
        (LineRole::Written, None, "Torv and Ilva meet the smith in the evening."),
        (LineRole::Written, None, "She promises to bring him iron from the mines."),
    ];
    let read = read(&lines, 1);
    assert_eq!(read.len(), 1, "only the lines from `first` on are answered");
    for statement in &read[0].statements {
        let span = statement.fact.span;
        assert_eq!(&lines[1].2[span.start..span.end], statement.fact.quote);
        assert!(!statement.fact.statement.starts_with("Torv promises"), "{}", statement.fact.statement);
    }
}

#[test]
fn a_long_document_is_read_in_windows() {
    let line = "Ilva walks along the river and speaks with Torv about the war. ";
    let long = line.repeat(60);
    let lines: Vec<_> =
        (0..40).map(|at| (LineRole::Written, None, if at == 20 { long.as_str() } else { line })).collect();
    assert_eq!(read(&lines, 0).len(), 40);
    assert!(read(&[], 0).is_empty());
    assert_eq!(read(&[(LineRole::Written, None, "")], 0).len(), 1);
}

#[test]
fn a_directory_without_a_model_is_an_error() {
    let error = ReadingModel::load(Path::new("nowhere"), 1).unwrap_err().to_string();
    assert!(error.contains("nowhere"), "{error}");
}
