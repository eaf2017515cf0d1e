use std::time::Duration;

use hearsay_commands::edit::FactOptions;
use hearsay_engine::{Memory, MemoryError, MemoryOptions, ModelStatus};
use hearsay_model::{Acquisition, Date, FactStatus, GameTime, Kind, KnowledgeEdge};
use hearsay_query::{
    QueryError,
    ask::{Answer, Ask, RecallSettings},
    resolve::resolve,
    search::{Match, Search},
};
use hearsay_recall::{Form, SectionKind};

use crate::support::*;

fn ask(memory: &Memory, ask: Ask) -> Answer {
    memory.ask(ask).unwrap().wait().unwrap()
}

fn prompt(answer: &Answer) -> String {
    answer.context.render(Form::Prompt, false)
}

#[test]
fn without_a_model_words_and_graph_answer_and_say_so() {
    let memory = town();
    do_edit(&memory, set("Pell", "lore", "Pell whittles flutes."));
    let answer = ask(&memory, Ask::new(id("Mirela Voss"), "Who whittles flutes?"));
    assert!(prompt(&answer).contains("Pell whittles flutes."));
    assert!(!answer.context.meaning && answer.cut.is_empty());
    let answer = ask(&memory, Ask::new(id("Odo Brandt"), "Who whittles flutes?"));
    assert!(!prompt(&answer).contains("Pell"), "he was not there");
}

#[test]
fn a_model_that_is_not_there_is_no_error() {
    let mut settings = settings();
    settings.model.enabled = true;
    settings.model.directory = Some("/no/such/model".into());
    let memory = Memory::open(MemoryOptions { settings, ..options() }).unwrap();
    found_town(&memory);
    let status = memory.wait_for_vectors(|_, _| true).unwrap();
    assert!(matches!(&status.model, ModelStatus::None { why } if why.contains("/no/such/model")), "{status:?}");
    let answer = ask(&memory, Ask::new(id("pell"), "Who are you?"));
    assert!(!answer.context.meaning && answer.cut.is_empty() && answer.pending_vectors > 0);
}

#[test]
fn a_vector_that_arrived_in_time_is_used_after_the_deadline() {
    let memory = Memory::open(MemoryOptions::in_memory()).unwrap();
    found_town(&memory);
    memory.wait_for_vectors(|_, _| true).unwrap();
    let deadline = Duration::from_millis(500);
    let question = Ask { deadline: Some(deadline), ..Ask::new(id("pell"), "Who lives at the tavern?") };
    let ticket = memory.ask(question).unwrap();
    let blocked = block(&memory);
    std::thread::sleep(2 * deadline);
    drop(blocked);
    let answer = ticket.wait().unwrap();
    assert!(answer.context.meaning && answer.cut.is_empty(), "{:?}", answer.cut);
}

#[test]
fn unknown_names_are_reported() {
    let memory = town();
    let check = |ask: Ask, words: &[&str]| refused(&memory, |memory| memory.ask(ask).unwrap().wait(), words);
    check(Ask::new(id("Mirella"), "Who?"), &["there is no entity `mirella`", "mirela-voss"]);
    check(Ask { place: Some(id("Nowhere")), ..Ask::new(id("pell"), "Who?") }, &["there is no entity `nowhere`"]);
    check(Ask { present: ids(&["Nobody"]), ..Ask::new(id("pell"), "Who?") }, &["there is no entity `nobody`"]);
    let search = Search { text: "x".into(), knower: Some(id("Nobody")), ..Search::default() };
    refused(&memory, |memory| memory.search(search).unwrap().wait(), &["there is no entity `nobody`"]);
}

#[test]
fn a_question_can_resolve_names_on_the_worker() {
    let memory = town();
    do_edit(&memory, set("Pell", "lore", "Pell whittles flutes."));
    let ask_as = |name: &'static str| {
        memory.ask_with(move |world| Ok(Ask::new(resolve(&world.state, name)?, "Who whittles flutes?"))).unwrap().wait()
    };
    assert!(prompt(&ask_as("Voss").unwrap()).contains("Pell whittles flutes."));
    assert!(matches!(ask_as("Mirella"), Err(MemoryError::Query(QueryError::Unknown { .. }))));
    let long = memory.ask_with(|_| Ok(Ask::new(id("pell"), "a".repeat(20_001)))).unwrap().wait();
    assert!(matches!(long, Err(MemoryError::QuestionTooLong { .. })), "{long:?}");
}

#[test]
fn a_search_finds_names_relations_and_words_and_is_never_empty_handed() {
    let memory = town();
    do_edit(&memory, relate("Pell", "OWES", "Mirela Voss"));
    let find = |search: Search| memory.search(search).unwrap().wait().unwrap();
    let check = |text: &str, expected: &[(&str, Match, usize)]| {
        let entities = find(Search::new(text)).entities;
        let found: Vec<_> = entities.iter().map(|hit| (hit.id.as_str(), hit.by, hit.distance)).collect();
        assert_eq!(found.get(..expected.len()), Some(expected), "{text}: {found:?}");
    };
    check("Mirela Voss", &[("mirela-voss", Match::Name, 0)]);
    check("mir", &[("mirela-voss", Match::Prefix, 0)]);
    check("voss", &[("mirela-voss", Match::Mentioned, 0)]);
    check("Mirella Vos", &[("mirela-voss", Match::Spelling, 0)]);
    let results_for = |text: &str| {
        let entities = find(Search { predicate: Some("OWES".parse().unwrap()), ..Search::new(text) }).entities;
        entities.into_iter().map(|hit| (hit.id.to_string(), hit.distance)).collect::<Vec<_>>()
    };
    assert_eq!(results_for("pell"), [("pell".to_owned(), 0), ("mirela-voss".to_owned(), 1)]);
    assert!(find(Search { depth: 0, ..Search::new("pell") }).entities.len() == 1);
    let all = find(Search { kind: Some(Kind::Npc), ..Search::new("*") });
    assert!(all.entities.iter().all(|hit| hit.kind == Some(Kind::Npc)) && all.facts.is_empty());
    let nothing = find(Search { kind: Some(Kind::Quest), ..Search::new("Mirela Vosk") });
    assert_eq!(nothing.hints[0].id.as_str(), "mirela-voss");
    let status = Search { status: Some(FactStatus::Claimed), ..Search::new("owes") };
    assert!(find(status.clone()).facts.is_empty() && !find(Search::new("owes")).facts.is_empty());
    let as_pell = Search { knower: Some(id("pell")), ..status };
    refused(
        &memory,
        |memory| memory.search(as_pell).unwrap().wait(),
        &["a search in the view of a character cannot filter"],
    );
}

#[test]
fn the_past_is_answered_as_it_was_known() {
    let memory = town();
    do_edit(&memory, relate_with("Pell", "OWES", "Mirela Voss", FactOptions { secret: true, ..Default::default() }));
    let owes = fact(&memory, "pell", "OWES").id();
    let edge = KnowledgeEdge {
        acquisition: Acquisition::told(Some(id("pell"))),
        learned: Some(Date::at(GameTime(5 * DAY))),
        ..KnowledgeEdge::authored(id("odo-brandt").into(), owes)
    };
    let learn = hearsay_model::Operation::new(
        hearsay_model::Author::Game,
        "tell",
        vec![hearsay_model::Change::Learn(edge.into())],
    );
    memory.write(move |_| Ok(learn.clone())).unwrap().wait().unwrap();
    let check = |as_of: Option<i64>, expected: bool| {
        let as_of = as_of.map(|day| GameTime(day * DAY));
        let answer = ask(&memory, Ask { as_of, ..Ask::new(id("odo-brandt"), "Whom does Pell owe?") });
        assert_eq!(prompt(&answer).contains("owes Mirela"), expected, "{as_of:?}");
        let search = Search { text: "owes".into(), knower: Some(id("odo-brandt")), as_of, ..Search::default() };
        assert_eq!(!memory.search(search).unwrap().wait().unwrap().facts.is_empty(), expected);
    };
    check(None, true);
    check(Some(4), false);
    check(Some(5), true);
}

#[test]
fn the_same_question_has_the_same_bytes_also_after_reopening() {
    let directory = tempfile::tempdir().unwrap();
    let with_model = || {
        let options = options_at(directory.path());
        MemoryOptions { settings: hearsay_engine::Settings::default(), ..options }
    };
    let questions = [
        ("Tilda Bun", "Who took the silver spoon?"),
        ("rook", "What do you know of your employer?"),
        ("gaffer-moss", "How does the guild knock?"),
    ];
    let answers = |memory: &Memory| {
        memory.wait_for_vectors(|_, _| true).unwrap();
        let json = |(speaker, question): &(&str, &str)| {
            let asked = Ask { deadline: Some(Duration::from_secs(60)), ..Ask::new(id(speaker), *question) };
            let answer = ask(memory, asked);
            assert!(answer.context.meaning && answer.pending_vectors == 0 && answer.cut.is_empty());
            // The position can differ, because the memory itself records which model it uses.
            serde_json::to_string(&answer.context).unwrap()
        };
        questions.iter().map(json).collect::<Vec<_>>()
    };
    let memory = Memory::open(with_model()).unwrap();
    found_town(&memory);
    memory.import(tiny_tavern()).unwrap().wait().unwrap();
    // Two undos of the same edit remove a fact and restore it.
    let mut last = do_edit(&memory, set("Rook", "lore", "Rook keeps a spare spoon in his boot.")).position;
    for _ in 0..2 {
        last = memory.undo(hearsay_query::journal::UndoTarget::At(last)).unwrap().wait().unwrap().position;
    }
    let first = answers(&memory);
    assert_eq!(answers(&memory), first);
    memory.close().unwrap();
    let memory = Memory::open(with_model()).unwrap();
    assert_eq!(answers(&memory), first);
    // If the deadline has passed, the question is answered by words and graph, and the answer lists the missing
    // rankings.
    let limited = ask(&memory, Ask { deadline: Some(Duration::ZERO), ..Ask::new(id("rook"), "Who took the spoon?") });
    assert_eq!(limited.cut, ["meaning"]);
    assert!(!limited.context.meaning && prompt(&limited).contains("spoon"));
    let empty = ask(&memory, Ask { deadline: Some(Duration::ZERO), ..Ask::new(id("rook"), "  ") });
    assert!(empty.cut.is_empty(), "nothing was asked that has a meaning");
}

#[test]
fn a_deadline_cuts_meaning_first_and_then_the_graph_and_says_so() {
    let default_settings = hearsay_query::ask::RecallSettings::default();
    assert_eq!((default_settings.deadline_ms, default_settings.hard_deadline_ms), (50, 150));
    let check = |recall: RecallSettings, cut: &[&str], said: &str| {
        let settings = hearsay_engine::Settings { recall, ..hearsay_engine::Settings::default() };
        let memory = Memory::open(MemoryOptions { settings, ..options() }).unwrap();
        found_town(&memory);
        do_edit(&memory, relate("Pell", "OWES", "Mirela Voss"));
        memory.wait_for_vectors(|_, _| true).unwrap();
        let answer = ask(&memory, Ask::new(id("pell"), "What does Pell owe Mirela Voss?"));
        assert_eq!(answer.cut, cut);
        let text = answer.context.render(Form::Text, true);
        assert!(text.contains("Pell owes Mirela Voss.") && text.trim_end().ends_with(said), "{text}");
        let json = serde_json::to_value(&answer).unwrap();
        assert_eq!(json["cut"], serde_json::json!(cut));
        let of = |name: &str| json["context"][name].as_bool().unwrap();
        assert_eq!((of("meaning"), of("graph")), (!cut.contains(&"meaning"), !cut.contains(&"graph")));
        let ranked = answer.context.lines().filter_map(|line| line.channels);
        for channels in ranked {
            assert!(!cut.contains(&"meaning") || channels.meaning.is_none());
            assert!(!cut.contains(&"graph") || channels.graph == 0.0);
        }
    };
    let with_deadlines =
        |deadline_ms, hard_deadline_ms| RecallSettings { deadline_ms, hard_deadline_ms, ..default_settings.clone() };
    check(with_deadlines(60_000, 60_000), &[], " tokens");
    check(with_deadlines(0, 60_000), &["meaning"], "found by words and the graph only");
    check(with_deadlines(0, 0), &["meaning", "graph"], "found by words alone");
}

#[test]
fn lines_of_the_session_are_in_the_answer_and_questions_can_have_a_subject() {
    let memory = town();
    do_edit(&memory, relate("Pell", "OWES", "Mirela Voss"));
    do_edit(&memory, set("Harbour", "lore", "The harbour freezes once in a lifetime."));
    let say = hearsay_commands::game_event::GameEvent::Say {
        speaker: id("Mirela Voss").into(),
        text: "Mind the step.".into(),
        states: vec![],
        hearers: hearsay_commands::game_event::Hearers::Listed(ids(&["pell"])),
        lie: false,
        circumstances: hearsay_commands::game_event::Circumstances::default(),
    };
    set_clock(&memory, 600);
    memory.learn(hearsay_model::Author::Game, say).unwrap().wait().unwrap();
    set_clock(&memory, 630);
    let prompt_of = |ask_it: Ask| prompt(&ask(&memory, ask_it));
    let mind = "Said lately, in your hearing:\n- Mirela Voss said: \u{201C}Mind the step.\u{201D}\n";
    assert!(prompt_of(Ask::new(id("pell"), "What now?")).contains(mind));
    assert!(!prompt_of(Ask::new(id("odo-brandt"), "What now?")).contains("Mind"), "he did not hear it");
    set_clock(&memory, 800);
    assert!(!prompt_of(Ask::new(id("pell"), "What now?")).contains("Mind"), "that was hours ago");
    let about = |about: &[&str]| {
        let about = ids(about);
        let context =
            ask(&memory, Ask { about, ..Ask::new(id("pell"), "What of the harbour, and who owes what?") }).context;
        context.section_lines(SectionKind::Knowledge).iter().map(|line| line.text.clone()).collect::<Vec<_>>()
    };
    let freezes = "The harbour freezes once in a lifetime.".to_owned();
    assert!(about(&[]).contains(&freezes));
    assert!(about(&["Harbour"]).contains(&freezes));
    let of_mirela = about(&["Mirela Voss"]);
    assert!(!of_mirela.contains(&freezes) && of_mirela.contains(&"Pell owes Mirela Voss.".into()), "{of_mirela:?}");
    let unknown_subject = Ask { about: ids(&["Nobody"]), ..Ask::new(id("pell"), "Who?") };
    refused(&memory, |memory| memory.ask(unknown_subject).unwrap().wait(), &["there is no entity `nobody`"]);
    let unknown_session = Ask { session: Some(session("session-9")), ..Ask::new(id("pell"), "Who?") };
    refused(&memory, |memory| memory.ask(unknown_session).unwrap().wait(), &["session-9"]);
}

#[test]
fn a_question_that_waited_too_long_for_the_worker_is_late() {
    let memory = town();
    let blocked = block(&memory);
    let ticket = memory.ask(Ask::new(id("pell"), "Where is Pell?")).unwrap();
    std::thread::sleep(Duration::from_millis(200));
    drop(blocked);
    assert_eq!(ticket.wait().unwrap().cut, ["graph"], "the hard deadline counts from asking");
}

#[test]
fn a_flood_of_questions_does_not_make_all_of_them_late() {
    let memory = Memory::open(MemoryOptions { queue: 2_000, ..MemoryOptions::in_memory() }).unwrap();
    found_town(&memory);
    memory.wait_for_vectors(|_, _| true).unwrap();
    let flood: Vec<_> =
        (0..400).map(|n| memory.ask(Ask::new(id("pell"), format!("Who is number {n}?"))).unwrap()).collect();
    let in_time = flood.into_iter().filter(|ticket| {
        let started_at = std::time::Instant::now();
        loop {
            match ticket.try_take() {
                Some(answer) => break answer.unwrap().context.meaning,
                None => std::thread::sleep(Duration::from_millis(1)),
            }
            assert!(started_at.elapsed().as_secs() < 20);
        }
    });
    println!("{} of 400 in time", in_time.count());
    // A cancelled request does not delay the next one.
    let after = ask(&memory, Ask { deadline: Some(Duration::from_secs(5)), ..Ask::new(id("pell"), "Who are you?") });
    assert!(after.context.meaning);
}

#[test]
fn an_answer_serialises_with_its_receipts() {
    let memory = town();
    let answer = ask(&memory, Ask::new(id("pell"), "Where does Mirela live?"));
    let json: serde_json::Value = serde_json::from_str(&serde_json::to_string(&answer).unwrap()).unwrap();
    assert_eq!(json["context"]["speaker"], "pell");
    assert!(json["context"]["sections"].as_array().unwrap().iter().any(|section| section["kind"] == "knowledge"));
    assert!(matches!(
        memory.ask(Ask::new(id("nobody"), "?")).unwrap().wait(),
        Err(MemoryError::Query(QueryError::UnknownEntity { .. }))
    ));
}
