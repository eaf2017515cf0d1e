//! Gossip: a simulation of characters who meet and pass on news over game time.
//!
//! [`gossip`] simulates one *step*: a span of game time. The function reads a state and returns the changes of one
//! operation. The function does not apply the changes, so you can use a step as a preview. The same state and options
//! always give exactly the same changes. Two consecutive steps that you commit one after the other give the same result
//! as one step over the same time.
//!
//! # Meetings
//!
//! Living NPCs at the same place meet. A canon LOCATED_AT fact states the place of an NPC. Without such a fact, the NPC
//! is at its residence (RESIDENT_OF). A day has eight rounds of meetings: in a day of 24 hours, one round every two
//! hours from 8:00 to 22:00. In each round, some characters are selected and paired at random. Player characters do not
//! take part, because the players decide what their characters say.
//!
//! A character *hides* if all facts that state its place are secret. It meets only characters who know one of these
//! facts, and does not travel.
//!
//! Sometimes a character visits a neighbouring place. Two places are neighbours if a canon relation connects them, such
//! as PART_OF or a road, or if both are PART_OF the same place. A visitor travels for one whole day and meets nobody on
//! that day. The visitor spends the whole next day at the neighbouring place, where it tells news and hears the local
//! news. Therefore, news needs at least a day to travel from one place to the next.
//!
//! # News
//!
//! A fact is news for [14 days](GossipOptions::news_days) by default after the teller learned it. The teller considers
//! the newest facts first. The following facts are not news:
//!
//! - facts that the teller has always known, and facts that everyone knows (common lore). A rumour without a date
//!   always counts as news of half the age at which a fact is no longer news;
//! - secret facts, facts that the teller conceals, and facts that the rules of the campaign make
//!   [private](hearsay_model::Audience::Private);
//! - facts that state a location, a residence, a membership, or that a place or group is part of another;
//! - facts whose predicate is excluded from search by meaning, such as names, kinds and moods;
//! - facts that [anybody can see](hearsay_model::Behavior::visible), such as occupations.
//!
//! A teller never tells the hearer a fact that names the hearer. The teller does not tell a fact if its credence is below
//! [`min_credence`](GossipOptions::min_credence), or if it knows that the fact is refuted or ended. The teller also does
//! not tell a fact if it believes a contradicting fact more, for example because it witnessed the contradicting fact.
//! The teller does not tell a fact that has [faded](crate::Retention::is_faded) from its memory, or in which it has
//! [lost interest](#loss-of-interest). The teller also does not tell a fact if the teller has a reason to think that the
//! hearer already knows the fact. There are four such reasons. The hearer was present when the teller learned the fact.
//! The hearer told the teller the fact. The teller told the hearer the fact before. The hearer belongs to a group or
//! place that knows the fact.
//!
//! The teller tells each of the remaining facts with the probability
//!
//! ```text
//! talkativeness × openness × freshness × interest
//! ```
//!
//! Talkativeness is an attribute of the teller (0.5 by default). Openness is (trust − 0.3) ÷ 0.5, limited to the range
//! from 0.05 to 1, where trust is the teller's [`Trust`] in the hearer. Freshness is 1 when the teller, or its group or
//! place, learns the fact. It falls to 0 at the end of the time in which the fact is news. Interest is 1 if the fact
//! concerns an entity that both the teller and the hearer know by name, and 0.6 otherwise. The hearer learns nothing if
//! it already believes the fact, or if it has heard the fact four times.
//!
//! # Rumours that change
//!
//! The campaign setting [distortion](hearsay_model::MindRules::distortion) is *off*, *mild* or *strong*. Unless it is
//! *off*, a character sometimes distorts a fact that it only heard. The distorted version is a new fact with a link to
//! the fact that the teller heard. The version lacks a detail, contains a greater number, states a guess as certain, or
//! names another person, place or thing that the teller knows. The probability of a distortion is 0.08 (*mild*) or 0.25
//! (*strong*), multiplied by (2 − honesty). Honesty is an attribute of the teller (1 by default). A character that has
//! told a version tells the same version again. A version is never about the hearer.
//!
//! # Loss of interest
//!
//! In the model of Daley and Kendall (1965), a character that tells a rumour to a character who already knows it becomes
//! a *stifler*: it stops telling the rumour. The campaign setting [stifling](hearsay_model::MindRules::stifling) is
//! *off*, *mild* or *strong*. Each time that a character tells a fact to a hearer who already knew the fact, the teller
//! loses interest in the fact with a probability of 0 (*off*), 0.25 (*mild*) or 1 (*strong*). A character that knows the
//! fact only from others also loses interest with this probability for each refutation of the fact that it hears, even
//! if it does not believe the refutation.
//!
//! Loss of interest is computed from the recorded tellings, the knowledge of the hearers, and the seed. Therefore, it
//! ends if these records are undone.
//!
//! # Edges
//!
//! Gossip creates the same edges as [`learn::tell`](crate::learn::tell). The new edges depend on the edges through
//! which the teller knew the fact, and become inactive when the teller's edges become inactive.

mod distortion;
mod knowledge;
mod meetings;
mod options;
mod stifling;
mod untold;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use hearsay_model::{
    Acquisition, Change, Credence, Date, Degree, EntityId, Fact, FactId, GameTime, Justification, Knower,
    KnowledgeEdge, KnowledgeId, State,
};

use crate::{AccessPath, BELIEF_THRESHOLD, Known, Occasion, Trust, learn::justifications};
use distortion::Version;
pub use distortion::{DistortedFact, DistortionKind};
use knowledge::CharacterKnowledge;
use meetings::{Meeting, MeetingPlan, Person, RandomDraws, TELLING_DRAW};
use options::ROUNDS;
pub use options::{GossipError, GossipOptions};
pub use stifling::LostInterest;
use untold::Obstacles;
pub use untold::{Untold, UntoldReason};

/// Maximum number of a hearer's own edges to one fact. If a hearer has this number of edges, hearing the fact again has
/// no effect.
const MAX_OWN_EDGES: usize = 4;

/// Interest in a fact if there is no entity in the fact that both characters know by name.
const INTEREST_IN_UNKNOWN: f64 = 0.6;

/// A fact that one character told another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct News {
    /// The fact that the hearer heard.
    pub fact: FactId,
    /// The fact that the teller knows, if the teller told a distorted version of this fact; `None` if the teller told
    /// the fact exactly.
    pub original: Option<FactId>,
    /// The teller.
    pub teller: EntityId,
    /// The hearer.
    pub hearer: EntityId,
    /// The game time of the meeting.
    pub when: GameTime,
    /// The place of the meeting.
    pub place: EntityId,
    /// The id of the hearer's new edge.
    pub edge: KnowledgeId,
    /// The hearer's credence in the fact according to the new edge alone.
    pub belief: Credence,
    /// Whether the hearer had already heard the fact but did not believe it.
    pub was_known: bool,
}

/// Result of a gossip step.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct GossipStep {
    /// The changes of the operation; empty if no character told anything or lost interest in a fact.
    pub changes: Vec<Change>,
    /// The facts that were told, sorted by time. The hearer also learns the names and kinds of entities in these facts;
    /// the list does not contain them.
    pub news: Vec<News>,
    /// The new versions of facts that characters told in the step, sorted by time. Empty if the campaign's
    /// [distortion](hearsay_model::MindRules::distortion) is off.
    pub distorted: Vec<DistortedFact>,
    /// The characters that told a fact to a hearer who already knew it, and therefore lost interest in the fact in the
    /// step. Sorted by time. Empty if the campaign's [stifling](hearsay_model::MindRules::stifling) is off.
    pub lost_interest: Vec<LostInterest>,
    /// Number of meetings in the step.
    pub meetings: usize,
    /// The facts that no character told, with the reasons. Facts that came close to being told are first. Empty if
    /// [`GossipOptions::explain`] is `false`.
    pub untold: Vec<Untold>,
}

/// Spread of one fact during a [`GossipStep`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spread {
    /// The fact.
    pub fact: FactId,
    /// Number of knowers that had their own edge to the fact before the step. A group or place is one knower.
    pub before: usize,
    /// Number of knowers that have their own edge to the fact after the step.
    pub after: usize,
    /// The places where the fact was told, each with the time when it was first told there. Sorted by time.
    pub places: Vec<(EntityId, GameTime)>,
}

impl GossipStep {
    /// Returns the spread of each told fact with new knowers. Facts with the most new knowers come first. Facts with
    /// equally many new knowers are sorted by id.
    ///
    /// `state` is the state from which the step was computed.
    pub fn spread(&self, state: &State) -> Vec<Spread> {
        let mut by_fact: BTreeMap<FactId, Vec<&News>> = BTreeMap::new();
        for news in &self.news {
            by_fact.entry(news.fact).or_default().push(news);
        }
        let spread = |(fact, news): (FactId, Vec<&News>)| {
            let first = news.first().map(|news| news.when);
            let earlier = |edge: &&Arc<KnowledgeEdge>| edge.acquisition.gives_knowledge() && edge.learned_at() <= first;
            let mut knowers: BTreeSet<Knower> =
                state.known_by(fact).filter(earlier).map(|edge| edge.knower.clone()).collect();
            let before = knowers.len();
            let mut places: Vec<(EntityId, GameTime)> = Vec::new();
            for news in news {
                knowers.insert(news.hearer.clone().into());
                if !places.iter().any(|(place, _)| *place == news.place) {
                    places.push((news.place.clone(), news.when));
                }
            }
            Spread { fact, before, after: knowers.len(), places }
        };
        let mut by_reach: Vec<Spread> = by_fact.into_iter().map(spread).collect();
        by_reach.retain(|spread| spread.after > spread.before);
        by_reach.sort_by_key(|spread| (std::cmp::Reverse(spread.after - spread.before), spread.fact));
        by_reach
    }
}

/// Simulates gossip over a span of game time. See the [module](self) for the rules.
///
/// # Errors
/// Returns an error if the options are invalid.
pub fn gossip(state: &State, options: &GossipOptions) -> Result<GossipStep, GossipError> {
    let day_length = state.calendar().minutes_per_day().max(1);
    options.validate(day_length)?;
    let GossipOptions { from: GameTime(from), until: GameTime(until), .. } = *options;
    let draws = RandomDraws::new(options.seed);
    let mut plan = MeetingPlan::new(state, options, draws);
    let news_minutes = i64::from(options.news_days).saturating_mul(day_length);
    let within = options.from..=options.until;
    let mut simulation = Simulation {
        knowledge: CharacterKnowledge::new(state, plan.ids().to_vec(), within, news_minutes / 2),
        state,
        options,
        draws,
        distortion: state.mind_rules().distortion,
        stifling: state.mind_rules().stifling,
        news_minutes,
        step: GossipStep::default(),
        obstacles: options.explain.then(Obstacles::default),
    };
    for day in from.div_euclid(day_length)..=until.div_euclid(day_length) {
        let begins = day.saturating_mul(day_length);
        let setting_out = GameTime(begins.saturating_sub(day_length));
        for round in 0..ROUNDS {
            let minutes = i128::from(day_length) * i128::from(8 + 2 * round) / 24;
            let when = begins.saturating_add(minutes as i64);
            if when <= from || when > until {
                continue;
            }
            let when = GameTime(when);
            let time = Some(Date { raw: state.calendar().format(when), time: Some(when) });
            for meeting in plan.meetings(day, GameTime(begins), round, when, &mut simulation.knowledge) {
                let Meeting { place, people: [a, b] } = meeting;
                let occasion = Occasion { time: time.clone(), place: Some(place.clone()), session: None };
                simulation.step.meetings += 1;
                for ((teller, visits), hearer) in [(a, b.0), (b, a.0)] {
                    let known_by = if visits { setting_out } else { when };
                    let conversation = Conversation {
                        teller: plan.person(teller),
                        hearer: plan.person(hearer),
                        when,
                        known_by,
                        occasion: &occasion,
                        draw_key: [day as u64, round.into()],
                    };
                    simulation.hold_conversation(&conversation);
                }
            }
        }
    }
    Ok(simulation.finish(&plan))
}

/// One direction of a meeting, in which the teller can tell news to the hearer.
struct Conversation<'a> {
    teller: &'a Person<'a>,
    hearer: &'a Person<'a>,
    when: GameTime,
    /// The teller tells only facts that it knew by this time.
    known_by: GameTime,
    occasion: &'a Occasion,
    /// Day and round of the meeting, for random draws.
    draw_key: [u64; 2],
}

/// Returns the *openness* of a teller: the teller's willingness to tell news to a hearer, computed from the teller's
/// trust in the hearer.
fn openness(trust: &Trust) -> f64 {
    ((trust.level().get() - 0.3) / 0.5).clamp(0.05, 1.0)
}

/// Returns whether a hearer learns nothing from hearing a fact that it already knows.
fn hearing_has_no_effect(known: &Known) -> bool {
    let own_count = known.known_edges().iter().filter(|known_edge| known_edge.access_path == AccessPath::Own).count();
    known.credence().get() >= BELIEF_THRESHOLD || own_count >= MAX_OWN_EDGES
}

/// A gossip step in progress.
struct Simulation<'s> {
    state: &'s State,
    options: &'s GossipOptions,
    knowledge: CharacterKnowledge<'s>,
    draws: RandomDraws,
    distortion: Degree,
    stifling: Degree,
    news_minutes: i64,
    step: GossipStep,
    /// Reasons why facts are not told; `None` unless [`GossipOptions::explain`] is set.
    obstacles: Option<Obstacles>,
}

impl Simulation<'_> {
    /// Simulates a conversation: the teller tells news to the hearer.
    fn hold_conversation(&mut self, conversation: &Conversation) {
        let &Conversation { teller, hearer, when, .. } = conversation;
        if teller.talkativeness <= 0.0 || self.news_minutes == 0 {
            return;
        }
        if let Some(obstacles) = &mut self.obstacles {
            obstacles.record_conversation(teller.index, conversation.known_by);
        }
        self.knowledge.prepare(teller.index, when);
        let oldest = GameTime(when.0.saturating_sub(self.news_minutes));
        let (mut told_count, mut cached_openness) = (0, None);
        for (learned, _, id) in self.knowledge.news(teller.index, oldest, conversation.known_by) {
            if told_count >= self.options.facts_per_meeting {
                if self.obstacles.is_none() {
                    break;
                }
                self.record_obstacle(conversation, id, true);
                continue;
            }
            let fact_hash = distortion::fact_hash(id);
            let [day, round] = conversation.draw_key;
            let draw =
                self.draws.fraction([TELLING_DRAW, day, round, teller.hash, hearer.hash ^ fact_hash.rotate_left(17)]);
            // The random draw rejects most facts, so it comes before the slow lookups of knowledge and trust.
            if draw >= teller.talkativeness * self.freshness(learned, when) {
                self.record_obstacle(conversation, id, false);
                continue;
            }
            let Some(learned) = self.knowledge.first_learned(teller.index, id, conversation.known_by) else { continue };
            let openness = *cached_openness
                .get_or_insert_with(|| openness(&self.knowledge.trust(teller.index, hearer.index, when)));
            let probability = teller.talkativeness * openness * self.freshness(learned, when);
            let mut was_told = false;
            if draw < probability {
                self.knowledge.prepare(hearer.index, when);
                let skip_interest_check = draw < probability * INTEREST_IN_UNKNOWN;
                was_told = self.would_tell(conversation, id, skip_interest_check) && self.tell(conversation, id);
            }
            if was_told {
                told_count += 1;
            } else {
                self.record_obstacle(conversation, id, false);
            }
        }
    }

    /// Returns the *freshness* of a fact that was learned at a moment.
    fn freshness(&self, learned: GameTime, when: GameTime) -> f64 {
        1.0 - when.0.saturating_sub(learned.0) as f64 / self.news_minutes as f64
    }

    /// Returns whether the teller would tell a fact to the hearer. If `skip_interest_check` is `true`, does not check
    /// whether the fact concerns an entity that both know by name.
    fn would_tell(&mut self, conversation: &Conversation, id: FactId, skip_interest_check: bool) -> bool {
        let (teller, hearer, when) = (conversation.teller.index, conversation.hearer.index, conversation.when);
        let Some(fact) = self.knowledge.fact(id).map(Arc::clone) else { return false };
        if untold::names(&fact, conversation.hearer.id)
            || !(skip_interest_check || self.knowledge.concerns_both(&fact, teller, hearer, when))
        {
            return false;
        }
        let Some(known) = self.knowledge.known(teller, id, when) else { return false };
        self.teller_obstacle(conversation.teller, &known, when).is_none()
            && !self.knowledge.thinks_knows(teller, hearer, &known, when)
    }

    /// Records that the teller tells a fact. Returns whether the fact was news to the hearer.
    fn tell(&mut self, conversation: &Conversation, id: FactId) -> bool {
        let &Conversation { teller, hearer, when, occasion, .. } = conversation;
        let Some(known) = self.knowledge.known(teller.index, id, when) else { return false };
        let Some(version) = self.version_to_tell(conversation, &known) else { return false };
        let (told, new_version) = match version {
            Version::Exact => (self.knowledge.fact(id).cloned(), None),
            Version::Recorded(version) => (self.knowledge.fact(version).cloned(), None),
            Version::New(version, kind) => (Some(version), Some(kind)),
        };
        let Some(fact) = told else { return false };
        let original = (fact.id() != id).then_some(id);
        let known_before = self.knowledge.known(hearer.index, fact.id(), when);
        if original.is_some() && self.knowledge.has_told(teller.index, hearer.id, fact.id()) {
            return false;
        }
        let sources: Vec<Justification> = justifications(&known).collect();
        let record = KnowledgeEdge {
            co_present: vec![hearer.id.clone()],
            sources: sources.clone(),
            credence: Credence::NONE,
            ..occasion.new_edge(teller.id.clone(), fact.id(), Acquisition::Shared)
        };
        let loses_interest = self.is_stifled_by(teller, fact.id(), hearer.id, when, when);
        if loses_interest {
            self.step.lost_interest.push(LostInterest { fact: id, teller: teller.id.clone(), when });
        }
        if known_before.as_ref().is_some_and(hearing_has_no_effect) {
            // The hearer learns nothing, but the record of the telling is the reason for the loss of interest.
            if loses_interest {
                self.learn(teller.index, &Arc::new(record.sorted()));
            }
            return false;
        }
        if let Some(kind) = new_version {
            self.record_version(conversation, &fact, id, kind);
        }
        let trust = self.knowledge.trust(hearer.index, teller.index, when);
        let acquisition = Acquisition::told(Some(teller.id.clone()));
        let experiences = trust.experiences.iter().cloned().map(Justification::from);
        let sources = sources.into_iter().chain(experiences).collect();
        let edge = KnowledgeEdge {
            sources,
            credence: trust.first_impression,
            conceals: known_before.as_ref().is_some_and(Known::conceals),
            ..occasion.new_edge(hearer.id.clone(), fact.id(), acquisition.clone())
        };
        let names: Vec<KnowledgeEdge> = self
            .knowledge
            .names_to_tell(&fact, teller.index, hearer.index, when)
            .into_iter()
            .map(|(id, sources)| KnowledgeEdge {
                sources,
                ..occasion.new_edge(hearer.id.clone(), id, acquisition.clone())
            })
            .collect();
        self.learn(teller.index, &Arc::new(record.sorted()));
        let told_edge = Arc::new(edge.sorted());
        let edge = self.learn(hearer.index, &told_edge);
        for name in names {
            self.learn(hearer.index, &Arc::new(name.sorted()));
        }
        if let Some(obstacles) = &mut self.obstacles {
            obstacles.record_telling(id);
            obstacles.record_telling(fact.id());
        }
        self.step.news.push(News {
            fact: fact.id(),
            original,
            teller: teller.id.clone(),
            hearer: hearer.id.clone(),
            when,
            place: occasion.place.clone().unwrap_or_else(|| hearer.id.clone()),
            edge,
            belief: self.knowledge.belief(edge, &told_edge),
            was_known: known_before.is_some(),
        });
        true
    }

    /// Records a version of a fact that the teller of a conversation tells for the first time.
    fn record_version(
        &mut self,
        conversation: &Conversation,
        fact: &Arc<Fact>,
        original: FactId,
        kind: DistortionKind,
    ) {
        if self.knowledge.add_fact(fact) {
            self.step.changes.push(Change::AssertFact(Arc::clone(fact)));
            self.step.distorted.push(DistortedFact {
                fact: Arc::clone(fact),
                original,
                teller: conversation.teller.id.clone(),
                when: conversation.when,
                kind,
            });
        }
    }

    /// Records that a character learns a fact through an edge. Returns the id of the edge.
    fn learn(&mut self, character: u32, edge: &Arc<KnowledgeEdge>) -> KnowledgeId {
        self.step.changes.push(Change::Learn(Arc::clone(edge)));
        self.knowledge.learn(character, edge)
    }
}

#[cfg(test)]
mod tests;
