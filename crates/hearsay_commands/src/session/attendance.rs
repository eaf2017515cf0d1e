//! Attendance of the characters who act in narration: who witnesses a line, and who probably arrives or leaves.

use std::cell::LazyCell;

use hearsay_belief::{is_dead, place_at};
use hearsay_model::{EntityId, SessionId, State, TalkKind};
use hearsay_query::session::{attending_in_scene, later_time};

use super::{
    log::{Log, LogLine},
    transcript::{SpeakerNames, actors},
};
use crate::presence::scene_hearers;

/// A change of attendance that a line of narration suggests, as in `Pell comes in.` or `Odo walks away.` Only the DM can
/// record the change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttendanceHint {
    /// The character who acts in the line.
    pub character: EntityId,
    /// `true` if the character is in the scene, and the line says that it leaves. `false` if the character is not in the
    /// scene.
    pub leaves: bool,
}

impl Log {
    /// Returns the changes of attendance that the typed lines of narration suggest for the session being played.
    pub fn attendance_hints(&self, state: &State) -> Vec<AttendanceHint> {
        let is_written = |session: &SessionId| self.session.as_ref().is_none_or(|id| id == session);
        let Some(playing) = state.active_session().filter(|playing| is_written(&playing.session)) else {
            return Vec::new();
        };
        let moment = later_time(state, playing.time.clone()).and_then(|date| date.time);
        let in_scene = attending_in_scene(state, playing);
        // Collected only if there is narration, because this reads the names of all characters.
        let names = LazyCell::new(|| SpeakerNames::new(state));
        let (mut place, mut hints) = (playing.place.as_ref(), Vec::new());
        for line in &self.lines {
            place = line.place.as_ref().or(place);
            let talk_kind = line.known_talk_kind(self.source.is_some());
            if !line.typed || !line.is_said_to_all() || talk_kind != Some(TalkKind::Narration) {
                continue;
            }
            // A scene at another place can be the scene of attending characters who are already there.
            let attending = if place == playing.place.as_ref() { &in_scene } else { &playing.here };
            let present = scene_hearers(state, attending, &playing.absent, place, moment);
            for actor in actors(&names, state, &line.text, place) {
                let is_present = present.contains(&actor.id);
                if (!is_present || actor.leaves) && !is_dead(state, &actor.id, moment) {
                    hints.push(AttendanceHint { character: actor.id, leaves: is_present });
                }
            }
        }
        hints
    }
}

impl LogLine {
    /// Returns the characters who witness a line of narration because they act in it. The dead are omitted, and so are
    /// the characters who do not notice what happens, and the attending characters who are at another place.
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
        let is_witness = |id: &EntityId| !self.unheard_by.contains(id) && !is_dead(state, id, moment) && !is_away(id);
        let actors = actors(names, state, &self.text, place).into_iter().filter(|actor| actor.acts);
        actors.map(|actor| actor.id).filter(is_witness).collect()
    }

    /// Returns whether the line is narration whose hearers are not named.
    pub(super) fn is_said_to_all(&self) -> bool {
        self.speaker.is_none() && self.heard_by.is_empty()
    }
}
