use std::sync::Arc;

use hearsay_belief::View;
use hearsay_model::{
    Acquisition, Author, Change, Entity, EntityId, Fact, Knower, KnowledgeEdge, Method, Operation, Passage, Provenance,
    Session, SessionId, State, TalkKind, attribute,
};
use proptest::prelude::*;

use super::*;
use crate::{ApproximateTokens, EntityLinker, Index};

fn id(text: &str) -> EntityId {
    EntityId::new(text).unwrap()
}

fn session() -> SessionId {
    SessionId::new("session-1").unwrap()
}

/// Returns a state with Ann, Bob and Cid and the lines of one session. Everybody knows the three names. Ann hears all
/// lines. Bob hears the lines whose flag is `true`.
fn table(lines: &[(&str, &str, bool)]) -> State {
    let mut changes: Vec<Change> = ["ann", "bob", "cid"].map(|name| Change::AddEntity(Entity::new(id(name)))).into();
    for name in ["ann", "bob", "cid"] {
        let display_name = format!("{}{}", name[..1].to_uppercase(), &name[1..]);
        let fact = Fact::attribute(
            &id(name),
            attribute::NAME,
            display_name.as_str(),
            Provenance::new(Method::Authored, Author::Dm),
        );
        let fact = Arc::new(fact.unwrap().build().unwrap());
        changes.push(Change::Learn(Arc::new(KnowledgeEdge::authored(Knower::World, fact.id()))));
        changes.insert(3, Change::AssertFact(fact));
    }
    let (number, title, present) = (Some(1), String::new(), Vec::new());
    let record = Session { id: session(), number, title, date: None, start: None, end: None, present };
    changes.insert(0, Change::SetSession(record));
    for (line, (speaker, text, both)) in (1..).zip(lines) {
        let mut heard_by = vec![Knower::Entity(id("ann"))];
        heard_by.extend(both.then(|| Knower::Entity(id("bob"))));
        let speaker = (!speaker.is_empty()).then(|| id(speaker));
        let passage = Passage { speaker, line, heard_by, session: Some(session()), ..Passage::new(*text) };
        changes.push(Change::AddPassage(Arc::new(passage)));
    }
    let mut state = State::default();
    state.apply(Operation::new(Author::Dm, "a table", changes)).unwrap();
    state
}

fn summary(state: &State, knower: Option<&str>, question: &str, budget: usize, index: &Index) -> Summary {
    let view = knower.map_or_else(|| View::of_dm(state), |name| View::new(state, &Knower::Entity(id(name)), None));
    let names = EntityLinker::new(&view);
    let (hearer, subject) = (Hearer { view: &view, names: &names }, SummarySubject::Session(session()));
    summarize(&SummaryRequest {
        hearer,
        index,
        subject: &subject,
        question,
        vector: None,
        budget,
        counter: &ApproximateTokens,
    })
}

const TALK: [(&str, &str, bool); 6] = [
    ("", "Rain falls on the market.", true),
    ("bob", "Pass the crisps, please.", true),
    ("cid", "The ledger lies under the third stone of the mill.", false),
    ("bob", "I rolled a six.", true),
    ("cid", "The ledger lies under the third stone of the old mill!", false),
    ("ann", "Who hid it there?", true),
];

#[test]
fn what_bears_on_the_question_comes_first_and_once() {
    let state = table(&TALK);
    let index = Index::new(state.corpus());
    let summarized = summary(&state, None, "Where is the ledger?", 20, &index);
    assert_eq!(summarized.text(), "Cid: The ledger lies under the third stone of the old mill!\n");
    assert_eq!(summarized.parts[0].line, Some(5));
    let all = summary(&state, None, "", 1_000, &index);
    assert_eq!((all.parts.len(), all.omitted), (5, 1), "nothing twice: {}", all.text());
    let lines: Vec<_> = all.parts.iter().map(|part| part.line).collect();
    assert!(lines.is_sorted(), "in the order in which it was said");
}

#[test]
fn one_hearer_is_told_what_it_heard() {
    let state = table(&TALK);
    let summarized = summary(&state, Some("bob"), "Where is the ledger?", 1_000, &Index::new(state.corpus()));
    assert!(!summarized.text().contains("ledger"), "{}", summarized.text());
    assert!(
        summary(&state, Some("cid"), "", 1_000, &Index::new(state.corpus())).text().contains("ledger"),
        "it said so itself"
    );
}

#[test]
fn out_of_character_lines_are_not_told() {
    let mut state = table(&TALK);
    let is_talk = |passage: &Passage| passage.text.contains("crisps") || passage.text.contains("rolled");
    let talk = state.passages().filter(|(_, passage)| is_talk(passage)).map(|(passage, _)| passage);
    let kind = TalkKind::OutOfCharacter;
    let changes: Vec<Change> = talk.map(|passage| Change::SetTalkKind { passage, kind }).collect();
    assert_eq!(changes.len(), 2);
    state.apply(Operation::new(Author::Extractor, "read", changes)).unwrap();
    let index = Index::new(state.corpus());
    let is_told = |text: &str, talk: &str| {
        assert!(text.contains("Rain falls"), "{text}");
        text.contains(talk)
    };
    for knower in [None, Some("ann"), Some("bob")] {
        let told = summary(&state, knower, "", 1_000, &index).text();
        assert!(!is_told(&told, "crisps") && !is_told(&told, "rolled"), "{knower:?}: {told}");
        let view =
            knower.map_or_else(|| View::of_dm(&state), |name| View::new(&state, &Knower::Entity(id(name)), None));
        let names = EntityLinker::new(&view);
        let recapped = recap(&RecapRequest {
            hearers: &[Hearer { view: &view, names: &names }],
            subject: &SummarySubject::Session(session()),
            calendar: state.calendar(),
            words: 1_000,
            read_aloud: false,
        });
        let told: String = recapped.lines.iter().map(|line| format!("{}\n", line.text)).collect();
        assert!(!is_told(&told, "crisps") && !is_told(&told, "rolled"), "{knower:?}: {told}");
    }
}

/// Returns a recap for Ann after the DM recorded that she witnessed the death of Cid.
fn recap_of_death(lines: &[(&str, &str, bool)], statement: &str, words: usize, is_recorded: bool) -> String {
    let mut state = table(lines);
    let death = Fact::attribute(&id("cid"), "condition", "dead", Provenance::new(Method::Authored, Author::Dm));
    let death = Arc::new(death.unwrap().statement(statement).build().unwrap());
    let edge = KnowledgeEdge {
        acquisition: Acquisition::Witnessed,
        session: Some(session()),
        ..KnowledgeEdge::authored(Knower::Entity(id("ann")), death.id())
    };
    if is_recorded {
        let changes = vec![Change::AssertFact(death), Change::Learn(Arc::new(edge))];
        state.apply(Operation::new(Author::Dm, "a death", changes)).unwrap();
    }
    let view = View::new(&state, &Knower::Entity(id("ann")), None);
    let names = EntityLinker::new(&view);
    let recapped = recap(&RecapRequest {
        hearers: &[Hearer { view: &view, names: &names }],
        subject: &SummarySubject::Session(session()),
        calendar: state.calendar(),
        words,
        read_aloud: false,
    });
    recapped.lines.iter().map(|line| format!("{}\n", line.text)).collect()
}

#[test]
fn narration_of_a_death_that_the_dm_records_is_told_first() {
    let lines =
        [("", "Cid topples dead from the quay.", true), ("", "Ann and Bob carry 12 baskets of herring to Cid.", true)];
    let told = |is_recorded: bool| recap_of_death(&lines, "Cid is dead.", 10, is_recorded);
    let (with_death, without_death) = (told(true), told(false));
    assert!(with_death.contains("topples") && !with_death.contains("herring"), "{with_death}");
    assert!(without_death.contains("herring"), "{without_death}");
}

#[test]
fn a_line_that_only_names_the_dead_does_not_tell_the_death() {
    let lines = [
        ("", "Captain Cid lands with Ann, and Bob counts 12 baskets for Captain Cid.", true),
        ("", "Cid dies among the crates.", true),
    ];
    let told = |is_recorded: bool| recap_of_death(&lines, "Captain Cid is dead.", 13, is_recorded);
    let (with_death, without_death) = (told(true), told(false));
    assert!(with_death.contains("dies among") && !with_death.contains("lands"), "{with_death}");
    assert!(without_death.contains("lands") && !without_death.contains("dies"), "{without_death}");
}

#[test]
fn a_recap_to_read_aloud_tells_no_thoughts() {
    let lines = [
        ("", "Ann carries a pail to the well.", true),
        ("", "Ann wonders who poisoned the well.", true),
        ("ann", "Cid considers the well his own.", true),
    ];
    let state = table(&lines);
    let views = ["ann", "bob"].map(|name| View::new(&state, &Knower::Entity(id(name)), None));
    let names = views.each_ref().map(EntityLinker::new);
    let hearers = [0, 1].map(|number| Hearer { view: &views[number], names: &names[number] });
    let told = |read_aloud: bool| {
        let recapped = recap(&RecapRequest {
            hearers: &hearers,
            subject: &SummarySubject::Session(session()),
            calendar: state.calendar(),
            words: 1_000,
            read_aloud,
        });
        recapped.lines.iter().map(|line| format!("{}\n", line.text)).collect::<String>()
    };
    assert!(told(false).contains("wonders"), "{}", told(false));
    let aloud = told(true);
    assert!(aloud.contains("pail") && aloud.contains("considers") && !aloud.contains("wonders"), "{aloud}");
}

#[test]
fn a_whisper_and_a_reply_come_before_small_talk() {
    let lines = [
        ("bob", "Pass the bread and the butter, and pour me some more of the ale.", true),
        ("", "Ann asks Cid about the well.", true),
        ("cid", "It is dry since spring.", true),
        ("bob", "Pass the salt and the pepper, and cut me some more of the ham.", true),
        ("cid", "They sleep below the stairs.", false),
    ];
    let state = table(&lines);
    let operation = state.journal().next().map(|(_, entry)| Operation::clone(&entry.operation)).unwrap();
    let whisper = |change: Change| match change {
        Change::AddPassage(passage) if passage.line == 5 => {
            Change::AddPassage(Arc::new(Passage { confidential: true, ..Passage::clone(&passage) }))
        }
        change => change,
    };
    let changes: Vec<Change> = operation.changes.into_iter().map(whisper).collect();
    let mut state = State::default();
    state.apply(Operation::new(Author::Dm, "a whisper", changes)).unwrap();
    let view = View::new(&state, &Knower::Entity(id("ann")), None);
    let names = EntityLinker::new(&view);
    let recapped = recap(&RecapRequest {
        hearers: &[Hearer { view: &view, names: &names }],
        subject: &SummarySubject::Session(session()),
        calendar: state.calendar(),
        words: 21,
        read_aloud: false,
    });
    let told: Vec<&str> = recapped.lines.iter().map(|line| line.text.as_str()).collect();
    assert!(told.iter().any(|line| line.contains("dry since spring")), "{told:?}");
    assert!(told.iter().any(|line| line.contains("below the stairs")), "{told:?}");
    assert!(!told.iter().any(|line| line.contains("Pass the")), "{told:?}");
}

#[test]
fn what_is_not_indexed_is_told_from_its_beginning() {
    let state = table(&TALK);
    let summarized = summary(&state, None, "Where is the ledger?", 8, &Index::default());
    assert!(summarized.preview && !summarized.meaning);
    assert_eq!(summarized.text(), "Rain falls on the market.\n");
    let long = "Once there was a mill. ".repeat(200);
    let state = table(&[("", &long, true)]);
    let summarized = summary(&state, None, "", 12, &Index::new(state.corpus()));
    assert!(summarized.tokens <= 12 && summarized.text().starts_with("Once there was"), "{}", summarized.text());
}

#[test]
fn the_beginning_of_a_text_ends_at_a_word() {
    let check = |budget: usize, expected: &str| {
        assert_eq!(truncate("one two three four", budget, &ApproximateTokens), expected)
    };
    check(0, "");
    check(2, "one\u{2026}");
    check(3, "one two\u{2026}");
    check(100, "one two three four");
}

#[test]
fn parts_of_a_long_text_are_found_by_themselves() {
    let filler = "The market was loud and the day was long for everybody who had come. ".repeat(40);
    let lore = format!("{filler} Under the altar lies the crown of the drowned king. {filler}");
    let state = table(&[("", &lore, true)]);
    let summarized = summary(&state, None, "Where is the crown of the king?", 80, &Index::new(state.corpus()));
    assert!(summarized.text().contains("crown of the drowned king"), "{}", summarized.text());
    assert!(summarized.tokens <= 80);
}

proptest! {
    #[test]
    fn no_budget_is_exceeded_and_nobody_hears_what_it_did_not(
        lines in prop::collection::vec(("(ann|bob|cid|)", "[A-Za-z0-9 ,.?!']{1,120}[a-z]", any::<bool>()), 0..20),
        question in "[a-z ]{0,20}",
        budget in 0_usize..80,
    ) {
        let lines: Vec<(&str, &str, bool)> = lines.iter().map(|(by, text, both)| (&**by, &**text, *both)).collect();
        let state = table(&lines);
        let index = Index::new(state.corpus());
        for knower in [None, Some("bob")] {
            let summarized = summary(&state, knower, &question, budget, &index);
            prop_assert!(summarized.tokens <= budget, "{summarized:?}");
            prop_assert_eq!(summarized.tokens, crate::TokenCounter::count(&ApproximateTokens, &summarized.text()));
            prop_assert_eq!(&summarized, &summary(&state, knower, &question, budget, &index));
        }
        // Builds the same state without the lines that Bob did not hear. Bob's summary must be the same.
        let heard: Vec<_> = lines.iter().map(|(by, text, both)| (*by, *text, *both || *by == "bob")).collect();
        let mut lean = State::default();
        let operation = table(&lines).journal().next().map(|(_, entry)| Operation::clone(&entry.operation)).unwrap();
        let keep = |change: &Change| match change {
            Change::AddPassage(passage) => heard[passage.line as usize - 1].2,
            _ => true,
        };
        let changes = operation.changes.into_iter().filter(|change| keep(change)).collect();
        lean.apply(Operation::new(Author::Dm, "lean", changes)).unwrap();
        let whole = summary(&state, Some("bob"), &question, budget, &index);
        prop_assert_eq!(whole, summary(&lean, Some("bob"), &question, budget, &Index::new(lean.corpus())));
    }
}
