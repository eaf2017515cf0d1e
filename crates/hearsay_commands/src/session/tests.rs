//! Tests with random sequences of steps: absent characters hear nothing, and undo reverts all changes.

use std::{collections::BTreeSet, sync::Arc};

use hearsay_belief::place_at;
use hearsay_model::{
    Author, Change, Date, Entity, EntityId, Evidence, Fact, FactId, FactStatus, GameSetting, GameTime, Kind, Knower,
    KnowledgeEdge, Method, Operation, Position, PredicateRole, Provenance, Secrecy, SessionId, Setting, Span, State,
    TalkKind, Timestamp, Validity, attribute,
};
use hearsay_query::{
    dates::clock_date,
    session::{RecapAudience, TalkCounts, last_place, later_time, session_recap, session_report, sessions},
};
use proptest::prelude::*;

use super::*;
use crate::presence::undecided_deaths;

const PLAYERS: [&str; 3] = ["ann", "bob", "cid"];
const OTHERS: [&str; 2] = ["moss", "tilly"];

fn id(name: &str) -> EntityId {
    EntityId::new(name).unwrap()
}

/// Returns a state with three player characters and two other characters, all at the inn.
fn inn() -> State {
    let authored = || Provenance::new(Method::Authored, Author::Dm);
    let mut changes = vec![Change::AddEntity(Entity::new(id("inn")))];
    for name in PLAYERS.iter().chain(&OTHERS) {
        let kind = if PLAYERS.contains(name) { Kind::Player } else { Kind::Npc };
        let kind = Fact::attribute(&id(name), attribute::KIND, kind.to_string(), authored()).unwrap();
        let location = Fact::relation(&id(name), PredicateRole::Location.name(), &id("inn"), authored()).unwrap();
        changes.push(Change::AddEntity(Entity::new(id(name))));
        changes.extend([kind, location].map(|fact| Change::AssertFact(fact.build().unwrap().into())));
    }
    changes.push(Change::Set(Setting::Game(GameSetting::Clock(GameTime(100)))));
    let mut state = State::default();
    state.apply(Operation::new(Author::Dm, "an inn", changes)).unwrap();
    state
}

#[derive(Debug, Clone)]
enum Step {
    Start(Vec<usize>, bool),
    Attend(usize, bool),
    End,
    Log(Option<usize>, bool, String),
    Clock(i64),
    Undo(u64),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        (prop::collection::vec(0..3_usize, 0..3), any::<bool>())
            .prop_map(|(characters, at_inn)| Step::Start(characters, at_inn)),
        (0..3_usize, any::<bool>()).prop_map(|(character, arrives)| Step::Attend(character, arrives)),
        Just(Step::End),
        (prop::option::of(0..5_usize), any::<bool>(), "[a-z ]{0,8}")
            .prop_map(|(speaker, at_inn, text)| Step::Log(speaker, at_inn, text)),
        (0..300_i64).prop_map(Step::Clock),
        (1..40_u64).prop_map(Step::Undo),
    ]
}

fn operation(state: &State, step: &Step) -> Option<Operation> {
    let players = |characters: &[usize]| characters.iter().map(|index| id(PLAYERS[*index])).collect::<Vec<_>>();
    let inn = |at_inn: bool| at_inn.then(|| id("inn"));
    let session = |step: SessionStep| step.operation(state, Author::Dm, Timestamp(0)).ok();
    match step {
        Step::Start(characters, at_inn) => session(SessionStep::Start(NewSession {
            present: players(characters),
            place: inn(*at_inn),
            ..NewSession::default()
        })),
        Step::Attend(character, true) => {
            session(SessionStep::Attend { arrive: players(&[*character]), leave: Vec::new() })
        }
        Step::Attend(character, false) => {
            session(SessionStep::Attend { arrive: Vec::new(), leave: players(&[*character]) })
        }
        Step::End => session(SessionStep::End { time: None }),
        Step::Log(speaker_index, at_inn, text) => {
            let everybody: Vec<&str> = PLAYERS.iter().chain(&OTHERS).copied().collect();
            let speaker = speaker_index.map(|speaker_index| id(everybody[speaker_index]).into());
            let line = LogLine { speaker, place: inn(*at_inn), ..LogLine::new(text) };
            Log { lines: vec![line], ..Log::default() }.operation(state, Author::Dm, Timestamp(0)).ok()
        }
        Step::Clock(time) => Some(Operation::new(
            Author::Game,
            "clock",
            vec![Change::Set(Setting::Game(GameSetting::Clock(GameTime(*time))))],
        )),
        Step::Undo(position) => Some(Operation::new(Author::Dm, "undo", vec![Change::Revert(Position(*position + 1))])),
    }
}

proptest! {
    #[test]
    fn absent_characters_hear_nothing_and_undo_reverts_everything(steps in prop::collection::vec(step(), 1..30)) {
        let mut state = inn();
        for step in &steps {
            let before = state.active_session().cloned();
            let Some(operation) = operation(&state, step) else { continue };
            let lines: Vec<_> = operation.changes.iter().filter_map(|change| match change {
                Change::AddPassage(passage) => Some(std::sync::Arc::clone(passage)),
                _ => None,
            }).collect();
            if state.apply(operation).is_err() {
                continue;
            }
            for line in lines {
                let playing = before.as_ref().unwrap();
                prop_assert_eq!(line.session.as_ref(), Some(&playing.session));
                for name in PLAYERS {
                    let id = EntityId::new(name).unwrap();
                    let hears = line.heard_by.contains(&Knower::Entity(id.clone()));
                    prop_assert_eq!(hears, playing.here.contains(&id) || line.speaker.as_ref() == Some(&id));
                }
                let others = line.heard_by.contains(&Knower::Entity(EntityId::new("moss").unwrap()));
                let spoke = line.speaker.as_ref().is_some_and(|id| id.as_str() == "moss");
                prop_assert_eq!(others, line.place.is_some() || spoke);
            }
            if let Some(playing) = state.active_session() {
                let session = state.session(&playing.session).unwrap();
                prop_assert!(playing.here.is_sorted());
                // An undo out of order may restore a session that has ended.
                let undid = steps.iter().any(|step| matches!(step, Step::Undo(_)));
                prop_assert!(undid || session.end.is_none());
            }
            let numbers: Vec<_> = state.passages().map(|(_, line)| (line.session.clone(), line.line)).collect();
            let undone = steps.iter().any(|step| matches!(step, Step::Undo(_)));
            prop_assert!(undone || numbers.iter().collect::<BTreeSet<_>>().len() == numbers.len());
            // Every state can be reported.
            for row in sessions(&state) {
                prop_assert!(session_report(&state, Some(&row.id)).is_ok());
                prop_assert!(session_recap(&state, Some(&row.id), &RecapAudience::Players, 20).unwrap().recap.words <= 20);
            }
        }
        let all: Vec<Change> = state.journal().filter(|(at, entry)| at.0 > 1 && entry.live).map(|(at, _)| Change::Revert(at)).collect();
        for revert in all.into_iter().rev() {
            // Undoing an undo restores the operation that it reverted, which is then reverted in turn.
            if let Change::Revert(at) = revert && state.entry(at).is_some_and(|entry| entry.live && !entry.operation.changes.iter().any(|change| matches!(change, Change::Revert(_)))) {
                state.apply(Operation::new(Author::Dm, "undo", vec![revert])).unwrap();
            }
        }
        prop_assert!(state == inn());
    }
}

#[test]
fn a_log_goes_on_where_it_has_come_to() {
    let mut state = inn();
    let start = SessionStep::Start(NewSession::default());
    state.apply(start.operation(&state, Author::Dm, Timestamp(0)).unwrap()).unwrap();
    let date = |minute| Some(Date::at(GameTime(minute)));
    assert_eq!(later_time(&state, date(50)).unwrap().time, Some(GameTime(100)), "the game clock is ahead");
    assert_eq!(later_time(&state, date(150)).unwrap().time, Some(GameTime(150)));
    assert_eq!(later_time(&State::default(), date(1)), date(1));
    assert_eq!(later_time(&State::default(), None), None);
}

#[test]
fn the_speaker_of_a_typed_line_decides_its_kind() {
    let mut state = inn();
    let start = SessionStep::Start(NewSession::default()).operation(&state, Author::Game, Timestamp(0)).unwrap();
    state.apply(start).unwrap();
    let kinds = |author: Author| {
        let spoken = LogLine { speaker: Some(id("ann").into()), ..LogLine::new("Roll for it!") };
        let log = Log { lines: vec![LogLine::new("Rain falls."), spoken], ..Log::default() };
        let operation = log.operation(&state, author, Timestamp(0)).unwrap();
        operation.changes.iter().filter_map(Change::passage).map(|passage| passage.talk_kind).collect::<Vec<_>>()
    };
    for author in [Author::Game, Author::Dm] {
        assert_eq!(kinds(author), [Some(TalkKind::Narration), Some(TalkKind::InCharacter)]);
    }
}

#[test]
fn a_repeated_import_keeps_the_kinds_of_talk() {
    let mut state = inn();
    let log = |digest: &str, texts: &[&str]| {
        let lines = texts.iter().zip(1..).map(|(text, line)| LogLine { number: Some(line), ..LogLine::new(*text) });
        let source = Some(LogSource { name: "evening.txt".into(), digest: digest.into(), appends: false });
        Log { lines: lines.collect(), source, ..Log::default() }
    };
    let apply = |state: &mut State, log: &Log| {
        let operation = log.operation(state, Author::Importer("evening.txt".into()), Timestamp(0)).unwrap();
        let written_lines = operation.changes.iter().filter_map(Change::passage).count();
        state.apply(operation).unwrap();
        written_lines
    };
    let first = Log { new: Some(NewSession::default()), ..log("1", &["Roll for it.", "Rain falls."]) };
    assert_eq!(apply(&mut state, &first), 2);
    let (passage, _) = state.passages().find(|(_, passage)| passage.text == "Roll for it.").unwrap();
    let change = Change::SetTalkKind { passage, kind: TalkKind::OutOfCharacter };
    state.apply(Operation::new(Author::Extractor, "read", vec![change])).unwrap();
    let second = Log {
        session: Some(SessionId::new("session-1").unwrap()),
        ..log("2", &["Roll for it.", "Rain falls.", "The door opens."])
    };
    assert_eq!(apply(&mut state, &second), 1, "only the new line is written");
    let expected = TalkCounts { out_of_character: 1, unknown: 2, ..TalkCounts::default() };
    assert_eq!(transcript_talk(&state, "evening.txt"), expected);
    assert_eq!(transcript_talk(&state, "morning.txt"), TalkCounts::default());
}

#[test]
fn an_imported_session_is_over_and_one_undo_reverts_it() {
    let mut state = inn();
    let authored = Provenance::new(Method::Authored, Author::Dm);
    let name = Fact::attribute(&id("ann"), attribute::NAME, "Ann", authored).unwrap().build().unwrap();
    let name = Arc::new(name);
    let naming = Operation::new(Author::Dm, "a name", vec![Change::AssertFact(Arc::clone(&name))]);
    state.apply(naming).unwrap();
    let before = state.clone();
    let line = LogLine { speaker: Some(id("ann").into()), number: Some(1), ..LogLine::new("I am Ann.") };
    let source = LogSource { name: "evening.txt".into(), digest: "1".into(), appends: false };
    let new = NewSession { place: Some(id("inn")), ..NewSession::default() };
    let log = Log { lines: vec![line], source: Some(source), new: Some(new), ..Log::default() };
    let operation = log.operation(&state, Author::Importer("evening.txt".into()), Timestamp(0)).unwrap();
    let imported = state.apply(operation).unwrap().position;
    let session = transcript_session(&state, "evening.txt").unwrap();
    assert_eq!(state.session(&session).unwrap().end, Some(clock_date(&state)));
    let is_known = |state: &State| state.known_by(name.id()).any(|edge| edge.knower == Knower::Entity(id("moss")));
    assert!(!is_known(&state));
    let operation = end_imported_session(&state, &session, Timestamp(0)).unwrap().unwrap();
    state.apply(operation).unwrap();
    assert!(is_known(&state), "Moss heard the name");
    let undo = state.undo_changes(imported).unwrap();
    state.apply(Operation::new(Author::Dm, "undo", undo)).unwrap();
    assert!(!is_known(&state) && state == before);
}

#[test]
fn the_party_moves_with_the_scenes_unless_a_game_moves_it() {
    let mut state = inn();
    let mill = Change::AddEntity(Entity::new(id("mill")));
    state.apply(Operation::new(Author::Dm, "a mill", vec![mill])).unwrap();
    let moment = Some(GameTime(100));
    let places = |state: &State| PLAYERS.map(|name| place_at(state, &id(name), moment).unwrap().to_string());
    let start = SessionStep::Start(NewSession {
        present: vec![id("ann"), id("bob")],
        place: Some(id("mill")),
        ..NewSession::default()
    });
    let by_game = start.operation(&state, Author::Game, Timestamp(0)).unwrap();
    assert_eq!(by_game.changes.len(), 2, "the session, and that it is being played");
    let started = start.operation(&state, Author::Dm, Timestamp(0)).unwrap();
    assert!(started.summary.ends_with("; ann and bob are now at mill"), "{}", started.summary);
    state.apply(started).unwrap();
    assert_eq!(places(&state), ["mill", "mill", "inn"]);
    // A character who arrives is at the scene.
    let attend = SessionStep::Attend { arrive: vec![id("cid")], leave: vec![id("bob")] };
    state.apply(attend.operation(&state, Author::Dm, Timestamp(1)).unwrap()).unwrap();
    assert_eq!(places(&state), ["mill", "mill", "mill"]);
    let line = LogLine { place: Some(id("inn")), ..LogLine::new("You walk to the inn.") };
    let log = Log { lines: vec![line], ..Log::default() };
    state.apply(log.operation(&state, Author::Dm, Timestamp(2)).unwrap()).unwrap();
    assert_eq!(places(&state), ["inn", "mill", "inn"], "Bob has left the session");
    let knows = |knower: &str, subject: &str| {
        let locations = state.facts_with_subject(&id(subject), PredicateRole::Location.name()).open();
        let mut edges = locations.flat_map(|fact| state.known_by(fact.id()));
        edges.any(|edge| edge.knower == Knower::Entity(id(knower)))
    };
    assert!(knows("ann", "ann") && knows("cid", "ann") && !knows("bob", "ann") && !knows("moss", "ann"));
    // A session in the past does not move a character whose location begins later.
    let end = SessionStep::End { time: None }.operation(&state, Author::Dm, Timestamp(3)).unwrap();
    state.apply(end).unwrap();
    let time = Some(state.calendar().format(GameTime(50)));
    let earlier = SessionStep::Start(NewSession { time, place: Some(id("mill")), ..NewSession::default() });
    let earlier = earlier.operation(&state, Author::Dm, Timestamp(4)).unwrap();
    assert!(!earlier.summary.contains("now at"), "{}", earlier.summary);
}

#[test]
fn a_player_character_that_speaks_joins_the_session() {
    let mut state = inn();
    let start = SessionStep::Start(NewSession {
        title: Some("One".into()),
        present: vec![id("ann")],
        place: Some(id("inn")),
        ..NewSession::default()
    });
    state.apply(start.operation(&state, Author::Dm, Timestamp(1)).unwrap()).unwrap();
    let line = |speaker: &str, heard_by: &[&str], text: &str| Log {
        lines: vec![LogLine {
            speaker: Some(id(speaker).into()),
            heard_by: heard_by.iter().map(|name| id(name)).collect(),
            ..LogLine::new(text)
        }],
        ..Log::default()
    };
    let hearers = |state: &mut State, log: &Log| -> (String, Vec<String>) {
        let operation = log.operation(state, Author::Dm, Timestamp(2)).unwrap();
        let heard = operation.changes.iter().find_map(|change| match change {
            Change::AddPassage(passage) => Some(passage.heard_by.iter().map(ToString::to_string).collect()),
            _ => None,
        });
        let summary = operation.summary.clone();
        state.apply(operation).unwrap();
        (summary, heard.unwrap())
    };
    // A whisper does not bring the speaker into the scene.
    assert_eq!(hearers(&mut state, &line("cid", &["moss"], "Psst.")).1, ["cid", "moss"]);
    assert_eq!(state.active_session().unwrap().here, [id("ann")]);
    let (summary, heard) = hearers(&mut state, &line("bob", &[], "I am late."));
    assert_eq!(heard, ["ann", "bob", "moss", "tilly"]);
    assert!(summary.ends_with("; bob joins"), "{summary}");
    assert_eq!(hearers(&mut state, &line("ann", &[], "Sit down.")).1, ["ann", "bob", "moss", "tilly"]);
    let session = state.active_session().unwrap().session.clone();
    assert_eq!(state.session(&session).unwrap().present, [id("ann"), id("bob")]);
    assert_eq!(line("moss", &[], "Good evening.").attendance_hints(&state), []);
}

#[test]
fn a_character_that_speaks_is_in_the_scene_unless_it_is_elsewhere_with_the_party() {
    let mut state = inn();
    let mill = Change::AddEntity(Entity::new(id("mill")));
    state.apply(Operation::new(Author::Dm, "a mill", vec![mill])).unwrap();
    let start = SessionStep::Start(NewSession {
        present: vec![id("ann"), id("bob")],
        place: Some(id("mill")),
        ..NewSession::default()
    });
    state.apply(start.operation(&state, Author::Dm, Timestamp(1)).unwrap()).unwrap();
    let session = state.active_session().unwrap().session.clone();
    let by = |speaker: &str| LogLine { speaker: Some(id(speaker).into()), ..LogLine::new("Hm.") };
    let hint = |character: &str, change: AttendanceChange| vec![AttendanceHint { character: id(character), change }];
    let log = |lines: Vec<LogLine>| Log { lines, ..Log::default() };
    let hearers = |operation: &Operation| -> Vec<Vec<String>> {
        let passages = operation.changes.iter().filter_map(Change::passage);
        passages.map(|passage| passage.heard_by.iter().map(ToString::to_string).collect()).collect()
    };
    // Moss comes from the inn, and hears all lines after his own.
    let moss = log(vec![by("moss"), LogLine::new("Rain falls.")]);
    assert_eq!(moss.attendance_hints(&state), hint("moss", AttendanceChange::Joins));
    // In a game, the game decides where the characters are.
    let by_game = moss.operation(&state, Author::Game, Timestamp(2)).unwrap();
    assert_eq!(hearers(&by_game), [vec!["ann", "bob", "moss"], vec!["ann", "bob"]]);
    let spoken = moss.operation(&state, Author::Dm, Timestamp(2)).unwrap();
    assert!(spoken.summary.ends_with("; moss joins; moss is now at mill"), "{}", spoken.summary);
    assert_eq!(hearers(&spoken), [vec!["ann", "bob", "moss"], vec!["ann", "bob", "moss"]]);
    state.apply(spoken).unwrap();
    // Moss does not travel with the party.
    assert_eq!(state.active_session().unwrap().here, [id("ann"), id("bob")]);
    // The DM moved Tilly and Bob to the inn during the session.
    let source = Provenance { session: Some(session), ..Provenance::new(Method::Authored, Author::Dm) };
    for (name, recorded) in [("tilly", Timestamp(3)), ("bob", Timestamp(4))] {
        let source = Provenance { recorded, ..source.clone() };
        let location = Fact::relation(&id(name), PredicateRole::Location.name(), &id("inn"), source).unwrap();
        let validity = Validity { from: Some(clock_date(&state)), until: None };
        let location = Change::AssertFact(location.validity(validity).build().unwrap().into());
        state.apply(Operation::new(Author::Dm, "a move", vec![location])).unwrap();
    }
    assert_eq!(place_at(&state, &id("bob"), state.clock()), Some(id("inn")));
    // Bob attends the session, so he speaks where he is, and so does Tilly, who is with him.
    for name in ["tilly", "bob"] {
        let lines = log(vec![by(name), LogLine::new("Rain falls.")]);
        assert_eq!(lines.attendance_hints(&state), hint(name, AttendanceChange::SpeaksAt(id("inn"))), "{name}");
        let operation = lines.operation(&state, Author::Dm, Timestamp(5)).unwrap();
        assert!(!operation.summary.contains("joins"), "{}", operation.summary);
        assert!(!hearers(&operation)[1].contains(&name.to_owned()), "{name}");
        // The DM says where the speaker is.
        let named = log(vec![LogLine { place: Some(id("mill")), ..by(name) }]);
        assert_eq!(named.attendance_hints(&state), hint(name, AttendanceChange::Joins), "{name}");
    }
    // Cid is late. Tilly comes into the scene if nobody who attends the session is with her.
    assert_eq!(log(vec![by("cid")]).attendance_hints(&state), hint("cid", AttendanceChange::Joins));
    let leave = SessionStep::Attend { arrive: Vec::new(), leave: vec![id("bob")] };
    state.apply(leave.operation(&state, Author::Dm, Timestamp(6)).unwrap()).unwrap();
    assert_eq!(log(vec![by("tilly")]).attendance_hints(&state), hint("tilly", AttendanceChange::Joins));
}

#[test]
fn nobody_hears_more_lines_until_the_dm_decides_on_a_narrated_death() {
    let mut state = inn();
    let start = SessionStep::Start(NewSession { place: Some(id("inn")), ..NewSession::default() });
    state.apply(start.operation(&state, Author::Dm, Timestamp(1)).unwrap()).unwrap();
    let heard_by = |state: &State, line: LogLine| -> (Operation, Vec<String>) {
        let log = Log { lines: vec![line], ..Log::default() };
        let operation = log.operation(state, Author::Dm, Timestamp(2)).unwrap();
        let passage = operation.changes.iter().find_map(Change::passage).unwrap();
        let heard = passage.heard_by.iter().map(ToString::to_string).collect();
        (operation, heard)
    };
    let with_moss = ["ann", "bob", "cid", "moss", "tilly"];
    let by_tilly = LogLine { speaker: Some(id("tilly").into()), ..LogLine::new("Moss is dead.") };
    for (line, is_silenced) in [(by_tilly, false), (LogLine::new("Moss falls dead."), true)] {
        let (operation, heard) = heard_by(&state, line);
        assert_eq!(heard, with_moss);
        let passage = operation.changes.iter().find_map(Change::passage).unwrap().id();
        state.apply(operation).unwrap();
        let evidence = Evidence::Passage { passage, span: Span { start: 0, end: 4 }, quote: "Moss".to_owned() };
        let source = Provenance { evidence: vec![evidence], ..Provenance::new(Method::Stated, Author::Extractor) };
        let death = Fact::attribute(&id("moss"), "condition", "dead", source).unwrap();
        let death = death.status(FactStatus::Proposed).build().unwrap();
        let death_id = death.id();
        state.apply(Operation::new(Author::Extractor, "read", vec![Change::AssertFact(death.into())])).unwrap();
        let (_, heard) = heard_by(&state, LogLine::new("Rain falls."));
        assert_eq!(heard.contains(&"moss".to_owned()), !is_silenced);
        assert_eq!(undecided_deaths(&state).len(), usize::from(is_silenced));
        let rejected = Change::SetStatus { fact: death_id, status: FactStatus::Rejected };
        state.apply(Operation::new(Author::Dm, "reject", vec![rejected])).unwrap();
        assert_eq!(heard_by(&state, LogLine::new("Rain falls.")).1, with_moss);
    }
}

#[test]
fn a_line_that_is_repeated_to_confirm_its_facts_is_not_logged_again() {
    let mut state = inn();
    let start = SessionStep::Start(NewSession { present: vec![id("ann"), id("bob")], ..NewSession::default() });
    state.apply(start.operation(&state, Author::Dm, Timestamp(1)).unwrap()).unwrap();
    let location = state.facts_with_subject(&id("moss"), PredicateRole::Location.name()).all().next().unwrap().id();
    let write = |state: &mut State, text: &str, states: &[FactId]| {
        let line = LogLine { speaker: Some(id("ann").into()), states: states.to_vec(), ..LogLine::new(text) };
        let log = Log { lines: vec![line], ..Log::default() };
        state.apply(log.operation(state, Author::Dm, Timestamp(2)).unwrap()).unwrap();
    };
    for text in ["Moss is at the inn.", "Good evening.", "It rains."] {
        write(&mut state, text, &[]);
    }
    write(&mut state, "Moss is at the inn.", &[location]);
    assert_eq!(state.passages().count(), 3);
    let teller = |edge: &Arc<KnowledgeEdge>| edge.acquisition.teller().cloned();
    let bob = state.known_by(location).find(|edge| edge.knower == Knower::Entity(id("bob"))).and_then(teller);
    assert_eq!(bob, Some(id("ann")));
}

#[test]
fn a_line_that_is_confirmed_later_withdraws_what_was_extracted_from_it_with_the_same_content() {
    let mut state = inn();
    let start = SessionStep::Start(NewSession { present: vec![id("ann"), id("bob")], ..NewSession::default() });
    state.apply(start.operation(&state, Author::Dm, Timestamp(1)).unwrap()).unwrap();
    let write = |state: &mut State, line: LogLine| {
        let log = Log { lines: vec![line], ..Log::default() };
        let operation = log.operation(state, Author::Dm, Timestamp(2)).unwrap();
        let summary = operation.summary.clone();
        state.apply(operation).unwrap();
        summary
    };
    for text in ["It was Moss, he opened the sluice gate that night of the flood!", "Moss opened the sluice gate."] {
        write(&mut state, LogLine { speaker: Some(id("ann").into()), ..LogLine::new(text) });
    }
    let cite = |line: u32| {
        let (passage, _) = state.passages().find(|(_, passage)| passage.line == line).unwrap();
        Evidence::Passage { passage, span: Span { start: 0, end: 4 }, quote: "Moss".to_owned() }
    };
    let lore = |text: &str, source: Provenance| {
        let fact = Fact::attribute(&id("moss"), "lore", text, source).unwrap().statement(text).build();
        Arc::new(fact.unwrap())
    };
    let extracted = |lines: &[u32]| Provenance {
        evidence: lines.iter().map(|line| cite(*line)).collect(),
        ..Provenance::new(Method::Stated, Author::Extractor)
    };
    let facts = [
        lore("Moss opened the sluice gate on the night of the flood.", Provenance::new(Method::Authored, Author::Dm)),
        lore("Moss opened the sluice gate that night of the flood.", extracted(&[1])),
        // The DM accepted this fact, and another line also states the next fact.
        lore("Moss opened the sluice gate the night of the flood.", Provenance { confirmed: true, ..extracted(&[1]) }),
        lore("Moss opened the sluice gate at the night of the flood.", extracted(&[1, 2])),
        lore("Moss fears the flood.", extracted(&[1])),
    ];
    let changes = facts.iter().cloned().map(Change::AssertFact).collect();
    state.apply(Operation::new(Author::Extractor, "read", changes)).unwrap();
    let confirmation = LogLine { recorded_line: Some(1), states: vec![facts[0].id()], ..LogLine::default() };
    let summary = write(&mut state, confirmation);
    let kept = facts.each_ref().map(|fact| state.fact(fact.id()).is_some());
    assert_eq!(kept, [true, false, true, true, true]);
    let withdrawn = "; withdraws \u{201C}Moss opened the sluice gate that night of the flood.\u{201D}";
    assert!(summary.ends_with(withdrawn), "{summary}");
    assert!(state.known_by(facts[0].id()).any(|edge| edge.knower == Knower::Entity(id("bob"))));
}

#[test]
fn the_dead_are_no_hearers() {
    let mut state = inn();
    let start = SessionStep::Start(NewSession { place: Some(id("inn")), ..NewSession::default() });
    state.apply(start.operation(&state, Author::Dm, Timestamp(1)).unwrap()).unwrap();
    let death = Fact::attribute(&id("moss"), "condition", "dead", Provenance::new(Method::Authored, Author::Dm));
    let death = Change::AssertFact(death.unwrap().build().unwrap().into());
    state.apply(Operation::new(Author::Dm, "death", vec![death])).unwrap();
    let heard_by = |line: LogLine| -> Result<Vec<String>, String> {
        let log = Log { lines: vec![LogLine { text: "Hm.".into(), ..line }], ..Log::default() };
        let operation = log.operation(&state, Author::Dm, Timestamp(2)).map_err(|error| error.to_string())?;
        let passage = operation.changes.iter().find_map(Change::passage).unwrap();
        Ok(passage.heard_by.iter().map(ToString::to_string).collect())
    };
    let by = |speaker: &str| LogLine { speaker: Some(id(speaker).into()), ..LogLine::default() };
    for line in
        [LogLine { heard_by: vec![id("moss")], ..by("tilly") }, LogLine { with: vec![id("moss")], ..by("tilly") }]
    {
        let error = heard_by(line).unwrap_err();
        assert!(error.contains("moss is dead"), "{error}");
    }
    assert_eq!(heard_by(by("tilly")).unwrap(), ["ann", "bob", "cid", "tilly"]);
    // A ghost can speak.
    assert_eq!(heard_by(LogLine { heard_by: vec![id("ann")], ..by("moss") }).unwrap(), ["ann", "moss"]);
}

#[test]
fn an_out_of_character_line_brings_nobody_into_the_scene_and_teaches_nothing() {
    let mut state = inn();
    let start = SessionStep::Start(NewSession { present: vec![id("ann")], ..NewSession::default() });
    state.apply(start.operation(&state, Author::Dm, Timestamp(1)).unwrap()).unwrap();
    let location = state.facts_with_subject(&id("moss"), PredicateRole::Location.name()).all().next().unwrap().id();
    let line = |speaker: &str, text: &str| LogLine { speaker: Some(id(speaker).into()), ..LogLine::new(text) };
    let out_of_character =
        LogLine { states: vec![location], talk_kind: Some(TalkKind::OutOfCharacter), ..line("bob", "Moss is here.") };
    for line in [line("moss", "(ooc) brb"), line("bob", "(ooc) brb"), out_of_character] {
        let log = Log { lines: vec![line], ..Log::default() };
        assert_eq!(log.attendance_hints(&state), []);
        let operation = log.operation(&state, Author::Dm, Timestamp(2)).unwrap();
        let kinds: Vec<_> =
            operation.changes.iter().map(|change| change.passage().map(|line| line.talk_kind)).collect();
        assert_eq!(kinds, [Some(Some(TalkKind::OutOfCharacter))]);
    }
    // The DM decides.
    let line = LogLine { talk_kind: Some(TalkKind::InCharacter), ..line("bob", "(ooc) is my name.") };
    let operation = Log { lines: vec![line], ..Log::default() }.operation(&state, Author::Dm, Timestamp(2)).unwrap();
    assert!(operation.summary.ends_with("; bob joins"), "{}", operation.summary);
}

#[test]
fn a_line_that_is_said_outside_the_scene_does_not_move_the_next_session() {
    let mut state = inn();
    let mill = Change::AddEntity(Entity::new(id("mill")));
    state.apply(Operation::new(Author::Dm, "a mill", vec![mill])).unwrap();
    let start = SessionStep::Start(NewSession { place: Some(id("inn")), ..NewSession::default() });
    state.apply(start.operation(&state, Author::Dm, Timestamp(1)).unwrap()).unwrap();
    let source = Provenance { recorded: Timestamp(2), ..Provenance::new(Method::Authored, Author::Dm) };
    let location = Fact::relation(&id("cid"), PredicateRole::Location.name(), &id("mill"), source).unwrap();
    let location = location.validity(Validity { from: Some(clock_date(&state)), until: None }).build().unwrap();
    state.apply(Operation::new(Author::Dm, "a move", vec![Change::AssertFact(location.into())])).unwrap();
    let by_cid = LogLine { speaker: Some(id("cid").into()), ..LogLine::new("Hm.") };
    for (line, place) in [(LogLine::new("Rain falls."), "inn"), (by_cid, "mill")] {
        let log = Log { lines: vec![line], ..Log::default() };
        let operation = log.operation(&state, Author::Dm, Timestamp(3)).unwrap();
        assert_eq!(operation.changes.iter().find_map(Change::passage).unwrap().place, Some(id(place)));
        state.apply(operation).unwrap();
    }
    assert_eq!(last_place(&state), Some(id("inn")));
}

#[test]
fn nobody_learns_that_a_hidden_character_was_in_the_last_scene() {
    for secrecy in [Secrecy::Open, Secrecy::Secret] {
        let (mut state, nell, inn) = (inn(), id("nell"), id("inn"));
        let source = || Provenance::new(Method::Authored, Author::Dm);
        let attribute =
            |name: &str, value: &str| Fact::attribute(&nell, name, value, source()).unwrap().build().unwrap();
        let relation = |role: PredicateRole| Fact::relation(&nell, role.name(), &inn, source()).unwrap();
        let (name, kind) = (attribute(attribute::NAME, "Nell"), attribute(attribute::KIND, "npc"));
        let home = relation(PredicateRole::Residence).build().unwrap();
        let location = relation(PredicateRole::Location).secrecy(secrecy).build().unwrap();
        let (name_id, stays) = (name.id(), [location.id(), home.id()]);
        let mut changes = vec![Change::AddEntity(Entity::new(nell.clone()))];
        changes.extend([name, kind, home, location].map(|fact| Change::AssertFact(fact.into())));
        let tilly = Knower::Entity(id("tilly"));
        changes.push(Change::Learn(KnowledgeEdge::authored(tilly.clone(), name_id).into()));
        state.apply(Operation::new(Author::Dm, "a guest", changes)).unwrap();
        let start = SessionStep::Start(NewSession { place: Some(inn.clone()), ..NewSession::default() });
        state.apply(start.operation(&state, Author::Dm, Timestamp(1)).unwrap()).unwrap();
        let end = SessionStep::End { time: None }.operation(&state, Author::Dm, Timestamp(2)).unwrap();
        state.apply(end).unwrap();
        let mut edges = stays.iter().flat_map(|fact| state.known_by(*fact));
        assert_eq!(edges.any(|edge| edge.knower == tilly), secrecy == Secrecy::Open, "{secrecy:?}");
    }
}
