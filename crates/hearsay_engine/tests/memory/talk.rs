//! The kind of talk of lines: narration, in character or out of character.

use hearsay_belief::View;
use hearsay_campaign::Transcript;
use hearsay_commands::{
    game_event::{Circumstances, GameEvent, Hearers},
    line_reading::{LineReading, UnrecordedLine},
    session::{Log, LogLine, LogSource, NewSession, SessionStep, TranscriptImport, transcript_talk},
};
use hearsay_engine::{ExtractionEngine, ExtractionSettings, Memory, MemoryOptions, ModelSettings, Settings, Written};
use hearsay_model::{Author, Change, Kind, Knower, Operation, Position, TalkKind};
use hearsay_query as query;
use hearsay_query::{
    ask::Ask,
    journal::UndoTarget,
    search::Search,
    session::{RecapAudience, TalkCounts},
    timeline::{MomentKind, TimelineFilter},
};
use hearsay_recall::Form;

use crate::{reading::settle, support::*};

const EVENING: &str = "\
DM: You arrive at the gates of the city. A guard steps forward and asks for your names.
Lyra: Can I roll perception? I got a seventeen plus four.
Borin: I have to leave at ten tonight, guys.
Lyra: Odo, where have you hidden the ring?
";

/// Returns settings for extraction without the sentence encoder.
fn reading(engine: ExtractionEngine) -> Settings {
    let model = ModelSettings { enabled: false, ..ModelSettings::default() };
    Settings {
        extraction: ExtractionSettings { engine, ..ExtractionSettings::default() },
        model,
        ..Settings::default()
    }
}

/// Adds the town and two player characters at the Gull.
fn found_table(memory: &Memory) {
    found_town(memory);
    for name in ["Lyra Finn", "Borin"] {
        do_edit(memory, add(name, Kind::Player, Some("The Gull")));
    }
    set_clock(memory, 1_000);
}

/// Imports the evening as a transcript, and waits until it is read.
fn import_evening(memory: &Memory) -> Written {
    let name = "evening.txt".to_owned();
    let import = TranscriptImport {
        name: name.clone(),
        transcript: Transcript::read(&name, EVENING.as_bytes()).unwrap(),
        session: None,
        new: NewSession::default(),
        speakers: Vec::new(),
        first_line: None,
    };
    let (_, log) = memory.read(move |world| Ok(import.plan(&world.state)?)).unwrap().wait().unwrap();
    let written = memory.log(Author::Importer(name), log).unwrap().wait().unwrap();
    settle(memory);
    written
}

/// Plays a session in which Lyra says a line about crisps.
fn play(memory: &Memory) {
    let present = ids(&["Lyra Finn", "Borin"]);
    let new = NewSession { present, place: Some(id("The Gull")), ..NewSession::default() };
    memory.session(Author::Dm, SessionStep::Start(new)).unwrap().wait().unwrap();
    let line = |speaker: &str, text: &str| LogLine { speaker: Some(id(speaker).into()), ..LogLine::new(text) };
    let lines = vec![
        LogLine::new("Rain falls on the market."),
        line("Lyra Finn", CRISPS),
        line("Mirela Voss", "Odo owes Pell forty crowns."),
    ];
    memory.log(Author::Dm, Log { lines, ..Log::default() }).unwrap().wait().unwrap();
    memory.session(Author::Dm, SessionStep::End { time: None }).unwrap().wait().unwrap();
}

const CRISPS: &str = "Pass the crisps to Pell.";

/// Sets the kind of talk of a line, as the DM.
fn set_kind(memory: &Memory, text: &str, kind: TalkKind) -> Written {
    let passage = state(memory).passages().find(|(_, passage)| passage.text == text).unwrap().0;
    let changes = vec![Change::SetTalkKind { passage, kind }];
    memory.write(move |_| Ok(Operation::new(Author::Dm, "correct", changes.clone()))).unwrap().wait().unwrap()
}

fn undo(memory: &Memory, position: Position) -> Written {
    let written = memory.undo(UndoTarget::At(position)).unwrap().wait().unwrap();
    settle(memory);
    written
}

/// Returns the kinds of all lines, in order.
fn kinds(memory: &Memory) -> Vec<Option<TalkKind>> {
    let state = state(memory);
    let mut lines: Vec<_> = state.passages().map(|(_, passage)| (passage.line, passage.talk_kind)).collect();
    lines.sort();
    lines.into_iter().map(|(_, kind)| kind).collect()
}

fn extracted_facts(memory: &Memory) -> usize {
    state(memory).facts().filter(|fact| fact.provenance().author == Author::Extractor).count()
}

#[test]
fn the_kinds_of_lines_follow_undo_and_a_restart() {
    let directory = tempfile::tempdir().unwrap();
    let open = || {
        let settings = reading(ExtractionEngine::Model);
        Memory::open(MemoryOptions { settings, ..options_at(directory.path()) }).unwrap()
    };
    let memory = open();
    found_table(&memory);
    let written = import_evening(&memory);
    let evening_kinds = kinds(&memory);
    assert_eq!(evening_kinds.len(), 4);
    assert_eq!(evening_kinds[..2], [Some(TalkKind::Narration), Some(TalkKind::OutOfCharacter)]);
    assert_eq!(evening_kinds[3], Some(TalkKind::InCharacter));
    let undone = undo(&memory, written.position);
    assert_eq!(kinds(&memory), []);
    undo(&memory, undone.position);
    assert_eq!(kinds(&memory), evening_kinds);
    memory.close().unwrap();

    let memory = open();
    settle(&memory);
    assert_eq!(kinds(&memory), evening_kinds);
    let counts = transcript_talk(&state(&memory), "evening.txt");
    let count = |kind| evening_kinds.iter().filter(|found| **found == Some(kind)).count();
    let expected = TalkCounts {
        narration: count(TalkKind::Narration),
        in_character: count(TalkKind::InCharacter),
        out_of_character: count(TalkKind::OutOfCharacter),
        ..TalkCounts::default()
    };
    assert_eq!(counts, expected);
    let is_talk =
        |operation: &Operation| operation.changes.iter().any(|change| matches!(change, Change::SetTalkKind { .. }));
    let now = state(&memory);
    let recorded: Vec<Position> =
        now.journal().filter(|(_, entry)| is_talk(&entry.operation)).map(|(position, _)| position).collect();
    assert_eq!(recorded.len(), 1, "a restored line keeps its kind");
    let shown = query::journal::visible_history(&now, usize::MAX);
    assert!(shown.iter().all(|row| row.position != recorded[0]), "the extractor's bookkeeping is not listed");
    // A kind of talk that was recorded and then undone by the DM is not recorded again.
    undo(&memory, recorded[0]);
    assert_eq!(kinds(&memory), [None; 4]);
}

#[test]
fn an_out_of_character_line_gives_no_facts() {
    let memory = Memory::open(MemoryOptions { settings: reading(ExtractionEngine::Model), ..options() }).unwrap();
    found_table(&memory);
    let texts =
        ["I have to leave at ten tonight, guys. Odo owes Pell twenty crowns.", "Odo owes Mirela twenty crowns."];
    let lines = texts.map(|text| LogLine { speaker: Some(id("Lyra Finn").into()), ..LogLine::new(text) }).into();
    let source = Some(LogSource { name: "evening.txt".into(), digest: "1".into(), appends: false });
    let log = Log { new: Some(NewSession::default()), lines, source, ..Log::default() };
    memory.log(Author::Importer("evening.txt".into()), log).unwrap().wait().unwrap();
    settle(&memory);
    let state = state(&memory);
    let mut lines: Vec<_> = state.passages().collect();
    lines.sort_by_key(|(_, line)| line.line);
    let read: Vec<_> =
        lines.iter().map(|(id, line)| (line.is_out_of_character(), state.facts_citing(*id).count() > 0)).collect();
    assert_eq!(read, [(true, false), (false, true)], "{lines:?}");
}

#[test]
fn only_the_dm_finds_an_out_of_character_line() {
    let memory = Memory::open(options()).unwrap();
    found_table(&memory);
    play(&memory);
    set_kind(&memory, CRISPS, TalkKind::OutOfCharacter);
    let now = state(&memory);
    for name in ["lyra-finn", "borin", "mirela-voss", "pell"] {
        let view = View::new(&now, &Knower::Entity(id(name)), None);
        assert_eq!(view.passages().filter(|(_, heard)| heard.passage.text == CRISPS).count(), 0, "{name}");
        assert!(view.passages().len() > 0, "{name} hears the other lines");
        let ask = Ask { session: Some(session("session-1")), ..Ask::new(id(name), "Who passes the crisps to Pell?") };
        let answer = memory.ask(ask).unwrap().wait().unwrap().context.render(Form::Prompt, false);
        assert!(!answer.contains("Pass the crisps"), "{answer}");
    }
    let find = |knower: Option<&str>| {
        let search = Search { knower: knower.map(id), ..Search::new("crisps") };
        let passages = memory.search(search).unwrap().wait().unwrap().passages;
        let found = passages.into_iter().filter(|hit| hit.text.contains("crisps"));
        found.map(|hit| (hit.text, hit.talk_kind)).collect::<Vec<_>>()
    };
    assert_eq!(find(None), [(CRISPS.to_owned(), Some(TalkKind::OutOfCharacter))]);
    assert_eq!(find(Some("borin")), []);
    set_kind(&memory, CRISPS, TalkKind::InCharacter);
    assert_eq!(find(Some("borin")), [(CRISPS.to_owned(), Some(TalkKind::InCharacter))]);
}

#[test]
fn out_of_character_lines_are_not_part_of_the_story() {
    let memory = Memory::open(options()).unwrap();
    found_table(&memory);
    play(&memory);
    set_kind(&memory, CRISPS, TalkKind::OutOfCharacter);
    let now = state(&memory);
    for audience in [RecapAudience::Dm, RecapAudience::Players, RecapAudience::Character(id("Borin"))] {
        let recap = query::session::session_recap(&now, None, &audience, 200).unwrap();
        let told: Vec<&str> = recap.recap.lines.iter().map(|line| line.text.as_str()).collect();
        assert!(told.iter().any(|text| text.contains("forty crowns")), "{audience:?}: {told:?}");
        assert!(told.iter().all(|text| !text.contains("crisps")), "{audience:?}: {told:?}");
    }
    let (_, lines, _) = query::session::session_lines(&now, None, 10).unwrap();
    let crisps = lines.iter().find(|line| line.text == CRISPS).unwrap();
    assert_eq!((crisps.talk_kind, crisps.heard_by.len()), (Some(TalkKind::OutOfCharacter), 0));
    let counts = query::session::session_report(&now, None).unwrap().counts;
    assert_eq!((counts.lines, counts.speakers), (3, 1));
    assert_eq!(counts.talk, TalkCounts { narration: 1, in_character: 1, out_of_character: 1, ..TalkCounts::default() });
    assert!(query::portrait::meetings(&now, &id("lyra-finn")).unwrap().words.is_none());
    let missed = query::knowledge::missed(&now, &id("Odo Brandt"), &session("session-1")).unwrap();
    let missed: Vec<&str> = missed.lines.iter().map(|line| line.text.as_str()).collect();
    assert_eq!(missed, ["Rain falls on the market.", "Odo owes Pell forty crowns."]);
    let filter = TimelineFilter { kinds: vec![MomentKind::Scene], ..TimelineFilter::default() };
    let scenes = query::timeline::timeline(&now, &filter).unwrap().moments;
    assert_eq!(scenes.iter().map(|scene| scene.description.as_str()).collect::<Vec<_>>(), ["The Gull: 2 lines"]);
}

#[test]
fn the_facts_of_a_line_follow_the_corrected_kind() {
    let memory = Memory::open(MemoryOptions { settings: reading(ExtractionEngine::Patterns), ..options() }).unwrap();
    found_table(&memory);
    play(&memory);
    settle(&memory);
    let found = extracted_facts(&memory);
    assert!(found > 0);
    let line = "Odo owes Pell forty crowns.";
    let corrected = set_kind(&memory, line, TalkKind::OutOfCharacter);
    settle(&memory);
    assert_eq!(extracted_facts(&memory), 0, "the facts are withdrawn");
    memory.reread_texts().unwrap().wait().unwrap();
    settle(&memory);
    assert_eq!(extracted_facts(&memory), 0, "the line is not read again");
    undo(&memory, corrected.position);
    assert_eq!(extracted_facts(&memory), found);
    set_kind(&memory, line, TalkKind::OutOfCharacter);
    settle(&memory);
    set_kind(&memory, line, TalkKind::InCharacter);
    settle(&memory);
    assert_eq!(extracted_facts(&memory), found);
    let shown = query::journal::visible_history(&state(&memory), usize::MAX);
    assert_eq!(shown.iter().filter(|row| row.summary == "correct").count(), 3, "decisions of the DM are listed");
}

#[test]
fn what_a_character_says_in_an_event_is_in_character() {
    let memory = Memory::open(MemoryOptions { settings: reading(ExtractionEngine::Model), ..options() }).unwrap();
    found_table(&memory);
    let start = SessionStep::Start(NewSession::default());
    memory.session(Author::Game, start).unwrap().wait().unwrap();
    let say = GameEvent::Say {
        speaker: id("Pell").into(),
        text: "Can I roll perception? I got a seventeen plus four.".into(),
        states: Vec::new(),
        hearers: Hearers::AtPlace,
        lie: false,
        circumstances: Circumstances::default(),
    };
    memory.learn(Author::Game, say).unwrap().wait().unwrap();
    settle(&memory);
    assert_eq!(kinds(&memory), [Some(TalkKind::InCharacter)]);
}

#[test]
fn a_typed_line_is_heard_whatever_the_reading_model_finds() {
    let memory = Memory::open(MemoryOptions { settings: reading(ExtractionEngine::Model), ..options() }).unwrap();
    found_table(&memory);
    let present = ids(&["Lyra Finn"]);
    let new = NewSession { present, place: Some(id("The Gull")), ..NewSession::default() };
    memory.session(Author::Dm, SessionStep::Start(new)).unwrap().wait().unwrap();
    let text = "Can I roll perception? I got a seventeen plus four.";
    let spoken = LogLine { speaker: Some(id("Pell").into()), ..LogLine::new(text) };
    let lines = vec![spoken, LogLine::new("I have to leave at ten tonight, guys.")];
    memory.log(Author::Dm, Log { lines, ..Log::default() }).unwrap().wait().unwrap();
    settle(&memory);
    assert_eq!(kinds(&memory), [Some(TalkKind::InCharacter), Some(TalkKind::Narration)]);
    let view = View::new(&state(&memory), &Knower::Entity(id("Lyra Finn")), None);
    assert!(view.passages().any(|(_, heard)| heard.passage.text == text));
}

/// Opens a memory with the player character Lyra Finn of the player Zoe.
fn table_of_zoe(engine: ExtractionEngine) -> Memory {
    let memory = Memory::open(MemoryOptions { settings: reading(engine), ..options() }).unwrap();
    found_table(&memory);
    do_edit(&memory, set("Lyra Finn", "player", "Zoe"));
    memory
}

fn read_line(memory: &Memory, line: LogLine) -> LineReading {
    memory.read_line(UnrecordedLine::new(line)).unwrap().wait().unwrap()
}

#[test]
fn a_player_who_talks_about_the_game_is_out_of_character() {
    for engine in [ExtractionEngine::Model, ExtractionEngine::Patterns] {
        let memory = table_of_zoe(engine);
        let kind = |text: &str| {
            let reading = read_line(&memory, LogLine::typed(text));
            (reading.line.speaker.map(|speaker| speaker.id), reading.talk_kind)
        };
        let (lyra, pell) = (Some(id("Lyra Finn")), Some(id("Pell")));
        let out_of_character = Some(TalkKind::OutOfCharacter);
        assert_eq!(kind("Zoe: Can I roll for that? Does a 17 hit?"), (lyra.clone(), out_of_character), "{engine:?}");
        assert_eq!(kind("Zoe: [ooc] back in five"), (lyra.clone(), out_of_character), "{engine:?}");
        // Words that a character says, and a speaker that the DM names as a character.
        assert_eq!(
            kind("Zoe: Odo, where have you hidden the ring?"),
            (lyra, Some(TalkKind::InCharacter)),
            "{engine:?}"
        );
        assert_eq!(kind("Pell: Can I roll for that?"), (pell, Some(TalkKind::InCharacter)), "{engine:?}");
        assert_eq!(kind("The dice roll for hours."), (None, Some(TalkKind::Narration)), "{engine:?}");
    }
}

#[test]
fn without_the_reading_model_only_words_about_the_game_are_out_of_character() {
    let memory = table_of_zoe(ExtractionEngine::Patterns);
    let (name, text) =
        ("talk.txt".to_owned(), "Zoe: Can I roll for that?\nZoe: Where is the ring?\nOdo: Roll for it!\n");
    let import = TranscriptImport {
        name: name.clone(),
        transcript: Transcript::read(&name, text.as_bytes()).unwrap(),
        session: None,
        new: NewSession::default(),
        speakers: Vec::new(),
        first_line: None,
    };
    let (_, log) = memory.read(move |world| Ok(import.plan(&world.state)?)).unwrap().wait().unwrap();
    memory.log(Author::Importer(name), log).unwrap().wait().unwrap();
    settle(&memory);
    assert_eq!(kinds(&memory), [Some(TalkKind::OutOfCharacter), None, None]);
}
