//! Tests of data that panels show: the timeline, the journal with undo and redo, the lines of a session, saved recaps,
//! and the progress of imports.

use hearsay_commands::session::{Log, LogLine, NewSession, SessionStep};
use hearsay_engine::{ImportProgress, ImportStage, Memory};
use hearsay_model::{Author, EditedRecap, Kind, Position, Precision, RecapReader};
use hearsay_query as query;
use hearsay_query::{
    journal::{HistoryFilter, UndoTarget},
    timeline::{MomentKind, TimelineFilter},
};

use crate::support::{
    add, do_edit, empty, gullhaven, id, options_at, refused, session, set, set_clock, state, tiny_tavern, town,
};

fn with_gullhaven() -> Memory {
    let memory = empty();
    memory.import(gullhaven()).unwrap().wait().unwrap();
    memory
}

#[test]
fn the_timeline_groups_by_year_month_and_day() {
    let memory = with_gullhaven();
    let state_now = state(&memory);
    let years = query::timeline::timeline(&state_now, &TimelineFilter::default()).unwrap();
    let labels: Vec<&str> = years.spans.iter().map(|span| span.label.as_str()).collect();
    assert!(labels.iter().any(|label| label.starts_with("398")) && labels.iter().any(|label| label.starts_with("412")));
    assert_eq!(years.spans.iter().map(|span| span.count).sum::<usize>(), years.all);
    assert!(years.spans.is_sorted_by_key(|span| span.first) && years.moments.is_sorted_by_key(|moment| moment.time));
    let last = years.spans.last().unwrap();
    let within = Some((last.first, Precision::Year));
    let months = TimelineFilter { within, by: Precision::Month, ..TimelineFilter::default() };
    let months = query::timeline::timeline(&state_now, &months).unwrap();
    assert_eq!(months.all, last.count);
    assert!(months.spans.iter().any(|span| span.label.starts_with("Rainmoon 412")), "{:?}", months.spans);
    let fire = years.moments.iter().find(|moment| moment.event == Some(id("great-fire")));
    let fire = fire.unwrap_or_else(|| panic!("{:?}", years.moments));
    assert_eq!((fire.kind, fire.when.as_str()), (MomentKind::Event, "12 Frostmoon 398"));
    assert!(fire.description.contains("eleven dead") && !fire.secret);
    let session = years.moments.iter().find(|moment| moment.kind == MomentKind::Session).unwrap();
    assert_eq!(session.there.len(), 4);
    assert!(years.moments.iter().any(|moment| moment.kind == MomentKind::Scene && moment.secret));
    let dinner = TimelineFilter { about: Some(id("lantern-club")), ..TimelineFilter::default() };
    let dinner = query::timeline::timeline(&state_now, &dinner).unwrap();
    let dinner = dinner.moments.iter().find(|moment| moment.event == Some(id("lampday-dinner"))).unwrap();
    assert_eq!(dinner.there, [id("lantern-club")]);
    let limited = TimelineFilter { limit: 2, kinds: vec![MomentKind::Event], ..TimelineFilter::default() };
    let limited = query::timeline::timeline(&state_now, &limited).unwrap();
    assert!(
        limited.moments.len() == 2
            && limited.all > 2
            && limited.moments.iter().all(|row| row.kind == MomentKind::Event)
    );
}

#[test]
fn undated_facts_are_listed_separately() {
    let memory = town();
    do_edit(&memory, add("The Flood", Kind::Event, None));
    do_edit(&memory, add("The Feast", Kind::Event, None));
    do_edit(&memory, set("The Feast", "date", "3 Month2 12"));
    do_edit(&memory, set("The Flood", "date", "in grandfather's days"));
    let events = TimelineFilter { kinds: vec![MomentKind::Event], ..TimelineFilter::default() };
    let events = query::timeline::timeline(&state(&memory), &events).unwrap();
    let of = |rows: &[query::timeline::MomentRow]| {
        rows.iter().map(|row| (row.description.clone(), row.when.clone())).collect::<Vec<_>>()
    };
    assert_eq!(of(&events.moments), [("The Feast".to_owned(), "3 Month2 12".to_owned())]);
    assert_eq!(of(&events.undated), [("The Flood".to_owned(), "in grandfather's days".to_owned())]);
}

#[test]
fn undo_is_previewed_named_and_redone() {
    let memory = town();
    let added = do_edit(&memory, add("Rook", Kind::Npc, Some("The Gull")));
    let edit = do_edit(&memory, set("Rook", "lore", "Rook stole the ring."));
    let at = |position: Position| UndoTarget::At(position);
    let row = query::journal::describe_undo(&state(&memory), &at(added.position), 10).unwrap();
    assert_eq!((row.operation.summary.as_str(), row.is_redo), (added.summary.as_str(), false));
    assert_eq!(row.dependents.iter().map(|row| row.position).collect::<Vec<_>>(), [edit.position]);
    assert!(row.lost.contains(&("entities", 1)), "{:?}", row.lost);
    assert!(row.facts.iter().any(|fact| fact.statement == "Rook stole the ring."), "{:?}", row.facts);
    let undone = memory.undo(at(edit.position)).unwrap().wait().unwrap();
    let list = |author: Option<&str>| {
        let filter = HistoryFilter { author: author.map(str::to_owned), before: None, limit: 50 };
        query::journal::operations(&state(&memory), &filter)
    };
    let all = list(None);
    let of = |position: Position| all.rows.iter().find(|row| row.row.position == position).unwrap();
    assert_eq!((of(edit.position).row.live, of(edit.position).undone_by), (false, Some(undone.position)));
    assert!(of(undone.position).is_undo && of(added.position).undone_by.is_none());
    assert!(query::journal::describe_undo(&state(&memory), &at(undone.position), 10).unwrap().is_redo);
    let redone = memory.undo(at(undone.position)).unwrap().wait().unwrap();
    assert_eq!(redone.summary, format!("redo {}: {}", edit.position, edit.summary));
    let again = memory.undo(at(redone.position)).unwrap().wait().unwrap();
    assert_eq!(again.summary, format!("undo {}: {}", edit.position, edit.summary));
    set_clock(&memory, 10);
    let all = list(None);
    assert_eq!(all.all, all.rows.len());
    assert_eq!(all.authors.iter().map(|(_, count)| count).sum::<usize>(), all.all);
    let game = list(Some("game"));
    assert_eq!((game.all, game.rows[0].row.author.as_str()), (1, "game"));
    let restored = memory.restore(added.position).unwrap().wait().unwrap();
    let all = list(None);
    assert!(
        all.rows.iter().any(|row| row.undone_by == Some(restored.position)),
        "what was gone back on can be had again"
    );
}

#[test]
fn lines_of_a_session_list_hearers_and_non_hearers() {
    let memory = with_gullhaven();
    let fourth = session("session-4");
    let (found, lines, all) = query::session::session_lines(&state(&memory), Some(&fourth), 1000).unwrap();
    assert_eq!((&found, lines.len()), (&fourth, all));
    assert!(lines.is_sorted_by_key(|line| line.line));
    assert!(!lines[0].private && lines[0].name.is_none());
    let line = lines.iter().find(|line| line.text.starts_with("You knew him, Dorric")).unwrap();
    assert!(line.private && line.name.as_deref() == Some("Wren Oake"));
    let (_, last, _) = query::session::session_lines(&state(&memory), Some(&fourth), 2).unwrap();
    assert_eq!(last[..], lines[lines.len() - 2..]);
}

#[test]
fn an_edited_recap_is_saved() {
    let directory = tempfile::tempdir().unwrap();
    let memory = Memory::open(options_at(directory.path())).unwrap();
    do_edit(&memory, add("Lyra", Kind::Player, None));
    memory.session(Author::Dm, SessionStep::Start(NewSession::default())).unwrap().wait().unwrap();
    let line = LogLine::new("Rain falls.");
    memory.log(Author::Dm, Log { lines: vec![line], ..Log::default() }).unwrap().wait().unwrap();
    let session = state(&memory).active_session().unwrap().session.clone();
    let recap = |reader, text: &str| EditedRecap { session: session.clone(), reader, text: text.into() };
    let save_recap = |memory: &Memory, recap| memory.save_recap(recap).unwrap().wait();
    save_recap(&memory, recap(RecapReader::Dm, "It rained on the guilty. ")).unwrap();
    save_recap(&memory, recap(RecapReader::Players, "It rained.")).unwrap();
    memory.close().unwrap();
    let memory = Memory::open(options_at(directory.path())).unwrap();
    let saved_recap = |reader| state(&memory).recap(&session, reader).map(str::to_owned);
    assert_eq!(saved_recap(RecapReader::Dm).as_deref(), Some("It rained on the guilty."));
    assert_eq!(saved_recap(RecapReader::Players).as_deref(), Some("It rained."));
    let written = save_recap(&memory, recap(RecapReader::Players, "It rained all night.")).unwrap();
    assert_eq!(written.summary, "write the players' recap of session-1");
    memory.undo(UndoTarget::Last).unwrap().wait().unwrap();
    assert_eq!(saved_recap(RecapReader::Players).as_deref(), Some("It rained."));
    save_recap(&memory, recap(RecapReader::Players, " ")).unwrap();
    assert_eq!(saved_recap(RecapReader::Players), None);
    refused(&memory, |memory| save_recap(memory, recap(RecapReader::Players, "")), &["players' recap of session-1"]);
    // An export also contains the saved recap.
    let path = directory.path().join("all.jsonl");
    memory.export(path.clone()).unwrap().wait().unwrap();
    let other = empty();
    other.import(path).unwrap().wait().unwrap();
    assert_eq!(state(&other).recap(&session, RecapReader::Dm), Some("It rained on the guilty."));
}

#[test]
fn an_import_is_watched_and_cancelled() {
    let memory = empty();
    let progress = ImportProgress::default();
    assert_eq!(progress.stage(), ImportStage::Sent);
    memory.import_watched(tiny_tavern(), &progress).unwrap().wait().unwrap();
    assert_eq!(progress.stage(), ImportStage::Done);
    let directory = tempfile::tempdir().unwrap();
    crate::imports::large(directory.path(), 2_000);
    let progress = ImportProgress::default();
    let before = state(&memory).position();
    let ticket = memory.import_watched(directory.path(), &progress).unwrap();
    assert!(progress.stage().can_be_cancelled());
    ticket.cancel();
    // The worker still answers later requests.
    do_edit(&memory, add("Nobody", Kind::Npc, None));
    memory.import(directory.path()).unwrap().wait().unwrap();
    assert_eq!(state(&memory).position().0, before.0 + 2, "the cancelled one wrote nothing");
}
