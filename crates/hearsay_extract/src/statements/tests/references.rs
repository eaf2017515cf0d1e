//! Tests of the names that replace the pronouns of a statement, and of the sentences in which they stand.

use super::*;

/// Writes the sentence of a statement in a line that `speaker` says. Without a speaker, the line is narration.
fn written(speaker: Option<&str>, text: &str, statement: &DecodedStatement) -> Option<String> {
    let (extractor, lexicon) = (Extractor::new(Language::english(), Vocabulary::default()), lexicon());
    let (role, speaker) = (if speaker.is_some() { LineRole::Player } else { LineRole::Dm }, speaker.map(id));
    let lines = [DocumentLine { text, role, speaker: speaker.as_ref(), topic: None }];
    let document = PreparedDocument::new(&extractor, &lexicon, &MODEL, &lines, &[]);
    StatementText::write(&document, 0, statement).map(|sentence| sentence.text)
}

/// Returns the reference to an entity of [`lexicon`].
fn named(name: &str) -> Referent {
    Referent::Named(known(&lexicon(), name))
}

#[test]
fn an_entity_has_only_one_grammatical_person_in_a_statement() {
    let (odo, kash) = (named("odo-brandt"), named("kash-zeller"));
    let text = "Kash found him, he saw you leave the Mill.";
    let saw = |he, you| written(Some("mirela-voss"), text, &decoded(4..10, Referent::Explicit, &[(4, he), (6, you)]));
    assert_eq!(saw(kash, odo).as_deref(), Some("Kash Zeller saw Odo Brandt leave the Mill."));
    assert_eq!(saw(odo, odo), None);
    let text = "Kash saw you at the Mill.";
    let saw = |you| written(Some("mirela-voss"), text, &decoded(0..6, Referent::Explicit, &[(2, you)]));
    assert_eq!(saw(odo).as_deref(), Some("Kash saw Odo Brandt at the Mill."));
    assert_eq!(saw(kash), None);
    let text = "I paid you for the Mill.";
    let paid = |you| written(Some("odo-brandt"), text, &decoded(0..6, Referent::Explicit, &[(0, odo), (2, you)]));
    assert_eq!(paid(kash).as_deref(), Some("Odo Brandt paid Kash Zeller for the Mill."));
    assert_eq!(paid(odo), None);
}

#[test]
fn the_subject_of_a_second_verb_is_the_person_of_the_pronoun_before_it() {
    let text = "Ilva gives Torv a lamp, he takes it and sits down by the Mill.";
    let sits = |subject| written(None, text, &decoded(10..15, named(subject), &[]));
    assert_eq!(sits("torv").as_deref(), Some("Torv sits down by the Mill."));
    assert_eq!(sits("ilva"), None);
}

#[test]
fn the_sword_of_somebody_new_belongs_to_nobody_else() {
    let mirela = named("mirela-voss");
    let draws = |text: &str, pronoun: usize| {
        written(None, text, &decoded(0..pronoun + 2, Referent::Explicit, &[(pronoun, mirela)]))
    };
    assert_eq!(draws("Tamsin draws her sword.", 2), None);
    assert_eq!(draws("The wind takes her lamp.", 3).as_deref(), Some("The wind takes Mirela Voss' lamp."));
}

#[test]
fn a_description_with_an_indefinite_article_is_nobody_of_the_text_before() {
    let mirela = named("mirela-voss");
    for (article, text, expected) in [
        (0..2, "A clerk takes her lamp.", "A clerk takes Mirela Voss' lamp."),
        (0..1, "An arrow pierces her arm.", "An arrow pierces Mirela Voss' arm."),
    ] {
        let mut statement = decoded(0..5, Referent::Explicit, &[(3, mirela)]);
        let likely_referent = LikelyReferent { referent: mirela, probability: 1.0 };
        statement.references.insert(0, Reference { words: article, likely_referent });
        assert_eq!(written(None, text, &statement).as_deref(), Some(expected));
    }
}

#[test]
fn words_that_cannot_follow_their_subject_are_no_sentence() {
    let ilva = named("ilva");
    for (text, words, expected) in [
        ("Ilva finds the cellar full of sacks, sacks of the Mill.", 8..12, None),
        ("Ilva waits, the Mill burns.", 3..6, None),
        ("Ilva waits. Tamsin draws a knife.", 3..7, None),
        ("Ilva waits, and speaks of the Mill.", 4..8, Some("Ilva speaks of the Mill.")),
    ] {
        assert_eq!(written(None, text, &decoded(words, ilva, &[])).as_deref(), expected, "{text}");
    }
}

#[test]
fn nobody_who_notices_somebody_is_no_fact() {
    let sees = |text: &str, end: usize| written(None, text, &decoded(0..end, Referent::Explicit, &[]));
    assert_eq!(sees("Nobody notices Torv.", 3), None);
    assert_eq!(sees("Nobody notices Torv at the Mill.", 6).as_deref(), Some("Nobody notices Torv at the Mill."));
}

#[test]
fn a_reflexive_pronoun_of_the_speaker_becomes_one_of_the_third_person() {
    let torv = named("torv");
    let text = "I built the Mill myself.";
    for references in [&[(0, torv), (4, torv)][..], &[(0, torv)]] {
        let sentence = written(Some("torv"), text, &decoded(0..5, Referent::Explicit, references));
        assert_eq!(sentence.as_deref(), Some("Torv built the Mill himself."));
    }
}
