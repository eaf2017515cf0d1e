//! Attendance of the characters who speak or act in a line: who comes into the scene, who witnesses a line, and who
//! probably arrives, leaves or goes to another place.

use std::{borrow::Cow, cell::LazyCell, cmp::Reverse, collections::BTreeSet, sync::Arc};

use hearsay_belief::{home_at, is_dead, place_at};
use hearsay_model::{ActiveSession, EntityId, Kind, Knower, Passage, SessionId, State, TalkKind, text, words};
use hearsay_query::session::{attending_in_scene, later_time};

use super::{
    line_correction::recorded_line,
    log::Log,
    log_line::LogLine,
    position::LogPosition,
    transcript::{
        Activity, Actor, Departure, NarratedScene, Opening, Referent, SceneLines, SpeakerNames, actors, addressees,
        before_quotation, excepted, is_object, named_characters, only_moves, only_witnesses, opening, opening_place,
        place_of_everybody, possible_deaths, referent,
    },
    transcript_lines::is_table_line,
};
use crate::{
    presence::{scene_characters, scene_hearers, scene_moment, undecided},
    review::later_place,
};

/// A change of attendance that a line makes or suggests, as in `Pell comes in.` or `Odo walks away.`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttendanceHint {
    /// The character who speaks or acts in the line.
    pub character: EntityId,
    /// The change.
    pub change: AttendanceChange,
}

/// A change of the attendance of a character. The log records only [`Joins`](Self::Joins). The DM records the others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AttendanceChange {
    /// The character speaks, and is therefore in the scene from this line on.
    Joins,
    /// The character is at this place outside the scene, alone or with others who attend the session, and speaks there.
    SpeaksAt(EntityId),
    /// The character speaks, but stays outside the scene, and hears only this line.
    SpeaksOutside,
    /// The character acts in the line, but is not in the scene.
    Arrives,
    /// The character leaves the scene.
    Leaves,
    /// The character leaves the scene for an unknown place, and not only for a short time.
    Departs,
    /// The character goes to this place.
    GoesTo(EntityId),
    /// Somebody speaks to the character, who is not in the scene and does not hear the line.
    IsAddressed,
    /// The scene moves to another place without the character, who left it before and whose place is unknown.
    StaysBehind,
    /// The scene moves to another place with the character, although the line says only of others that they go there.
    ComesAlong,
    /// Everybody goes to this place, but the character is only a visitor in the scene, and does not move with the party.
    IsLeft(EntityId),
    /// The character is at this place outside the scene, or at an unknown place, and all persons who act in the line are
    /// outside the scene.
    ActsElsewhere(Option<EntityId>),
}

impl Log {
    /// Returns the changes of attendance that the lines make, and those that the typed lines of narration suggest, for the
    /// session being played.
    pub fn attendance_hints(&self, state: &State) -> Vec<AttendanceHint> {
        let is_written = |session: &SessionId| self.session.as_ref().is_none_or(|id| id == session);
        let Some(playing) = state.active_session().filter(|playing| is_written(&playing.session)) else {
            return Vec::new();
        };
        let moment = scene_moment(state, playing);
        let in_scene = attending_in_scene(state, playing);
        // Collected only if there is narration, because this reads the names of all characters.
        let names = LazyCell::new(|| SpeakerNames::new(state));
        let undecided = undecided(state);
        let (mut place, mut hints) = (playing.place.as_ref(), self.speaker_hints(state));
        for line in &self.lines {
            if line.is_aside {
                hints.extend(acting_elsewhere(&names, state, playing, line, line.place.as_ref()));
                continue;
            }
            place = line.place.as_ref().or(place);
            let talk_kind = line.known_talk_kind(self.source.is_some());
            if !line.typed || !line.is_said_to_all() || talk_kind != Some(TalkKind::Narration) {
                continue;
            }
            let (attending, present) = persons_at(state, playing, &in_scene, place);
            let last_named = last_named(&names, state, place, line.recorded_line);
            let scene = NarratedScene { place, present: &present, party: attending, last_named };
            let is_elsewhere = line.place.is_none() && opening_place(state, &line.text, place).is_some();
            for actor in actors(&names, state, &line.text, &scene) {
                let is_gone = is_dead(state, &actor.id, moment) || undecided.contains_key(&actor.id);
                let is_unaware = line.unheard_by.contains(&actor.id);
                let departure = departure(state, attending, &actor);
                let change = suggested_change(&actor, departure, present.contains(&actor.id), is_unaware);
                let is_recorded = |to: &EntityId| place_at(state, &actor.id, moment).as_ref() == Some(to);
                let change = change.filter(|change| match change {
                    AttendanceChange::GoesTo(to) => !is_recorded(to),
                    // The line perhaps happens at the other place.
                    AttendanceChange::Arrives => !is_elsewhere || actor.deed.comes(),
                    _ => true,
                });
                hints.extend(
                    change.filter(|_| !is_gone).map(|change| AttendanceHint { character: actor.id.clone(), change }),
                );
            }
            hints.extend(left_visitors(&names, state, playing, &in_scene, line));
            match line.place {
                Some(_) => hints.extend(taken_along(&names, state, playing, &in_scene, line)),
                None => hints.extend(acting_elsewhere(&names, state, playing, line, place)),
            }
            for character in addressees(&names, state, &line.text) {
                let is_gone = is_dead(state, &character, moment) || undecided.contains_key(&character);
                let is_hearer = present.contains(&character) || line.with.contains(&character);
                let has_hint = hints.iter().any(|hint| hint.character == character);
                if !is_gone && !is_hearer && !has_hint {
                    hints.push(AttendanceHint { character, change: AttendanceChange::IsAddressed });
                }
            }
        }
        hints
    }

    /// Returns the speakers who come into the scene, those who speak outside it, and the characters whom a new scene leaves
    /// behind.
    fn speaker_hints(&self, state: &State) -> Vec<AttendanceHint> {
        let Some(position) = self.position_after(state) else { return Vec::new() };
        let stays_behind = stays_behind(&position);
        let party = position.party;
        let elsewhere = party.spoke_elsewhere.into_iter();
        let elsewhere = elsewhere.map(|(character, place)| (character, AttendanceChange::SpeaksAt(place)));
        let elsewhere = elsewhere.map(|(character, change)| AttendanceHint { character, change });
        let hint = |change: AttendanceChange| move |character| AttendanceHint { character, change: change.clone() };
        let joined = party.joined_by_speech.into_iter().map(hint(AttendanceChange::Joins));
        let outside = party.outside_speakers.into_iter().map(hint(AttendanceChange::SpeaksOutside));
        let behind = stays_behind.into_iter().map(hint(AttendanceChange::StaysBehind));
        joined.chain(elsewhere).chain(outside).chain(behind).collect()
    }
}

/// Returns the player characters who left the scene of the session being played and whose place has been unknown since, if
/// the scene moves to another place without them.
fn stays_behind(position: &LogPosition<'_>) -> Vec<EntityId> {
    let state = position.state;
    let previous = state.active_session().and_then(|playing| playing.place.as_ref());
    let Some(previous) = previous.filter(|previous| position.place.as_ref() != Some(*previous)) else {
        return Vec::new();
    };
    let moment = position.time.as_ref().and_then(|date| date.time);
    // The location of a player character that leaves a scene does not change until its new place is recorded.
    let has_left_scene = |id: &&EntityId| {
        let is_elsewhere = place_at(state, id, moment).is_some_and(|place| place != *previous);
        state.kind(id) == Some(Kind::Player) && !is_elsewhere && !is_dead(state, id, moment)
    };
    position.party.gone.iter().filter(has_left_scene).cloned().collect()
}

/// Returns the attending characters who can be in a scene at a place, and all characters who hear a line spoken aloud there.
/// `in_scene` are the attending characters in the current scene. A scene at another place can be the scene of attending
/// characters who are already there.
fn persons_at<'a>(
    state: &State,
    playing: &'a ActiveSession,
    in_scene: &'a [EntityId],
    place: Option<&EntityId>,
) -> (&'a [EntityId], Vec<EntityId>) {
    let attending: &[EntityId] = if place == playing.place.as_ref() { in_scene } else { &playing.here };
    (attending, scene_hearers(state, attending, &playing.absent, place, scene_moment(state, playing)))
}

/// Returns whether narration speaks to the players, or of the party as "we".
fn addresses_table(narration: &str) -> bool {
    text::words(before_quotation(narration)).iter().any(|word| words::is_first_or_second_person(word))
}

/// Returns the hints about the characters who act in a line of narration, if all of them are player characters who attend
/// or attended the session outside the scene, or if the line is an [aside](LogLine::is_aside). `place` is the place of the
/// line.
fn acting_elsewhere(
    names: &SpeakerNames<'_>,
    state: &State,
    playing: &ActiveSession,
    line: &LogLine,
    place: Option<&EntityId>,
) -> Vec<AttendanceHint> {
    let (moment, in_scene) = (scene_moment(state, playing), attending_in_scene(state, playing));
    let attended = state.session(&playing.session).map_or(&[][..], |session| &session.present[..]);
    let is_outside = |actor: &Actor| {
        if line.is_aside {
            return true;
        }
        let attends = playing.here.contains(&actor.id) || attended.contains(&actor.id);
        let is_gone = is_dead(state, &actor.id, moment) || in_scene.contains(&actor.id);
        state.kind(&actor.id) == Some(Kind::Player) && attends && !is_gone && !actor.deed.comes()
    };
    let mut actors = actors(names, state, &line.text, &NarratedScene { place, ..NarratedScene::default() });
    actors.retain(|actor| line.is_aside || actor.deed.activity != Activity::State);
    if !actors.iter().all(is_outside) {
        return Vec::new();
    }
    // The location of a player character that leaves a scene does not change until its new place is recorded.
    let place_of = |id: &EntityId| place_at(state, id, moment).filter(|at| Some(at) != playing.place.as_ref());
    let hint = |actor: Actor| {
        let change = AttendanceChange::ActsElsewhere(place_of(&actor.id));
        AttendanceHint { character: actor.id, change }
    };
    actors.into_iter().map(hint).collect()
}

/// Returns the hints about the attending characters in the scene whom a line takes along to its place, although it says only
/// of others that they go there. There are none if attending characters are already there, because the scene then changes to
/// them.
fn taken_along(
    names: &SpeakerNames<'_>,
    state: &State,
    playing: &ActiveSession,
    in_scene: &[EntityId],
    line: &LogLine,
) -> Vec<AttendanceHint> {
    let (moment, scene_place) = (scene_moment(state, playing), playing.place.as_ref());
    let Some(to) = line.place.as_ref().filter(|to| scene_place != Some(*to)) else { return Vec::new() };
    let is_there = |id: &EntityId| !in_scene.contains(id) && place_at(state, id, moment).as_ref() == Some(to);
    let scene = NarratedScene { place: scene_place, present: in_scene, party: in_scene, last_named: None };
    let actors = actors(names, state, &line.text, &scene);
    let goes_there = |actor: &Actor| matches!(&actor.deed.departure, Some(Departure::GoesTo(place)) if place == to);
    let goes = |id: &EntityId| actors.iter().any(|actor| actor.id == *id && goes_there(actor));
    if line.recorded_line.is_some() || !in_scene.iter().any(goes) || playing.here.iter().any(is_there) {
        return Vec::new();
    }
    let narration: Vec<&str> = before_quotation(&line.text).split_whitespace().collect();
    let named = named_characters(names, &narration);
    let others = in_scene.iter().filter(|id| !goes(id) && !named.contains(id) && !is_dead(state, id, moment));
    others.map(|id| AttendanceHint { character: id.clone(), change: AttendanceChange::ComesAlong }).collect()
}

/// Returns the hints about the visitors in the scene who do not attend the session, if everybody goes to another place.
fn left_visitors(
    names: &SpeakerNames<'_>,
    state: &State,
    playing: &ActiveSession,
    in_scene: &[EntityId],
    line: &LogLine,
) -> Vec<AttendanceHint> {
    let (moment, scene_place) = (scene_moment(state, playing), playing.place.as_ref());
    let to = place_of_everybody(names, state, &line.text).filter(|to| Some(to) != scene_place);
    let Some(to) = to else { return Vec::new() };
    let (attending, mut present) = persons_at(state, playing, in_scene, scene_place);
    present.retain(|id| !attending.contains(id) && home_at(state, id, moment) != scene_place);
    let hint = |character| AttendanceHint { character, change: AttendanceChange::IsLeft(to.clone()) };
    present.into_iter().map(hint).collect()
}

/// The arrivals, departures and moves that a recorded line suggests, as far as they are not recorded yet.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SuggestedAttendance {
    /// The changes that the log can record for the last line of the session being played.
    pub decidable: Vec<AttendanceHint>,
    /// The changes for which the DM chooses a command: the [departure of the whole party](leaving_party), and all changes
    /// that an earlier line suggests, because the scene may have changed since.
    pub others: Vec<AttendanceHint>,
}

/// Returns the arrivals and departures that a line of the session being played suggests, and the moves of characters in the
/// scene to other places. Returns nothing for a line of another session.
pub fn suggested_attendance(state: &State, line: &Passage) -> SuggestedAttendance {
    let is_last = is_last_line(state, line);
    let hints = line_hints(state, line, is_last);
    if !is_last {
        return SuggestedAttendance { decidable: Vec::new(), others: hints };
    }
    let party = leaving_party(state, &hints);
    let is_of_party =
        |hint: &AttendanceHint| hint.change == AttendanceChange::Leaves && party.contains(&hint.character);
    let (others, decidable) = hints.into_iter().partition(is_of_party);
    SuggestedAttendance { decidable, others }
}

/// Returns the attending characters who leave the scene for an unknown place, if all player characters in the scene do so.
/// The scene then moves with them.
pub fn leaving_party(state: &State, hints: &[AttendanceHint]) -> Vec<EntityId> {
    let Some(playing) = state.active_session() else { return Vec::new() };
    let leaves =
        |id: &EntityId| hints.iter().any(|hint| hint.character == *id && hint.change == AttendanceChange::Leaves);
    let mut party = attending_in_scene(state, playing);
    let players: Vec<&EntityId> = party.iter().filter(|id| state.kind(id) == Some(Kind::Player)).collect();
    if players.is_empty() || !players.into_iter().all(leaves) {
        return Vec::new();
    }
    party.retain(leaves);
    party
}

/// Returns whether a line is the last line of the session being played.
fn is_last_line(state: &State, line: &Passage) -> bool {
    let last = state.active_session().and_then(|playing| recorded_line(state, Some(&playing.session), None).ok());
    last.is_some_and(|(id, _)| id == line.id())
}

/// Returns the arrivals, departures and moves that a line of narration of the session being played suggests, as far as they
/// are not recorded yet. `is_last` is `true` for the last line of the session.
fn line_hints(state: &State, line: &Passage, is_last: bool) -> Vec<AttendanceHint> {
    let Some(playing) = state.active_session() else { return Vec::new() };
    let is_played = line.session.as_ref() == Some(&playing.session);
    if !is_played || line.speaker.is_some() || line.is_out_of_character() || line.place != playing.place {
        return Vec::new();
    }
    let typed = LogLine::typed(line.text.as_str());
    let Ok(read) = typed.with_named_speaker(state).map(Cow::into_owned) else { return Vec::new() };
    let unheard_by = read.unheard_by.clone();
    // The DM chose the hearers of a line that a character in the scene did not hear.
    let present = scene_characters(state, playing, playing.place.as_ref(), scene_moment(state, playing));
    let has_heard = |id: &EntityId| line.has_participant(&Knower::Entity(id.clone())) || unheard_by.contains(id);
    if is_last && !present.iter().all(has_heard) {
        return Vec::new();
    }
    let log = Log { lines: vec![LogLine { recorded_line: Some(line.line), ..read }], ..Log::default() };
    let mut hints = log.attendance_hints(state);
    let has_moved_since = |id: &EntityId| {
        state.facts_citing(line.id()).any(|fact| fact.subject() == id && later_place(state, fact).is_some())
    };
    hints.retain(|hint| match &hint.change {
        AttendanceChange::Arrives | AttendanceChange::Leaves | AttendanceChange::Departs => true,
        // The party can be at several places.
        AttendanceChange::GoesTo(_) => {
            present.contains(&hint.character)
                || playing.here.contains(&hint.character) && !has_moved_since(&hint.character)
        }
        _ => false,
    });
    hints
}

/// Returns the characters who speak or act in a line. A character whom the line only mentions does neither.
pub fn acting_characters(state: &State, line: &Passage) -> Vec<EntityId> {
    if line.speaker.is_some() || line.is_out_of_character() {
        return line.speaker.iter().cloned().collect();
    }
    let (names, place) = (SpeakerNames::new(state), line.place.as_ref());
    let last_named = last_named(&names, state, place, Some(line.line));
    let scene = NarratedScene { place, last_named, ..NarratedScene::default() };
    let actors = actors(&names, state, &line.text, &scene).into_iter();
    actors.filter(|actor| actor.deed.acts()).map(|actor| actor.id).collect()
}

/// Returns the dead who speak in a line, or who do in narration what only the living do. Narration must name them: "the
/// smith" can be another smith than the dead one.
pub fn acting_dead(state: &State, line: &Passage) -> Vec<EntityId> {
    let moment = line.said_at();
    if line.is_out_of_character() {
        return Vec::new();
    }
    if let Some(speaker) = &line.speaker {
        return Some(speaker.clone()).filter(|speaker| is_dead(state, speaker, moment)).into_iter().collect();
    }
    let capitalized = line.text.split_whitespace().filter(|word| word.starts_with(char::is_uppercase));
    let capitalized: BTreeSet<String> = capitalized.flat_map(text::words).collect();
    let is_part_of_name = |word: &String| !words::is_determiner(word) && capitalized.contains(word);
    let is_named = |id: &EntityId| state.names(id).into_iter().flat_map(text::words).any(|word| is_part_of_name(&word));
    let mut actors = actors(&SpeakerNames::new(state), state, &line.text, &NarratedScene::default());
    actors.retain(|actor| {
        actor.deed.activity == Activity::Lives && is_dead(state, &actor.id, moment) && is_named(&actor.id)
    });
    let mut dead: Vec<EntityId> = actors.into_iter().map(|actor| actor.id).collect();
    dead.sort_unstable();
    dead
}

/// Returns the living characters of whom a line of narration perhaps tells that they die, although no fact that waits for
/// review states their death.
pub fn unread_deaths(state: &State, line: &Passage) -> Vec<EntityId> {
    if line.is_out_of_character() || line.speaker.is_some() {
        return Vec::new();
    }
    let undecided = undecided(state);
    let mut dying = possible_deaths(&SpeakerNames::new(state), &line.text);
    dying.retain(|id| !is_dead(state, id, line.said_at()) && !undecided.contains_key(id));
    dying.sort_unstable();
    dying.dedup();
    dying
}

/// Returns the persons who move according to a statement about the scene being played, with their places as far as these
/// are recorded. Returns nobody if the statement also says something else.
pub(super) fn stated_moves(state: &State, statement: &str) -> Vec<AttendanceHint> {
    let Some(playing) = state.active_session() else { return Vec::new() };
    let party = attending_in_scene(state, playing);
    let scene = NarratedScene { place: playing.place.as_ref(), party: &party, ..NarratedScene::default() };
    let moves = only_moves(&SpeakerNames::new(state), state, statement, &scene).unwrap_or_default();
    let hint = |actor: Actor| {
        let change = departure(state, &party, &actor).unwrap_or(AttendanceChange::Leaves);
        AttendanceHint { character: actor.id, change }
    };
    moves.into_iter().map(hint).collect()
}

/// Returns the characters whom a line of narration excepts from a group: Odo for "Everybody but Odo leaves".
pub fn excepted_characters(state: &State, line: &Passage) -> Vec<EntityId> {
    match line.speaker {
        None => excepted(&SpeakerNames::new(state), state, &line.text),
        Some(_) => Vec::new(),
    }
}

/// Returns the change of attendance with which a person leaves the scene. The members of the party can leave together with
/// the scene. Returns `None` if the person does not leave.
fn departure(state: &State, party: &[EntityId], actor: &Actor) -> Option<AttendanceChange> {
    let is_in_party = party.contains(&actor.id) || state.kind(&actor.id) == Some(Kind::Player);
    Some(match actor.deed.departure.as_ref()? {
        Departure::GoesTo(place) => AttendanceChange::GoesTo(place.clone()),
        Departure::Flees if !is_in_party => AttendanceChange::Departs,
        Departure::Flees | Departure::Leaves => AttendanceChange::Leaves,
    })
}

/// Returns the change of attendance that the deed of a person suggests. `departure` is the change with which the person
/// leaves the scene. `is_unaware` is `true` if the line says that the person does not notice what happens.
fn suggested_change(
    actor: &Actor,
    departure: Option<AttendanceChange>,
    is_present: bool,
    is_unaware: bool,
) -> Option<AttendanceChange> {
    if is_present || matches!(departure, Some(AttendanceChange::GoesTo(_))) {
        return departure;
    }
    // A person who leaves is not in the scene afterwards.
    let comes = departure.is_none() || actor.deed.emerges;
    let acts_there = actor.deed.arrives || (actor.begins_sentence && actor.deed.activity != Activity::State);
    (!is_unaware && comes && acts_there).then_some(AttendanceChange::Arrives)
}

/// Returns the speaker of the last line of the session being played, or the person whom the last line of narration names
/// last as a subject. Returns `None` if the line was said at another place. If the number of a recorded line is given, only
/// the lines before it count.
fn last_named(
    names: &SpeakerNames<'_>,
    state: &State,
    place: Option<&EntityId>,
    recorded: Option<u32>,
) -> Option<EntityId> {
    let playing = state.active_session()?;
    let lines = lines_in_character(state, playing);
    let lines = lines.filter(|passage| recorded.is_none_or(|number| passage.line < number));
    let last = lines.max_by_key(|passage| passage.line).filter(|passage| passage.place.as_ref() == place)?;
    let named = || actors(names, state, &last.text, &NarratedScene::default()).pop().map(|actor| actor.id);
    last.speaker.clone().or_else(named)
}

/// Returns the lines of the session being played that are in character.
fn lines_in_character<'s>(state: &'s State, playing: &ActiveSession) -> impl Iterator<Item = &'s Arc<Passage>> {
    let lines = state.passages_in_session(Some(&playing.session)).map(|(_, passage)| passage);
    lines.filter(|passage| is_table_line(passage) && !passage.is_out_of_character())
}

impl LogLine {
    /// Returns the characters who witness a line of narration because they act in it. The dead are omitted, and so are
    /// the characters who do not notice what happens, and the attending characters who are at another place and the
    /// characters whom only a later clause names, unless they come to the place of the line.
    pub(super) fn acting_witnesses(&self, names: &SpeakerNames<'_>, state: &State) -> Vec<EntityId> {
        let playing = state.active_session();
        let time = later_time(state, playing.and_then(|playing| playing.time.clone()));
        let moment = time.and_then(|date| date.time);
        let place = self.place.as_ref().or_else(|| playing?.place.as_ref());
        let is_away = |id: &EntityId| {
            let attends_elsewhere = |playing| !attending_in_scene(state, playing).contains(id);
            let is_attending = playing.filter(|playing| playing.here.contains(id));
            is_attending.is_some_and(attends_elsewhere) && place_at(state, id, moment).as_ref() != place
        };
        let is_witness = |actor: &Actor| {
            let is_aware = !self.unheard_by.contains(&actor.id) && !is_dead(state, &actor.id, moment);
            actor.deed.acts() && is_aware && (actor.deed.arrives || (actor.begins_sentence && !is_away(&actor.id)))
        };
        let scene = NarratedScene { place, ..NarratedScene::default() };
        let actors = actors(names, state, &self.text, &scene).into_iter();
        actors.filter(is_witness).map(|actor| actor.id).collect()
    }

    /// Returns the place outside the scene that the line names at its start, if all persons who act in the line are there:
    /// characters who attend the session, and non-player characters. Without a word such as "meanwhile", a line that also
    /// names or addresses persons in the scene may be about their arrival.
    pub(super) fn place_aside(&self, names: &SpeakerNames<'_>, state: &State) -> Option<EntityId> {
        let playing = state.active_session().filter(|_| self.place.is_none() && self.recorded_line.is_none())?;
        let scene_place = playing.place.as_ref();
        let Opening { place, is_elsewhere, word_count } = opening(state, &self.text, scene_place)?;
        let moment = scene_moment(state, playing);
        let present = scene_characters(state, playing, scene_place, moment);
        let is_there = |actor: &Actor| {
            let is_npc = state.kind(&actor.id) != Some(Kind::Player) && scene_place.is_some();
            let is_outside = (is_npc || playing.here.contains(&actor.id)) && !present.contains(&actor.id);
            is_outside && place_at(state, &actor.id, moment).as_ref() == Some(&place)
        };
        let scene = NarratedScene { place: Some(&place), ..NarratedScene::default() };
        let actors = actors(names, state, &self.text, &scene);
        let attends = |actor: &Actor| playing.here.contains(&actor.id);
        let may_include_scene = || {
            let words: Vec<&str> = self.text.split_whitespace().skip(word_count).collect();
            addresses_table(&self.text) || named_characters(names, &words).iter().any(|id| present.contains(id))
        };
        let is_about_others = is_elsewhere || actors.iter().any(attends) || !may_include_scene();
        let is_aside = !actors.is_empty() && actors.iter().all(is_there) && is_about_others;
        is_aside.then_some(place)
    }

    /// Returns the characters in the scene who do not notice what the line of narration tells, because it says that nobody
    /// notices it, or only others do.
    pub(super) fn unaware_of_deed(&self, names: &SpeakerNames<'_>, state: &State) -> Vec<EntityId> {
        let Some(playing) = state.active_session() else { return Vec::new() };
        let place = self.place.as_ref().or(playing.place.as_ref());
        let in_scene = attending_in_scene(state, playing);
        let (attending, mut present) = persons_at(state, playing, &in_scene, place);
        let witnesses = {
            let last_named = last_named(names, state, place, self.recorded_line);
            let scene = NarratedScene { place, present: &present, party: attending, last_named };
            only_witnesses(names, state, &self.text, &scene)
        };
        let Some(witnesses) = witnesses else { return Vec::new() };
        present.retain(|id| !witnesses.contains(id));
        present
    }

    /// Returns the person in the scene to whom a pronoun in place of a speaker refers: see [`referent`]. A person who spoke last
    /// under a secret name speaks under this name again.
    pub(super) fn referent_in_scene(&self, names: &SpeakerNames<'_>, state: &State, pronoun: &str) -> Referent {
        let Some(playing) = state.active_session() else { return Referent::Nobody };
        let place = self.place.as_ref().or(playing.place.as_ref());
        let in_scene = attending_in_scene(state, playing);
        let (_, present) = persons_at(state, playing, &in_scene, place);
        let mut lines: Vec<&Arc<Passage>> = lines_in_character(state, playing).collect();
        lines.sort_unstable_by_key(|passage| Reverse(passage.line));
        referent(names, state, pronoun, &SceneLines { lines: &lines, place, present: &present })
    }

    /// Returns the character who spoke or acted last, if it is not in the scene any more, and if the [typed](Self::typed) line
    /// says with a pronoun that somebody does something to this character: `Odo catches her.`
    pub fn absent_object(&self, state: &State) -> Option<EntityId> {
        let is_new = self.typed && self.is_said_to_all() && self.recorded_line.is_none();
        let playing = state.active_session().filter(|_| is_new)?;
        let (names, place) = (SpeakerNames::new(state), self.place.as_ref().or(playing.place.as_ref()));
        let character = last_named(&names, state, place, None)?;
        let in_scene = attending_in_scene(state, playing);
        let (_, present) = persons_at(state, playing, &in_scene, place);
        let is_hearer = present.contains(&character) || self.with.contains(&character);
        let is_gone =
            is_dead(state, &character, scene_moment(state, playing)) || undecided(state).contains_key(&character);
        let is_absent = !is_hearer && !is_gone && state.is_character(&character);
        (is_absent && is_object(&names, state, &self.text, &character)).then_some(character)
    }

    /// Returns whether the line is narration whose hearers are not named.
    pub(super) fn is_said_to_all(&self) -> bool {
        self.speaker.is_none() && self.heard_by.is_empty()
    }
}
