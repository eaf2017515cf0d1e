//! Checks that need the whole campaign, such as the check for cycles.

use std::collections::{BTreeSet, HashMap};

use hearsay_model::{Belonging, EntityId, FactStatus, Predicate, Secrecy, attribute, text};

use super::reader::CampaignReader;
use crate::{Campaign, audience, error::Diagnostics, justifications::TellingStep};

/// Formats the steps of a cycle for an error message. A long cycle is shortened.
pub(super) fn join_steps<T>(cycle: &[T], format_step: impl Fn(&T) -> String) -> String {
    const MAX_STEPS: usize = 8;
    let mut steps: Vec<String> = cycle.iter().take(MAX_STEPS).map(format_step).collect();
    if cycle.len() > MAX_STEPS {
        steps.push(format!("and {} more", cycle.len() - MAX_STEPS));
    }
    steps.join(", ")
}

impl CampaignReader {
    /// Checks that no place is part of itself.
    pub(super) fn check_parts(&mut self) {
        let mut parts: HashMap<EntityId, (EntityId, usize)> = HashMap::new();
        for (index, campaign_fact) in self.facts.iter().enumerate() {
            let fact = &campaign_fact.fact;
            if self.vocabulary.belonging(fact.predicate()) == Some(Belonging::Part)
                && fact.status() == FactStatus::Canon
                && let Some(whole) = fact.object().entity()
            {
                parts.insert(fact.subject().clone(), (whole.clone(), index));
            }
        }
        let mut starts: Vec<&EntityId> = parts.keys().collect();
        starts.sort();
        let mut visited = BTreeSet::new();
        for start in starts {
            let (mut path, mut at) = (Vec::new(), start);
            while let Some((whole, _)) = parts.get(at).filter(|_| !visited.contains(at)) {
                visited.insert(at);
                path.push(at);
                at = whole;
            }
            let Some(cycle_start) = path.iter().position(|id| *id == at) else { continue };
            let cycle: Vec<&str> = path[cycle_start..].iter().map(|id| id.as_str()).chain([at.as_str()]).collect();
            let Some((_, index)) = parts.get(at) else { continue };
            let message = format!("the entities are parts of each other in a circle: {}", cycle.join(" is part of "));
            self.diagnostics.add(
                self.fact_positions[*index],
                &format!("entities/{at}/part_of"),
                message,
                "remove one of these relations",
            );
        }
    }

    /// Warns if a functional predicate has two different values at the same time. Secret facts do not count.
    pub(super) fn check_functional(&mut self) {
        let mut facts_by_key: HashMap<(&EntityId, &Predicate), Vec<usize>> = HashMap::new();
        for (index, campaign_fact) in self.facts.iter().enumerate() {
            let fact = &campaign_fact.fact;
            let is_counted = fact.status() == FactStatus::Canon && fact.secrecy() != Secrecy::Secret;
            if is_counted && self.vocabulary.is_functional(fact.predicate()) {
                facts_by_key.entry((fact.subject(), fact.predicate())).or_default().push(index);
            }
        }
        let mut duplicates = Vec::new();
        for ((subject, predicate), indices) in facts_by_key {
            for (n, &a) in indices.iter().enumerate() {
                let fact = &self.facts[a].fact;
                let other = indices[..n].iter().find(|&&b| {
                    let other = &self.facts[b].fact;
                    other.object() != fact.object() && other.validity().overlaps(fact.validity())
                });
                if let Some(&b) = other {
                    let first = self.diagnostics.format_position(self.fact_positions[b]);
                    let message = format!(
                        "`{subject}` has two values of {predicate} at the same time; the other value is at {first}"
                    );
                    duplicates.push((self.fact_positions[a], message));
                }
            }
        }
        for (at, message) in duplicates {
            self.diagnostics.warn(at, message);
        }
    }

    /// Warns about an edge with a rank that its group does not have.
    pub(super) fn check_ranks(&mut self) {
        let mut ranks: HashMap<&EntityId, Vec<&str>> = HashMap::new();
        for fact in self.facts.iter().map(|campaign_fact| &campaign_fact.fact) {
            if *fact.predicate() == *attribute::RANKS {
                ranks
                    .entry(fact.subject())
                    .or_default()
                    .extend(fact.object().text().into_iter().flat_map(|list| list.split(',')));
            }
        }
        let mut unknown = Vec::new();
        for entry in self.facts.iter().flat_map(|campaign_fact| &campaign_fact.knowers) {
            let (Some(group), Some(rank)) = (entry.knower.entity(), &entry.rank) else { continue };
            let known_ranks = ranks.get(group).map_or(&[][..], Vec::as_slice);
            if !known_ranks.iter().any(|known_rank| text::normalize(known_rank) == text::normalize(rank)) {
                let known_ranks: Vec<_> = known_ranks.iter().map(|known_rank| known_rank.trim()).collect();
                let hint = match known_ranks.is_empty() {
                    true => "add `ranks` to the attributes of the group, lowest rank first".to_owned(),
                    false => format!("its `ranks` are {}", known_ranks.join(", ")),
                };
                unknown.push((entry.at, format!("`{group}` has no rank `{rank}`; {hint}")));
            }
        }
        for (at, message) in unknown {
            self.diagnostics.warn(at, message);
        }
    }

    /// Reports cycles of tellers. Each teller of a cycle learned the fact only from another teller of the cycle, so the
    /// fact has no origin.
    pub(super) fn check_telling_cycles(diagnostics: &mut Diagnostics, campaign: &Campaign) {
        for cycle in audience::find_telling_cycles(campaign) {
            let Some(first) = cycle.first() else { continue };
            let statement = campaign.facts().find(|fact| fact.id() == first.fact).map_or("", |fact| fact.statement());
            let format_step = |step: &TellingStep| {
                format!("`{}` heard it from `{}` ({})", step.knower, step.teller, diagnostics.format_position(step.at))
            };
            let message = format!(
                "the knowers of \u{201C}{statement}\u{201D} heard it only from each other: {}",
                join_steps(&cycle, format_step)
            );
            let hint = "change `how` for one of these knowers, or remove `from` for that knower";
            diagnostics.add(first.at, "", message, hint);
        }
    }
}
