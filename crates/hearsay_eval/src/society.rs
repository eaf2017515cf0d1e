//! Simulates a town whose characters gossip, distort rumours, forget, and change their feelings.
//!
//! The town has inns, and each character lives at one of them. On the first day, single characters see events. Each
//! event becomes a rumour. On every day, the characters gossip, and some of them help, insult or rob others. The
//! measurement counts who has heard each rumour, in which version, and how well the characters remember it. The same
//! options always give the same result.

mod curves;
mod town;

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use hearsay_belief::{
    View,
    gossip::{GossipOptions, gossip},
};
use hearsay_model::{Degree, EntityId, FactId, FactRelation, GameTime, MindRules, State};
use serde::Serialize;

use crate::Random;
pub use curves::{Fit, exponential_fit, logistic_fit, power_law_fit};
use town::Town;

/// Minutes of a day.
const DAY: i64 = 24 * 60;

/// Share of the people who never hear a rumour in the model of Daley and Kendall (1965), in which everybody can meet
/// everybody: the solution of `x = exp(2 (x − 1))` below 1.
pub const DALEY_KENDALL_NEVER_HEARD: f64 = 0.2032;

/// Options of the measurement.
#[derive(Debug, Clone, Copy)]
pub struct SocietyOptions {
    /// Number of characters, at least 10.
    pub people: usize,
    /// Number of simulated days, at least 1.
    pub days: u32,
    /// Number of rumours, at least 1.
    pub rumours: usize,
    /// How fast the characters forget.
    pub forgetting: Degree,
    /// How often the characters distort a rumour.
    pub distortion: Degree,
    /// How often the characters lose interest in a rumour.
    pub stifling: Degree,
    /// Seed of all random choices.
    pub seed: u64,
}

/// The state of all rumours at the end of one day.
#[derive(Debug, Clone, Serialize)]
pub struct DayRow {
    /// Number of the day, from 1.
    pub day: u32,
    /// Mean share of the people who have heard a rumour in any version.
    pub heard: f64,
    /// Mean share of the people who have heard a rumour in any version and remember it.
    pub remember: f64,
    /// Mean share of the people who have lost interest in a version of a rumour, because they told it to somebody who
    /// already knew it.
    pub stiflers: f64,
    /// Number of times on this day that a character told a rumour.
    pub tellings: usize,
    /// Number of distorted versions of all rumours up to this day.
    pub variants: usize,
    /// Number of pairs of people in which the first has a feeling of at least 20 or at most −20 for the second, because
    /// the second did something to the first.
    pub strong_feelings: usize,
}

/// How well the characters remember rumours that they heard a number of days ago.
#[derive(Debug, Clone, Serialize)]
pub struct RetentionRow {
    /// Number of days since the character first heard the rumour.
    pub age_days: u32,
    /// Number of characters and rumours with this age.
    pub count: usize,
    /// Mean retention, 0.0–1.0.
    pub retention: f64,
    /// Share of them in which the rumour is not faded.
    pub remember: f64,
}

/// Result of the measurement.
#[derive(Debug, Clone, Serialize)]
pub struct SocietyReport {
    /// Number of characters.
    pub people: usize,
    /// The rows of all days.
    pub by_day: Vec<DayRow>,
    /// How well the characters remember, by the age of the knowledge on the last day.
    pub by_age: Vec<RetentionRow>,
    /// Mean share of the people who never heard a rumour.
    pub never_heard: f64,
    /// Fit of the share that has heard a rumour to a logistic curve.
    pub spread_fit: Fit,
    /// Fit of the retention odds to a power law of the age.
    pub power_law: Fit,
    /// Fit of the retention odds to an exponential function of the age.
    pub exponential: Fit,
    /// Share of the knowers of a rumour who know only distorted versions of it.
    pub only_distorted: f64,
    /// Greatest number of distortions between a version and the original.
    pub max_depth: usize,
}

/// Runs the simulation. Calls `progress` with the number of each day before the day begins.
///
/// # Errors
/// Returns an error if the generated town is invalid.
pub fn simulate(options: &SocietyOptions, mut progress: impl FnMut(u32)) -> Result<SocietyReport> {
    let mut random = Random::new(options.seed, 0);
    let rules = MindRules {
        forgetting: options.forgetting,
        distortion: options.distortion,
        stifling: options.stifling,
        ..MindRules::default()
    };
    let mut town = Town::build(options.people, rules)?;
    let rumours = town.start_rumours(options.rumours, &mut random)?;
    let (mut by_day, mut memories, mut stiflers) = (Vec::new(), Vec::new(), BTreeSet::new());
    let mut families = Families::new(&town.state, &rumours);
    for day in 1..=options.days {
        progress(day);
        town.quarrel_and_help(day, &mut random)?;
        let (from, until) = (GameTime(i64::from(day - 1) * DAY), GameTime(i64::from(day) * DAY));
        let gossip_options = GossipOptions { seed: options.seed, ..GossipOptions::between(from, until) };
        let step = gossip(&town.state, &gossip_options)?;
        town.apply(step.changes)?;
        town.set_clock(until)?;
        families = Families::new(&town.state, &rumours);
        memories = families.memories(&town, until);
        let version = |id: &FactId| families.versions.get(id).map(|(rumour, _)| *rumour);
        let lost = step.lost_interest.iter();
        stiflers.extend(lost.filter_map(|lost| Some((version(&lost.fact)?, lost.teller.clone()))));
        let share = |count: usize| count as f64 / (rumours.len() * options.people) as f64;
        by_day.push(DayRow {
            day,
            heard: share(memories.len()),
            remember: share(memories.iter().filter(|memory| memory.is_remembered).count()),
            stiflers: share(stiflers.len()),
            tellings: step.news.iter().filter(|news| families.versions.contains_key(&news.fact)).count(),
            variants: families.versions.len() - rumours.len(),
            strong_feelings: town.strong_feelings(),
        });
    }
    let by_age = by_age(&memories);
    let heard: Vec<(f64, f64)> = by_day.iter().map(|row| (f64::from(row.day), row.heard)).collect();
    let retention: Vec<(f64, f64)> = by_age.iter().map(|row| (f64::from(row.age_days), row.retention)).collect();
    let only_distorted = memories.iter().filter(|memory| memory.is_only_distorted).count();
    Ok(SocietyReport {
        people: options.people,
        never_heard: 1.0 - by_day.last().map_or(0.0, |row| row.heard),
        spread_fit: logistic_fit(&heard),
        power_law: power_law_fit(&retention),
        exponential: exponential_fit(&retention),
        only_distorted: only_distorted as f64 / memories.len().max(1) as f64,
        max_depth: families.versions.values().map(|(_, depth)| *depth).max().unwrap_or_default(),
        by_day,
        by_age,
    })
}

/// How one character remembers one rumour.
struct RumourMemory {
    /// Number of days since the character first heard the rumour.
    age_days: u32,
    /// Retention of the version that the character remembers best, 0.0–1.0.
    retention: f64,
    is_remembered: bool,
    /// Whether the character knows only distorted versions.
    is_only_distorted: bool,
}

/// The versions of all rumours.
struct Families {
    /// For each version, the index of its rumour, and the number of distortions between the original and the version.
    versions: BTreeMap<FactId, (usize, usize)>,
}

impl Families {
    fn new(state: &State, rumours: &[FactId]) -> Self {
        let originals = rumours.iter().enumerate().map(|(index, id)| (*id, (index, 0)));
        let mut versions: BTreeMap<FactId, (usize, usize)> = originals.collect();
        let distortions: Vec<(FactId, FactId)> = state
            .facts()
            .filter_map(|fact| match fact.fact_relation() {
                Some(FactRelation::Distorts(original)) => Some((fact.id(), original)),
                _ => None,
            })
            .collect();
        loop {
            let count = versions.len();
            for (version, original) in &distortions {
                if let Some((rumour, depth)) = versions.get(original).copied() {
                    versions.entry(*version).or_insert((rumour, depth + 1));
                }
            }
            if versions.len() == count {
                return Self { versions };
            }
        }
    }

    /// Returns how each character remembers each rumour that it has heard.
    fn memories(&self, town: &Town, now: GameTime) -> Vec<RumourMemory> {
        town.people.iter().flat_map(|person| self.memories_of(&town.state, person, now)).collect()
    }

    fn memories_of(&self, state: &State, person: &EntityId, now: GameTime) -> Vec<RumourMemory> {
        let view = View::new(state, &person.clone().into(), Some(now));
        let mut by_rumour: BTreeMap<usize, RumourMemory> = BTreeMap::new();
        for (version, (rumour, depth)) in &self.versions {
            let Some(known) = view.fact(*version) else { continue };
            let Some(learned) = known.learned() else { continue };
            let retention = view.retention(known, None);
            let age_days = u32::try_from(now.0.saturating_sub(learned.0) / DAY).unwrap_or_default();
            let memory = by_rumour.entry(*rumour).or_insert(RumourMemory {
                age_days,
                retention: 0.0,
                is_remembered: false,
                is_only_distorted: true,
            });
            memory.age_days = memory.age_days.max(age_days);
            memory.retention = memory.retention.max(retention.get());
            memory.is_remembered |= !retention.is_faded();
            memory.is_only_distorted &= *depth > 0;
        }
        by_rumour.into_values().collect()
    }
}

/// Returns the mean retention of the memories of each age.
fn by_age(memories: &[RumourMemory]) -> Vec<RetentionRow> {
    let mut ages: BTreeMap<u32, Vec<&RumourMemory>> = BTreeMap::new();
    for memory in memories {
        ages.entry(memory.age_days).or_default().push(memory);
    }
    let row = |(age_days, memories): (u32, Vec<&RumourMemory>)| {
        let count = memories.len();
        let retention = memories.iter().map(|memory| memory.retention).sum::<f64>() / count as f64;
        let remember = memories.iter().filter(|memory| memory.is_remembered).count() as f64 / count as f64;
        RetentionRow { age_days, count, retention, remember }
    };
    ages.into_iter().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_society_and_rumours_spread_and_change() {
        let options = SocietyOptions {
            people: 50,
            days: 20,
            rumours: 3,
            forgetting: Degree::Strong,
            distortion: Degree::Strong,
            stifling: Degree::Off,
            seed: 1,
        };
        let run = || serde_json::to_string(&simulate(&options, |_| {}).unwrap()).unwrap();
        assert_eq!(run(), run());
        let report = simulate(&options, |_| {}).unwrap();
        let last = report.by_day.last().unwrap();
        assert!(last.heard > report.by_day[0].heard && last.variants > 0, "{last:?}");
        assert!(last.strong_feelings > 0, "{last:?}");
        let exact = SocietyOptions { forgetting: Degree::Off, distortion: Degree::Off, ..options };
        let report = simulate(&exact, |_| {}).unwrap();
        let last = report.by_day.last().unwrap();
        assert_eq!((last.variants, last.remember), (0, last.heard));
        assert!(report.by_day.iter().all(|row| row.stiflers <= 0.0));
        let stifled = simulate(&SocietyOptions { stifling: Degree::Strong, ..exact }, |_| {}).unwrap();
        assert!(stifled.by_day.is_sorted_by_key(|row| row.stiflers));
        assert!(stifled.by_day.last().unwrap().stiflers > 0.0 && stifled.never_heard >= report.never_heard);
    }
}
