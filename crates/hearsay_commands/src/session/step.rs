//! Steps of a session: its start, changes of attendance, and its end.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use hearsay_belief::{
    Occasion, StateViews, hides_from, home_at, is_dead,
    learn::{self, Acquaintance},
    moves_after, place_at,
};
use hearsay_model::{
    ActiveSession, Author, Change, Date, EntityId, Fact, GameTime, Kind, Knower, Method, Operation, PredicateRole,
    Provenance, Secrecy, Session, SessionId, SessionSetting, Setting, SettingKey, State, Timestamp, Validity,
    attribute, spelling, text, words,
};
use hearsay_query::{
    dates::{clock_date, parse_date},
    ids::{require_entities, require_session},
    preview::state_after,
    resolve::public_name,
    session::{attending_in_scene, common_location, last_place, later_time},
};
use serde::{Deserialize, Serialize};

use super::{arrival::SessionScene, new::NewSession, party::Party};
use crate::{
    CommandError,
    moves::{learn_end, learn_fact, recognizes},
    presence::{living_in_scene, scene_characters, scene_moment},
};

/// A step of a session: its start, a change of attendance or of the scene, or its end.
///
/// Dates are texts, written for the campaign's calendar.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SessionStep {
    /// Starts a session. The session is then being played, and the attending characters are at the place of the first
    /// scene.
    Start(NewSession),
    /// Records characters who arrive or leave. Characters who arrive are at the place of the scene, and hear the
    /// following lines. Player characters then attend the session. A non-player character is a guest: it stays at the
    /// place if the scene moves, unless it attended the session from its start. Residents of the place who leave do not
    /// hear lines at this place until they arrive again or the session ends. The stay of other non-player characters who
    /// leave ends: they are at home, or their location is unknown.
    Attend {
        /// Characters that arrive.
        arrive: Vec<EntityId>,
        /// Characters that leave.
        leave: Vec<EntityId>,
    },
    /// Records characters who leave for an unknown place, from the scene or from elsewhere. Non-player characters are
    /// then at no scene, also not at home, until they arrive at a scene or their new place is recorded.
    Depart {
        /// Characters that leave.
        characters: Vec<EntityId>,
    },
    /// Moves the scene to another place. The characters in the scene go to this place. If an attending character is
    /// already there, the scene changes to this character instead, and the others stay behind.
    Move {
        /// Place of the new scene.
        place: EntityId,
    },
    /// Ends the session being played. Each character who attended the session or heard its lines then knows the names
    /// that it heard, and the visible facts about the people and places that it met. The player characters know each
    /// other's names. The characters in the last scene know that the others whose names they know were there.
    End {
        /// Game time at which the session ends. `None` means the later of the game clock and the time that the log has
        /// reached.
        time: Option<String>,
    },
}

impl SessionStep {
    /// Returns the operation that records the step.
    ///
    /// # Errors
    /// Returns an error if a session starts while another session is being played. Also returns an error if attendance
    /// changes, the scene moves or a session ends while no session is being played. Other errors are an unknown
    /// character or place, an invalid date, or a leaving character who is absent.
    pub fn operation(&self, state: &State, author: Author, recorded: Timestamp) -> Result<Operation, CommandError> {
        let (summary, changes) = match self {
            Self::Start(new) => start(state, new, &author, recorded)?,
            Self::Attend { arrive, leave } => attend(state, arrive, leave, &author, recorded)?,
            Self::Depart { characters } => depart(state, characters, &author, recorded)?,
            Self::Move { place } => move_scene(state, place, &author, recorded)?,
            Self::End { time } => end(state, time.as_deref(), &author)?,
        };
        Ok(Operation { author, recorded, summary, changes })
    }
}

type StepResult = Result<(String, Vec<Change>), CommandError>;

fn start(state: &State, new: &NewSession, author: &Author, now: Timestamp) -> StepResult {
    if let Some(playing) = state.active_session() {
        return Err(CommandError::Playing(playing.session.clone()));
    }
    let (session, place) = new.session(state)?;
    let moment = session.started_at();
    // In a game, the game decides where the characters are.
    let together = || common_location(state, &session.present, moment).filter(|_| *author != Author::Game);
    let place = place.or_else(|| last_place(state)).or_else(together);
    let (id, present, time) = (session.id.clone(), session.present.clone(), session.start.clone());
    let absent = BTreeMap::new();
    let (place_ref, time_ref) = (place.as_ref(), time.as_ref());
    let scene =
        SessionScene { state, attending: &present, absent: &absent, masked: &[], place: place_ref, time: time_ref };
    let arrival = scene.arrival(&present, author, now)?;
    let summary = format!("{id} begins: {}{}", session.title, arrival.summary);
    let playing = ActiveSession { session: id, here: present, absent, place, time };
    let playing = Setting::Session(SessionSetting::Playing(playing));
    let mut changes = arrival.changes;
    changes.extend([Change::SetSession(session), Change::Set(playing)]);
    Ok((summary, changes))
}

fn attend(state: &State, arrive: &[EntityId], leave: &[EntityId], author: &Author, now: Timestamp) -> StepResult {
    let playing = state.active_session().ok_or(CommandError::NotPlaying)?;
    require_entities(state, arrive.iter().chain(leave))?;
    let mut session = session_of(state, &playing.session)?;
    let (time, place) = (later_time(state, playing.time.clone()), playing.place.as_ref());
    let moment = time.as_ref().and_then(|date| date.time);
    let (in_scene, witnesses) = (attending_in_scene(state, playing), scene_characters(state, playing, place, moment));
    let (already_here, mut arriving): (Vec<EntityId>, Vec<EntityId>) =
        arrive.iter().cloned().partition(|id| in_scene.contains(id) || witnesses.contains(id));
    arriving.dedup();
    let (mut here, mut absent) = (playing.here.clone(), playing.absent.clone());
    absent.retain(|id, _| !arriving.contains(id));
    let at_place = living_in_scene(state, &[], &absent, place, moment);
    // A non-player character who comes in is a guest: it is at the place of the scene, and does not move with the party.
    // Without a location at this place, it can only be in the scene if it attends the session.
    let is_guest = |id: &EntityId| {
        let comes = place.is_some() && *author != Author::Game && !moves_after(state, id, moment);
        let is_npc = state.kind(id).is_some_and(|kind| kind.is_character() && kind != Kind::Player);
        is_npc && !session.present.contains(id) && (comes || at_place.contains(id))
    };
    let attending: Vec<EntityId> = arriving.iter().filter(|id| !is_guest(id)).cloned().collect();
    here.extend(attending.iter().cloned());
    here.sort();
    here.dedup();
    let (mut ended_stays, mut departures) = (Vec::new(), String::new());
    for character in leave {
        let attended = here.contains(character);
        here.retain(|id| id != character);
        // The location or the home of the character is the place of the scene.
        let stays = living_in_scene(state, &here, &absent, place, moment).contains(character);
        match place.filter(|_| stays) {
            Some(place) if is_visitor(state, character, place) => {
                let (ended, summary) = end_of_stay(state, character, place, time.as_ref());
                // The end of the stay is already recorded, for a later time.
                if ended.is_empty() {
                    absent.insert(character.clone(), place.clone());
                    continue;
                }
                ended_stays.extend(known_departure(state, character, &ended, (&witnesses, moment), now)?);
                ended_stays.extend(ended);
                departures.push_str(&summary);
            }
            Some(place) => _ = absent.insert(character.clone(), place.clone()),
            None if attended => {}
            None => return Err(CommandError::AlreadyAbsent { who: character.clone() }),
        }
    }
    let attendance = ActiveSession { here, absent: absent.clone(), ..playing.clone() };
    let mut changes = vec![Change::Set(Setting::Session(SessionSetting::Playing(attendance)))];
    changes.extend(ended_stays);
    let present_count = session.present.len();
    session.present.extend(attending);
    session.present.sort();
    session.present.dedup();
    if session.present.len() > present_count {
        changes.push(Change::SetSession(session));
    }
    let describe = |ids: &[EntityId], one: &str, several: &str| {
        let names: Vec<&str> = ids.iter().map(|id| state.name_or_id(id)).collect();
        let verb = if names.len() == 1 { one } else { several };
        (!names.is_empty()).then(|| format!("{} {verb}", words::join_names(&names)))
    };
    let (dead, living): (Vec<EntityId>, Vec<EntityId>) =
        arriving.iter().cloned().partition(|id| is_dead(state, id, moment));
    let parts = [
        describe(&living, "joins", "join"),
        describe(&dead, "joins, but is dead and hears nothing", "join, but are dead and hear nothing"),
        describe(leave, "leaves", "leave"),
        describe(&already_here, "is already here", "are already here"),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    let in_scene: Vec<EntityId> = in_scene.iter().chain(&arriving).filter(|id| !leave.contains(id)).cloned().collect();
    let time = time.as_ref();
    // Characters who leave in this step do not see who comes.
    let mut gone = absent;
    gone.extend(place.into_iter().flat_map(|place| leave.iter().map(|id| (id.clone(), place.clone()))));
    let scene = SessionScene { state, attending: &in_scene, absent: &gone, masked: &[], place, time };
    let arrival = scene.arrival(&arriving, author, now)?;
    changes.extend(arrival.changes);
    Ok((format!("{}: {}{departures}{}", playing.session, parts.join("; "), arrival.summary), changes))
}

fn depart(state: &State, characters: &[EntityId], author: &Author, now: Timestamp) -> StepResult {
    let playing = state.active_session().ok_or(CommandError::NotPlaying)?;
    require_entities(state, characters)?;
    let (place, moment) = (playing.place.as_ref(), scene_moment(state, playing));
    let in_scene = living_in_scene(state, &playing.here, &playing.absent, place, moment);
    let (leaving, others): (Vec<EntityId>, Vec<EntityId>) =
        characters.iter().cloned().partition(|id| in_scene.contains(id));
    let can_depart = |id: &EntityId| state.kind(id) != Some(Kind::Player) && place_at(state, id, moment).is_some();
    if let Some(who) = others.into_iter().find(|id| !can_depart(id)) {
        return Err(CommandError::AlreadyAbsent { who });
    }
    let names: Vec<&str> = characters.iter().map(|id| state.name_or_id(id)).collect();
    let verb = if names.len() == 1 { "leaves" } else { "leave" };
    let summary = format!("{}: {} {verb} for an unknown place", playing.session, words::join_names(&names));
    let mut changes = match leaving.is_empty() {
        true => Vec::new(),
        false => attend(state, &[], &leaving, author, now)?.1,
    };
    let after = match changes.is_empty() {
        true => state.clone(),
        false => state_after(state, Operation::new(author.clone(), summary.clone(), changes.clone()))?,
    };
    let witnesses = scene_characters(state, playing, place, moment);
    for id in characters.iter().filter(|id| state.kind(id) != Some(Kind::Player)) {
        let witnesses = if leaving.contains(id) { &witnesses[..] } else { &[] };
        changes.extend(end_of_whereabouts(&after, id, witnesses, now)?);
    }
    Ok((summary, changes))
}

/// Returns the changes by which a character is neither at its recorded location nor at home. Characters in the scene who
/// know the location learn that it has ended. `state` is the state after the character left the scene.
fn end_of_whereabouts(
    state: &State,
    character: &EntityId,
    witnesses: &[EntityId],
    now: Timestamp,
) -> Result<Vec<Change>, CommandError> {
    let time = later_time(state, state.active_session().and_then(|playing| playing.time.clone()));
    let until = time.unwrap_or_else(|| clock_date(state));
    if moves_after(state, character, until.time) {
        return Ok(Vec::new());
    }
    let location = PredicateRole::Location.predicate();
    let locations = state.values(character, location);
    let ended: Vec<Change> =
        locations.iter().map(|fact| Change::EndFact { fact: fact.id(), until: until.clone() }).collect();
    let mut changes = known_departure(state, character, &ended, (witnesses, until.time), now)?;
    changes.extend(ended);
    // The location that ended last is then the home.
    if let Some(home) = home_at(state, character, until.time) {
        let statement = state.vocabulary().sentence(location, public_name(state, character), public_name(state, home));
        let from = Some(until.clone()).filter(|date| date.time.is_some());
        let validity = Validity { from, until: Some(until.clone()) };
        let provenance = Provenance { recorded: now, ..Provenance::new(Method::Authored, Author::Dm) };
        let stay = Fact::relation(character, location.clone(), home, provenance)?.statement(statement);
        changes.push(Change::AssertFact(Arc::new(stay.validity(validity).build()?)));
    }
    Ok(changes)
}

/// Returns whether a character at a place lives elsewhere, or has no recorded home.
fn is_visitor(state: &State, character: &EntityId, place: &EntityId) -> bool {
    let homes = state.values(character, PredicateRole::Residence.predicate());
    homes.iter().all(|home| home.object().entity() != Some(place))
}

/// Returns the changes by which a visitor is no longer at a place, and the text for the summary of the operation. The
/// visitor is then at home. If no home is recorded, the location of the visitor is unknown.
fn end_of_stay(state: &State, visitor: &EntityId, place: &EntityId, time: Option<&Date>) -> (Vec<Change>, String) {
    let until = time.cloned().unwrap_or_else(|| clock_date(state));
    let locations = state.values(visitor, PredicateRole::Location.predicate());
    let stays = locations.into_iter().filter(|fact| fact.object().entity() == Some(place));
    let changes = stays.map(|fact| Change::EndFact { fact: fact.id(), until: until.clone() }).collect();
    let homes = state.values(visitor, PredicateRole::Residence.predicate());
    let home = homes.iter().filter(|home| home.secrecy() != Secrecy::Secret).find_map(|home| home.object().entity());
    let name = state.name_or_id(visitor);
    let summary = match home {
        Some(home) => format!("; {name} is now at {}", state.name_or_id(home)),
        None => format!("; the location of {name} is now unknown"),
    };
    (changes, summary)
}

/// Returns the changes by which a visitor and the characters in the scene learn that the visitor is no longer there. `ended`
/// contains the changes that end the stay, and `witnesses` the characters in the scene. Characters to whom the visitor is a
/// stranger do not learn it (see [`recognizes`]).
fn known_departure(
    state: &State,
    visitor: &EntityId,
    ended: &[Change],
    (witnesses, moment): (&[EntityId], Option<GameTime>),
    now: Timestamp,
) -> Result<Vec<Change>, CommandError> {
    let views = StateViews::new(state);
    let is_aware = |id: &&EntityId| recognizes(&views, id, visitor, moment);
    let knowers: Vec<EntityId> = witnesses.iter().filter(is_aware).chain([visitor]).cloned().collect();
    let mut changes = Vec::new();
    for change in ended {
        let Change::EndFact { fact, until } = change else { continue };
        let Some(location) = state.fact(*fact) else { continue };
        changes.extend(learn_end(&views, location, until, knowers.clone(), now)?);
    }
    Ok(changes)
}

fn move_scene(state: &State, place: &EntityId, author: &Author, now: Timestamp) -> StepResult {
    let playing = state.active_session().ok_or(CommandError::NotPlaying)?;
    require_entities(state, std::iter::once(place))?;
    let time = later_time(state, playing.time.clone());
    let mut party = Party::new(state, &session_of(state, &playing.session)?, Some(playing), author);
    if playing.place.as_ref() != Some(place) {
        let places = (playing.place.as_ref(), place);
        party.change_scene(state, places, time.as_ref().and_then(|date| date.time), false);
    }
    let scene = SessionScene {
        state,
        attending: &party.present,
        absent: &party.absent,
        masked: &[],
        place: Some(place),
        time: time.as_ref(),
    };
    let mut arrival = scene.arrival(&party.present, author, now)?;
    for (place, characters) in party.places_outside() {
        let behind = SessionScene { attending: &characters, place: Some(place), ..scene };
        arrival.extend(behind.stay_outside(&characters, author, now)?);
    }
    let left_behind = party.left_behind_summary(state);
    let summary = format!("the scene moves to {}{}{left_behind}", state.name_or_id(place), arrival.summary);
    let moved = ActiveSession { place: Some(place.clone()), ..playing.clone() };
    let mut changes = vec![Change::Set(Setting::Session(SessionSetting::Playing(moved)))];
    changes.extend(arrival.changes);
    Ok((summary, changes))
}

fn end(state: &State, time: Option<&str>, author: &Author) -> StepResult {
    let playing = state.active_session().ok_or(CommandError::NotPlaying)?;
    let mut session = session_of(state, &playing.session)?;
    session.end = match time {
        Some(raw) => Some(parse_date(state, raw)?),
        None => later_time(state, playing.time.clone()),
    };
    if let (Some(start_time), Some(end_time)) = (session.started_at(), session.ended_at())
        && end_time < start_time
    {
        let print = |time| state.calendar().format(time);
        let (start, end) = (print(start_time), print(end_time));
        return Err(CommandError::SessionEndsTooEarly { session: session.id, start, end });
    }
    let summary = format!("{} ends", session.id);
    let mut learned = acquaintance_changes(state, &session);
    // In a game, the game decides where the characters are.
    if *author != Author::Game {
        let acquainted = match learned.is_empty() {
            true => state.clone(),
            false => state_after(state, Operation::new(Author::Dm, summary.clone(), learned.clone()))?,
        };
        learned.extend(last_scene_changes(&acquainted, playing, session.end.as_ref()));
    }
    let mut changes = vec![Change::SetSession(session), Change::Unset(SettingKey::Playing)];
    changes.extend(learned);
    Ok((summary, changes))
}

/// Returns the changes by which the characters in the last scene of a session know that the others were there: they learn
/// the location of each other or, of somebody at home, the home. Nobody learns this about a stranger (see [`recognizes`])
/// or about a character who [hides](hides_from). Nobody learns a concealed fact.
/// The knowledge belongs to no session, so that recaps do not list it.
fn last_scene_changes(state: &State, playing: &ActiveSession, time: Option<&Date>) -> Vec<Change> {
    let Some(place) = &playing.place else { return Vec::new() };
    let (moment, views) = (scene_moment(state, playing), StateViews::new(state));
    let present = scene_characters(state, playing, Some(place), moment);
    let mut changes = Vec::new();
    for id in &present {
        let roles = [PredicateRole::Location, PredicateRole::Residence];
        let mut stays = roles.into_iter().flat_map(|role| state.values(id, role.predicate()));
        let is_concealed = |fact: &Fact| state.known_by(fact.id()).any(|edge| edge.conceals);
        let is_open = |fact: &Fact| fact.secrecy() != Secrecy::Secret && !is_concealed(fact);
        let Some(stay) = stays.find(|fact| fact.object().entity() == Some(place) && is_open(fact)) else { continue };
        let is_news = |other: &&EntityId| {
            let view = views.get(&Knower::Entity((*other).clone()), moment);
            let is_noticed = !hides_from(state, id, &view, moment);
            is_noticed && view.fact(stay.id()).is_none() && recognizes(&views, other, id, moment)
        };
        let knowers = present.iter().filter(|other| *other != id).filter(is_news).cloned();
        changes.extend(learn_fact(stay, knowers, time));
    }
    changes
}

/// Returns the operation by which the characters of an imported session learn the same as at the end of a session that
/// is played (see [`SessionStep::End`]). Call this function after the extraction has decided which lines of the session
/// are out of character. An undo of the import also reverts the operation. Returns `None` if the session is being
/// played, or if no character learns anything.
///
/// # Errors
/// Returns an error if the session does not exist.
pub fn end_imported_session(
    state: &State,
    session: &SessionId,
    recorded: Timestamp,
) -> Result<Option<Operation>, CommandError> {
    if state.active_session().is_some_and(|playing| playing.session == *session) {
        return Ok(None);
    }
    let changes = acquaintance_changes(state, &session_of(state, session)?);
    let summary = format!("{session}: the characters learn the names that they heard");
    let operation = Operation { recorded, ..Operation::new(Author::Extractor, summary, changes) };
    Ok(Some(operation).filter(|operation| !operation.changes.is_empty()))
}

/// Returns the changes by which the characters who took part in a session learn the names that they heard, and the
/// visible facts about the people and places that they met.
fn acquaintance_changes(state: &State, session: &Session) -> Vec<Change> {
    let time = session.end.clone().or_else(|| session.start.clone());
    let occasion = Occasion { time, place: None, session: Some(session.id.clone()) };
    let participants = participants(state, session);
    let owners = name_word_owners(state);
    let met = participants.iter().map(|id| (id, acquaintance(state, session, id, &owners)));
    met.flat_map(|(id, met)| learn::meet(state, id, &met, &occasion).changes).collect()
}

/// Returns the characters who took part in a session: the characters who attended the session, and the non-player
/// characters who heard one of its lines.
fn participants(state: &State, session: &Session) -> BTreeSet<EntityId> {
    let passages = state.passages_in_session(Some(&session.id)).map(|(_, passage)| passage);
    let heard = passages.filter(|passage| !passage.is_out_of_character());
    let hearers = heard.flat_map(|passage| passage.heard_by.iter().filter_map(Knower::entity));
    let others = hearers.filter(|id| state.kind(id) == Some(Kind::Npc));
    session.present.iter().chain(others).cloned().collect()
}

/// Returns the words of the open names of all characters, without everyday words. A word has an owner if it is part of
/// the names of only one character.
fn name_word_owners(state: &State) -> BTreeMap<String, Option<EntityId>> {
    let mut owners: BTreeMap<String, Option<EntityId>> = BTreeMap::new();
    let ids = state.entities().map(|entity| &entity.id);
    for id in ids.filter(|id| state.kind(id).is_some_and(|kind| kind.is_character())) {
        let words = state.open_names(id).into_iter().flat_map(text::words);
        for word in words.filter(|word| !spelling::is_common_word(word)) {
            let owner = owners.entry(word).or_insert_with(|| Some(id.clone()));
            if owner.as_ref() != Some(id) {
                *owner = None;
            }
        }
    }
    owners
}

/// Returns the entities that a character met in a session, and those whose names it heard: the other characters who
/// attended the session, the speakers of the lines that the character heard, the entities that these lines name, and
/// the places where these lines were said. It also met the characters whom narration names in the same scene. A character
/// who did not attend the session met only those attending characters who heard the same lines. `owners` contains the
/// [words of names](name_word_owners).
fn acquaintance(
    state: &State,
    session: &Session,
    character: &EntityId,
    owners: &BTreeMap<String, Option<EntityId>>,
) -> Acquaintance {
    let knower = Knower::Entity(character.clone());
    let passages = state.passages_in_session(Some(&session.id)).map(|(_, passage)| passage);
    let heard: Vec<_> = passages.filter(|passage| passage.received_at(&knower).is_some()).collect();
    let attended = session.present.contains(character);
    let was_with = |other: &EntityId| {
        let other = Knower::Entity(other.clone());
        attended || heard.iter().any(|passage| passage.has_participant(&knower) && passage.has_participant(&other))
    };
    let others: Vec<&EntityId> = session.present.iter().filter(|id| *id != character && was_with(id)).collect();
    // The players introduce their characters to each other.
    let is_player = |id: &EntityId| state.kind(id) == Some(Kind::Player);
    let named = others.iter().filter(|id| is_player(id) && is_player(character)).copied().cloned().collect();
    let met = others.into_iter().cloned().collect();
    let mut acquaintance = Acquaintance { met, named, ..Acquaintance::default() };
    for passage in &heard {
        // A speaker with a secret name is a stranger.
        acquaintance.met.extend(passage.speaker.clone().filter(|_| passage.speaker_alias.is_none()));
        acquaintance.named.extend(passage.mentions.iter().cloned());
        // Narration shows those whom it names, if they are in the scene: "Hanna pours the ale."
        let is_narrated = passage.speaker.is_none() && passage.has_participant(&knower);
        let shown =
            passage.mentions.iter().filter(|id| is_narrated && passage.has_participant(&Knower::from((*id).clone())));
        acquaintance.met.extend(shown.cloned());
        // Somebody who reads or hears of a line later does not know where it was said.
        acquaintance.visited.extend(passage.place.clone().filter(|_| passage.has_participant(&knower)));
    }
    // A part of a name is enough for somebody who is there: "I am Hanna."
    let texts: Vec<Vec<String>> = heard.iter().map(|passage| text::words(&passage.text)).collect();
    let is_named = |id: &&EntityId| {
        let words = text::words(state.open_name(id).unwrap_or_default());
        let mut words = words.iter().filter(|word| !spelling::is_common_word(word));
        words.any(|word| texts.iter().any(|text| text.contains(word)))
    };
    let named: Vec<EntityId> = acquaintance.met.iter().filter(is_named).cloned().collect();
    acquaintance.named.extend(named);
    // So is a part that only one character has: "Doctor Grau is dead."
    let capitalized = heard
        .iter()
        .flat_map(|passage| passage.text.split_whitespace())
        .filter(|word| word.trim_start_matches(|c: char| !c.is_alphanumeric()).starts_with(char::is_uppercase));
    let owned = capitalized.flat_map(text::words).filter_map(|word| owners.get(&word)?.clone());
    acquaintance.named.extend(owned);
    let is_heard = |alias: &str| texts.iter().any(|text| text::contains_name(text, &text::words(alias)));
    let aliases = acquaintance.named.iter().flat_map(|id| state.facts_with_subject(id, attribute::ALIAS).open());
    let heard_aliases = aliases.filter(|fact| fact.object().text().is_some_and(is_heard)).map(|fact| fact.id());
    acquaintance.aliases = heard_aliases.collect();
    acquaintance
}

/// Returns a copy of a session, without characters that were removed from the campaign.
fn session_of(state: &State, id: &SessionId) -> Result<Session, CommandError> {
    let mut session = Session::clone(require_session(state, id)?);
    session.present.retain(|id| state.entity(id).is_some());
    Ok(session)
}
