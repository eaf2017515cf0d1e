//! Remarks on the facts of the lines.

use hearsay_belief::{AccessPath, AttributionReason, BeliefStatus, Known, KnownEnd};
use hearsay_model::{Credence, EntityId, FactRelation, Object};

use super::{ContextRequest, Remark, Writer};
use crate::CitedEntity;

/// Maximum number of entities in the scene whose knowledge is examined, apart from the speaker.
const MAX_PRESENT: usize = 8;

impl Writer<'_> {
    /// Returns remarks on the entities in the scene that, in the opinion of the speaker, know a fact. For a fact that
    /// the speaker knows only as common lore, as a resident or as a member of a group, returns remarks only if the fact
    /// is secret.
    pub(super) fn known_to(&self, present: &[EntityId], known: &Known) -> Vec<Remark> {
        let is_own = known.known_edges().iter().any(|known_edge| known_edge.access_path == AccessPath::Own);
        if is_own || known.is_secret() || !known.shared().is_empty() {
            self.why_known(present, known)
        } else {
            Vec::new()
        }
    }

    /// Returns the speaker's reasons to think that some of the entities in the scene know a fact. Uses the latest
    /// reason for each entity. Omits entities whose names the speaker does not know.
    fn why_known(&self, present: &[EntityId], known: &Known) -> Vec<Remark> {
        let (mut witnesses, mut recipients, mut tellers, mut memberships) =
            <(Vec<CitedEntity>, Vec<CitedEntity>, Vec<CitedEntity>, Vec<Remark>)>::default();
        for other in present.iter().take(MAX_PRESENT) {
            let entity = self.cite(other);
            if entity.name.is_none() {
                continue;
            }
            let reasons =
                self.request.view.attribution_reasons(other, known).into_iter().map(|attributed| attributed.reason);
            let is_informative = |reason: &AttributionReason| match reason {
                AttributionReason::Common => false,
                AttributionReason::Belongs(_) => known.is_secret(),
                _ => true,
            };
            match reasons.into_iter().find(is_informative) {
                Some(AttributionReason::Present | AttributionReason::AtPlaceOfArrival(_)) => witnesses.push(entity),
                Some(AttributionReason::ToldByMe) => recipients.push(entity),
                Some(AttributionReason::ToldMe) => tellers.push(entity),
                Some(AttributionReason::Belongs(group)) => {
                    memberships.push(Remark::Belongs { entity, group: self.cite(&group) });
                }
                Some(AttributionReason::Common) | None => {}
            }
        }
        let mut remarks = Vec::new();
        remarks.extend((!witnesses.is_empty()).then_some(Remark::WerePresent(witnesses)));
        remarks.extend((!recipients.is_empty()).then_some(Remark::YouTold(recipients)));
        remarks.extend((!tellers.is_empty()).then_some(Remark::ToldYou(tellers)));
        remarks.extend(memberships);
        remarks
    }

    /// Returns the remark that the subject of a fact is dead, if the fact describes the subject in the present tense.
    /// Only sentences that were generated from the phrases of the vocabulary are certain to be in the present tense.
    fn death_remark(&self, known: &Known) -> Option<Remark> {
        let ContextRequest { vocabulary, names, .. } = self.request;
        let is_own_words = known.object().text() == Some(known.statement());
        let is_death = vocabulary.behavior(known.predicate()).means_death(known.object());
        if is_own_words || is_death || !vocabulary.is_embedded(known.predicate()) {
            return None;
        }
        let object = match known.object() {
            Object::Entity(id) => names.name(id)?.to_owned(),
            Object::Value(value) => value.to_string(),
        };
        let sentence = vocabulary.sentence(known.predicate(), names.name(known.subject())?, &object);
        let is_dead = known.statement() == sentence && self.known_death(known.subject()).is_some();
        is_dead.then(|| Remark::SubjectIsDead(self.cite(known.subject())))
    }

    /// Returns whether the speaker knows another fact that contradicts `known`, and neither fact is superseded, refuted
    /// or ended.
    fn has_open_conflict(&self, known: &Known) -> bool {
        let view = self.request.view;
        let is_open = |known: &Known| !view.is_superseded(known.id()) && !self.is_denied(known);
        // A public fact and a secret fact are not rival rumours, even if they contradict each other.
        let mut rivals = view.contradicting_facts(known).filter(|other| other.is_secret() == known.is_secret());
        is_open(known) && rivals.any(is_open)
    }

    /// Returns whether the speaker has heard that a fact is untrue or has ended.
    fn is_denied(&self, known: &Known) -> bool {
        let view = self.request.view;
        let is_end = |other: &Known| matches!(other.fact_relation(), Some(FactRelation::Ends(_)));
        view.refutations(known).next().is_some() || view.relations_to(known.id()).any(is_end)
    }

    /// Returns the remark that a fact has ended.
    fn end_remark(&self, end: KnownEnd) -> Remark {
        let date =
            end.date.map(|date| date.time.map_or_else(|| date.raw.clone(), |time| self.request.calendar.format(time)));
        Remark::Ended { until: date.filter(|date| !date.is_empty()) }
    }

    /// Returns remarks on the end of a fact and on facts against it that the speaker knows, and the speaker's credence
    /// in the fact.
    pub(super) fn disputes(&self, known: &Known) -> (Vec<Remark>, Credence) {
        let end = self.request.view.known_end(known);
        let (objection, credence) = if self.is_denied(known) {
            let belief = self.request.view.belief(known);
            let objection = match belief.status {
                // The remark on the end says this.
                BeliefStatus::Ended(_) => None,
                BeliefStatus::Outweighed(_) => Some(Remark::Outweighed),
                // The speaker has heard that the fact ended, but does not believe it, or the end lies in the future.
                _ if belief.credence < known.credence() => Some(Remark::Denied),
                _ => None,
            };
            (objection, belief.credence)
        } else {
            let is_contradicted = end.is_none() && self.has_open_conflict(known);
            (is_contradicted.then_some(Remark::Contradicted), known.credence())
        };
        let end_remark = end.map(|end| self.end_remark(end)).or_else(|| self.death_remark(known));
        (end_remark.into_iter().chain(objection).collect(), credence)
    }

    /// Returns remarks on the speaker's credence in a fact, on its memory of the fact, and on the entity that told the
    /// speaker the fact.
    pub(super) fn remarks(&self, known: &Known, credence: Credence) -> Vec<Remark> {
        if known.is_own_lie() {
            return vec![Remark::MadeUp];
        }
        if known.is_own_version() {
            return vec![Remark::OwnVersion];
        }
        let Some((acquisition, access_path)) = known.acquisition() else { return Vec::new() };
        let own_teller = acquisition.teller().filter(|_| *access_path == AccessPath::Own);
        let teller = own_teller.map(|teller| Remark::ToldYou(vec![self.cite(teller)]));
        let is_faded = self.request.view.retention(known, self.request.scene.time).is_faded();
        let faded = is_faded.then_some(Remark::Faded);
        Remark::from_credence(credence).into_iter().chain(faded).chain(teller).collect()
    }
}
