//! The DM's confirmation of facts that a recorded line may state, and of arrivals, departures and moves.

use std::collections::BTreeMap;

use hearsay_model::{Author, Change, EntityId, FactId, FactStatus, Operation, SessionId, State, TalkKind, Timestamp};
use hearsay_query::{
    preview::state_after,
    session::{attending_in_scene, later_time},
};

use super::{
    AttendanceChange, AttendanceHint, Log, LogLine, TalkCorrection,
    arrival::{Arrival, SessionScene},
    attendance::stated_moves,
    extracted_facts::facts_only_in,
    joined_operation::joined_operation,
    recorded_line,
    step::SessionStep,
};
use crate::{
    CommandError,
    presence::{scene_characters, scene_moment},
    review::{Decision, Decisions},
};

/// The DM's confirmation that a recorded line states facts, that facts which the extraction found in the line are true,
/// and that characters come into the scene, leave it or go to another place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineConfirmation {
    /// Session of the line.
    pub session: SessionId,
    /// Number of the line in the session.
    pub line: u32,
    /// Recorded facts that the line states.
    pub states: Vec<FactId>,
    /// Facts from the line to accept.
    pub accept: Vec<FactId>,
    /// Arrivals, departures and moves to record. Other changes of attendance are ignored.
    pub attendance: Vec<AttendanceHint>,
}

impl LineConfirmation {
    /// Returns the operation by which the hearers learn the stated facts, by which the other facts become canon, and by
    /// which the characters arrive and leave, as with [`SessionStep::Attend`], or are at the places to which they go. If
    /// the whole party goes to one place, the scene moves there. A fact from the line with the same content
    /// as a stated fact is withdrawn instead, and so are proposed facts that only state the recorded departures and moves. The
    /// hearers hear a withheld line from then on, even if it states no fact.
    ///
    /// # Errors
    /// Returns an error if the session, the line or a fact does not exist, or if there is nothing to confirm.
    pub fn operation(&self, state: &State, now: Timestamp) -> Result<Operation, CommandError> {
        let facts = self.facts(state, now)?;
        if self.attendance.is_empty() {
            return facts.ok_or(CommandError::NothingToDecide);
        }
        // An accepted move or death already changes who is in the scene.
        let place_of_party = self.place_of_party(state);
        let moved = followed_by(state, facts, |state| self.moves(state, place_of_party.as_ref(), now))?;
        let attended = followed_by(state, moved, |state| self.attendance(state, now))?;
        let mut operation = attended.ok_or(CommandError::NothingToDecide)?;
        let repeated = self.repeated_moves(state)?.into_iter().map(Change::RetractFact);
        let repeated: Vec<Change> = repeated.filter(|change| !operation.changes.contains(change)).collect();
        operation.changes.extend(repeated);
        Ok(operation)
    }

    /// Returns the proposed facts from the line that state only departures and moves that the operation records.
    fn repeated_moves(&self, state: &State) -> Result<Vec<FactId>, CommandError> {
        let (line, _) = recorded_line(state, Some(&self.session), Some(self.line))?;
        let is_repeated = |statement: &str| {
            let moves = stated_moves(state, statement);
            !moves.is_empty() && moves.iter().all(|stated| self.attendance.contains(stated))
        };
        let proposed = facts_only_in(state, line).filter(|fact| fact.status() == FactStatus::Proposed);
        let others = proposed.filter(|fact| !self.accept.contains(&fact.id()));
        Ok(others.filter(|fact| is_repeated(fact.statement())).map(|fact| fact.id()).collect())
    }

    /// Returns one operation that makes several confirmations. Leaves out the confirmations that confirm nothing.
    ///
    /// # Errors
    /// Returns the errors of [`operation`](Self::operation).
    pub fn operation_for_all(confirmations: &[Self], state: &State, now: Timestamp) -> Result<Operation, CommandError> {
        let is_nothing = |error: &CommandError| matches!(error, CommandError::NothingToDecide);
        let operation = |confirmation: &Self, state: &State| confirmation.operation(state, now);
        joined_operation(confirmations, state, now, operation, is_nothing)?.ok_or(CommandError::NothingToDecide)
    }

    /// Returns the operation that confirms the facts, or by which a withheld line without such facts is heard; `None` if
    /// there is nothing to confirm.
    fn facts(&self, state: &State, now: Timestamp) -> Result<Option<Operation>, CommandError> {
        if self.states.is_empty() {
            let (_, passage) = recorded_line(state, Some(&self.session), Some(self.line))?;
            if passage.is_withheld() {
                let (session, kind) = (Some(self.session.clone()), TalkKind::Narration);
                return TalkCorrection { session, line: self.line, kind }.operation(state, now).map(Some);
            }
            let accepted = (!self.accept.is_empty()).then(|| self.decisions(self.accept.clone()));
            return accepted.map(|decisions| decisions.operation(state, now)).transpose();
        }
        let line = LogLine { recorded_line: Some(self.line), states: self.states.clone(), ..LogLine::default() };
        let log = Log { session: Some(self.session.clone()), lines: vec![line], ..Log::default() };
        let mut operation = log.operation(state, Author::Dm, now)?;
        let is_withdrawn = |fact: &FactId| operation.changes.contains(&Change::RetractFact(*fact));
        let accept: Vec<FactId> = self.accept.iter().copied().filter(|fact| !is_withdrawn(fact)).collect();
        if !accept.is_empty() {
            let accepted = self.decisions(accept).operation(state, now)?;
            operation.summary = format!("{}; {}", operation.summary, accepted.summary);
            operation.changes.extend(accepted.changes);
        }
        Ok(Some(operation))
    }

    /// Returns the place to which all attending characters in the scene go; `None` if they do not go to one place.
    fn place_of_party(&self, state: &State) -> Option<EntityId> {
        let party = attending_in_scene(state, state.active_session()?);
        let destination = |id: &EntityId| self.moves_by_character().find_map(|(mover, to)| (mover == id).then_some(to));
        let place = destination(party.first()?).filter(|_| party.len() > 1)?;
        party.iter().all(|id| destination(id) == Some(place)).then(|| place.clone())
    }

    /// Returns the characters who go to another place, each with this place.
    fn moves_by_character(&self) -> impl Iterator<Item = (&EntityId, &EntityId)> {
        self.attendance.iter().filter_map(|hint| match &hint.change {
            AttendanceChange::GoesTo(place) => Some((&hint.character, place)),
            _ => None,
        })
    }

    /// Returns the operation by which the characters are at the places to which they go; `None` if they are already there.
    /// The scene moves to `place_of_party`.
    fn moves(
        &self,
        state: &State,
        place_of_party: Option<&EntityId>,
        now: Timestamp,
    ) -> Result<Option<Operation>, CommandError> {
        let Some(playing) = state.active_session() else { return Ok(None) };
        let step = place_of_party.map(|place| SessionStep::Move { place: place.clone() });
        let moved = step.map(|step| step.operation(state, Author::Dm, now)).transpose()?;
        followed_by(state, moved, |state| {
            let mut places: BTreeMap<&EntityId, Vec<EntityId>> = BTreeMap::new();
            for (id, place) in self.moves_by_character() {
                places.entry(place).or_default().push(id.clone());
            }
            let (time, mut arrival) = (later_time(state, playing.time.clone()), Arrival::default());
            for (place, movers) in places {
                let (absent, time) = (&playing.absent, time.as_ref());
                let scene = SessionScene { state, attending: &movers, absent, masked: &[], place: Some(place), time };
                arrival.extend(scene.stay_outside(&movers, &Author::Dm, now)?);
            }
            let summary = format!("{}{}", playing.session, arrival.summary.replacen(';', ":", 1));
            let operation = Operation { recorded: now, ..Operation::new(Author::Dm, summary, arrival.changes) };
            Ok(Some(operation).filter(|operation| !operation.changes.is_empty()))
        })
    }

    /// Returns the operation that records the arrivals and departures; `None` if there are none.
    fn attendance(&self, state: &State, now: Timestamp) -> Result<Option<Operation>, CommandError> {
        let Some(playing) = state.active_session() else { return Ok(None) };
        let present = scene_characters(state, playing, playing.place.as_ref(), scene_moment(state, playing));
        let with = |change: AttendanceChange, is_present: bool| {
            let hints = self.attendance.iter().filter(|hint| hint.change == change).map(|hint| &hint.character);
            hints.filter(|id| present.contains(id) == is_present).cloned().collect::<Vec<_>>()
        };
        let (arrive, leave) = (with(AttendanceChange::Arrives, false), with(AttendanceChange::Leaves, true));
        let attend = (!arrive.is_empty() || !leave.is_empty()).then_some(SessionStep::Attend { arrive, leave });
        let attended = attend.map(|attend| attend.operation(state, Author::Dm, now)).transpose()?;
        let departing = with(AttendanceChange::Departs, true);
        followed_by(state, attended, |state| {
            let depart = (!departing.is_empty()).then_some(SessionStep::Depart { characters: departing });
            depart.map(|depart| depart.operation(state, Author::Dm, now)).transpose()
        })
    }

    fn decisions(&self, facts: Vec<FactId>) -> Decisions {
        Decisions { facts, decision: Decision::Accept, reason: None }
    }
}

/// Returns an operation with the changes of the operation that `next` returns for the state after it.
fn followed_by(
    state: &State,
    first: Option<Operation>,
    next: impl FnOnce(&State) -> Result<Option<Operation>, CommandError>,
) -> Result<Option<Operation>, CommandError> {
    let Some(mut operation) = first else { return next(state) };
    if let Some(next) = next(&state_after(state, operation.clone())?)? {
        operation.summary = format!("{}; {}", operation.summary, next.summary);
        operation.changes.extend(next.changes);
    }
    Ok(Some(operation))
}
