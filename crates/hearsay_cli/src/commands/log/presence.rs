//! Notes of `log` about the presence of characters: who came into the scene, who probably arrives or leaves, and who hears
//! nothing because of a death.

use std::sync::Arc;

use anyhow::Result;
use hearsay_belief::{place_at, valid_death_fact};
use hearsay_commands::{
    presence::{scene_characters, undecided_deaths},
    session::{AttendanceChange, AttendanceHint, is_table_line, opening_place},
};
use hearsay_engine::Memory;
use hearsay_model::{EntityId, Fact, Knower, Passage, PredicateRole, State};
use hearsay_query::session::attending_in_scene;

use crate::{args, output::Output, texts::ExtractedRow};

/// Name of a dead speaker, and the fact that states the death.
type DeadSpeaker = (String, Arc<Fact>);

/// Returns the dead speakers of new lines. Call this function before the lines are written.
pub(super) fn deaths_of_speakers(memory: &Memory, passages: &[Arc<Passage>]) -> Result<Vec<DeadSpeaker>> {
    let lines = passages.to_vec();
    let read = memory.read(move |world| {
        let heard_lines = lines.iter().filter(|line| !line.is_out_of_character());
        Ok(heard_lines.filter_map(|line| death_of_speaker(&world.state, line)).collect::<Vec<_>>())
    })?;
    Ok(read.wait()?)
}

/// Returns the name of the speaker of a new line and the fact that states the death of the speaker. Returns `None` if
/// the speaker is alive, or if the line is already recorded.
fn death_of_speaker(state: &State, line: &Passage) -> Option<DeadSpeaker> {
    let speaker = line.speaker.as_ref().filter(|_| state.passage(line.id()).is_none())?;
    let moment = line.time.as_ref().and_then(|date| date.time);
    let death = valid_death_fact(state, speaker, moment)?;
    Some((state.name_or_id(speaker).to_owned(), Arc::clone(death)))
}

/// Prints a warning for each dead speaker. Otherwise, prints how the line changes the attendance, or how the DM can change
/// it. Also names the characters who hear nothing until the DM decides on their death, and the other place at which the
/// line probably happens. `line` is the new line.
pub(super) fn print_notes(
    memory: &Memory,
    args: &args::SessionLog,
    line: &Passage,
    deaths: &[DeadSpeaker],
    attendance: Vec<AttendanceHint>,
    extracted: &[ExtractedRow],
    output: &mut Output,
) -> Result<()> {
    let campaign = &args.campaign;
    for (name, death) in deaths {
        let reference = death.handle().map_or_else(|| death.id().short(), str::to_owned);
        let retract = campaign.command(&format!("fact retract {reference} --never-so"));
        output.note(format!(
            "warning: {name} is dead (fact {reference}: \"{}\"). Hearsay records the line, because a ghost can speak, \
             but {name} hears no lines of other speakers. If another character speaks, undo this line, and log it \
             with the right name. If {name} never died, run `{retract}`.",
            death.statement()
        ));
    }
    let state = memory.read(|world| Ok(Arc::clone(&world.state)))?.wait()?;
    if deaths.is_empty() {
        let offered: Vec<&str> = extracted.iter().filter_map(ExtractedRow::moved_character).collect();
        for hint in grouped_departures(&state, &attendance) {
            print_hint(args, &state, &hint, &offered, output)?;
            if let Hint::Character(AttendanceHint { character, change: AttendanceChange::Joins }) = &hint {
                print_missed_lines(args, &state, character, line, output);
            }
        }
    }
    print_other_place(args, &state, line, output);
    for (id, fact) in undecided_deaths(&state) {
        // The output above contains the deaths that this line states.
        if extracted.iter().any(|row| row.fact == fact) {
            continue;
        }
        let (name, fact) = (state.name_or_id(&id), fact.short());
        let (accept, reject) = (format!("review accept {fact}"), format!("review reject {fact}"));
        let (accept, reject) = (campaign.command(&accept), campaign.command(&reject));
        output.note(format!("{name} hears nothing until you decide on the death: `{accept}` or `{reject}`"));
    }
    Ok(())
}

/// A hint, or the departure of the whole party.
enum Hint {
    Character(AttendanceHint),
    Party(AttendanceChange),
}

/// Replaces the hints about the attending characters in the scene by one hint if all of them leave, or if all of them go
/// to the same place.
fn grouped_departures(state: &State, attendance: &[AttendanceHint]) -> Vec<Hint> {
    let party = state.active_session().map(|playing| attending_in_scene(state, playing)).unwrap_or_default();
    let is_departure_of_all = |change: &AttendanceChange| {
        let departs = |id: &EntityId| attendance.iter().any(|hint| hint.character == *id && hint.change == *change);
        matches!(change, AttendanceChange::Leaves | AttendanceChange::GoesTo(_))
            && party.len() > 1
            && party.iter().all(departs)
    };
    let mut changes = attendance.iter().map(|hint| &hint.change);
    let departure = changes.find(|&change| is_departure_of_all(change)).cloned();
    let departs_with_party =
        |hint: &AttendanceHint| departure.as_ref() == Some(&hint.change) && party.contains(&hint.character);
    let others = attendance.iter().filter(|hint| !departs_with_party(hint)).cloned().map(Hint::Character);
    departure.iter().cloned().map(Hint::Party).chain(others).collect()
}

/// Prints a hint with its command. `offered` contains the names of the characters for whom the output already offers a
/// move.
fn print_hint(
    args: &args::SessionLog,
    state: &State,
    hint: &Hint,
    offered: &[&str],
    output: &mut Output,
) -> Result<()> {
    let AttendanceHint { character, change } = match hint {
        Hint::Character(hint) => hint,
        Hint::Party(AttendanceChange::GoesTo(place)) => {
            let name = state.name_or_id(place);
            output.note(format!("to move the scene to {name}, log the next line with `--at {place}`"));
            return Ok(());
        }
        Hint::Party(_) => {
            output.note("to move the scene to another place, log the next line with `--at PLACE`");
            return Ok(());
        }
    };
    let name = state.name_or_id(character);
    let command = |change: &str| args.campaign.command(&format!("session attend --{change} {character}"));
    match change {
        AttendanceChange::Joins => {
            let leave = command("leave");
            output.line(format!("  {name} is in the scene from this line on; if not: `{leave}`"))?;
        }
        AttendanceChange::SpeaksOutside => {
            let place = place_at(state, character, state.clock());
            let elsewhere = place.map(|place| {
                let correction = format!("if {name} says it there, {}; ", repetition(args, &place));
                (format!(", but at {}", state.name_or_id(&place)), correction)
            });
            let (location, correction) = elsewhere.unwrap_or_default();
            let arrive = command("arrive");
            output.note(format!(
                "{name} hears only this line, and is not in the scene{location}; {correction}to bring {name} into the \
                 scene: `{arrive}`"
            ));
        }
        AttendanceChange::Arrives => {
            output.note(format!("{name} is not in the scene; to change this: `{}`", command("arrive")));
        }
        AttendanceChange::Leaves => {
            output.note(format!("{name} still hears the scene; to change this: `{}`", command("leave")));
        }
        AttendanceChange::GoesTo(_) if offered.contains(&name) => {}
        AttendanceChange::GoesTo(place) => {
            let add = format!("fact add {character} {} {place}", PredicateRole::Location.name());
            let (to, add) = (state.name_or_id(place), args.campaign.command(&add));
            output.note(format!("to move {name} to {to}: `{add}`"));
        }
    }
    Ok(())
}

/// Returns how the DM logs the line again at another place.
fn repetition(args: &args::SessionLog, place: &EntityId) -> String {
    match args.dry_run {
        true => format!("log the line with `--at {place}`"),
        false => format!("run `{}`, and log the line with `--at {place}`", args.campaign.command("undo")),
    }
}

/// Prints a note if narration names another place at its start than the place of the line.
fn print_other_place(args: &args::SessionLog, state: &State, line: &Passage, output: &Output) {
    if args.at.is_some() || line.speaker.is_some() || line.is_out_of_character() {
        return;
    }
    if let Some(place) = opening_place(state, &line.text, line.place.as_ref()) {
        let (name, repetition) = (state.name_or_id(&place), repetition(args, &place));
        output.note(format!("the scene is not at {name}; if this happens at {name}, {repetition}"));
    }
}

/// Prints a note with the lines before a line that a character who comes into the scene did not hear. The character was
/// perhaps there before.
fn print_missed_lines(args: &args::SessionLog, state: &State, character: &EntityId, line: &Passage, output: &Output) {
    if let Some(lines) = missed_lines(state, character, line) {
        let (name, noun) = (state.name_or_id(character), if lines.contains([',', '-']) { "lines" } else { "line" });
        let add = args.campaign.command(&format!("log --line {lines} --with {character}"));
        output.note(format!("{name} did not hear {noun} {lines}; if {name} was there: `{add}`"));
    }
}

/// Returns the lines directly before a line that everybody else in the scene heard, and a character did not, in the form
/// of the option `--line`: `7,9-11`. Lines that are out of character are left out. Returns `None` if there are no such
/// lines.
fn missed_lines(state: &State, id: &EntityId, line: &Passage) -> Option<String> {
    let playing = state.active_session()?;
    let knower = Knower::Entity(id.clone());
    let moment = line.time.as_ref().and_then(|date| date.time);
    let in_scene = scene_characters(state, playing, line.place.as_ref(), moment);
    let others: Vec<Knower> = in_scene.into_iter().filter(|other| other != id).map(Knower::Entity).collect();
    let lines = state.passages_in_session(Some(&playing.session)).map(|(_, passage)| passage);
    let is_earlier =
        |passage: &&Arc<Passage>| is_table_line(passage) && !passage.is_out_of_character() && passage.line < line.line;
    let mut lines: Vec<&Arc<Passage>> = lines.filter(is_earlier).collect();
    // A character who took part before was there, and did not notice the other lines.
    if lines.iter().any(|passage| passage.place == line.place && passage.has_participant(&knower)) {
        return None;
    }
    lines.sort_unstable_by_key(|passage| passage.line);
    // A line that somebody in the scene did not hear was not meant for everybody.
    let is_missed = |passage: &&Arc<Passage>| {
        let is_heard_by_others = others.iter().all(|other| passage.has_participant(other));
        passage.place == line.place && !passage.confidential && is_heard_by_others && !passage.has_participant(&knower)
    };
    let mut numbers: Vec<u32> = lines.into_iter().rev().take_while(is_missed).map(|passage| passage.line).collect();
    numbers.reverse();
    let ranges = numbers.chunk_by(|line, next| line + 1 == *next).filter_map(|range| match range {
        [line] => Some(line.to_string()),
        [first, .., last] => Some(format!("{first}-{last}")),
        [] => None,
    });
    let ranges: Vec<String> = ranges.collect();
    (!ranges.is_empty()).then(|| ranges.join(","))
}
