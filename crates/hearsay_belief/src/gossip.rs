//! Gossip: in game time, characters who meet pass on what they would tell.
//!
//! [`gossip`] reads a state and gives the changes of one operation; it applies none, so a step that is not committed is
//! a preview. The same state, seed and options give the same bytes, and a step gives the same as the two that it can be
//! split into.
//!
//! # Who meets
//!
//! Living NPCs who are at the same place: by canon LOCATED_AT, else RESIDENT_OF, at that time. A day has eight rounds
//! from its eighth to its twenty-second of twenty-four parts; in each some take part, and pair up by lot. What players'
//! characters say and hear is played, so they take no part.
//!
//! Now and then somebody visits a neighbouring place: one that shares a canon relation with its own (PART_OF it, or a
//! road) or is PART_OF the same place. Whoever visits sets out as a day begins, is on the road that day and meets
//! nobody, and is there all the next day. There it tells what it knew when it set out, and hears what there is to hear.
//! So news needs at least a day from place to place.
//!
//! # What is told
//!
//! News: what the teller came to know at a moment of the last days, the newest first. What it has known since ever is
//! none; nor is what everybody knows, what is secret, what it conceals, what is
//! [private](hearsay_model::Audience::Private) by the rules of the campaign, and structure: where somebody is, lives or
//! belongs, and whatever is not embedded (names, kinds, moods). Nobody tells others what is about them, what it believes
//! less than [`least_credence`](GossipOptions::least_credence), what it has learned to be refuted or over, or what it
//! has reason to think that the other knows: who was there, told it, was told it, or belongs to those who know it.
//!
//! The chance that it tells one of these facts is
//!
//! ```text
//! talkativeness × openness × freshness × interest
//! ```
//!
//! where talkativeness is the teller's attribute (0.5 when nothing is said); openness is (trust − 0.3) ÷ 0.5, of the
//! teller's [`Trust`] in the hearer, at least 0.05 and at most 1; freshness falls from 1 to 0 over the
//! [days](GossipOptions::news_days) that news stays news, counted from when the teller, or its group or place, learned it; and interest is 1 when the fact concerns somebody whom both
//! know by name, and else 0.6. A hearer who believes it already, or has heard it from four, nods, and learns nothing.
//!
//! What is told leaves the same edges as [`learn::tell`](crate::learn::tell): it rests on the edges by which the teller
//! knew it, and falls with them.

mod meet;
mod minds;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use hearsay_model::{
    Change, Credence, Date, EntityId, FactId, GameTime, How, Knower, Knowledge, KnowledgeId, Source, State,
};
use thiserror::Error;

use crate::{BELIEVED, Occasion, Trust, Via, learn::basis};
use meet::{Dice, Meeting, Person, Town};
use minds::Minds;

/// The most days in one step.
const MOST_DAYS: i64 = 1_000;

/// The rounds of a day in which characters meet.
const ROUNDS: u32 = 8;

/// The most facts that somebody has in mind to tell: the newest.
const CARRIED: usize = 32;

/// After hearing it so often, one need not hear it again.
const ENOUGH: usize = 4;

/// How much is left of the interest in a fact that is about nobody whom both know.
const STRANGE: f64 = 0.6;

/// When people gossip, and how much.
#[derive(Debug, Clone, PartialEq)]
pub struct GossipOptions {
    /// After this moment.
    pub from: GameTime,
    /// Up to this moment, itself included.
    pub until: GameTime,
    /// Another seed makes other meetings. Keep it for all steps of one game.
    pub seed: u64,
    /// How often a character meets somebody in a day, 0–8, as far as there is somebody to meet; 4 by default.
    pub meetings_per_day: f64,
    /// How likely a character sets out to a neighbouring place on a day, 0–1; 0.1 by default.
    pub visits_per_day: f64,
    /// The most facts that one tells the other when they meet; 2 by default.
    pub facts_per_meeting: usize,
    /// For how many days after somebody learned it a fact is news to tell; 14 by default.
    pub news_days: u32,
    /// The least [credence](Credence) with which somebody passes a fact on; 0.1 by default. That is far below
    /// [`BELIEVED`]: rumours travel though nobody vouches for them, and hearing them from several makes them believed.
    pub least_credence: Credence,
}

impl GossipOptions {
    /// The usual talk after one moment and up to another.
    pub fn between(from: GameTime, until: GameTime) -> Self {
        Self {
            from,
            until,
            seed: 0,
            meetings_per_day: 4.0,
            visits_per_day: 0.1,
            facts_per_meeting: 2,
            news_days: 14,
            least_credence: Credence::new(0.1).unwrap_or(Credence::NONE),
        }
    }

    fn check(&self, minutes_per_day: i64) -> Result<(), GossipError> {
        let (from, until) = (self.from, self.until);
        if until < from {
            return Err(GossipError::Backwards { from, until });
        }
        if i128::from(until.0) - i128::from(from.0) > i128::from(MOST_DAYS) * i128::from(minutes_per_day) {
            return Err(GossipError::TooLong { most: MOST_DAYS });
        }
        for (what, value, high) in [
            ("the number of meetings per day", self.meetings_per_day, f64::from(ROUNDS)),
            ("the chance of a visit per day", self.visits_per_day, 1.0),
        ] {
            if !(0.0..=high).contains(&value) {
                return Err(GossipError::Range { what, value, high });
            }
        }
        Ok(())
    }
}

/// Options that cannot be.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum GossipError {
    /// The step ends before it begins.
    #[error("gossip cannot go back in time, from {from} to {until}")]
    Backwards {
        /// The beginning.
        from: GameTime,
        /// The end.
        until: GameTime,
    },
    /// The step is too long to be gone through day by day.
    #[error("a step of gossip has {most} days at most; make several")]
    TooLong {
        /// The most days.
        most: i64,
    },
    /// A number outside its range.
    #[error("{what} must lie from 0 to {high}, not {value}")]
    Range {
        /// Which number.
        what: &'static str,
        /// What was given.
        value: f64,
        /// The most.
        high: f64,
    },
}

/// Something that was passed on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct News {
    /// What.
    pub fact: FactId,
    /// Who told it.
    pub teller: EntityId,
    /// Who learned it.
    pub hearer: EntityId,
    /// When.
    pub when: GameTime,
    /// Where.
    pub place: EntityId,
    /// The hearer's edge.
    pub edge: KnowledgeId,
    /// How far this edge makes the hearer believe it.
    pub belief: Credence,
    /// Whether the hearer had heard of it before, and doubted it.
    pub knew: bool,
}

/// What a step of gossip would do.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct GossipStep {
    /// The changes of the operation; none, when nobody told anything.
    pub changes: Vec<Change>,
    /// What was passed on, in the order of time. Names and kinds that come with it are left out.
    pub news: Vec<News>,
    /// How often two met.
    pub meetings: usize,
}

/// How far one fact spread in a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spread {
    /// The fact.
    pub fact: FactId,
    /// How many knew it before, by edges of their own: a group or place counts as one, whoever belongs to it.
    pub before: usize,
    /// How many know it afterwards.
    pub after: usize,
    /// Where it was told, with the first time at each place. In the order of time.
    pub places: Vec<(EntityId, GameTime)>,
}

impl GossipStep {
    /// How far each fact spread that was told: those that most learned first, then by id. `state` is the one that the
    /// step was made from, as it was then.
    pub fn spread(&self, state: &State) -> Vec<Spread> {
        let mut by_fact: BTreeMap<FactId, Vec<&News>> = BTreeMap::new();
        for news in &self.news {
            by_fact.entry(news.fact).or_default().push(news);
        }
        let spread = |(fact, news): (FactId, Vec<&News>)| {
            let first = news.first().map(|news| news.when);
            let earlier = |edge: &&Arc<Knowledge>| edge.how != How::Shared && edge.learned_at() <= first;
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
        let mut found: Vec<Spread> = by_fact.into_iter().map(spread).collect();
        found.sort_by_key(|spread| (std::cmp::Reverse(spread.after - spread.before), spread.fact));
        found
    }
}

/// What characters tell each other in a stretch of game time. See the [module](self) for the rules.
///
/// # Errors
/// When the options cannot be.
pub fn gossip(state: &State, options: &GossipOptions) -> Result<GossipStep, GossipError> {
    let day_length = state.calendar().minutes_per_day().max(1);
    options.check(day_length)?;
    let GossipOptions { from: GameTime(from), until: GameTime(until), .. } = *options;
    let dice = Dice::new(options.seed);
    let mut town = Town::of(state, options, dice);
    let mut talk = Talk {
        minds: Minds::new(state, town.ids().to_vec(), options.from..=options.until),
        state,
        options,
        dice,
        news_minutes: i64::from(options.news_days).saturating_mul(day_length),
        step: GossipStep::default(),
    };
    for day in from.div_euclid(day_length)..=until.div_euclid(day_length) {
        let begins = day.saturating_mul(day_length);
        let setting_out = GameTime(begins.saturating_sub(day_length));
        for round in 0..ROUNDS {
            let part = i128::from(day_length) * i128::from(8 + 2 * round) / 24;
            let when = begins.saturating_add(part as i64);
            if when <= from || when > until {
                continue;
            }
            let when = GameTime(when);
            let time = Some(Date { raw: state.calendar().print(when), time: Some(when) });
            for meeting in town.meetings(day, GameTime(begins), round, when) {
                let Meeting { place, people: [a, b] } = meeting;
                let occasion = Occasion { time: time.clone(), place: Some(place.clone()), session: None };
                talk.step.meetings += 1;
                for ((teller, visits), hearer) in [(a, b.0), (b, a.0)] {
                    let known_by = if visits { setting_out } else { when };
                    let chat = Chat {
                        teller: town.person(teller),
                        hearer: town.person(hearer),
                        when,
                        known_by,
                        occasion: &occasion,
                        dice: [day as u64, round.into()],
                    };
                    talk.chat(&chat);
                }
            }
        }
    }
    Ok(talk.step)
}

/// One who meets another, and may tell something.
struct Chat<'a> {
    teller: &'a Person<'a>,
    hearer: &'a Person<'a>,
    when: GameTime,
    /// The teller tells what it knew by then.
    known_by: GameTime,
    occasion: &'a Occasion,
    dice: [u64; 2],
}

/// How willing somebody is to talk to another whom it trusts so far.
fn openness(trust: &Trust) -> f64 {
    ((trust.level().get() - 0.3) / 0.5).clamp(0.05, 1.0)
}

struct Talk<'s> {
    state: &'s State,
    options: &'s GossipOptions,
    minds: Minds<'s>,
    dice: Dice,
    news_minutes: i64,
    step: GossipStep,
}

impl Talk<'_> {
    fn chat(&mut self, chat: &Chat) {
        let &Chat { teller, hearer, when, .. } = chat;
        if teller.talkativeness <= 0.0 || self.news_minutes == 0 {
            return;
        }
        self.minds.wake(teller.index, when);
        let oldest = GameTime(when.0.saturating_sub(self.news_minutes));
        let (mut told, mut open) = (0, None);
        for (learned, _, id) in self.minds.news(teller.index, oldest, chat.known_by) {
            if told >= self.options.facts_per_meeting {
                break;
            }
            let fresh = |learned: GameTime| 1.0 - when.0.saturating_sub(learned.0) as f64 / self.news_minutes as f64;
            let fact_hash = (id.as_u128() >> 64) as u64 ^ id.as_u128() as u64;
            let [day, round] = chat.dice;
            let roll = self.dice.roll([meet::TELL, day, round, teller.hash, hearer.hash ^ fact_hash.rotate_left(17)]);
            // Most is settled by lot, before anybody is asked what it knows and whom it trusts.
            if roll >= teller.talkativeness * fresh(learned) {
                continue;
            }
            let Some(learned) = self.minds.learned(teller.index, id, chat.known_by) else { continue };
            let open = *open.get_or_insert_with(|| openness(&self.minds.trust(teller.index, hearer.index, when)));
            let chance = teller.talkativeness * open * fresh(learned);
            if roll < chance {
                self.minds.wake(hearer.index, when);
                let anyhow = roll < chance * STRANGE;
                told += usize::from(self.would_tell(chat, id, anyhow) && self.tell(chat, id));
            }
        }
    }

    /// Whether the teller would tell a fact to the hearer; if it is of little interest, only when that does not matter.
    fn would_tell(&mut self, chat: &Chat, id: FactId, anyhow: bool) -> bool {
        let (teller, hearer, when) = (chat.teller.index, chat.hearer.index, chat.when);
        let Some(fact) = self.state.fact(id) else { return false };
        let about_hearer = fact.subject() == chat.hearer.id || fact.object().entity() == Some(chat.hearer.id);
        if about_hearer || !(anyhow || self.minds.concerns_both(fact, teller, hearer, when)) {
            return false;
        }
        let Some(known) = self.minds.known(teller, id, when) else { return false };
        !known.conceals()
            && self.minds.conviction(teller, &known, when) >= self.options.least_credence.get()
            && !self.minds.supposes(teller, hearer, &known, when)
    }

    /// One tells the other a fact. Whether that was news to it.
    fn tell(&mut self, chat: &Chat, id: FactId) -> bool {
        let &Chat { teller, hearer, when, occasion, .. } = chat;
        let before = self.minds.known(hearer.index, id, when);
        let heard_enough = before.as_ref().is_some_and(|known| {
            let own = known.ways().iter().filter(|way| way.via == Via::Own).count();
            known.credence().get() >= BELIEVED || own >= ENOUGH
        });
        let (Some(fact), Some(known)) = (self.state.fact(id), self.minds.known(teller.index, id, when)) else {
            return false;
        };
        if heard_enough {
            return false;
        }
        let sources: Vec<Source> = basis(&known).collect();
        let record = Knowledge {
            company: vec![hearer.id.clone()],
            sources: sources.clone(),
            credence: Credence::NONE,
            ..occasion.edge(teller.id, id, How::Shared)
        };
        let trust = self.minds.trust(hearer.index, teller.index, when);
        let how = How::told(Some(teller.id.clone()));
        let experiences = trust.experiences.iter().cloned().map(Source::from);
        let sources = sources.into_iter().chain(experiences).collect();
        let edge = Knowledge { sources, credence: trust.first, ..occasion.edge(hearer.id, id, how.clone()) };
        let names: Vec<Knowledge> = self
            .minds
            .names(fact, teller.index, hearer.index, when)
            .into_iter()
            .map(|(id, sources)| Knowledge { sources, ..occasion.edge(hearer.id, id, how.clone()) })
            .collect();
        self.learn(teller.index, &Arc::new(record.sorted()));
        let told = Arc::new(edge.sorted());
        let edge = self.learn(hearer.index, &told);
        for name in names {
            self.learn(hearer.index, &Arc::new(name.sorted()));
        }
        self.step.news.push(News {
            fact: id,
            teller: teller.id.clone(),
            hearer: hearer.id.clone(),
            when,
            place: occasion.place.clone().unwrap_or_else(|| hearer.id.clone()),
            edge,
            belief: self.minds.belief(edge, &told),
            knew: before.is_some(),
        });
        true
    }

    fn learn(&mut self, who: u32, edge: &Arc<Knowledge>) -> KnowledgeId {
        self.step.changes.push(Change::Learn(Arc::clone(edge)));
        self.minds.learn(who, edge)
    }
}

#[cfg(test)]
mod tests;
