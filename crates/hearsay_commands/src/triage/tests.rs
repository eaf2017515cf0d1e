use std::sync::Arc;

use hearsay_extract::NewEntity;
use hearsay_model::{Change, Confidence, Operation, Passage, Predicate, Span, Timestamp};
use hearsay_query::{review::review_items, trust::TrustCalibration};
use proptest::prelude::*;

use super::*;
use crate::{edit::Edit, proposal::ProposalRules, reading::operation};

const KNOWN: [&str; 4] = ["Ann", "Bob", "Cid", "Dot"];
const NEW: [&str; 4] = ["Zarael", "Bromwick", "Ysolde", "Quillon"];

fn mention(n: u8) -> Mention {
    let place = usize::from(n % 4);
    match n % 8 < 4 {
        true => Mention::Known(EntityId::from_name(KNOWN[place]).unwrap()),
        false => Mention::New(place),
    }
}

/// Returns an extracted fact. Each number selects a part: subject, object, predicate with source, and confidence.
fn extracted_fact((subject_number, object_number, predicate_number, confidence): (u8, u8, u8, u8)) -> ExtractedFact {
    let (subject, object, predicate) =
        (mention(subject_number), mention(object_number), ["OWES", "FEARS"][usize::from(predicate_number % 2)]);
    ExtractedFact {
        statement: format!("{subject:?} {predicate} {object:?}."),
        subject,
        predicate: Predicate::new(predicate).unwrap(),
        object: FactObject::Entity(object),
        relation: None,
        span: Span { start: 0, end: 4 },
        quote: "Text".into(),
        confidence: Confidence::new(f64::from(confidence) / 255.0).unwrap(),
        stated_by: predicate_number.is_multiple_of(7).then(|| mention(predicate_number / 7)),
        told_to: Vec::new(),
        denied: false,
        ended: false,
        cues: Vec::new(),
    }
}

fn text(number: usize, facts: &[(u8, u8, u8, u8)]) -> Findings {
    let new = |name: &str| NewEntity {
        name: name.into(),
        kind: None,
        span: Span { start: 0, end: 4 },
        confidence: Confidence::FULL,
    };
    let facts = facts
        .iter()
        .filter(|(subject, object, ..)| subject % 8 != object % 8)
        .map(|fact| extracted_fact(*fact))
        .collect();
    let extraction = Extraction { facts, entities: NEW.map(new).into(), ..Extraction::default() };
    Findings { passage: Arc::new(Passage::new(format!("Text {number}"))), extraction, model: None, talk_kind: None }
}

fn village(texts: &[Findings]) -> State {
    let mut state = State::default();
    for name in KNOWN {
        let add = Edit::Add { name: name.into(), kind: hearsay_model::Kind::Npc, id: None, place: None };
        state.apply(add.operation(&state, Author::Dm, Timestamp(0)).unwrap()).unwrap();
    }
    let texts = texts.iter().map(|findings| Change::AddPassage(Arc::clone(&findings.passage))).collect();
    state.apply(Operation::new(Author::Dm, "texts", texts)).unwrap();
    state
}

type Texts = Vec<Vec<(u8, u8, u8, u8)>>;

proptest! {
    #[test]
    fn no_more_waits_than_there_is_room_for_and_nothing_sure_is_left_out(
        texts in prop::collection::vec(prop::collection::vec(any::<(u8, u8, u8, u8)>(), 0..8), 1..12),
        max_total in 0..20_usize,
    ) {
        let texts: Texts = texts;
        let policy = Policy::default();
        let mut read: Vec<Findings> = texts.iter().enumerate().map(|(number, facts)| text(number, facts)).collect();
        let mut state = village(&read);
        let is_sure = |fact: &ExtractedFact| {
            let known = |mention: &Mention| matches!(mention, Mention::Known(_));
            let FactObject::Entity(object) = &fact.object else { return false };
            let has_known_entities = known(&fact.subject) && known(object) && fact.stated_by.as_ref().is_none_or(known);
            has_known_entities && fact.confidence >= policy.threshold
        };
        let facts = |read: &[Findings]| -> (usize, usize) {
            let all = read.iter().flat_map(|findings| &findings.extraction.facts);
            (all.clone().count(), all.filter(|fact| is_sure(fact)).count())
        };
        let (all, sure) = facts(&read);
        let dropped = drop_least_important(&state, &policy, &mut read, max_total);
        prop_assert_eq!(facts(&read), (all - dropped, sure));
        for findings in &read {
            let learned = TrustCalibration::of(&state);
            let rules = ProposalRules { policy: &policy, learned: &learned };
            let (operation, _) = operation(&state, &rules, findings, Timestamp(0)).unwrap();
            operation.into_iter().for_each(|operation| _ = state.apply(operation).unwrap());
        }
        prop_assert!(review_items(&state).len() <= max_total, "{:?}", state.facts().map(|fact| fact.statement()).collect::<Vec<_>>());
        prop_assert_eq!(pending_fact_count(&state), state.facts().filter(|fact| fact.status() == FactStatus::Proposed).count());
    }
}

#[test]
fn a_share_is_fair_and_never_more_than_there_is() {
    for (max_total, text_count, remaining_texts, expected) in
        [(100, 16, 0, 100), (100, 10, 90, 10), (1, 1, 1000, 1), (0, 5, 5, 0)]
    {
        assert_eq!(
            proportional_limit(max_total, text_count, remaining_texts),
            expected,
            "{max_total} {text_count} {remaining_texts}"
        );
    }
}
