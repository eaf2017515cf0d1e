//! Notes of `log` about the presence of characters: who came into the scene, who probably arrives or leaves, and who hears
//! nothing because of a death.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use anyhow::Result;
use hearsay_belief::{characters_at, place_at};
use hearsay_commands::{
    presence::{hearers_elsewhere, scene_characters},
    session::{AttendanceChange, AttendanceHint, begins_on_way, is_table_line, leaving_party, opening_place},
};
use hearsay_model::{EntityId, Kind, Knower, Passage, PredicateRole, State, words};
use hearsay_query::session::{attending_in_scene, scene_moment};

use super::{
    deaths::{DeadCharacter, print_death, print_undecided_deaths, print_unread_deaths},
    session_option,
};
use crate::{
    args,
    missed_lines::{line_noun, line_ranges},
    output::Output,
    texts::ExtractedRow,
};

/// Returns the hints that are still open after a line was recorded, because no fact that became canon already records the
/// change. A character who learned a fact of the line from the person who speaks to it needs no hint. `state` is the state
/// after the line was recorded.
pub(super) fn open_hints(
    state: &State,
    args: &args::SessionLog,
    line: &Passage,
    mut hints: Vec<AttendanceHint>,
) -> Vec<AttendanceHint> {
    let Some(playing) = state.active_session().filter(|_| !args.dry_run) else { return hints };
    let moment = scene_moment(state, playing);
    let present = scene_characters(state, playing, playing.place.as_ref(), moment);
    hints.retain(|AttendanceHint { character, change }| match change {
        AttendanceChange::Arrives => !present.contains(character),
        AttendanceChange::Leaves | AttendanceChange::Departs => present.contains(character),
        AttendanceChange::GoesTo(place) => place_at(state, character, moment).as_ref() != Some(place),
        AttendanceChange::IsAddressed => !learned_from(state, character, line),
        _ => true,
    });
    hints
}

/// Returns whether a character learned a fact of a line in the session of the line.
fn learned_from(state: &State, character: &EntityId, line: &Passage) -> bool {
    let knower = Knower::Entity(character.clone());
    let mut edges = state.facts_citing(line.id()).flat_map(|fact| state.known_by(fact.id()));
    edges.any(|edge| edge.knower == knower && edge.session == line.session)
}

/// Prints a warning for each dead character who speaks or acts. Unless a dead character speaks, prints how the line changes
/// the attendance, or how the DM can change it. Also names the characters who hear nothing until the DM decides on their
/// death, and the other place at which the line probably happens. `line` is the new line, and `state` is the state after the
/// line was recorded.
pub(super) fn print_notes(
    state: &State,
    args: &args::SessionLog,
    line: &Passage,
    deaths: &[DeadCharacter],
    attendance: &[AttendanceHint],
    extracted: &[ExtractedRow],
    output: &mut Output,
) -> Result<()> {
    deaths.iter().for_each(|dead| print_death(args, state, dead, output));
    if !deaths.iter().any(DeadCharacter::speaks) {
        let offered: Vec<&EntityId> = extracted.iter().filter_map(ExtractedRow::moved_character).collect();
        print_stayed_behind(args, state, line, attendance, output);
        print_taken_along(args, state, line, attendance, output);
        let hints = grouped_departures(state, attendance);
        for hint in &hints {
            print_hint(args, state, hint, &offered, line, output)?;
            if let Hint::Character(AttendanceHint { character, change: AttendanceChange::Joins }) = hint {
                print_missed_lines(args, state, character, line, output);
            }
        }
        print_split(args, state, &hints, output);
        print_hearers_elsewhere(args, state, line, attendance, output);
    }
    if !print_acting_elsewhere(args, state, line, attendance, output) {
        print_other_place(args, state, line, output);
    }
    print_undecided_deaths(args, state, line, extracted, output);
    print_unread_deaths(args, state, line, output);
    Ok(())
}

/// Prints a note for each character outside the scene who hears the line only because the line names the character as a
/// hearer.
fn print_hearers_elsewhere(
    args: &args::SessionLog,
    state: &State,
    line: &Passage,
    attendance: &[AttendanceHint],
    output: &Output,
) {
    if !args.to.is_empty() || !args.with.is_empty() || line.is_out_of_character() {
        return;
    }
    let has_hint = |id: &EntityId| attendance.iter().any(|hint| hint.character == *id);
    for (id, place) in hearers_elsewhere(state, line).into_iter().filter(|(id, _)| !has_hint(id)) {
        let name = state.name_or_id(&id);
        let location =
            place.map_or_else(|| "not in the scene".to_owned(), |at| format!("at {}", state.name_or_id(&at)));
        let arrive = args.campaign.command(&format!("session attend --arrive {id}"));
        let correction = match args.dry_run {
            true => String::new(),
            false => {
                let remove = format!("log --line {} --without {id}{}", line.line, session_option(args));
                format!("if {name} does not hear it: `{}`; ", args.campaign.command(&remove))
            }
        };
        output.note(format!(
            "{name} is {location}, but hears this line, because the line names its hearers; {correction}to bring {name} \
             into the scene: `{arrive}`"
        ));
    }
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
        match change {
            AttendanceChange::GoesTo(_) => party.len() > 1 && party.iter().all(departs),
            AttendanceChange::Leaves => !leaving_party(state, attendance).is_empty(),
            _ => false,
        }
    };
    let mut changes = attendance.iter().map(|hint| &hint.change);
    let departure = changes.find(|&change| is_departure_of_all(change)).cloned();
    let departs_with_party =
        |hint: &AttendanceHint| departure.as_ref() == Some(&hint.change) && party.contains(&hint.character);
    let others = attendance.iter().filter(|hint| !departs_with_party(hint)).cloned().map(Hint::Character);
    departure.iter().cloned().map(Hint::Party).chain(others).collect()
}

/// Prints the command that logs the next line at the place to which a part of the party goes.
fn print_split(args: &args::SessionLog, state: &State, hints: &[Hint], output: &Output) {
    let party = state.active_session().map(|playing| attending_in_scene(state, playing)).unwrap_or_default();
    let destination = |hint: &Hint| match hint {
        Hint::Character(AttendanceHint { character, change: AttendanceChange::GoesTo(place) }) => {
            party.contains(character).then(|| place.clone())
        }
        _ => None,
    };
    for place in hints.iter().filter_map(destination).collect::<BTreeSet<_>>() {
        let (name, line) = (state.name_or_id(&place), args.campaign.command(&format!("log --at {place} \"\u{2026}\"")));
        output.note(format!("to log the next line at {name}, first record who goes there, and then run `{line}`"));
    }
}

/// Prints a note if a line moves the scene without characters who left it before and whose place is unknown.
fn print_stayed_behind(
    args: &args::SessionLog,
    state: &State,
    line: &Passage,
    attendance: &[AttendanceHint],
    output: &Output,
) {
    let behind = attendance.iter().filter(|hint| hint.change == AttendanceChange::StaysBehind);
    let behind: Vec<EntityId> = behind.map(|hint| hint.character.clone()).collect();
    let Some((playing, place)) = state.active_session().zip(line.place.as_ref()).filter(|_| !behind.is_empty()) else {
        return;
    };
    let party = attending_in_scene(state, playing);
    let names = |ids: &[EntityId]| {
        let names: Vec<&str> = ids.iter().map(|id| state.name_or_id(id)).collect();
        words::join_names(&names)
    };
    let (movers, left) = (names(&party), names(&behind));
    let movement = match party.len() {
        0 => String::new(),
        1 => format!("{movers} moves to {}. ", state.name_or_id(place)),
        _ => format!("{movers} move to {}. ", state.name_or_id(place)),
    };
    let hearers: String = behind.iter().map(|id| format!(" --to {id}")).collect();
    let repetition = repetition(args, &format!("--at {place}{hearers}"));
    output.note(format!(
        "{movement}{left} left the scene before for an unknown place. If the line is about {left} only, {repetition}"
    ));
}

/// Prints a note if a line moves the scene with characters whom it does not name, although it says only of others that they go
/// there.
fn print_taken_along(
    args: &args::SessionLog,
    state: &State,
    line: &Passage,
    attendance: &[AttendanceHint],
    output: &Output,
) {
    let along = attendance.iter().filter(|hint| hint.change == AttendanceChange::ComesAlong);
    let along: Vec<&EntityId> = along.map(|hint| &hint.character).collect();
    let Some((playing, place)) = state.active_session().zip(line.place.as_ref()).filter(|_| !along.is_empty()) else {
        return;
    };
    let party = attending_in_scene(state, playing);
    let movers: String = party.iter().filter(|id| !along.contains(id)).map(|id| format!(" --to {id}")).collect();
    let names: Vec<&str> = along.iter().map(|id| state.name_or_id(id)).collect();
    let (moves, stays) = if names.len() == 1 { ("moves", "stays") } else { ("move", "stay") };
    let (names, repetition) = (words::join_names(&names), repetition(args, &format!("--at {place}{movers}")));
    output.note(format!(
        "{names} also {moves} to {}, although the line names only others; if {names} {stays} behind, {repetition}",
        state.name_or_id(place)
    ));
}

/// Prints a hint with its command. `offered` contains the characters for whom the output already offers a move.
fn print_hint(
    args: &args::SessionLog,
    state: &State,
    hint: &Hint,
    offered: &[&EntityId],
    line: &Passage,
    output: &mut Output,
) -> Result<()> {
    let AttendanceHint { character, change } = match hint {
        Hint::Character(hint) => hint,
        Hint::Party(change) => {
            output.note(moving_scene(state, line, change));
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
        AttendanceChange::SpeaksAt(place) => {
            let scene = state.active_session().and_then(|playing| playing.place.as_ref());
            let correction = scene.map(|scene| {
                let repetition = repetition(args, &format!("--at {scene}"));
                format!("; if {name} says it at {}, {repetition}", state.name_or_id(scene))
            });
            let (place, correction) = (state.name_or_id(place), correction.unwrap_or_default());
            output.note(format!("{name} is at {place}, so the line is said at {place}{correction}"));
        }
        AttendanceChange::SpeaksOutside => {
            let place = place_at(state, character, state.clock());
            let elsewhere = place.map(|place| {
                let repetition = repetition(args, &format!("--at {place}"));
                let correction = format!("if {name} says it there, {repetition}; ");
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
        AttendanceChange::Departs => {
            let (gone, leave) = (command("gone"), command("leave"));
            output.note(format!(
                "{name} still hears the scene; to move {name} to an unknown place: `{gone}`; if {name} leaves only for \
                 now: `{leave}`"
            ));
        }
        AttendanceChange::IsAddressed => {
            let hear = format!("log --line {} --with {character}{}", line.line, session_option(args));
            let (hear, arrive) = (args.campaign.command(&hear), command("arrive"));
            output.note(format!(
                "{name} is not in the scene, and does not hear this; if {name} hears it: `{hear}`; to bring {name} into \
                 the scene: `{arrive}`"
            ));
        }
        AttendanceChange::IsLeft(place) => {
            let correction = moving_character(args, state, character, place);
            output.note(format!("{name} does not move with the party; {correction}"));
        }
        // One note names all of these characters.
        AttendanceChange::StaysBehind | AttendanceChange::ComesAlong | AttendanceChange::ActsElsewhere(_) => {}
        AttendanceChange::GoesTo(_) if offered.contains(&character) => {}
        AttendanceChange::GoesTo(place) => output.note(moving_character(args, state, character, place)),
    }
    Ok(())
}

/// Returns the note with the command that moves a character to a place.
fn moving_character(args: &args::SessionLog, state: &State, character: &EntityId, place: &EntityId) -> String {
    let add = args.campaign.command(&format!("fact add {character} {} {place}", PredicateRole::Location.name()));
    format!("to move {} to {}: `{add}`", state.name_or_id(character), state.name_or_id(place))
}

/// Returns the note about a line with which the whole party goes to a place, or leaves for an unknown place.
fn moving_scene(state: &State, line: &Passage, change: &AttendanceChange) -> String {
    if let AttendanceChange::GoesTo(place) = change {
        return format!("to move the scene to {}, log the next line with `--at {place}`", state.name_or_id(place));
    }
    let is_place = |id: &&EntityId| state.kind(id) == Some(Kind::Location) && line.place.as_ref() != Some(*id);
    let places: Vec<&EntityId> = line.mentions.iter().filter(is_place).collect();
    let option = match places[..] {
        [place] => format!("`--at PLACE`, or with `--at {place}` if the place is {}", state.name_or_id(place)),
        _ => "`--at PLACE`".to_owned(),
    };
    format!("all player characters leave, so the scene moves; to name its new place, log the next line with {option}")
}

/// Returns the commands that record the changes of attendance which a line suggests.
pub(super) fn commands(
    args: &args::SessionLog,
    state: &State,
    attendance: &[AttendanceHint],
    line: &Passage,
) -> Vec<String> {
    let describe = |hint: Hint| match hint {
        Hint::Character(AttendanceHint { character, change }) => {
            let name = state.name_or_id(&character);
            let command = |words: String| args.campaign.command(&words);
            match change {
                AttendanceChange::Arrives => {
                    let arrive = command(format!("session attend --arrive {character}"));
                    Some(format!("to bring {name} into the scene: `{arrive}`"))
                }
                AttendanceChange::Leaves => {
                    let leave = command(format!("session attend --leave {character}"));
                    Some(format!("to take {name} out of the scene: `{leave}`"))
                }
                AttendanceChange::Departs => {
                    let gone = command(format!("session attend --gone {character}"));
                    Some(format!("to move {name} to an unknown place: `{gone}`"))
                }
                AttendanceChange::GoesTo(place) => Some(moving_character(args, state, &character, &place)),
                _ => None,
            }
        }
        Hint::Party(change) => Some(moving_scene(state, line, &change)),
    };
    grouped_departures(state, attendance).into_iter().filter_map(describe).collect()
}

/// Returns what `log --yes` does with the characters for whom a line suggests a change: "take Odo and Wren out of the
/// scene". Returns an empty text if it changes nobody.
pub(super) fn described_changes(state: &State, attendance: &[AttendanceHint], extracted: &[ExtractedRow]) -> String {
    let (mut arriving, mut leaving) = (Vec::new(), Vec::new());
    let mut moves: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (name, place) in extracted.iter().filter_map(ExtractedRow::offered_move) {
        moves.entry(place).or_default().push(name);
    }
    let moved: Vec<&EntityId> = extracted.iter().filter_map(ExtractedRow::moved_character).collect();
    for AttendanceHint { character, change } in attendance {
        let name = state.name_or_id(character);
        match change {
            AttendanceChange::Arrives => arriving.push(name),
            AttendanceChange::Leaves => leaving.push(name),
            AttendanceChange::Departs => moves.entry("an unknown place").or_default().push(name),
            AttendanceChange::GoesTo(place) if !moved.contains(&character) => {
                moves.entry(state.name_or_id(place)).or_default().push(name);
            }
            _ => {}
        }
    }
    let mut changes: Vec<String> = Vec::new();
    if !arriving.is_empty() {
        changes.push(format!("bring {} into the scene", words::join_names(&arriving)));
    }
    if !leaving.is_empty() {
        changes.push(format!("take {} out of the scene", words::join_names(&leaving)));
    }
    changes.extend(moves.iter().map(|(place, names)| format!("move {} to {place}", words::join_names(names))));
    words::join_names(&changes.iter().map(String::as_str).collect::<Vec<_>>())
}

/// Prints a note if only characters outside the scene act in a line, and returns whether it did.
fn print_acting_elsewhere(
    args: &args::SessionLog,
    state: &State,
    line: &Passage,
    attendance: &[AttendanceHint],
    output: &Output,
) -> bool {
    let mut places: BTreeMap<Option<&EntityId>, Vec<&EntityId>> = BTreeMap::new();
    for AttendanceHint { character, change } in attendance {
        if let AttendanceChange::ActsElsewhere(place) = change {
            places.entry(place.as_ref()).or_default().push(character);
        }
    }
    let scene = state.active_session().and_then(|playing| playing.place.as_ref());
    let opening = opening_place(state, &line.text, line.place.as_ref());
    for (place, characters) in &places {
        let names: Vec<&str> = characters.iter().map(|id| state.name_or_id(id)).collect();
        let (names, is) = (words::join_names(&names), if names.len() == 1 { "is" } else { "are" });
        let is_said_there = place.is_some() && line.place.as_ref() == *place;
        if let (Some(place), Some(scene)) = (place.filter(|_| is_said_there), scene) {
            let repetition = repetition(args, &format!("--at {scene}` or `--at {place}"));
            let (place, scene) = (state.name_or_id(place), state.name_or_id(scene));
            output.note(format!(
                "{names} {is} at {place}, so this happens at {place}; if it happens at {scene}, or if the scene moves to \
                 {place}, {repetition}"
            ));
            continue;
        }
        let (location, there) = match place {
            Some(place) => (format!("at {}", state.name_or_id(place)), "there"),
            None => ("not in the scene".to_owned(), "elsewhere"),
        };
        let others = place.map(|place| others_at(state, place, characters)).unwrap_or_default();
        let hearers: String = characters.iter().copied().chain(&others).map(|id| format!(" --to {id}")).collect();
        let at = place.or(opening.as_ref());
        let at = at.map_or_else(|| "PLACE".to_owned(), ToString::to_string);
        let repetition = repetition(args, &format!("--at {at}{hearers}"));
        let is_hearer = |id: &&EntityId| line.has_participant(&Knower::Entity((*id).clone()));
        let hearing = match (characters.iter().any(is_hearer), characters.len()) {
            (true, _) => "",
            (false, 1) => ", and does not hear this",
            (false, _) => ", and do not hear this",
        };
        output.note(format!("{names} {is} {location}{hearing}; if this happens {there}, {repetition}"));
    }
    !places.is_empty()
}

/// Returns the characters at a place outside the scene, without the given ones and without player characters who do not
/// attend the session.
fn others_at(state: &State, place: &EntityId, given: &[&EntityId]) -> Vec<EntityId> {
    let Some(playing) = state.active_session() else { return Vec::new() };
    let mut others = characters_at(state, place, scene_moment(state, playing));
    let attends = |id: &EntityId| state.kind(id) != Some(Kind::Player) || playing.here.contains(id);
    others.retain(|id| attends(id) && !given.contains(&id) && playing.absent.get(id) != Some(place));
    others
}

/// Returns how the DM logs the line again with other options.
pub(super) fn repetition(args: &args::SessionLog, options: &str) -> String {
    match args.dry_run {
        true => format!("log the line with `{options}`"),
        false => format!("run `{}`, and log the line with `{options}`", args.campaign.command("undo")),
    }
}

/// Prints a note if narration begins with another place than the place of the line, or if it happens between two places and
/// others than the party hear it.
fn print_other_place(args: &args::SessionLog, state: &State, line: &Passage, output: &Output) {
    if args.at.is_some() || line.speaker.is_some() || line.is_out_of_character() {
        return;
    }
    if let Some(place) = opening_place(state, &line.text, line.place.as_ref()) {
        let (name, repetition) = (state.name_or_id(&place), repetition(args, &format!("--at {place}")));
        output.note(format!("the scene is not at {name}; if this happens at {name}, {repetition}"));
        return;
    }
    let Some(playing) = state.active_session().filter(|_| begins_on_way(state, &line.text)) else { return };
    let others = line.heard_by.iter().filter_map(Knower::entity).filter(|id| !playing.here.contains(id));
    let others: Vec<&str> = others.map(|id| state.name_or_id(id)).collect();
    if !others.is_empty() {
        let (names, verb) = (words::join_names(&others), if others.len() == 1 { "hears" } else { "hear" });
        let repetition = repetition(args, "--at PLACE");
        output
            .note(format!("{names} {verb} this, although it happens on the way; if the scene has moved, {repetition}"));
    }
}

/// Prints a note with the lines before a line that a character who comes into the scene did not hear. The character was
/// perhaps there before.
fn print_missed_lines(args: &args::SessionLog, state: &State, character: &EntityId, line: &Passage, output: &Output) {
    if let Some(lines) = missed_lines(state, character, line) {
        let (name, noun) = (state.name_or_id(character), line_noun(&lines));
        let add = args.campaign.command(&format!("log --line {lines} --with {character}"));
        output.note(format!("{name} did not hear {noun} {lines}; if {name} was there: `{add}`"));
    }
}

/// Returns the lines of the scene before a line that everybody else in the scene heard, and a character did not, in the form
/// of the option `--line`: `7,9-11`. Lines that are out of character are left out. Somebody who came into the scene after a
/// line need not have heard it. Returns `None` if there are no such lines.
fn missed_lines(state: &State, id: &EntityId, line: &Passage) -> Option<String> {
    let playing = state.active_session()?;
    let knower = Knower::Entity(id.clone());
    let moment = line.said_at();
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
    let first_at_place = |other: &Knower| {
        let mut at_place = lines.iter().filter(|passage| passage.place == line.place);
        at_place.find(|passage| passage.has_participant(other)).map(|passage| passage.line)
    };
    let is_player = |other: &Knower| other.entity().is_some_and(|id| state.kind(id) == Some(Kind::Player));
    // Players are at the table from the start.
    let came_later =
        |other: &Knower, number: u32| !is_player(other) && first_at_place(other).is_none_or(|first| first > number);
    // The scene was at another place before.
    let is_earlier_scene = |passage: &&Arc<Passage>| {
        passage.place != line.place && others.iter().any(|other| is_player(other) && passage.has_participant(other))
    };
    // A line that somebody in the scene did not hear was not meant for everybody.
    let is_missed = |passage: &&Arc<Passage>| {
        let is_heard = |other: &Knower| passage.has_participant(other) || came_later(other, passage.line);
        let is_at_place = passage.place == line.place && !passage.confidential;
        is_at_place && others.iter().all(is_heard) && !passage.has_participant(&knower)
    };
    let scene = lines.iter().rev().copied().take_while(|passage| !is_earlier_scene(passage));
    let mut numbers: Vec<u32> = scene.filter(is_missed).map(|passage| passage.line).collect();
    numbers.reverse();
    line_ranges(&numbers)
}
