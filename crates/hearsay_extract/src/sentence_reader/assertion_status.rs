//! Assertion status of a clause: whether the clause is asserted, negated, doubtful or no longer true, and who states
//! the clause.

use crate::{
    entities::mentions::EntityRef,
    facts::{Cue, CueKind},
};

/// Assertion status of a clause or sentence.
#[derive(Debug, Clone)]
pub(crate) struct AssertionStatus {
    /// Whether the clause asserts nothing about the world, because it is a question, a plan or a wish. No facts are
    /// read from such a clause.
    pub(crate) is_unasserted: bool,
    /// Whether the text does not state the clause as certain: it is hedged, hearsay, sarcastic, only thought, or
    /// depends on a condition.
    pub(crate) is_doubtful: bool,
    /// Factor for the confidence of facts from this clause: 1 without doubt, otherwise less.
    pub(crate) confidence_factor: f64,
    pub(crate) denied: bool,
    pub(crate) ended: bool,
    pub(crate) stated_by: Option<EntityRef>,
    pub(crate) told_to: Vec<EntityRef>,
    pub(crate) cues: Vec<Cue>,
    pub(crate) is_embedded: bool,
    /// Whether the clause describes a past state in the past tense. Facts of predicates that can end, such as
    /// `MEMBER_OF`, then count as over.
    pub(crate) is_past_state: bool,
    /// Whether a speaker uses the past tense, as in "I loved him". Such words do not say whether a feeling lasts.
    pub(crate) is_past_speech: bool,
    /// Whether the verb has the modal "would". From a clause with "would", only statements about wishes, likes and
    /// trust are read.
    pub(crate) has_would: bool,
    /// Whether the verb has the modal "can". From a clause with "can", only negated statements ("cannot") are read.
    pub(crate) has_can: bool,
}

impl AssertionStatus {
    /// Returns whether the clause plainly asserts something: without negation, "would" or "can".
    pub(crate) fn is_plain_assertion(&self) -> bool {
        !self.is_unasserted && !self.denied && !self.has_would && !self.has_can
    }

    /// Takes over the doubt, the source and the cues of another clause.
    pub(crate) fn inherit(&mut self, parent: &Self) {
        self.is_unasserted |= parent.is_unasserted;
        self.is_doubtful |= parent.is_doubtful;
        self.confidence_factor = self.confidence_factor.min(parent.confidence_factor);
        self.stated_by = parent.stated_by;
        self.told_to.clone_from(&parent.told_to);
        for cue in &parent.cues {
            if cue.kind != CueKind::Past && !self.cues.contains(cue) {
                self.cues.push(cue.clone());
            }
        }
    }
}
