//! Tests of repeated reading, which must change no facts, edges or credences, and of the effect of a text's origin on
//! the status of its facts.

mod names;
mod passing;

use std::collections::BTreeMap;

use hearsay_belief::{StateViews, View};
use hearsay_extract::{ExtractedFact, FactObject, Language, Mention, NewEntity};
use hearsay_model::{
    Acquisition, Author, Change, Confidence, Date, Entity, Evidence, Excerpt, ExtractionStage, Fact, FactStatus,
    Factuality, Knower, KnowledgeEdge, KnowledgeId, Method, Operation, PassageId, Predicate, Provenance, Secrecy,
    Session, SessionId, Span, State, Timestamp, Validity,
};
use hearsay_query::trust::TrustCalibration;
use proptest::prelude::*;

use super::*;
use crate::{
    lie::mark_line_as_lie,
    policy::{Policy, SourceThresholds},
    proposal::ProposalRules,
    review::Decision,
};

const PEOPLE: [(&str, &str); 4] =
    [("odo", "Odo Brandt"), ("pell", "Pell Marrow"), ("mirela", "Mirela Voss"), ("sabine", "Sabine Orrin")];

/// Statements about two of the characters.
const STATEMENTS: [&str; 14] = [
    "A owes B forty crowns.",
    "Maybe A hates B.",
    "A hates B.",
    "A works for B.",
    "I think A lives in the Harbour.",
    "A lives in the Harbour.",
    "Perhaps A is a smith.",
    "A is B's sister.",
    "A told B that Odo stole the ledger.",
    "Zarael hates A.",
    "A does not owe B anything.",
    "I hate A.",
    "A trusts B, I suppose. A might be in the Harbour.",
    "A owes B a favour. A owes B forty crowns.",
];

/// A text: statement, the two characters in it, speaker, hearers, game time, and whether it is a line of the session.
type GeneratedText = (usize, (usize, usize), Option<usize>, Vec<usize>, Option<i64>, bool);

fn id(name: &str) -> EntityId {
    EntityId::new(name).unwrap()
}

fn person(n: usize) -> EntityId {
    id(PEOPLE[n % PEOPLE.len()].0)
}

/// Returns a fact that a text asserts with the words `quote`, which begin at the byte `start` of the text.
fn extracted(subject: Mention, predicate: &str, object: FactObject, start: usize, quote: &str) -> ExtractedFact {
    ExtractedFact {
        subject,
        predicate: Predicate::new(predicate).unwrap(),
        object,
        relation: None,
        statement: quote.to_owned(),
        span: Span { start, end: start + quote.len() },
        quote: quote.to_owned(),
        confidence: Confidence::new(0.95).unwrap(),
        stated_by: None,
        told_to: Vec::new(),
        denied: false,
        ended: false,
        factuality: Factuality::Asserted,
        participants: Vec::new(),
        cues: Vec::new(),
        stage: ExtractionStage::Clauses,
    }
}

/// Returns the operation that records what was extracted from a passage.
fn recording(state: &State, passage: Arc<Passage>, extraction: Extraction) -> Operation {
    let findings = Findings { passage, extraction, model: None, talk_kind: None };
    let (policy, learned) = (Policy::default(), TrustCalibration::from_state(state));
    let rules = ProposalRules { policy: &policy, learned: &learned };
    operation(state, &rules, &findings, Timestamp(0)).unwrap().0.unwrap()
}

fn apply(state: &mut State, author: Author, changes: Vec<Change>) {
    state.apply(Operation::new(author, "edit", changes)).unwrap();
}

fn text_of((statement, (a, b), ..): &GeneratedText) -> String {
    let name = |n: usize| PEOPLE[n % PEOPLE.len()].1;
    STATEMENTS[*statement].replace('A', "\u{1}").replace('B', name(a + 1 + b % 3)).replace('\u{1}', name(*a))
}

/// Returns a state with recorded facts of another author, and with the texts as passages.
fn world(recorded: &[(usize, usize, usize, bool)], texts: &[GeneratedText]) -> (State, Vec<PassageId>) {
    let mut state = State::default();
    let names = PEOPLE.iter().map(|(id, name)| (*id, *name, "npc")).chain([("harbour", "the Harbour", "location")]);
    for (id_text, name, kind) in names {
        let fact = |predicate: &str, value: &str| {
            let source = Provenance::new(Method::Authored, Author::Dm);
            Change::AssertFact(Fact::attribute(&id(id_text), predicate, value, source).unwrap().build().unwrap().into())
        };
        let changes = vec![Change::AddEntity(Entity::new(id(id_text))), fact("name", name), fact("kind", kind)];
        apply(&mut state, Author::Dm, changes);
    }
    let session = SessionId::new("s1").unwrap();
    let record = Session { number: Some(1), title: "A night".into(), ..Session::new(session.clone()) };
    apply(&mut state, Author::Dm, vec![Change::SetSession(record)]);
    for (a, b, predicate_number, is_spoken) in recorded {
        let name = ["HOSTILE_TO", "OWES", "EMPLOYED_BY", "TRUSTS"][predicate_number % 4];
        let author = Author::Importer("notes".into());
        let speaker = is_spoken.then(|| person(*a));
        let source = Provenance { speaker, ..Provenance::new(Method::Imported, author.clone()) };
        let fact = Fact::relation(&person(*a), name, &person(a + 1 + b % 3), source).unwrap();
        let fact = Arc::new(fact.status(FactStatus::Canon).build().unwrap());
        let edge = KnowledgeEdge {
            credence: hearsay_model::Credence::new(0.4).unwrap(),
            acquisition: if *is_spoken { Acquisition::told(Some(person(*a))) } else { Acquisition::Witnessed },
            session: Some(session.clone()),
            ..KnowledgeEdge::authored(person(a + 2).into(), fact.id())
        };
        apply(&mut state, author, vec![Change::AssertFact(fact), Change::Learn(edge.into())]);
    }
    let mut ids = Vec::new();
    for (line, text) in (1..).zip(texts) {
        let (_, _, speaker, hearers, time, at_table) = text;
        let mut heard_by: Vec<Knower> = hearers.iter().map(|n| Knower::Entity(person(*n))).collect();
        heard_by.sort();
        heard_by.dedup();
        let passage = Passage {
            speaker: speaker.map(person).filter(|_| *at_table),
            session: at_table.then(|| session.clone()),
            line,
            time: time.map(|minute| Date::at(hearsay_model::GameTime(minute))),
            heard_by,
            ..Passage::new(text_of(text))
        };
        ids.push(passage.id());
        apply(&mut state, Author::Dm, vec![Change::AddPassage(passage.into())]);
    }
    (state, ids)
}

fn read(state: &mut State, policy: &Policy, texts: &[PassageId]) {
    let extractor = Extractor::new(Language::english(), state.vocabulary().as_ref().clone());
    let learned = TrustCalibration::from_state(state);
    for text in texts {
        let passage = PassageWithContext::load(state, *text, &mut SessionLines::default()).unwrap();
        let lexicon = Lexicon::from_state(state);
        let tools = ReadingTools { extractor: &extractor, lexicon: &lexicon, encoder: None, model: None };
        let findings = read_passages(vec![passage], &tools).remove(0);
        let rules = ProposalRules { policy, learned: &learned };
        if let (Some(operation), _) = operation(state, &rules, &findings, Timestamp(0)).unwrap() {
            state.apply(operation).unwrap();
        }
    }
}

type RecordedKnowledge = (Vec<Arc<Fact>>, BTreeMap<KnowledgeId, Arc<KnowledgeEdge>>, usize);

fn recorded_knowledge(state: &State) -> RecordedKnowledge {
    let facts: Vec<Arc<Fact>> = state.facts().cloned().collect();
    let edges = facts.iter().flat_map(|fact| state.recorded_edges(fact.id()));
    (facts.clone(), edges.map(|(id, edge)| (id, Arc::clone(edge))).collect(), state.entity_count())
}

#[test]
fn a_narrated_deed_is_another_fact_on_another_day() {
    let (mut state, _) = world(&[], &[]);
    let policy = Policy { canon_threshold: Confidence::new(0.5).unwrap(), ..Policy::default() };
    let session = SessionId::new("s1").unwrap();
    let day = state.calendar().minutes_per_day();
    let mut narrate = |line: u32, minute: i64, text: &str| {
        let time = Some(Date::at(hearsay_model::GameTime(minute)));
        let passage = Passage { session: Some(session.clone()), line, time, ..Passage::new(text) };
        let id = passage.id();
        apply(&mut state, Author::Dm, vec![Change::AddPassage(passage.into())]);
        read(&mut state, &policy, &[id]);
        read(&mut state, &policy, &[id]);
        state.facts().filter(|fact| *fact.predicate() == *"SAVED").count()
    };
    assert_eq!(narrate(1, 10, "Odo saved Mirela."), 1);
    assert_eq!(narrate(2, 20, "Odo rescued Mirela."), 1, "the narration tells of the same deed");
    assert_eq!(narrate(3, 10 + day, "Odo saved Mirela."), 2);
}

#[test]
fn an_accepted_move_is_the_latest_location() {
    let (mut state, _) = world(&[], &[]);
    let (odo, harbour, pell) = (id("odo"), id("harbour"), Knower::Entity(id("pell")));
    let at = |minute: i64| Some(Date::at(hearsay_model::GameTime(minute)));
    let authored = Provenance::new(Method::Authored, Author::Dm);
    let earlier = Fact::relation(&odo, "LOCATED_AT", &id("mill"), authored).unwrap();
    let earlier = earlier.validity(Validity { from: at(10), until: None }).status(FactStatus::Canon).build().unwrap();
    let edge = KnowledgeEdge::authored(pell.clone(), earlier.id());
    let passage = Passage {
        session: Some(SessionId::new("s1").unwrap()),
        line: 1,
        time: at(50),
        heard_by: vec![pell.clone()],
        ..Passage::new("Odo walks to the Harbour.")
    };
    let earlier_id = earlier.id();
    let changes = vec![
        Change::AddEntity(Entity::new(id("mill"))),
        Change::AssertFact(earlier.into()),
        Change::Learn(edge.into()),
        Change::AddPassage(passage.clone().into()),
    ];
    apply(&mut state, Author::Dm, changes);
    let place = FactObject::Entity(Mention::Known(harbour.clone()));
    let moves = extracted(Mention::Known(odo.clone()), "LOCATED_AT", place, 0, &passage.text);
    let extraction = Extraction { facts: vec![moves], ..Extraction::default() };
    let findings = recording(&state, passage.into(), extraction);
    state.apply(findings).unwrap();
    let moved = Arc::clone(state.facts().find(|fact| fact.object().entity() == Some(&harbour)).unwrap());
    assert_eq!((moved.status(), &moved.validity().from), (FactStatus::Proposed, &at(50)));
    let accepted = Decision::Accept.operation(&state, moved.id(), Timestamp(1)).unwrap();
    state.apply(accepted).unwrap();
    assert_eq!(state.fact(earlier_id).unwrap().validity().until, at(50));
    let view = View::new(&state, &pell, None);
    assert_eq!(view.observed_location(&odo).unwrap().id(), moved.id());
}

#[test]
fn one_new_name_adds_one_entity() {
    let (mut state, _) = world(&[], &[]);
    let passage = Passage::new("Zarael Oxmoor hates Odo. Zarael Oxmoor owes Mirela.");
    let passage_id = passage.id();
    apply(&mut state, Author::Dm, vec![Change::AddPassage(passage.into())]);
    let new_name = |name: &str| NewEntity {
        name: name.to_owned(),
        kind: None,
        span: Span { start: 0, end: 13 },
        confidence: Confidence::new(0.8).unwrap(),
    };
    let fact = |index: usize, predicate: &str, object: &str| {
        let object_fact = FactObject::Entity(Mention::Known(id(object)));
        ExtractedFact {
            statement: format!("Zarael Oxmoor {predicate} {object}."),
            confidence: Confidence::new(0.8).unwrap(),
            ..extracted(Mention::New(index), predicate, object_fact, 0, "Zarael Oxmoor")
        }
    };
    let extraction = Extraction {
        facts: vec![fact(0, "HOSTILE_TO", "odo"), fact(1, "OWES", "mirela")],
        entities: vec![new_name("Zarael Oxmoor"), new_name("zarael  oxmoor")],
        ..Extraction::default()
    };
    let passage = Arc::clone(state.passage(passage_id).unwrap());
    let operation = recording(&state, passage, extraction);
    let added_count = operation.changes.iter().filter(|change| matches!(change, Change::AddEntity(_))).count();
    assert_eq!(added_count, 1);
}

#[test]
fn a_lie_makes_only_the_facts_false_that_it_asserts() {
    let text = "I was in the Harbour on the night Mirela fell ill.";
    let fact = |subject: &str, predicate: &str, value: &str, start: usize, stage: ExtractionStage| {
        let (subject, object) = (Mention::Known(id(subject)), FactObject::Value(value.to_owned()));
        let quote = &text[start..text.len() - 1];
        ExtractedFact { statement: value.to_owned(), stage, ..extracted(subject, predicate, object, start, quote) }
    };
    let statement = "Odo Brandt was in the Harbour on the night Mirela fell ill.";
    let facts = vec![
        fact("odo", "lore", statement, 0, ExtractionStage::Statements),
        fact("mirela", "condition", "ill", text.find("Mirela").unwrap(), ExtractionStage::Clauses),
    ];
    // The DM marks the line as a lie at once, or later.
    for lie in [true, false] {
        let (mut state, _) = world(&[], &[]);
        let passage = Arc::new(Passage {
            speaker: Some(id("odo")),
            lie,
            session: SessionId::new("s1").ok(),
            line: 1,
            heard_by: vec![id("odo").into(), id("pell").into()],
            ..Passage::new(text)
        });
        apply(&mut state, Author::Dm, vec![Change::AddPassage(Arc::clone(&passage))]);
        let extraction = Extraction { facts: facts.clone(), ..Extraction::default() };
        let findings = Findings { passage: Arc::clone(&passage), extraction, model: None, talk_kind: None };
        let (policy, learned) = (Policy::default(), TrustCalibration::from_state(&state));
        let rules = ProposalRules { policy: &policy, learned: &learned };
        let (operation, _) = operation(&state, &rules, &findings, Timestamp(0)).unwrap();
        state.apply(operation.unwrap()).unwrap();
        if !lie {
            let changes = mark_line_as_lie(&StateViews::new(&state), &passage);
            apply(&mut state, Author::Dm, changes);
        }
        let status = |subject: &str, predicate: &str| {
            let is_meant = |fact: &&Arc<Fact>| *fact.subject() == id(subject) && *fact.predicate() == *predicate;
            state.facts().find(is_meant).unwrap().status()
        };
        assert_eq!(status("odo", "lore"), FactStatus::False, "{lie}");
        assert_eq!(status("mirela", "condition"), FactStatus::Claimed, "{lie}");
    }
}

fn generated_text() -> impl Strategy<Value = GeneratedText> {
    (
        0..STATEMENTS.len(),
        (0..4_usize, 0..3_usize),
        prop::option::of(0..4_usize),
        prop::collection::vec(0..4_usize, 1..4),
        prop::option::of(0..3_i64),
        any::<bool>(),
    )
}

/// Reads a text in which Odo owes Pell money, and returns the status and the confidence of this fact.
fn read_debt(session: Option<&str>, evidence: &[Evidence], policy: &Policy) -> (FactStatus, f64) {
    let (mut state, _) = world(&[], &[]);
    let passage = Passage {
        session: session.map(|name| SessionId::new(name).unwrap()),
        evidence: evidence.to_vec(),
        ..Passage::new("Odo Brandt owes Pell Marrow forty crowns.")
    };
    let passage_id = passage.id();
    apply(&mut state, Author::Dm, vec![Change::AddPassage(passage.into())]);
    read(&mut state, policy, &[passage_id]);
    let is_debt =
        |fact: &&Arc<Fact>| fact.provenance().author == Author::Extractor && fact.predicate().as_str() == "OWES";
    let debts: Vec<_> = state.facts().filter(is_debt).collect();
    assert_eq!(debts.len(), 1, "{debts:?}");
    (debts[0].status(), debts[0].provenance().confidence.get())
}

#[test]
fn nobody_tells_of_their_own_death() {
    let text = "Saw Odo arguing with Pell the night he died.";
    for (value, speaker) in [("dead", None), ("ill", Some(id("odo")))] {
        let (mut state, _) = world(&[], &[]);
        let passage = Arc::new(Passage { heard_by: vec![id("sabine").into()], ..Passage::new(text) });
        apply(&mut state, Author::Dm, vec![Change::AddPassage(Arc::clone(&passage))]);
        let (odo, object) = (Mention::Known(id("odo")), FactObject::Value(value.to_owned()));
        let fact = ExtractedFact {
            statement: format!("Odo Brandt is {value}."),
            stated_by: Some(odo.clone()),
            ..extracted(odo, "condition", object, 0, text)
        };
        let extraction = Extraction { facts: vec![fact], ..Extraction::default() };
        state.apply(recording(&state, passage, extraction)).unwrap();
        let fact = state.facts().find(|fact| *fact.predicate() == *"condition").unwrap();
        assert_eq!(fact.provenance().speaker, speaker, "{value}");
    }
}

#[test]
fn a_recorded_fact_names_its_stage_status_and_participants() {
    let (mut state, _) = world(&[], &[]);
    let passage = Passage::new("Perhaps Odo Brandt will meet Pell Marrow and Sabine Orrin.");
    let (passage_id, text) = (passage.id(), passage.text.clone());
    apply(&mut state, Author::Dm, vec![Change::AddPassage(passage.into())]);
    let (odo, object) = (Mention::Known(id("odo")), FactObject::Value(text.clone()));
    let fact = ExtractedFact {
        confidence: Confidence::new(0.6).unwrap(),
        factuality: Factuality::Hedged,
        participants: vec![id("pell"), id("removed"), id("sabine")],
        stage: ExtractionStage::Statements,
        ..extracted(odo, "lore", object, 0, &text)
    };
    let passage = Arc::clone(state.passage(passage_id).unwrap());
    let extraction = Extraction { facts: vec![fact], ..Extraction::default() };
    state.apply(recording(&state, passage, extraction)).unwrap();
    // Each participant leads to the statement.
    for entity in ["odo", "pell", "sabine"] {
        let is_extracted = |fact: &&Arc<Fact>| fact.provenance().author == Author::Extractor;
        let found: Vec<_> = state.facts_of(&id(entity)).filter(is_extracted).collect();
        assert_eq!(found.len(), 1, "{entity}");
        assert_eq!(found[0].mentions(), [id("pell"), id("sabine")]);
        assert_eq!(found[0].factuality(), Factuality::Hedged);
        assert_eq!(found[0].provenance().stage, Some(ExtractionStage::Statements));
    }
}

/// Returns the evidence of a text in a note with this external id.
fn excerpt(source: &str) -> Evidence {
    Evidence::Excerpt(Arc::new(Excerpt {
        path: "notes.md".into(),
        line: 1,
        field: "text".into(),
        span: Span { start: 0, end: 4 },
        quote: "Text".into(),
        source: source.into(),
        hash: "0".repeat(16),
    }))
}

#[test]
fn the_entity_of_a_note_owes_what_the_note_says() {
    let (mut state, _) = world(&[], &[]);
    let external_ids = vec![hearsay_model::ExternalId { system: "file".into(), id: "Pell.md".into() }];
    apply(&mut state, Author::Dm, vec![Change::AddEntity(Entity { id: id("pell"), external_ids })]);
    let debtors = |title: Option<&str>, source: &str| {
        let mut state = state.clone();
        let passage = Passage {
            title: title.map(str::to_owned),
            mentions: vec![id("mirela"), id("odo"), id("pell")],
            evidence: vec![excerpt(source)],
            ..Passage::new("Hates Mirela Voss. Owes Odo Brandt forty crowns.")
        };
        let passage_id = passage.id();
        apply(&mut state, Author::Dm, vec![Change::AddPassage(passage.into())]);
        read(&mut state, &Policy::default(), &[passage_id]);
        let debts = state.facts().filter(|fact| *fact.predicate() == *"OWES");
        debts.map(|fact| fact.subject().clone()).collect::<Vec<_>>()
    };
    assert_eq!(debtors(None, "Pell.md"), [id("pell")]);
    assert_eq!(debtors(Some("Pell Marrow: Debts"), "Another.md"), [id("pell")]);
    assert_eq!(debtors(None, "Another.md"), [id("mirela")], "the text belongs to no note of an entity");
}

#[test]
fn patterns_alone_make_no_fact_of_an_imported_text_canon() {
    let file = Evidence::File { path: "talk.txt".into(), line: 1, field: "transcript".into() };
    let excerpt = excerpt("notes");
    let policy = Policy::default();
    let (status, confidence) = read_debt(Some("s1"), &[], &policy);
    assert!(status == FactStatus::Canon && confidence >= 0.95, "a line typed during play: {status:?} {confidence}");
    let file = std::slice::from_ref(&file);
    assert_eq!(read_debt(Some("s1"), file, &policy), (FactStatus::Proposed, 0.59));
    assert_eq!(read_debt(None, file, &policy), (FactStatus::Proposed, 0.75));
    assert_eq!(read_debt(None, &[excerpt], &policy), (FactStatus::Proposed, 0.75));
    // The DM can set another threshold for a source.
    let confidence = |value| Some(hearsay_model::Confidence::new(value).unwrap());
    let sources = SourceThresholds { live: confidence(1.0), session_import: confidence(0.5), campaign_text: None };
    let own = Policy { sources, ..policy };
    assert_eq!(read_debt(Some("s1"), &[], &own).0, FactStatus::Proposed);
    assert_eq!(read_debt(Some("s1"), file, &own).0, FactStatus::Canon);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn reading_a_text_twice_or_with_interruptions_equals_reading_it_once(
        recorded in prop::collection::vec((0..4_usize, 0..3_usize, 0..4_usize, any::<bool>()), 0..6),
        texts in prop::collection::vec(generated_text(), 1..10),
        stop in 0..10_usize,
        mode in prop::sample::select(vec![crate::policy::ReviewMode::Dm, crate::policy::ReviewMode::Autonomous]),
    ) {
        let policy = Policy { mode, ..Policy::default() };
        let (initial, ids) = world(&recorded, &texts);
        let mut read_once = initial.clone();
        read(&mut read_once, &policy, &ids);
        let position = read_once.position();
        let expected = recorded_knowledge(&read_once);

        let mut interrupted = initial.clone();
        read(&mut interrupted, &policy, &ids[..stop.min(ids.len())]);
        read(&mut interrupted, &policy, &ids);
        prop_assert_eq!(&recorded_knowledge(&interrupted), &expected);

        read(&mut read_once, &policy, &ids);
        prop_assert_eq!(&recorded_knowledge(&read_once), &expected);
        prop_assert_eq!(read_once.position(), position, "nothing is written");
    }

    #[test]
    fn records_and_withdrawals_of_others_stay(
        recorded in prop::collection::vec((0..4_usize, 0..3_usize, 0..4_usize, any::<bool>()), 1..6),
        texts in prop::collection::vec(generated_text(), 1..8),
        withdrawn in any::<prop::sample::Index>(),
    ) {
        let policy = Policy::default();
        let (mut state, ids) = world(&recorded, &texts);
        let (_, authored, _) = recorded_knowledge(&state);
        read(&mut state, &policy, &ids);
        let (_, edges, _) = recorded_knowledge(&state);
        for (id, edge) in &authored {
            prop_assert_eq!(edges.get(id), Some(edge));
        }
        let withdrawn = *edges.keys().nth(withdrawn.index(edges.len())).unwrap();
        apply(&mut state, Author::Dm, vec![Change::Unlearn(withdrawn)]);
        let expected = recorded_knowledge(&state);
        read(&mut state, &policy, &ids);
        prop_assert_eq!(recorded_knowledge(&state), expected);
    }
}

#[test]
fn a_line_that_is_out_of_character_gives_no_facts() {
    let text = (0, (0, 0), Some(1), vec![2], None, true);
    let (state, ids) = world(&[], &[text]);
    let has_extracted_facts = |state: &State| {
        let mut read_state = state.clone();
        read(&mut read_state, &Policy::default(), &ids);
        read_state.facts().any(|fact| fact.provenance().author == Author::Extractor)
    };
    for (kind, has_facts) in
        [(TalkKind::Narration, true), (TalkKind::InCharacter, true), (TalkKind::OutOfCharacter, false)]
    {
        let mut state = state.clone();
        state.apply(record_talk_kinds(&state, &[(ids[0], kind)], Timestamp(0)).unwrap()).unwrap();
        assert_eq!(state.passage(ids[0]).unwrap().talk_kind, Some(kind));
        assert_eq!(has_extracted_facts(&state), has_facts, "{kind:?}");
    }
}

#[test]
fn a_recorded_kind_is_not_replaced() {
    let texts = [0, 1].map(|statement| (statement, (0, 0), None, vec![2], None, true));
    let (mut state, ids) = world(&[], &texts);
    apply(&mut state, Author::Dm, vec![Change::SetTalkKind { passage: ids[0], kind: TalkKind::InCharacter }]);
    let kinds: Vec<_> = ids.iter().map(|id| (*id, TalkKind::OutOfCharacter)).collect();
    let recorded = record_talk_kinds(&state, &kinds, Timestamp(0)).unwrap();
    assert_eq!(recorded.changes, [Change::SetTalkKind { passage: ids[1], kind: TalkKind::OutOfCharacter }]);
    apply(&mut state, Author::Dm, vec![Change::RemovePassage(ids[1])]);
    assert!(record_talk_kinds(&state, &kinds, Timestamp(0)).is_none(), "a removed line has no kind");
}

#[test]
fn only_lines_of_the_table_have_a_kind() {
    let line = |field: Option<&str>| {
        let file = |field: &str| Evidence::File { path: "notes".into(), line: 1, field: field.into() };
        let session = SessionId::new("s1").ok();
        Passage { session, evidence: field.map(file).into_iter().collect(), ..Passage::new("Roll for it.") }
    };
    assert!(is_table_line(&line(None)) && is_table_line(&line(Some("transcript"))));
    assert!(!is_table_line(&line(Some("sessions[0].log[0]"))), "a campaign file tells the story");
    assert!(!is_table_line(&Passage::new("Roll for it.")));
}

#[test]
fn narration_does_not_tell_whose_secret_name_it_is() {
    let (mut state, _) = world(&[], &[]);
    let source = Provenance::new(Method::Authored, Author::Dm);
    let alias = Fact::attribute(&id("odo"), "alias", "Grey Cloak", source).unwrap().secrecy(Secrecy::Secret);
    let alias = Arc::new(alias.build().unwrap());
    let edge = KnowledgeEdge::authored(id("mirela").into(), alias.id());
    let heard = |line: u32, text: &str| Passage {
        session: Some(SessionId::new("s1").unwrap()),
        line,
        heard_by: ["mirela", "odo", "sabine"].map(|name| Knower::Entity(id(name))).to_vec(),
        ..Passage::new(text)
    };
    let alias_of_odo = Some("Grey Cloak".into());
    let said = Passage { speaker: Some(id("odo")), speaker_alias: alias_of_odo, ..heard(1, "Nobody moves!") };
    let changes = vec![Change::AssertFact(alias), Change::Learn(edge.into()), Change::AddPassage(said.into())];
    apply(&mut state, Author::Dm, changes);
    for (text, knowers) in [
        ("He robbed Pell Marrow.", &["mirela", "odo"][..]),
        ("Odo Brandt robbed Pell Marrow.", &["mirela", "odo", "sabine"]),
    ] {
        let (mut state, passage) = (state.clone(), Arc::new(heard(2, text)));
        apply(&mut state, Author::Dm, vec![Change::AddPassage(Arc::clone(&passage))]);
        let pell = FactObject::Entity(Mention::Known(id("pell")));
        let robbed = extracted(Mention::Known(id("odo")), "STOLE_FROM", pell, 0, text);
        let extraction = Extraction { facts: vec![robbed], ..Extraction::default() };
        state.apply(recording(&state, passage, extraction)).unwrap();
        let fact = state.facts().find(|fact| *fact.predicate() == *"STOLE_FROM").unwrap().id();
        let mut learned: Vec<&str> =
            state.recorded_knowledge(fact).filter_map(|edge| Some(edge.knower.entity()?.as_str())).collect();
        learned.sort_unstable();
        assert_eq!(learned, knowers, "{text}");
    }
}

#[test]
fn a_character_who_has_left_can_be_described_but_is_no_pronoun() {
    let (mut state, _) = world(&[], &[]);
    let source = Provenance::new(Method::Authored, Author::Dm);
    let occupation = Fact::attribute(&id("pell"), "occupation", "captain", source);
    let line = |line: u32, hearers: &[&str], text: &str| Passage {
        session: Some(SessionId::new("s1").unwrap()),
        line,
        place: Some(id("harbour")),
        heard_by: hearers.iter().map(|name| Knower::Entity(id(name))).collect(),
        ..Passage::new(text)
    };
    let earlier = Change::AddPassage(line(1, &["pell", "sabine"], "Rain falls.").into());
    apply(&mut state, Author::Dm, vec![Change::AssertFact(occupation.unwrap().build().unwrap().into()), earlier]);
    for (text, [subject, object], dropped) in [
        ("Odo Brandt robbed him.", ["odo", "pell"], 1),
        ("Odo Brandt tells him that the captain robbed Sabine Orrin.", ["pell", "sabine"], 0),
    ] {
        let object = FactObject::Entity(Mention::Known(id(object)));
        let fact = extracted(Mention::Known(id(subject)), "STOLE_FROM", object, 0, text);
        let extraction = Extraction { facts: vec![fact], ..Extraction::default() };
        let passage = Arc::new(line(2, &["sabine"], text));
        apply(&mut state, Author::Dm, vec![Change::AddPassage(Arc::clone(&passage))]);
        let findings = Findings { passage, extraction, model: None, talk_kind: None };
        let (policy, learned) = (Policy::default(), TrustCalibration::from_state(&state));
        let rules = ProposalRules { policy: &policy, learned: &learned };
        assert_eq!(operation(&state, &rules, &findings, Timestamp(0)).unwrap().1.dropped, dropped, "{text}");
    }
}
