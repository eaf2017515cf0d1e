//! Checks of a whole campaign.

use std::collections::{BTreeSet, HashMap};

use hearsay_model::{Belonging, EntityId, FactStatus, Predicate, Secrecy, attribute, text};

use super::reader::CampaignReader;
use crate::{Campaign, audience, error::Faults, justifications::Step};

/// Formats the steps of a cycle for an error message. A long cycle is shortened.
pub(super) fn in_short<T>(circle: &[T], show: impl Fn(&T) -> String) -> String {
    const MOST: usize = 8;
    let mut steps: Vec<String> = circle.iter().take(MOST).map(show).collect();
    if circle.len() > MOST {
        steps.push(format!("and {} more", circle.len() - MOST));
    }
    steps.join(", ")
}

impl CampaignReader {
    /// Checks that no place is part of itself.
    pub(super) fn check_parts(&mut self) {
        let mut parts: HashMap<EntityId, (EntityId, usize)> = HashMap::new();
        for (number, stated) in self.facts.iter().enumerate() {
            let fact = &stated.fact;
            if self.vocabulary.belonging(fact.predicate()) == Some(Belonging::Part)
                && fact.status() == FactStatus::Canon
                && let Some(whole) = fact.object().entity()
            {
                parts.insert(fact.subject().clone(), (whole.clone(), number));
            }
        }
        let mut starts: Vec<&EntityId> = parts.keys().collect();
        starts.sort();
        let mut done = BTreeSet::new();
        for start in starts {
            let (mut path, mut at) = (Vec::new(), start);
            while let Some((whole, _)) = parts.get(at).filter(|_| !done.contains(at)) {
                done.insert(at);
                path.push(at);
                at = whole;
            }
            let Some(begin) = path.iter().position(|id| *id == at) else { continue };
            let cycle: Vec<&str> = path[begin..].iter().map(|id| id.as_str()).chain([at.as_str()]).collect();
            let Some((_, number)) = parts.get(at) else { continue };
            let message = format!("the entities are parts of each other in a circle: {}", cycle.join(" is part of "));
            self.faults.add(self.spots[*number], &format!("entities/{at}/part_of"), message, "remove one of these");
        }
    }

    /// Warns if a functional predicate has two different values at the same time. Secret facts do not count.
    pub(super) fn check_functional(&mut self) {
        let mut held: HashMap<(&EntityId, &Predicate), Vec<usize>> = HashMap::new();
        for (number, stated) in self.facts.iter().enumerate() {
            let fact = &stated.fact;
            let counts = fact.status() == FactStatus::Canon && fact.secrecy() != Secrecy::Secret;
            if counts && self.vocabulary.is_functional(fact.predicate()) {
                held.entry((fact.subject(), fact.predicate())).or_default().push(number);
            }
        }
        let mut doubled = Vec::new();
        for ((subject, predicate), numbers) in held {
            for (n, &a) in numbers.iter().enumerate() {
                let fact = &self.facts[a].fact;
                let other = numbers[..n].iter().find(|&&b| {
                    let other = &self.facts[b].fact;
                    other.object() != fact.object() && other.validity().overlaps(fact.validity())
                });
                if let Some(&b) = other {
                    let first = self.faults.spot(self.spots[b]);
                    let what = format!(
                        "`{subject}` has two values of {predicate} at the same time; the other one is at {first}"
                    );
                    doubled.push((self.spots[a], what));
                }
            }
        }
        for (at, what) in doubled {
            self.faults.warn(at, what);
        }
    }

    /// Warns about an edge with a rank that its group does not have.
    pub(super) fn check_ranks(&mut self) {
        let mut ranks: HashMap<&EntityId, Vec<&str>> = HashMap::new();
        for fact in self.facts.iter().map(|stated| &stated.fact) {
            if *fact.predicate() == *attribute::RANKS {
                ranks
                    .entry(fact.subject())
                    .or_default()
                    .extend(fact.object().text().into_iter().flat_map(|list| list.split(',')));
            }
        }
        let mut unknown = Vec::new();
        for learned in self.facts.iter().flat_map(|stated| &stated.learned) {
            let (Some(group), Some(rank)) = (learned.knower.entity(), &learned.rank) else { continue };
            let known = ranks.get(group).map_or(&[][..], Vec::as_slice);
            if !known.iter().any(|known| text::normalize(known) == text::normalize(rank)) {
                let known: Vec<_> = known.iter().map(|known| known.trim()).collect();
                let hint = match known.is_empty() {
                    true => "add `ranks` to the attributes of the group, lowest rank first".to_owned(),
                    false => format!("its `ranks` are {}", known.join(", ")),
                };
                unknown.push((learned.at, format!("`{group}` has no rank `{rank}`; {hint}")));
            }
        }
        for (at, what) in unknown {
            self.faults.warn(at, what);
        }
    }

    /// Reports cycles of tellers. Each teller of a cycle learned the fact only from another teller of the cycle, so the
    /// fact has no origin.
    pub(super) fn check_circles(faults: &mut Faults, campaign: &Campaign) {
        for circle in audience::circles(campaign) {
            let Some(first) = circle.first() else { continue };
            let what = campaign.facts().find(|fact| fact.id() == first.fact).map_or("", |fact| fact.statement());
            let step = |step: &Step| format!("`{}` heard it from `{}` ({})", step.who, step.from, faults.spot(step.at));
            let message = format!(
                "the knowers of \u{201C}{what}\u{201D} heard it only from each other: {}",
                in_short(&circle, step)
            );
            let hint = "change `how` of one of them, or remove its `from`";
            faults.add(first.at, "", message, hint);
        }
    }
}
