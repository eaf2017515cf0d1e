//! Reasons why no character tells a fact during a gossip step.

use std::sync::Arc;

use hearsay_model::{Audience, EntityId, Fact, FactId, GameTime, Knower, Secrecy};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;

use super::{Conversation, GossipStep, MeetingPlan, Simulation, knowledge::is_gossip, meetings::Person};
use crate::Known;

/// Maximum value of [`Untold::chances`].
const MAX_CHANCES: u32 = 1_000;

/// Reason why no character tells a fact. The variants are ordered: with a later variant, the fact came closer to being
/// told. If different reasons apply to different knowers or meetings, the result is the last of these variants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum UntoldReason {
    /// No living NPC knows the fact.
    NoTeller,
    /// The fact is a secret.
    Secret,
    /// The rules of the campaign make the fact private.
    Private,
    /// All knowers of the fact have known it since before the campaign, or learned it without a date.
    NoDate,
    /// All knowers of the fact learned it so long ago that it is no longer news.
    TooOld,
    /// All knowers of the fact learn it after the end of the step.
    NotYetLearned,
    /// All knowers of the fact conceal it.
    Concealed,
    /// All knowers of the fact harmed somebody with this deed themselves, and have told nobody.
    OwnDeed,
    /// The credence of all knowers of the fact is too low, or they know that the fact is refuted or has ended, or they
    /// believe a contradicting fact more.
    Doubted,
    /// The fact has faded from the memory of all knowers.
    Faded,
    /// All knowers of the fact have lost interest in telling it.
    LostInterest,
    /// All knowers of the fact have a talkativeness of 0.
    Silent,
    /// The places of all knowers of the fact are unknown.
    NoPlace,
    /// No other living NPC is at the places of the knowers of the fact, or the knowers and these NPCs hide from each
    /// other.
    Alone,
    /// By chance, the knowers of the fact meet no other character in the step during the time in which the fact is
    /// news.
    NoMeeting,
    /// The knowers of the fact meet only characters whom the fact names.
    AboutHearer,
    /// The knowers of the fact meet only characters who know the fact, or who, in the opinion of the teller, know the
    /// fact.
    HearersKnow,
    /// Every living NPC knows the fact.
    EverybodyKnows,
    /// In every meeting, the teller tells newer facts first, and the number of facts per meeting is limited.
    OtherNewsFirst,
    /// The fact can be told, but the probability that a character tells it is too low for the meetings in the step. One
    /// reason is that no listener knows an entity that the fact concerns.
    LittleInterest,
    /// The fact can be told, but the probability that a character tells it is too low for the meetings in the step.
    LowProbability,
}

impl UntoldReason {
    /// Returns the reason as an English clause, in which "it" means the fact.
    pub fn explanation(self) -> &'static str {
        match self {
            Self::NoTeller => "no living NPC knows it; player characters do not gossip",
            Self::Secret => "it is a secret, and secrets are never told as gossip",
            Self::Private => "it is private by the rules of the campaign",
            Self::NoDate => {
                "it is no news: the campaign has no date at which a knower learned it (add `when` to a knower)"
            }
            Self::TooOld => "it is no longer news: everybody who knows it learned it too long ago",
            Self::NotYetLearned => "nobody learns it before the end of the simulated time",
            Self::Concealed => "everybody who knows it conceals it",
            Self::OwnDeed => "those who know it harmed somebody with it, and keep it to themselves",
            Self::Doubted => "nobody who knows it believes it enough to tell it",
            Self::Faded => "everybody who knows it remembers it only dimly",
            Self::LostInterest => "everybody who knows it has lost interest in telling it",
            Self::Silent => "everybody who knows it is silent (talkativeness 0)",
            Self::NoPlace => "the place of everybody who knows it is unknown (give them a home or a location)",
            Self::Alone => "those who know it can meet nobody at their places",
            Self::NoMeeting => "those who know it happen to meet nobody while it is news (let more days pass)",
            Self::AboutHearer => "those who know it meet only the characters whom it is about",
            Self::HearersKnow => "those who know it meet only characters who already know it, or seem to know it",
            Self::EverybodyKnows => "everybody knows it already",
            Self::OtherNewsFirst => "newer facts are told first in every meeting",
            Self::LittleInterest => "the listeners know none of its entities by name",
            Self::LowProbability => "the probability of telling it in a meeting is too low",
        }
    }
}

/// A fact that no character tells during a gossip step. At least one knower knows the fact, and gossip can contain
/// facts of this kind.
#[derive(Debug, Clone, PartialEq)]
pub struct Untold {
    /// The fact.
    pub fact: FactId,
    /// Why no character tells the fact.
    pub reason: UntoldReason,
    /// The living NPCs that know the fact themselves or through a group or place, sorted by id.
    pub knowers: Vec<EntityId>,
    /// Number of conversations in which a knower could have told the fact but, by chance, did not; at most 1,000.
    pub chances: u32,
    /// The highest probability of telling the fact in one of these conversations; 0 if there are no such conversations.
    pub max_probability: f64,
}

/// The greatest reason so far why a fact is not told, and the chances of telling the fact so far.
#[derive(Debug, Clone, Copy)]
struct Obstacle {
    reason: UntoldReason,
    chances: u32,
    max_probability: f64,
}

/// Reasons why facts are not told, collected during a gossip step.
#[derive(Debug, Default)]
pub(super) struct Obstacles {
    told: FxHashSet<FactId>,
    by_fact: FxHashMap<FactId, Obstacle>,
    /// For each teller, by dense index: one moment for each conversation. The teller tells only facts that it knew by
    /// this moment.
    conversations: FxHashMap<u32, Vec<GameTime>>,
}

impl Obstacles {
    /// Records a conversation in which a character tells only facts that it knew by the moment `known_by`.
    pub(super) fn record_conversation(&mut self, teller: u32, known_by: GameTime) {
        self.conversations.entry(teller).or_default().push(known_by);
    }

    pub(super) fn record_telling(&mut self, fact: FactId) {
        self.told.insert(fact);
    }

    fn record(&mut self, fact: FactId, reason: UntoldReason, probability: f64) {
        let obstacle = self.by_fact.entry(fact).or_insert(Obstacle { reason, chances: 0, max_probability: 0.0 });
        obstacle.reason = obstacle.reason.max(reason);
        if probability > 0.0 {
            obstacle.chances += 1;
            obstacle.max_probability = obstacle.max_probability.max(probability);
        }
    }

    /// Returns whether reasons for not telling a fact must still be recorded: nobody has told the fact yet, and fewer
    /// than [`MAX_CHANCES`] chances are recorded.
    fn is_open(&self, fact: FactId) -> bool {
        let is_full = |obstacle: &Obstacle| obstacle.chances >= MAX_CHANCES;
        !self.told.contains(&fact) && !self.by_fact.get(&fact).is_some_and(is_full)
    }
}

impl Simulation<'_> {
    /// Records why the teller of a conversation does not tell a fact. `has_told_enough` is whether the teller has
    /// already told the maximum number of facts in this conversation.
    pub(super) fn record_obstacle(&mut self, conversation: &Conversation, id: FactId, has_told_enough: bool) {
        if !self.obstacles.as_ref().is_some_and(|obstacles| obstacles.is_open(id)) {
            return;
        }
        let &Conversation { teller, hearer, when, .. } = conversation;
        let Some(fact) = self.knowledge.fact(id).map(Arc::clone) else { return };
        // The end of the step finds the reason if the fact is no news to the teller.
        let learned = self.knowledge.first_learned(teller.index, id, conversation.known_by);
        let Some(freshness) = learned.map(|learned| self.freshness(learned, when)).filter(|freshness| *freshness > 0.0)
        else {
            return;
        };
        self.knowledge.prepare(hearer.index, when);
        let mut probability = 0.0;
        let known = self.knowledge.known(teller.index, id, when);
        let reason = if let Some(reason) = known.and_then(|known| self.teller_obstacle(teller, &known, when)) {
            reason
        } else if names(&fact, hearer.id) {
            UntoldReason::AboutHearer
        } else if self.listener_knows(conversation, id) {
            UntoldReason::HearersKnow
        } else if has_told_enough {
            UntoldReason::OtherNewsFirst
        } else {
            let openness = super::openness(&self.knowledge.trust(teller.index, hearer.index, when));
            let concerns_both = self.knowledge.concerns_both(&fact, teller.index, hearer.index, when);
            let interest = if concerns_both { 1.0 } else { super::INTEREST_IN_UNKNOWN };
            probability = teller.talkativeness * openness * freshness * interest;
            if concerns_both { UntoldReason::LowProbability } else { UntoldReason::LittleInterest }
        };
        if let Some(obstacles) = &mut self.obstacles {
            obstacles.record(id, reason, probability);
        }
    }

    /// Returns whether the listener knows a fact so well that hearing it has no effect, or the teller has reason to
    /// think that the listener knows the fact.
    fn listener_knows(&mut self, conversation: &Conversation, id: FactId) -> bool {
        let (teller, hearer, when) = (conversation.teller.index, conversation.hearer.index, conversation.when);
        let Some(known) = self.knowledge.known(teller, id, when) else { return false };
        if self.knowledge.thinks_knows(teller, hearer, &known, when) {
            return true;
        }
        self.knowledge.known(hearer, id, when).is_some_and(|known| super::hearing_has_no_effect(&known))
    }

    /// Returns the step. If the options ask for it, adds the facts that were not told, sorted by reason and id. The
    /// facts that came closest to being told come first.
    pub(super) fn finish(mut self, plan: &MeetingPlan) -> GossipStep {
        let Some(obstacles) = self.obstacles.take() else { return self.step };
        let until = self.options.until;
        let mut living = Living { count: 0, by_source: FxHashMap::default() };
        for number in plan.living(until) {
            let index = plan.person(number).index;
            self.knowledge.prepare(index, until);
            for source in self.knowledge.source_indices(index) {
                living.by_source.entry(source).or_default().push(number);
            }
            living.count += 1;
        }
        let state = self.state;
        let is_untold = |fact: &Fact| is_gossip(state, fact) && !obstacles.told.contains(&fact.id());
        let facts = self.state.facts().filter(|fact| is_untold(fact));
        let mut untold: Vec<Untold> =
            facts.filter_map(|fact| self.untold_fact(plan, &obstacles, &living, fact)).collect();
        untold.sort_by_key(|untold| (std::cmp::Reverse(untold.reason), untold.fact));
        self.step.untold = untold;
        self.step
    }

    /// Returns why a fact was not told. Returns `None` if nobody knows the fact.
    fn untold_fact(
        &mut self,
        plan: &MeetingPlan,
        obstacles: &Obstacles,
        living: &Living,
        fact: &Fact,
    ) -> Option<Untold> {
        let (state, id, until) = (self.state, fact.id(), self.options.until);
        let edges: Vec<_> = state.known_by(id).filter(|edge| edge.acquisition.gives_knowledge()).collect();
        if edges.is_empty() {
            return None;
        }
        let is_common = edges.iter().any(|edge| edge.knower == Knower::World);
        let sources = edges.iter().filter_map(|edge| state.index_of(edge.knower.entity()?));
        let mut knowers: Vec<usize> =
            sources.filter_map(|source| living.by_source.get(&source)).flatten().copied().collect();
        knowers.sort_unstable_by_key(|number| plan.person(*number).id);
        knowers.dedup();
        let is_never_known = knowers.is_empty();
        knowers.retain(|number| self.knowledge.knows(plan.person(*number).index, id, until));
        let obstacle = obstacles.by_fact.get(&id);
        let reason = if is_common || (living.count > 0 && knowers.len() == living.count) {
            UntoldReason::EverybodyKnows
        } else if is_never_known {
            UntoldReason::NoTeller
        } else if fact.secrecy() != Secrecy::Open {
            UntoldReason::Secret
        } else if state.vocabulary().audience(self.knowledge.audience_rules(), fact) == Audience::Private {
            UntoldReason::Private
        } else {
            let reasons = knowers.iter().map(|number| self.knower_reason(plan, obstacles, *number, id));
            reasons.chain(obstacle.map(|obstacle| obstacle.reason)).max().unwrap_or(UntoldReason::NotYetLearned)
        };
        Some(Untold {
            fact: id,
            reason,
            knowers: knowers.iter().map(|number| plan.person(*number).id.clone()).collect(),
            chances: obstacle.map_or(0, |obstacle| obstacle.chances),
            max_probability: obstacle.map_or(0.0, |obstacle| obstacle.max_probability),
        })
    }

    /// Returns why a character tells a fact to nobody at a moment: it conceals or doubts the fact, the fact is its own
    /// harmful deed, the fact has faded, or the character has lost interest. Returns `None` if there is no such reason.
    pub(super) fn teller_obstacle(&mut self, teller: &Person, known: &Known, when: GameTime) -> Option<UntoldReason> {
        if known.conceals() {
            return Some(UntoldReason::Concealed);
        }
        let is_harmful_deed = self.knowledge.vocabulary().behavior(known.predicate()).harms_object();
        if is_harmful_deed
            && known.subject() == teller.id
            && self.knowledge.tellings(teller.index, known.id()).next().is_none()
        {
            return Some(UntoldReason::OwnDeed);
        }
        let credence = self.knowledge.effective_credence(teller.index, known, when);
        if credence < self.options.min_credence.get()
            || self.knowledge.knows_better(teller.index, known, credence, when)
        {
            return Some(UntoldReason::Doubted);
        }
        if self.knowledge.retention(teller.index, known, when).is_faded() {
            return Some(UntoldReason::Faded);
        }
        self.has_lost_interest(teller, known, when).then_some(UntoldReason::LostInterest)
    }

    /// Returns why a knower does not tell a fact, if the reason does not depend on the listener.
    fn knower_reason(&mut self, plan: &MeetingPlan, obstacles: &Obstacles, number: usize, id: FactId) -> UntoldReason {
        let (person, until) = (plan.person(number), self.options.until);
        let Some(learned) = self.knowledge.first_learned(person.index, id, until) else { return UntoldReason::NoDate };
        if learned.0 < self.options.from.0.saturating_sub(self.news_minutes) {
            return UntoldReason::TooOld;
        }
        let known = self.knowledge.known(person.index, id, until);
        if let Some(reason) = known.and_then(|known| self.teller_obstacle(person, &known, until)) {
            return reason;
        }
        if person.talkativeness <= 0.0 {
            return UntoldReason::Silent;
        }
        if !plan.has_place(number) {
            return UntoldReason::NoPlace;
        }
        let is_news =
            |known_by: &GameTime| *known_by >= learned && known_by.0.saturating_sub(self.news_minutes) <= learned.0;
        match obstacles.conversations.get(&person.index) {
            Some(conversations) if conversations.iter().any(is_news) => {
                obstacles.by_fact.get(&id).map_or(UntoldReason::OtherNewsFirst, |obstacle| obstacle.reason)
            }
            None if plan.is_alone(number, &mut self.knowledge) => UntoldReason::Alone,
            _ => UntoldReason::NoMeeting,
        }
    }
}

/// The living NPCs at the end of the step.
struct Living {
    count: usize,
    /// The characters that know facts through an entity: through themselves, a group or a place. The keys are dense
    /// indices.
    by_source: FxHashMap<u32, Vec<usize>>,
}

/// Returns whether a fact names a character: as its subject, its object or a mention.
pub(super) fn names(fact: &Fact, id: &EntityId) -> bool {
    fact.entities().any(|entity| entity == id)
}

/// Returns whether a fact is about a character.
pub(super) fn is_about(fact: &Fact, id: &EntityId) -> bool {
    fact.subject() == id || fact.object().entity() == Some(id)
}
