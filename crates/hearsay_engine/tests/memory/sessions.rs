//! Sessions: beginning and end, attendance, log lines, and transcripts.

use hearsay_campaign::Transcript;
use hearsay_commands::{
    edit::FactOptions,
    game_event::{Circumstances, GameEvent, Hearers, Stated},
    retcon::Retcon,
    session::{
        AssignedSpeaker, Log, LogLine, NewSession, SessionStep, SpeakerAssignment, SpeakerIdentity, TranscriptImport,
        TranscriptReport,
    },
};
use hearsay_engine::{Memory, MemoryError, Written};
use hearsay_model::{Author, Kind, Knower, Passage, Timestamp};
use hearsay_query as query;
use hearsay_query::{
    journal::UndoTarget,
    session::{ChangeKind, RecapAudience, Summarize, Thread, ThreadFilter, ThreadKind},
};

use crate::support::{
    add, do_edit, empty, fact, found_town, id, ids, refused, relate, relate_with, session, set, set_clock, state, town,
};

fn step(memory: &Memory, step: SessionStep) -> Result<Written, MemoryError> {
    memory.session(Author::Dm, step)?.wait()
}

fn start(memory: &Memory) -> Written {
    let new = NewSession { title: Some("The ledger".into()), place: Some(id("The Gull")), ..NewSession::default() };
    step(memory, SessionStep::Start(new)).unwrap()
}

fn attend(memory: &Memory, arrive: &[&str], leave: &[&str]) -> Result<Written, MemoryError> {
    step(memory, SessionStep::Attend { arrive: ids(arrive), leave: ids(leave) })
}

fn log(memory: &Memory, speaker: Option<&str>, text: &str) -> Result<Written, MemoryError> {
    let line = LogLine { speaker: speaker.map(|name| id(name).into()), ..LogLine::new(text) };
    memory.log(Author::Dm, Log { lines: vec![line], ..Log::default() })?.wait()
}

/// Returns a memory with the small town and two player characters. Mirela and Pell are at the Gull.
fn table() -> Memory {
    let memory = town();
    do_edit(&memory, add("Lyra Finn", Kind::Player, Some("The Gull")));
    do_edit(&memory, add("Borin", Kind::Player, Some("The Gull")));
    set_clock(&memory, 1_000);
    memory
}

fn passage(memory: &Memory, text: &str) -> Passage {
    let state = state(memory);
    let found = state.passages().find(|(_, passage)| passage.text == text).map(|(_, passage)| Passage::clone(passage));
    found.unwrap_or_else(|| panic!("no line `{text}`"))
}

fn heard_by(memory: &Memory, text: &str) -> Vec<String> {
    passage(memory, text).heard_by.iter().map(ToString::to_string).collect()
}

#[test]
fn characters_present_hear_spoken_lines() {
    let memory = table();
    step(&memory, SessionStep::Start(NewSession { present: ids(&["Lyra Finn"]), ..NewSession::default() })).unwrap();
    // The only attending character is at the Gull, so the session begins there.
    log(&memory, None, "Rain falls.").unwrap();
    assert_eq!(heard_by(&memory, "Rain falls."), ["lyra-finn", "mirela-voss", "pell"]);
    let line =
        LogLine { place: Some(id("The Gull")), speaker: Some(id("Mirela Voss").into()), ..LogLine::new("Come in.") };
    memory.log(Author::Dm, Log { lines: vec![line], ..Log::default() }).unwrap().wait().unwrap();
    // Borin is at the Gull, but is not present in the session.
    assert_eq!(heard_by(&memory, "Come in."), ["lyra-finn", "mirela-voss", "pell"]);
    attend(&memory, &["Borin"], &[]).unwrap();
    log(&memory, Some("Pell"), "Who is that?").unwrap();
    assert_eq!(heard_by(&memory, "Who is that?"), ["borin", "lyra-finn", "mirela-voss", "pell"]);
    attend(&memory, &[], &["Lyra Finn"]).unwrap();
    let line = LogLine { with: ids(&["Odo Brandt"]), ..LogLine::new("The door opens.") };
    let other = LogLine { heard_by: ids(&["Pell"]), ..LogLine::new("Psst.") };
    memory.log(Author::Dm, Log { lines: vec![line, other], ..Log::default() }).unwrap().wait().unwrap();
    assert_eq!(heard_by(&memory, "The door opens."), ["borin", "mirela-voss", "odo-brandt", "pell"]);
    assert_eq!(heard_by(&memory, "Psst."), ["pell"]);
    let psst = passage(&memory, "Psst.");
    assert_eq!((psst.line, psst.place.as_ref().unwrap().as_str()), (5, "the-gull"));
    let session = state(&memory).session(psst.session.as_ref().unwrap()).cloned().unwrap();
    assert_eq!(session.present, [id("borin"), id("lyra-finn")], "whoever was there at any time");
}

#[test]
fn records_during_a_session_belong_to_it() {
    let memory = table();
    start(&memory);
    do_edit(&memory, relate("Pell", "OWES", "Mirela Voss"));
    let stated = Stated::Lore { about: id("Pell"), text: "Pell saw a boat.".into() };
    let say = GameEvent::Witness {
        facts: vec![stated],
        witnesses: Hearers::Listed(ids(&["Lyra Finn"])),
        circumstances: Circumstances::default(),
    };
    memory.learn(Author::Dm, say).unwrap().wait().unwrap();
    let state_now = state(&memory);
    let of_session = |text: &str| {
        let fact = state_now.facts().find(|fact| fact.statement().contains(text)).unwrap();
        fact.provenance().session.as_ref().map(ToString::to_string)
    };
    assert_eq!(of_session("owes").as_deref(), Some("session-1"));
    assert_eq!(of_session("saw a boat").as_deref(), Some("session-1"));
    let lyra = Knower::Entity(id("lyra-finn"));
    let edge = state_now.knowledge_of(&lyra).find(|edge| edge.session.is_some()).unwrap();
    assert_eq!(edge.session.as_ref().unwrap().as_str(), "session-1");
    step(&memory, SessionStep::End { time: None }).unwrap();
    do_edit(&memory, relate("Pell", "KNOWS", "Odo Brandt"));
    let state_now = state(&memory);
    assert!(state_now.facts().any(|fact| *fact.predicate() == *"KNOWS" && fact.provenance().session.is_none()));
}

#[test]
fn one_session_is_played_at_a_time() {
    let memory = table();
    refused(&memory, |memory| log(memory, None, "Rain."), &["no session is running", "session start"]);
    refused(&memory, |memory| step(memory, SessionStep::End { time: None }), &["no session is running"]);
    start(&memory);
    let again = || SessionStep::Start(NewSession::default());
    refused(&memory, |memory| step(memory, again()), &["`session-1` is still running", "session end"]);
    assert!(attend(&memory, &["Borin"], &[]).unwrap().summary.contains("Borin is already here"));
    let leave = |memory: &Memory| attend(memory, &[], &["Odo Brandt"]);
    refused(&memory, leave, &["odo-brandt cannot leave now", "not present in the session"]);
    refused(&memory, |memory| log(memory, None, "  "), &["the line has no text"]);
    refused(&memory, |memory| log(memory, Some("Nobody"), "Hm."), &["`nobody`"]);
    set_clock(&memory, 1_100);
    step(&memory, SessionStep::End { time: None }).unwrap();
    let state_now = state(&memory);
    let session = state_now.sessions().next().unwrap();
    assert_eq!((session.number, session.title.as_str()), (Some(1), "The ledger"));
    assert_eq!(session.end.as_ref().unwrap().time.unwrap().0, 1_100);
    assert!(state_now.active_session().is_none());
    step(&memory, again()).unwrap();
    assert_eq!(state(&memory).active_session().unwrap().session.as_str(), "session-2");
}

#[test]
fn steps_are_undone_one_by_one() {
    let memory = table();
    start(&memory);
    log(&memory, Some("Pell"), "I saw a boat.").unwrap();
    let ended = step(&memory, SessionStep::End { time: None }).unwrap();
    memory.undo(UndoTarget::At(ended.position)).unwrap().wait().unwrap();
    assert_eq!(state(&memory).active_session().unwrap().session.as_str(), "session-1", "it goes on");
    memory.undo(UndoTarget::Last).unwrap().wait().unwrap();
    assert_eq!(state(&memory).passages().count(), 0);
    memory.undo(UndoTarget::Last).unwrap().wait().unwrap();
    let state_now = state(&memory);
    assert!(state_now.active_session().is_none() && state_now.sessions().next().is_none());
}

#[test]
fn a_running_session_is_exported_and_imported() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("all.jsonl");
    let memory = table();
    start(&memory);
    log(&memory, Some("Pell"), "I saw a boat.").unwrap();
    memory.export(&file).unwrap().wait().unwrap();
    let other = empty();
    other.import(&file).unwrap().wait().unwrap();
    assert_eq!(state(&other).active_session(), state(&memory).active_session());
}

fn import(text: &str, name: &str) -> TranscriptImport {
    TranscriptImport {
        name: name.into(),
        transcript: Transcript::read(name, text.as_bytes()).unwrap(),
        session: None,
        new: NewSession::default(),
        speakers: Vec::new(),
        first_line: None,
    }
}

fn assign(name: &str, character: &str) -> SpeakerAssignment {
    SpeakerAssignment { name: name.into(), is: AssignedSpeaker::Character(id(character)), remember: true }
}

fn plan(memory: &Memory, import: &TranscriptImport) -> Result<(TranscriptReport, Log), MemoryError> {
    let import = import.clone();
    memory.read(move |snapshot| Ok(import.plan(&snapshot.state)?))?.wait()
}

fn write(memory: &Memory, import: &TranscriptImport) -> Written {
    let (_, lines) = plan(memory, import).unwrap();
    memory.log(Author::Importer(import.name.clone()), lines).unwrap().wait().unwrap()
}

const TALK: &str = "DM: The Gull is full.\nLyra: Where is Pell?\nAnna: brb\nBen (Borin): Here he is.\n\nMirela Voss: Odo Brandt has the ring.\n";

#[test]
fn a_transcript_becomes_a_log() {
    let memory = table();
    let first = import(TALK, "talk.txt");
    let (report, _) = plan(&memory, &first).unwrap();
    assert!(!report.unchanged && report.session.is_none());
    let is: Vec<_> = report.speakers.iter().map(|row| row.is.clone()).collect();
    let character = |name: &str| SpeakerIdentity::Character(id(name));
    let expected = [
        SpeakerIdentity::Dm,
        character("lyra-finn"),
        SpeakerIdentity::Unknown,
        character("borin"),
        character("mirela-voss"),
    ];
    assert_eq!(is, expected);
    let written = write(&memory, &first);
    let line = passage(&memory, "Odo Brandt has the ring.");
    assert_eq!((line.line, line.speaker, line.mentions), (6, Some(id("mirela-voss")), vec![id("odo-brandt")]));
    assert_eq!(heard_by(&memory, "Odo Brandt has the ring."), ["borin", "lyra-finn", "mirela-voss"]);
    assert_eq!(passage(&memory, "Anna: brb").speaker, None, "kept as text");
    assert_eq!(passage(&memory, "The Gull is full.").speaker, None);

    // A second import of the same file finds the session of the first import and changes nothing.
    let (report, _) = plan(&memory, &first).unwrap();
    assert!(report.unchanged);
    assert_eq!(report.session.as_ref().unwrap().as_str(), "session-1");

    // An import of the changed file writes only the changed line and removes the old line.
    let before = state(&memory).passages().count();
    let second = import(&TALK.replace("Anna: brb\n", "Anna: back\n"), "talk.txt");
    let again = write(&memory, &second);
    assert_eq!(again.changes, 3, "a line, a line less, and the file's hash");
    assert_eq!(state(&memory).passages().count(), before);

    // A speaker can be assigned to a character.
    let mut third = import(&TALK.replace("Anna: brb\n", "Anna: back\n"), "talk.txt");
    third.speakers = vec![assign("Anna", "Borin")];
    assert!(!plan(&memory, &third).unwrap().0.unchanged);
    third.speakers = vec![assign("Zoe", "Borin")];
    assert!(plan(&memory, &third).unwrap_err().to_string().contains("no speaker named `Zoe`"));

    memory.undo(UndoTarget::At(again.position)).unwrap().wait().unwrap();
    memory.undo(UndoTarget::At(written.position)).unwrap().wait().unwrap();
    assert_eq!(state(&memory).passages().count(), 0, "one import is one undo");
    assert!(state(&memory).sessions().next().is_none());
}

#[test]
fn a_saved_player_outlives_the_undo_of_an_import() {
    let memory = table();
    let mut first = import(TALK, "talk.txt");
    first.speakers = vec![assign("Anna", "Borin")];
    let saved = memory.remember_speakers(first.speakers.clone()).unwrap().wait().unwrap();
    let written = write(&memory, &first);
    assert_eq!(passage(&memory, "brb").speaker, Some(id("borin")));
    assert!(plan(&memory, &import(TALK, "talk.txt")).unwrap().0.unchanged, "the campaign knows the player");

    let undone = memory.undo(UndoTarget::Last).unwrap().wait().unwrap();
    assert!(undone.summary.contains("talk.txt"), "{}", undone.summary);
    assert_eq!(state(&memory).passages().count(), 0);
    let (report, _) = plan(&memory, &import(TALK, "talk.txt")).unwrap();
    assert_eq!(report.speakers[2].is, SpeakerIdentity::Character(id("borin")));
    memory.undo(UndoTarget::At(saved.position)).unwrap().wait().unwrap();
    let (report, _) = plan(&memory, &import(TALK, "talk.txt")).unwrap();
    assert_eq!(report.speakers[2].is, SpeakerIdentity::Unknown);
    assert!(saved.position < written.position);
}

#[test]
fn a_transcript_does_not_touch_the_lines_of_others() {
    let memory = empty();
    found_town(&memory);
    do_edit(&memory, add("Lyra Finn", Kind::Player, None));
    start(&memory);
    log(&memory, Some("Lyra Finn"), "I keep notes.").unwrap();
    let into = TranscriptImport { session: Some(session("session-1")), ..import(TALK, "talk.txt") };
    write(&memory, &into);
    assert_eq!(passage(&memory, "I keep notes.").line, 1);
    assert_eq!(passage(&memory, "The Gull is full.").line, 2);
    let shorter =
        TranscriptImport { session: Some(session("session-1")), ..import("Lyra: Where is Pell?\n", "talk.txt") };
    write(&memory, &shorter);
    assert_eq!(state(&memory).passages().count(), 2);
}

#[test]
fn a_report_lists_the_results_of_a_session() {
    let memory = table();
    do_edit(&memory, add("Find the ring", Kind::Quest, None));
    do_edit(&memory, relate("Odo Brandt", "QUEST_GIVER", "Find the ring"));
    do_edit(&memory, relate("Pell", "EMPLOYED_BY", "Odo Brandt"));
    do_edit(&memory, relate("Borin", "MEMBER_OF", "The Guild"));
    start(&memory);
    do_edit(&memory, relate("Pell", "OWES", "Mirela Voss"));
    log(&memory, Some("Pell"), "Odo Brandt has the ring.").unwrap();
    let tell = |facts: Vec<Stated>, teller: &str| {
        let [fact] = <[Stated; 1]>::try_from(facts).unwrap();
        let tell = GameEvent::Tell {
            teller: id(teller).into(),
            fact,
            hearers: Hearers::Listed(ids(&["Lyra Finn", "Mirela Voss"])),
            retold: None,
            lie: false,
            citing: None,
            credence: None,
            circumstances: Circumstances::default(),
        };
        memory.learn(Author::Game, tell).unwrap().wait().unwrap();
    };
    tell(vec![Stated::Lore { about: id("Odo Brandt"), text: "Odo Brandt stole the ring.".into() }], "Pell");
    do_edit(&memory, relate("Pell", "EMPLOYED_BY", "Mirela Voss"));
    do_edit(&memory, set("Odo Brandt", "condition", "dead"));
    let report = || {
        memory
            .read_in_background(|snapshot| Ok(query::session::session_report(&snapshot.state, None)?))
            .unwrap()
            .wait()
            .unwrap()
    };
    let report_rows = report();
    assert_eq!((report_rows.counts.lines, report_rows.counts.speakers, report_rows.counts.learned), (1, 1, 1));
    let learners: Vec<_> = report_rows.learned.iter().map(|row| (row.knower.to_string(), row.player)).collect();
    assert_eq!(learners[0], ("lyra-finn".to_owned(), true), "the players come first: {learners:?}");
    assert_eq!(report_rows.learned[0].facts[0].statement, "Odo Brandt stole the ring.");
    let changed: Vec<_> = report_rows.changed.iter().map(|row| row.kind).collect();
    assert_eq!(changed, [ChangeKind::Died, ChangeKind::Changed], "{:?}", report_rows.changed);
    assert_eq!(report_rows.review, [], "a claim waits for no decision");
    let kinds = |threads: &[Thread]| threads.iter().map(|thread| thread.kind).collect::<Vec<_>>();
    assert_eq!(kinds(&report_rows.promises), [ThreadKind::Debt], "the session brought it itself");
    assert_eq!(kinds(&report_rows.threads), [ThreadKind::Quest]);
    step(&memory, SessionStep::End { time: None }).unwrap();
    assert_eq!(report().counts, report_rows.counts, "to this day it is the same");
}

#[test]
fn threads_are_open_until_they_are_over() {
    let memory = table();
    do_edit(&memory, add("Find the ring", Kind::Quest, None));
    do_edit(&memory, set("Find the ring", "stage", "nobody has looked yet"));
    do_edit(&memory, relate("Pell", "OWES", "Mirela Voss"));
    do_edit(&memory, relate("Pell", "PROMISED", "Lyra Finn"));
    let secret = FactOptions { secret: true, ..FactOptions::default() };
    do_edit(&memory, relate_with("Odo Brandt", "LIKES", "Mirela Voss", secret));
    let open = |filter: ThreadFilter| {
        let threads = memory
            .read_in_background(move |snapshot| Ok(query::session::threads(&snapshot.state, &filter)?))
            .unwrap()
            .wait()
            .unwrap();
        threads.into_iter().map(|thread| thread.kind).collect::<Vec<_>>()
    };
    let all = [ThreadKind::Quest, ThreadKind::Promise, ThreadKind::Debt, ThreadKind::Secret];
    assert_eq!(open(ThreadFilter::default()), all);
    let kinds = vec![ThreadKind::Debt];
    assert_eq!(open(ThreadFilter { kinds, ..ThreadFilter::default() }), [ThreadKind::Debt]);
    let about = Some(id("Lyra Finn"));
    assert_eq!(open(ThreadFilter { about, ..ThreadFilter::default() }), [ThreadKind::Promise]);
    do_edit(&memory, set("Find the ring", "stage", "Done: it was in the well"));
    let owes = fact(&memory, "pell", "OWES").id();
    let until = state(&memory).calendar().format(hearsay_model::GameTime(1_000));
    memory.retcon(Retcon::Until { fact: owes, until }).unwrap().wait().unwrap();
    let left = [ThreadKind::Promise, ThreadKind::Secret];
    assert_eq!(open(ThreadFilter::default()), left);
    // A kept promise to another character closes nothing.
    do_edit(&memory, relate("Pell", "KEPT_PROMISE_TO", "Mirela Voss"));
    assert_eq!(open(ThreadFilter::default()), left);
    let kept = do_edit(&memory, relate("Pell", "KEPT_PROMISE_TO", "Lyra Finn")).position;
    assert_eq!(open(ThreadFilter::default()), [ThreadKind::Secret]);
    memory.undo(UndoTarget::At(kept)).unwrap().wait().unwrap();
    // If there are several promises, it is unknown which of them was kept or broken.
    let rope = FactOptions { statement: Some("Pell promised Lyra a rope.".into()), ..FactOptions::default() };
    do_edit(&memory, relate_with("Pell", "PROMISED", "Lyra Finn", rope));
    do_edit(&memory, relate("Pell", "BROKE_PROMISE_TO", "Lyra Finn"));
    let kinds = vec![ThreadKind::Promise];
    assert_eq!(open(ThreadFilter { kinds, ..ThreadFilter::default() }), [ThreadKind::Promise; 2]);
}

#[test]
fn the_players_recap_tells_what_their_characters_know() {
    let memory = table();
    start(&memory);
    log(&memory, Some("Mirela Voss"), "Odo Brandt paid Pell ninety marks for the silver ring.").unwrap();
    let line = LogLine {
        speaker: Some(id("Pell").into()),
        heard_by: ids(&["Mirela Voss"]),
        ..LogLine::new("Odo Brandt hid the silver ring in the chimney of the Gull.")
    };
    memory.log(Author::Dm, Log { lines: vec![line], ..Log::default() }).unwrap().wait().unwrap();
    let recap = |whom: RecapAudience| {
        let read = memory.read_in_background(move |snapshot| {
            Ok(query::session::session_recap(&snapshot.state, Some(&session("session-1")), &whom, 100)?)
        });
        let recap = read.unwrap().wait().unwrap();
        let lines: Vec<_> = recap.recap.lines.into_iter().map(|line| line.text).collect();
        (lines.join("\n"), recap.prompt)
    };
    let (dm, _) = recap(RecapAudience::Dm);
    assert!(dm.contains("ninety marks") && dm.contains("chimney"), "{dm}");
    let (players, prompt) = recap(RecapAudience::Players);
    assert!(players.contains("ninety marks") && !players.contains("chimney"), "{players}");
    assert!(!prompt.contains("chimney") && prompt.contains("[1] At the Gull: Mirela Voss: "), "{prompt}");
    let (mirela, _) = recap(RecapAudience::Character(id("Mirela Voss")));
    assert!(mirela.contains("chimney"));

    let summarize = |knower: Option<&str>| {
        let compact = Summarize { knower: knower.map(id), budget: Some(200), ..Summarize::default() };
        memory.summarize(compact).unwrap().wait().unwrap()
    };
    assert!(summarize(None).text().contains("chimney"));
    assert!(!summarize(Some("Lyra Finn")).text().contains("chimney"));
    let nowhere = Summarize { session: Some(session("session-9")), ..Summarize::default() };
    assert!(memory.summarize(nowhere).unwrap().wait().unwrap_err().to_string().contains("no session `session-9`"));
}

#[test]
fn lines_and_events_reach_the_same_characters() {
    let memory = table();
    // Borin is at the Gull, but does not attend. Lyra attends from elsewhere. Only Odo is at the market.
    do_edit(&memory, add("The Market", Kind::Location, None));
    for name in ["Lyra Finn", "Odo Brandt"] {
        do_edit(&memory, relate(name, "LOCATED_AT", "The Market"));
    }
    let new = NewSession { present: ids(&["Lyra Finn"]), place: Some(id("The Gull")), ..NewSession::default() };
    step(&memory, SessionStep::Start(new)).unwrap();
    log(&memory, None, "Rain falls.").unwrap();
    let present = ["lyra-finn", "mirela-voss", "pell"];
    assert_eq!(heard_by(&memory, "Rain falls."), present);
    let perceived_by = |author: Author, place: Option<&str>, speaker: Option<&str>| -> Vec<String> {
        let circumstances = Circumstances { place: place.map(id), ..Circumstances::default() };
        let stated = Stated::Lore { about: id("Pell"), text: "Pell saw a boat.".into() };
        let game_event = match speaker {
            Some(speaker) => GameEvent::Say {
                speaker: id(speaker).into(),
                text: "A boat!".into(),
                states: Vec::new(),
                hearers: Hearers::AtPlace,
                lie: false,
                circumstances,
            },
            None => GameEvent::Witness { facts: vec![stated], witnesses: Hearers::AtPlace, circumstances },
        };
        let plan = game_event.plan(&state(&memory), author, Timestamp(0)).unwrap();
        plan.heard_by.iter().map(ToString::to_string).collect()
    };
    assert_eq!(perceived_by(Author::Dm, None, None), present);
    assert_eq!(perceived_by(Author::Dm, Some("The Gull"), None), present);
    assert_eq!(perceived_by(Author::Dm, None, Some("Pell")), ["lyra-finn", "mirela-voss"]);
    // Lyra came to the Gull when the session started.
    assert_eq!(perceived_by(Author::Dm, Some("The Market"), None), ["odo-brandt"]);
    // In a game, the places of the characters decide.
    assert_eq!(perceived_by(Author::Game, None, Some("Pell")), ["borin", "lyra-finn", "mirela-voss"]);
    // The party moves to the market.
    attend(&memory, &["Borin"], &["Lyra Finn"]).unwrap();
    let line = LogLine { place: Some(id("The Market")), ..LogLine::new("You reach the market.") };
    memory.log(Author::Dm, Log { lines: vec![line], ..Log::default() }).unwrap().wait().unwrap();
    assert_eq!(heard_by(&memory, "You reach the market."), ["borin", "odo-brandt"]);
    assert_eq!(perceived_by(Author::Dm, Some("The Market"), None), ["borin", "odo-brandt"]);
    // Lyra has left the session, and stays at the Gull.
    assert_eq!(perceived_by(Author::Dm, Some("The Gull"), None), ["lyra-finn", "mirela-voss", "pell"]);
}
