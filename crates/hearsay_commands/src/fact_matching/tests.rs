//! Tests of the decision whether a sentence states a fact. The tests set the cosines.

use hearsay_model::{Author, EntityId, Fact, Method, Provenance};

use super::*;

fn candidate(statement: &str, sentence: &str, cosine: Option<f32>) -> Candidate {
    let odo = EntityId::new("odo").unwrap();
    let provenance = Provenance::new(Method::Stated, Author::Dm);
    let fact = Fact::attribute(&odo, "lore", statement, provenance).unwrap().build().unwrap();
    Candidate {
        fact: FactMatch {
            fact: fact.id(),
            handle: None,
            statement: statement.to_owned(),
            score: 0.0,
            lie: false,
            unknown_to_speaker: false,
        },
        score: MatchScore { cosine, ..MatchScore::new(sentence, statement, &BTreeSet::new()) },
        agreement: Agreement::Full,
        is_doubtful: false,
        has_pronoun: false,
        is_extracted: false,
        is_reworded: false,
        is_own_secret: false,
        is_retold: false,
        open_cosine: None,
        missing_vector: None,
    }
}

fn decide(sentences: Vec<Vec<Candidate>>) -> FactMatches {
    MatchCandidates { sentences, ..MatchCandidates::default() }.decide()
}

const STATEMENT: &str = "Odo stole the ledger at night.";
const SENTENCE: &str = "At night, Odo stole the ledger.";

#[test]
fn only_a_certain_sentence_states_a_fact() {
    let certain = candidate(STATEMENT, SENTENCE, Some(0.95));
    assert_eq!(decide(vec![vec![certain.clone()]]).states.len(), 1);
    // Doubt, other entities, and a missing vector leave the decision to the DM.
    for doubtful in [
        Candidate { is_doubtful: true, ..certain.clone() },
        Candidate { agreement: Agreement::Partial, ..certain.clone() },
    ] {
        let found = decide(vec![vec![doubtful]]);
        assert_eq!((found.states.len(), found.may_state.len()), (0, 1), "{found:?}");
    }
    assert_eq!(decide(vec![vec![candidate(STATEMENT, SENTENCE, None)]]).states, []);
    // A sentence that says more or less than the fact does not state it.
    for sentence in ["At night, Odo stole the ledger and the lamp.", "Odo stole it."] {
        assert_eq!(decide(vec![vec![candidate(STATEMENT, sentence, Some(0.95))]]).states, [], "{sentence}");
    }
    let one_word = |has_pronoun| Candidate { has_pronoun, ..candidate("Pike loves.", "Pike loves.", Some(0.9)) };
    let states = |candidate: Candidate| decide(vec![vec![candidate]]).states.len();
    let names = |candidate: Candidate| Candidate {
        score: MatchScore {
            cosine: Some(0.9),
            ..MatchScore::new("Pike loves.", "Pike loves.", &["pike".to_owned()].into())
        },
        ..candidate
    };
    assert_eq!((states(names(one_word(false))), states(names(one_word(true)))), (1, 0));
    let other = candidate("Pell mends nets.", SENTENCE, Some(0.2));
    assert_eq!(decide(vec![vec![other]]), FactMatches::default());
}

#[test]
fn narration_that_says_more_than_a_fact_may_state_it() {
    let sentence = "Pell sees at once that Odo is the man who stole the old ledger.";
    let told = candidate(STATEMENT, sentence, Some(0.3));
    assert_eq!(decide(vec![vec![told.clone()]]), FactMatches::default());
    let narrated = |agreement| decide(vec![vec![Candidate { is_reworded: true, agreement, ..told.clone() }]]);
    for agreement in [Agreement::Full, Agreement::SubjectAndObject] {
        let found = narrated(agreement);
        assert_eq!((found.states.len(), found.may_state.len()), (0, 1), "{found:?}");
    }
    let may_be_narrated =
        |sentence: &str| MatchScore::new(sentence, STATEMENT, &["odo".to_owned()].into()).may_be_narrated();
    assert!(may_be_narrated(sentence));
    // Without the verb of the fact, or with one shared word, the sentence is about something else.
    assert!(!may_be_narrated("At night, Odo read the ledger.") && !may_be_narrated("Odo stole a kiss."));
}

#[test]
fn a_sentence_states_only_the_best_fact_and_each_fact_is_listed_once() {
    let (best, second) =
        (candidate(STATEMENT, SENTENCE, Some(0.95)), candidate("Odo stole the lamp at night.", SENTENCE, Some(0.9)));
    let doubtful = Candidate { is_doubtful: true, ..best.clone() };
    let found = decide(vec![vec![second, best.clone()], vec![best.clone()], vec![doubtful]]);
    assert_eq!(found.states.iter().map(|fact| fact.fact).collect::<Vec<_>>(), [best.fact.fact]);
    assert_eq!(found.may_state, [], "a fact that the line states is not asked about");
}

#[test]
fn missing_vectors_are_added_by_statement() {
    let mut one = candidate(STATEMENT, SENTENCE, None);
    one.missing_vector = Some(vec![0.6, 0.8]);
    let sentences = vec![vec![one.clone()], vec![one]];
    let mut candidates = MatchCandidates { sentences, ..MatchCandidates::default() };
    assert_eq!(candidates.statements_without_vector(), [STATEMENT]);
    candidates.add_vectors(&[vec![0.6, 0.8]]);
    assert!(candidates.statements_without_vector().is_empty());
    let cosines = candidates.sentences.iter().flatten().map(|candidate| candidate.score.cosine.unwrap());
    assert!(cosines.into_iter().all(|cosine| (cosine - 1.0).abs() < 1e-6));
}

#[test]
fn a_secret_is_confessed_in_other_words() {
    let secret = "Odo sealed the lower gallery while eleven miners were still inside.";
    let words = "Odo walled up the lower gallery with eleven men still breathing behind it.";
    let confessed = candidate(secret, words, Some(0.55));
    let asked = |candidate: Candidate| decide(vec![vec![candidate]]).may_state.len();
    assert_eq!(asked(confessed.clone()), 0, "the fact is no secret");
    for agreement in [Agreement::Full, Agreement::SpeakerOnly] {
        assert_eq!(asked(Candidate { is_own_secret: true, agreement, ..confessed.clone() }), 1, "{agreement:?}");
    }
    let resembling = candidate(secret, "Odo dug the lower gallery with two men.", Some(0.4));
    assert_eq!(asked(Candidate { is_own_secret: true, ..resembling }), 0);
}

#[test]
fn a_rumour_or_lie_is_retold_in_other_words() {
    let rumour = "Sister Agnes fell from the bell tower.";
    let words = "The bell tower, poor soul.";
    let names: BTreeSet<String> = ["sister".to_owned(), "agn".to_owned()].into();
    let score = MatchScore { cosine: Some(0.55), ..MatchScore::new(words, rumour, &names) };
    assert!(score.may_be_retold(1), "{score:?}");
    let retold = Candidate { score, agreement: Agreement::Partial, ..candidate(rumour, words, None) };
    let asked = |candidate: Candidate| decide(vec![vec![candidate]]).may_state.len();
    assert_eq!(asked(retold.clone()), 0, "the fact does not matter, or the line leaves out an entity");
    assert_eq!(asked(Candidate { is_retold: true, ..retold }), 1);
    // One word is enough only if the line refers to two persons of the fact.
    let one_word = MatchScore::new("The tower stands.", rumour, &names);
    assert!(!one_word.may_be_retold(1) && one_word.may_be_retold(2), "{one_word:?}");
    assert!(!MatchScore::new("Good day.", rumour, &names).may_be_retold(2));
}

#[test]
fn a_line_hints_at_a_secret_that_it_resembles_more_than_open_facts() {
    let secret = "Odo hid the tax silver under the millstone.";
    let names: BTreeSet<String> = ["odo".to_owned()].into();
    let score = MatchScore::new("Something lies at the millstone.", secret, &names);
    assert!(score.may_hint() && !score.may_hint_in_narration(1), "{score:?}");
    let hints = |cosine: f32, open_cosine: Option<f32>| {
        let score = MatchScore { cosine: Some(cosine), ..score };
        let agreement = Agreement::Partial;
        let line = Candidate { score, agreement, open_cosine, ..candidate(secret, "It lies there.", None) };
        decide(vec![vec![line]]).may_state.len()
    };
    assert_eq!(hints(0.5, Some(0.1)), 1);
    // The words cannot hint at the secret, another fact is nearer, or the line resembles nothing.
    for (cosine, open) in [(0.5, None), (0.5, Some(0.4)), (0.4, Some(0.0))] {
        assert_eq!(hints(cosine, open), 0, "{cosine} {open:?}");
    }
    let narrated = MatchScore::new("Under the millstone lies the silver of the tax.", secret, &names);
    assert!(narrated.may_hint_in_narration(2), "{narrated:?}");
    // The verb of a secret alone does not count, but its first noun does.
    assert!(!MatchScore::new("Odo hid a purse.", secret, &names).may_hint());
    let store = "The blackpowder is kept in the vault.";
    let kegs = MatchScore::new("Forty kegs of blackpowder.", store, &["vault".to_owned()].into());
    assert!(kegs.may_hint() && kegs.may_hint_in_narration(1) && !kegs.may_hint_in_narration(2), "{kegs:?}");
}

#[test]
fn a_line_never_certainly_states_a_fact_that_its_speaker_does_not_know() {
    let mut unknown = candidate(STATEMENT, SENTENCE, Some(0.95));
    unknown.fact.unknown_to_speaker = true;
    let found = decide(vec![vec![unknown]]);
    assert_eq!((found.states.len(), found.may_state.len()), (0, 1), "{found:?}");
}

#[test]
fn sentences_state_a_fact_together_if_none_of_them_states_one_alone() {
    let together = Candidate { is_doubtful: true, ..candidate(STATEMENT, SENTENCE, Some(0.9)) };
    let other = candidate("Odo burned the lamp at noon.", "At noon, Odo burned the lamp.", Some(0.95));
    let found = |sentences: Vec<Vec<Candidate>>| {
        let runs = vec![(0..2, vec![together.clone()])];
        MatchCandidates { sentences, runs, ..MatchCandidates::default() }.decide()
    };
    assert_eq!(found(vec![vec![], vec![]]).may_state.len(), 1);
    let alone = found(vec![vec![other], vec![]]);
    assert_eq!((alone.states.len(), alone.may_state.len()), (1, 0), "{alone:?}");
}

#[test]
fn facts_with_the_same_content_are_listed_once() {
    let (one, twin) =
        (candidate(STATEMENT, SENTENCE, Some(0.95)), candidate("At night, Odo stole the ledger", SENTENCE, None));
    let pair = (one.fact.fact, twin.fact.fact);
    let same = BTreeSet::from([pair, (pair.1, pair.0)]);
    let twin = Candidate { is_doubtful: true, score: one.score, ..twin };
    let sentences = vec![vec![one], vec![twin]];
    let found = MatchCandidates { sentences, same, ..MatchCandidates::default() }.decide();
    assert_eq!((found.states.len(), found.may_state.len()), (1, 0), "{found:?}");
}
