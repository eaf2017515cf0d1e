//! Evaluation of reveals: which holders may tell their secrets now, and which conditions are not met.

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
};

use hearsay_model::{
    Belonging, Condition, Credence, Date, EntityId, Fact, FactId, FactStatus, Kind, Knower, Predicate, PredicateRole,
    State, Who, text,
};
use serde::Serialize;

use crate::{View, is_dead};

/// Function that returns how much the first entity trusts the second entity.
pub type TrustIn<'a> = &'a dyn Fn(&EntityId, &EntityId) -> Credence;

/// Result of the evaluation of a condition.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Judgement {
    /// Whether the condition is true.
    pub holds: bool,
    /// The listeners for whom the condition is true, sorted. If a listener was given, only this listener is considered.
    /// Otherwise, all player characters are considered.
    pub listeners: Vec<EntityId>,
    /// The conditions that are not met, as text for the DM; empty if the condition is true. If there are several
    /// possible listeners, the list describes the listener with the fewest unmet conditions.
    pub missing: Vec<String>,
}

/// Result of the evaluation of a reveal for one holder of the secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Revealable {
    /// The id of the reveal.
    pub reveal: String,
    /// The secret fact.
    pub fact: FactId,
    /// The holder of the secret.
    pub holder: EntityId,
    /// The result of the evaluation of the condition.
    #[serde(flatten)]
    pub judgement: Judgement,
}

/// Evaluates a condition at the current game time.
///
/// If no listener is given, a condition that refers to the listener is true if at least one player character meets it.
pub fn judge(
    state: &State,
    condition: &Condition,
    holder: &EntityId,
    listener: Option<&EntityId>,
    trust: TrustIn,
) -> Judgement {
    let players = match listener {
        None if condition.names_listener() => player_characters(state),
        _ => Vec::new(),
    };
    Judge::new(state, &players, trust).judge(condition, holder, listener)
}

/// Evaluates all reveals at the current game time. A reveal is evaluated for the holder that it names. If it names no
/// holder, it is evaluated for all knowers that conceal its fact. The results are sorted by reveal, then by holder.
pub fn revealable(state: &State, trust: TrustIn) -> Vec<Revealable> {
    revealable_to(state, &player_characters(state), trust)
}

/// Returns all player characters, sorted by id.
pub fn player_characters(state: &State) -> Vec<EntityId> {
    let ids = state.entities().map(|entity| &entity.id);
    ids.filter(|id| state.kind(id) == Some(Kind::Player)).cloned().collect()
}

/// Evaluates all reveals like [`revealable`], but takes the player characters as an argument. This saves the search for
/// player characters.
pub fn revealable_to(state: &State, players: &[EntityId], trust: TrustIn) -> Vec<Revealable> {
    let judge = Judge::new(state, players, trust);
    let mut all = Vec::new();
    for reveal in state.reveals() {
        let holders: BTreeSet<&EntityId> = match &reveal.holder {
            Some(holder) => BTreeSet::from([holder]),
            None => {
                let concealing = state.known_by(reveal.fact).filter(|edge| edge.conceals);
                concealing.filter_map(|edge| edge.knower.entity()).collect()
            }
        };
        for holder in holders {
            let judgement = judge.open(&reveal.when, reveal.fact, holder);
            all.push(Revealable { reveal: reveal.id.clone(), fact: reveal.fact, holder: holder.clone(), judgement });
        }
    }
    all
}

/// Data for the evaluation of conditions, with a cache of views.
struct Judge<'a> {
    state: &'a State,
    trust: TrustIn<'a>,
    players: &'a [EntityId],
    known: RefCell<BTreeMap<EntityId, View>>,
}

/// The holder and the listener for whom a condition is evaluated.
#[derive(Clone, Copy)]
struct Ends<'a> {
    holder: &'a EntityId,
    listener: Option<&'a EntityId>,
}

impl<'a> Ends<'a> {
    fn of(self, who: &'a Who) -> Option<&'a EntityId> {
        match who {
            Who::Holder => Some(self.holder),
            Who::Listener => self.listener,
            Who::Entity(id) => Some(id),
        }
    }
}

impl<'a> Judge<'a> {
    fn new(state: &'a State, players: &'a [EntityId], trust: TrustIn<'a>) -> Self {
        Self { state, trust, players, known: RefCell::default() }
    }

    /// Evaluates whether a holder may tell a fact now. The holder must be alive and know the fact, and a player
    /// character must not know it yet.
    fn open(&self, condition: &Condition, fact: FactId, holder: &EntityId) -> Judgement {
        let called = |id: &EntityId| self.state.name_or_id(id).to_owned();
        let not = |missing: String| Judgement { holds: false, listeners: Vec::new(), missing: vec![missing] };
        if is_dead(self.state, holder, self.state.clock()) {
            return not(format!("{} is dead", called(holder)));
        }
        if !self.knows(holder, fact) {
            return not(format!("{} does not know the secret", called(holder)));
        }
        let (told, players): (Vec<&EntityId>, Vec<&EntityId>) =
            self.players.iter().partition(|player| self.knows(player, fact));
        if players.is_empty() && !told.is_empty() {
            let names: Vec<String> = told.into_iter().map(called).collect();
            return not(format!("all player characters already know the secret: {}", names.join(", ")));
        }
        let mut judgement = self.judge(condition, holder, None);
        judgement.listeners.retain(|listener| players.contains(&listener));
        if judgement.holds && condition.names_listener() && judgement.listeners.is_empty() {
            return not("all player characters who meet the condition already know the secret".into());
        }
        judgement
    }

    fn judge(&self, condition: &Condition, holder: &EntityId, listener: Option<&EntityId>) -> Judgement {
        let missing = |listener| self.missing(condition, Ends { holder, listener }, true);
        if listener.is_some() || !condition.names_listener() {
            let missing = missing(listener);
            let listeners = listener.filter(|_| missing.is_empty()).cloned().into_iter().collect();
            return Judgement { holds: missing.is_empty(), listeners, missing };
        }
        let mut listeners = Vec::new();
        let mut nearest = None::<Vec<String>>;
        for player in self.players {
            let missing = missing(Some(player));
            if missing.is_empty() {
                listeners.push(player.clone());
            } else if nearest.as_ref().is_none_or(|nearest| missing.len() < nearest.len()) {
                nearest = Some(missing);
            }
        }
        if !listeners.is_empty() {
            return Judgement { holds: true, listeners, missing: Vec::new() };
        }
        let missing = nearest.unwrap_or_else(|| vec!["there is no player character who could be told".into()]);
        Judgement { holds: false, listeners, missing }
    }

    /// Returns the parts of a condition that do not have the value `wanted`, as text for the DM. The list is empty if
    /// the whole condition has this value.
    fn missing(&self, condition: &Condition, ends: Ends, wanted: bool) -> Vec<String> {
        match condition {
            Condition::Not(part) => self.missing(part, ends, !wanted),
            Condition::All(parts) if wanted => self.of_all(parts, ends, wanted),
            Condition::Any(parts) if !wanted => self.of_all(parts, ends, wanted),
            Condition::All(parts) | Condition::Any(parts) => self.of_any(parts, ends, wanted),
            _ => {
                let (holds, wording) = self.look(condition, ends);
                match (holds, wanted) {
                    (true, false) => vec![format!("{wording} (must not be so)")],
                    (false, true) => vec![wording],
                    _ => Vec::new(),
                }
            }
        }
    }

    fn of_all(&self, parts: &[Condition], ends: Ends, wanted: bool) -> Vec<String> {
        parts.iter().flat_map(|part| self.missing(part, ends, wanted)).collect()
    }

    fn of_any(&self, parts: &[Condition], ends: Ends, wanted: bool) -> Vec<String> {
        let mut alternatives = Vec::new();
        for part in parts {
            let missing = self.missing(part, ends, wanted);
            if missing.is_empty() {
                return missing;
            }
            alternatives.push(missing.join(" and "));
        }
        match alternatives.len() {
            // An empty list has no condition that could be true.
            0 => vec!["the condition is empty".into()],
            1 => alternatives,
            _ => vec![format!("one of these: {}", alternatives.join("; or "))],
        }
    }

    /// Returns whether a single condition is true, and a description of the current situation.
    fn look(&self, condition: &Condition, ends: Ends) -> (bool, String) {
        let state = self.state;
        let called = |id: &EntityId| state.name_or_id(id).to_owned();
        let nobody = || (false, "there is no listener".to_owned());
        let say = |holds: bool, who: &EntityId, does: &str, does_not: &str, what: String| {
            (holds, format!("{} {} {what}", called(who), if holds { does } else { does_not }))
        };
        match condition {
            Condition::Trusts { who, of, at_least } => {
                let (Some(who), Some(of)) = (ends.of(who), ends.of(of)) else { return nobody() };
                let held = (self.trust)(who, of);
                let wanted = if held < *at_least { format!(" (wanted: at least {at_least})") } else { String::new() };
                (held >= *at_least, format!("{} trusts {} {held}{wanted}", called(who), called(of)))
            }
            Condition::Owns { who, item } => {
                let Some(who) = ends.of(who) else { return nobody() };
                say(self.owns(who, item), who, "owns", "does not own", called(item))
            }
            Condition::Member { who, group, rank } => {
                let Some(who) = ends.of(who) else { return nobody() };
                let holds = match rank {
                    None => self.is_within(self.memberships(who), group),
                    Some(rank) => self.memberships(who).into_iter().any(|fact| {
                        let same = |held: &str| text::normal(held) == text::normal(rank);
                        fact.object().entity() == Some(group) && fact.rank().is_some_and(same)
                    }),
                };
                let ranked = rank.as_ref().map_or(String::new(), |rank| format!(" with the rank {rank}"));
                say(holds, who, "is a member of", "is not a member of", called(group) + &ranked)
            }
            Condition::At { who, place } => {
                let Some(who) = ends.of(who) else { return nobody() };
                say(
                    self.is_within(self.now(who, PredicateRole::Location.name()), place),
                    who,
                    "is at",
                    "is not at",
                    called(place),
                )
            }
            Condition::Attribute { of, name, is } => self.attribute(of, name, is),
            Condition::Flag { name, is } => match state.flag(name) {
                Some(held) if held == is => (true, format!("flag `{name}` is {held}")),
                Some(held) => (false, format!("flag `{name}` is {held} (wanted: {is})")),
                None => (false, format!("flag `{name}` is not declared (wanted: {is})")),
            },
            Condition::Date { from } => self.date(from),
            Condition::Knows { who, fact } => {
                let Some(who) = ends.of(who) else { return nobody() };
                let said = state.fact(*fact).map_or_else(|| fact.short(), |fact| fact.statement().to_owned());
                say(self.knows(who, *fact), who, "knows", "does not know", format!("\u{201C}{said}\u{201D}"))
            }
            Condition::All(_) | Condition::Any(_) | Condition::Not(_) => {
                let missing = self.missing(condition, ends, true);
                (missing.is_empty(), missing.join(" and "))
            }
        }
    }

    /// Returns the canon facts with a subject and a predicate that are valid at the current game time.
    fn now(&self, subject: &EntityId, name: &str) -> impl Iterator<Item = &'a Fact> {
        let held = self.state.facts_with_subject(subject, name).at(self.state.clock());
        held.map(AsRef::as_ref).filter(|fact: &&Fact| fact.status() == FactStatus::Canon)
    }

    /// Returns the canon facts that state that a subject belongs to another entity in this way and that are valid at
    /// the current game time.
    fn belongings(&self, subject: &EntityId, way: Belonging) -> Vec<&'a Fact> {
        let names = self.state.vocabulary().with_belonging(way);
        names.flat_map(|name| self.now(subject, name.as_str())).collect()
    }

    fn memberships(&self, subject: &EntityId) -> Vec<&'a Fact> {
        self.belongings(subject, Belonging::Member)
    }

    fn owns(&self, who: &EntityId, item: &EntityId) -> bool {
        let owns = |who: &EntityId| {
            self.now(who, PredicateRole::Possession.name()).any(|fact| fact.object().entity() == Some(item))
        };
        let groups = self.memberships(who).into_iter().filter_map(|fact| fact.object().entity());
        let is_party = |group: &&EntityId| self.state.kind(group) == Some(Kind::Party);
        owns(who) || groups.filter(is_party).any(owns)
    }

    /// Returns whether the object of one of the relations is an entity or a part of it.
    fn is_within(&self, relations: impl IntoIterator<Item = &'a Fact>, whole: &EntityId) -> bool {
        let mut reached: BTreeSet<&EntityId> = BTreeSet::new();
        let mut open: Vec<&EntityId> = relations.into_iter().filter_map(|fact| fact.object().entity()).collect();
        while let Some(at) = open.pop() {
            if at == whole {
                return true;
            }
            if reached.insert(at) {
                open.extend(self.belongings(at, Belonging::Part).into_iter().filter_map(|fact| fact.object().entity()));
            }
        }
        false
    }

    fn attribute(&self, of: &EntityId, name: &Predicate, is: &str) -> (bool, String) {
        let mut held: Vec<String> = self.now(of, name.as_str()).map(|fact| fact.object().to_string()).collect();
        held.sort();
        let called = self.state.name_or_id(of);
        let holds = held.iter().any(|held| text::normal(held) == text::normal(is));
        let wording = match (holds, held.as_slice()) {
            (true, _) => format!("the {name} of {called} is \u{201C}{is}\u{201D}"),
            (false, []) => format!("{called} has no {name} (wanted: \u{201C}{is}\u{201D})"),
            (false, held) => {
                let held = held.join("\u{201D} and \u{201C}");
                format!("the {name} of {called} is \u{201C}{held}\u{201D} (wanted: \u{201C}{is}\u{201D})")
            }
        };
        (holds, wording)
    }

    fn date(&self, from: &Date) -> (bool, String) {
        let print = |time| self.state.calendar().print(time);
        let wanted = match from.time {
            Some(time) if from.raw.is_empty() => print(time),
            _ => from.raw.clone(),
        };
        let Some(clock) = self.state.clock() else {
            return (false, format!("the game clock is not set (wanted: {wanted} or later)"));
        };
        match from.time.is_some_and(|from| from <= clock) {
            true => (true, format!("it is {}", print(clock))),
            false => (false, format!("it is {} (wanted: {wanted} or later)", print(clock))),
        }
    }

    fn knows(&self, who: &EntityId, fact: FactId) -> bool {
        let mut known = self.known.borrow_mut();
        let view = || View::of(self.state, &Knower::Entity(who.clone()), self.state.clock());
        known.entry(who.clone()).or_insert_with(view).fact(fact).is_some_and(|known| !known.is_made_up())
    }
}

#[cfg(test)]
mod tests;
