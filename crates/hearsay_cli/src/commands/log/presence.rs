//! Notes of `log` about the presence of characters: who came into the scene, who probably arrives or leaves, and who hears
//! nothing because of a death.

use std::{collections::BTreeMap, sync::Arc};

use anyhow::Result;
use hearsay_belief::{place_at, valid_death_fact};
use hearsay_commands::{
    presence::undecided_deaths,
    session::{AttendanceChange, AttendanceHint, is_table_line},
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
/// it. Also names the characters who hear nothing until the DM decides on their death.
pub(super) fn print_notes(
    memory: &Memory,
    args: &args::SessionLog,
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
        for hint in grouped_departures(&state, attendance) {
            print_hint(args, &state, &hint, &offered, output)?;
        }
    }
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

/// A hint, or the move of the whole party to a place.
enum Hint {
    Character(AttendanceHint),
    Party(EntityId),
}

/// Replaces the hints about the attending characters in the scene by one hint if all of them go to the same place.
fn grouped_departures(state: &State, attendance: Vec<AttendanceHint>) -> Vec<Hint> {
    let mut goers: BTreeMap<EntityId, Vec<EntityId>> = BTreeMap::new();
    for hint in &attendance {
        if let AttendanceChange::GoesTo(place) = &hint.change {
            goers.entry(place.clone()).or_default().push(hint.character.clone());
        }
    }
    let party = state.active_session().map(|playing| attending_in_scene(state, playing)).unwrap_or_default();
    let is_party = |characters: &[EntityId]| party.len() > 1 && party.iter().all(|id| characters.contains(id));
    let destination = goers.into_iter().find(|(_, characters)| is_party(characters)).map(|(place, _)| place);
    let moves_with_party = |hint: &AttendanceHint| {
        let place = destination.as_ref();
        matches!(&hint.change, AttendanceChange::GoesTo(to) if Some(to) == place) && party.contains(&hint.character)
    };
    let others: Vec<AttendanceHint> = attendance.into_iter().filter(|hint| !moves_with_party(hint)).collect();
    destination.into_iter().map(Hint::Party).chain(others.into_iter().map(Hint::Character)).collect()
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
        Hint::Party(place) => {
            let name = state.name_or_id(place);
            output.note(format!("to move the scene to {name}, log the next line with `--at {place}`"));
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
            let place = place.map_or_else(String::new, |place| format!(", but at {}", state.name_or_id(&place)));
            let arrive = command("arrive");
            output.note(format!(
                "{name} hears only this line, and is not in the scene{place}; to change this: `{arrive}`"
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
    let missed = missed_lines(state, character);
    let arrives = !matches!(change, AttendanceChange::Leaves | AttendanceChange::GoesTo(_));
    if let Some(lines) = missed.filter(|_| arrives) {
        let add = args.campaign.command(&format!("log --line {lines} --with {character}"));
        let noun = if lines.contains([',', '-']) { "lines" } else { "line" };
        output.note(format!("{name} did not hear {noun} {lines}; to change this: `{add}`"));
    }
    Ok(())
}

/// Maximum number of missed lines in a note.
const MAX_MISSED_LINES: usize = 6;

/// Returns the newest lines of the scene being played that were said aloud and that a character did not hear, in the
/// form of the option `--line`: `7,9-11`. Returns `None` if there are none.
fn missed_lines(state: &State, id: &EntityId) -> Option<String> {
    let playing = state.active_session()?;
    let knower = Knower::Entity(id.clone());
    let lines = state.passages_in_session(Some(&playing.session)).map(|(_, passage)| passage);
    let mut lines: Vec<&Arc<Passage>> = lines.filter(|passage| is_table_line(passage)).collect();
    lines.sort_unstable_by_key(|passage| passage.line);
    let in_scene = lines.into_iter().rev().take_while(|passage| passage.place == playing.place);
    let is_missed = |passage: &&Arc<Passage>| {
        !passage.is_out_of_character() && !passage.confidential && !passage.has_participant(&knower)
    };
    let mut numbers: Vec<u32> = in_scene.filter(is_missed).map(|passage| passage.line).take(MAX_MISSED_LINES).collect();
    numbers.reverse();
    let ranges = numbers.chunk_by(|line, next| line + 1 == *next).filter_map(|range| match range {
        [line] => Some(line.to_string()),
        [first, .., last] => Some(format!("{first}-{last}")),
        [] => None,
    });
    let ranges: Vec<String> = ranges.collect();
    (!ranges.is_empty()).then(|| ranges.join(","))
}
