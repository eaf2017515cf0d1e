//! Evaluation of reveals: which holders may tell their secrets now, and which conditions are not met.

use std::{
    collections::{BTreeMap, BTreeSet},
    rc::Rc,
};

use hearsay_model::{
    Belonging, Condition, ConditionEntity, Credence, Date, EntityId, Fact, FactId, FactStatus, Kind, Knower, Predicate,
    PredicateRole, State, text,
};
use serde::Serialize;

use crate::{Feelings, StateViews, View, is_dead};

/// Function that returns the trust of the first entity in the second entity.
pub type TrustFn<'a> = &'a dyn Fn(&EntityId, &EntityId) -> Credence;

/// Result of the evaluation of a condition.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Judgement {
    /// Whether the condition is true.
    pub holds: bool,
    /// The listeners for whom the condition is true, sorted. If the caller gave a listener, only this listener is
    /// considered. If the caller gave no listener, and the condition refers to the listener, all player characters are
    /// considered.
    ///
    /// For a reveal, the list contains the player characters to whom the holder may tell the secret now. These player
    /// characters meet the condition and do not know the secret yet. If the condition is true, the list is empty only
    /// in a campaign without player characters.
    pub listeners: Vec<EntityId>,
    /// The parts of the condition that are not met, as text for the DM; empty if the condition is true. If there are
    /// several possible listeners, the list is for the listener with the fewest unmet parts. Of several such listeners,
    /// it is for the listener who is nearest to the required trust and feelings.
    pub missing: Vec<String>,
}

/// Result of the evaluation of a reveal for one holder of the secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RevealEvaluation {
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
/// If no listener is given, a condition that refers to the listener is true if at least one player character meets the
/// condition.
pub fn evaluate_condition(
    state: &State,
    condition: &Condition,
    holder: &EntityId,
    listener: Option<&EntityId>,
    trust: TrustFn,
) -> Judgement {
    let players = match listener {
        None if condition.names_listener() => player_characters(state),
        _ => Vec::new(),
    };
    ConditionEvaluator::new(state, &players, trust).evaluate(condition, holder, listener)
}

/// Evaluates all reveals at the current game time. Each reveal is evaluated for the holder that it names. A reveal that
/// names no holder is evaluated for all knowers that conceal its fact. The results are sorted by reveal, then by
/// holder.
pub fn evaluate_reveals(state: &State, trust: TrustFn) -> Vec<RevealEvaluation> {
    evaluate_reveals_for(state, &player_characters(state), trust)
}

/// Returns all player characters, sorted by id.
pub fn player_characters(state: &State) -> Vec<EntityId> {
    let ids = state.entities().map(|entity| &entity.id);
    ids.filter(|id| state.kind(id) == Some(Kind::Player)).cloned().collect()
}

/// Does the same as [`evaluate_reveals`] for the given player characters. With all player characters, this function is
/// faster, because it does not search the state for them. With a single listener, it evaluates all reveals for this
/// listener.
pub fn evaluate_reveals_for(state: &State, players: &[EntityId], trust: TrustFn) -> Vec<RevealEvaluation> {
    let evaluator = ConditionEvaluator::new(state, players, trust);
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
            let judgement = evaluator.evaluate_reveal(&reveal.when, reveal.fact, holder);
            all.push(RevealEvaluation {
                reveal: reveal.id.clone(),
                fact: reveal.fact,
                holder: holder.clone(),
                judgement,
            });
        }
    }
    all
}

/// Secret facts that a holder may tell now, each with the listeners to whom the holder may tell the fact. If the set of
/// listeners is empty, the holder may tell the fact to everyone.
pub type RevealableFacts = BTreeMap<FactId, BTreeSet<EntityId>>;

/// Returns the facts that a holder may tell now, according to the evaluations of all reveals.
pub fn revealable_facts(evaluations: &[RevealEvaluation], holder: &EntityId) -> RevealableFacts {
    let mut facts = RevealableFacts::new();
    for evaluation in evaluations.iter().filter(|one| one.holder == *holder && one.judgement.holds) {
        facts.entry(evaluation.fact).or_default().extend(evaluation.judgement.listeners.iter().cloned());
    }
    facts
}

/// Difference between the strongest and the weakest feeling.
const FEELING_RANGE: f64 = 200.0;

/// Data for the evaluation of conditions.
struct ConditionEvaluator<'a> {
    state: &'a State,
    trust: TrustFn<'a>,
    players: &'a [EntityId],
    views: StateViews<'a>,
}

/// The holder and the listener for whom a condition is evaluated.
#[derive(Clone, Copy)]
struct Participants<'a> {
    holder: &'a EntityId,
    listener: Option<&'a EntityId>,
}

impl<'a> Participants<'a> {
    fn resolve(self, who: &'a ConditionEntity) -> Option<&'a EntityId> {
        match who {
            ConditionEntity::Holder => Some(self.holder),
            ConditionEntity::Listener => self.listener,
            ConditionEntity::Entity(id) => Some(id),
        }
    }
}

impl<'a> ConditionEvaluator<'a> {
    fn new(state: &'a State, players: &'a [EntityId], trust: TrustFn<'a>) -> Self {
        Self { state, trust, players, views: StateViews::new(state) }
    }

    /// Evaluates whether a holder may tell a fact now. The holder must be alive and know the fact. If there are player
    /// characters, at least one of them must not know the fact yet.
    fn evaluate_reveal(&self, condition: &Condition, fact: FactId, holder: &EntityId) -> Judgement {
        let name_of = |id: &EntityId| self.state.name_or_id(id).to_owned();
        let refused = |missing: String| Judgement { holds: false, listeners: Vec::new(), missing: vec![missing] };
        if is_dead(self.state, holder, self.state.clock()) {
            return refused(format!("{} is dead", name_of(holder)));
        }
        if !self.knows(holder, fact) {
            return refused(format!("{} does not know the secret", name_of(holder)));
        }
        let (knowing, uninformed): (Vec<&EntityId>, Vec<&EntityId>) =
            self.players.iter().partition(|player| self.knows(player, fact));
        if uninformed.is_empty() && !knowing.is_empty() {
            let names: Vec<String> = knowing.into_iter().map(name_of).collect();
            return refused(format!("nobody is left to be told; the secret is already known to {}", names.join(", ")));
        }
        let mut judgement = self.evaluate(condition, holder, None);
        if condition.names_listener() {
            judgement.listeners.retain(|listener| uninformed.contains(&listener));
            if judgement.holds && judgement.listeners.is_empty() {
                return refused("all player characters who meet the condition already know the secret".into());
            }
        } else if judgement.holds {
            judgement.listeners = uninformed.into_iter().cloned().collect();
        }
        judgement
    }

    fn evaluate(&self, condition: &Condition, holder: &EntityId, listener: Option<&EntityId>) -> Judgement {
        let unmet_parts = |listener| self.unmet_parts(condition, Participants { holder, listener }, true);
        if listener.is_some() || !condition.names_listener() {
            let missing = unmet_parts(listener);
            let listeners = listener.filter(|_| missing.is_empty()).cloned().into_iter().collect();
            return Judgement { holds: missing.is_empty(), listeners, missing };
        }
        let mut listeners = Vec::new();
        let mut nearest = None::<((usize, f64), Vec<String>)>;
        for player in self.players {
            let missing = unmet_parts(Some(player));
            if missing.is_empty() {
                listeners.push(player.clone());
                continue;
            }
            let shortfall = self.shortfall(condition, Participants { holder, listener: Some(player) });
            let distance = (missing.len(), shortfall);
            if nearest.as_ref().is_none_or(|(nearest, _)| distance < *nearest) {
                nearest = Some((distance, missing));
            }
        }
        if !listeners.is_empty() {
            return Judgement { holds: true, listeners, missing: Vec::new() };
        }
        let no_player = || vec!["there is no player character who could be told".to_owned()];
        let missing = nearest.map_or_else(no_player, |(_, missing)| missing);
        Judgement { holds: false, listeners, missing }
    }

    /// Returns how far a condition is from being met; 0.0 if it is met. Each unmet single condition adds 1.0. A trust
    /// or a feeling that is too low adds only its distance from the required value, as a share of the whole range.
    fn shortfall(&self, condition: &Condition, participants: Participants) -> f64 {
        let shortfall = |part: &Condition| self.shortfall(part, participants);
        match condition {
            Condition::All(parts) => parts.iter().map(shortfall).sum(),
            Condition::Any(parts) => parts.iter().map(shortfall).fold(f64::INFINITY, f64::min),
            Condition::Trusts { who, of, at_least } => {
                let (Some(who), Some(of)) = (participants.resolve(who), participants.resolve(of)) else { return 1.0 };
                (at_least.get() - (self.trust)(who, of).get()).max(0.0)
            }
            Condition::Feels { who, towards, feeling, at_least } => {
                let (Some(who), Some(towards)) = (participants.resolve(who), participants.resolve(towards)) else {
                    return 1.0;
                };
                let level = Feelings::from_view(&self.view(who), towards).level(*feeling);
                (f64::from(at_least.get()) - f64::from(level)).max(0.0) / FEELING_RANGE
            }
            _ if self.evaluate_single(condition, participants).0 => 0.0,
            _ => 1.0,
        }
    }

    /// Returns the parts of a condition whose value is not `expected`, as text for the DM. The list is empty if the
    /// whole condition has the value `expected`.
    fn unmet_parts(&self, condition: &Condition, participants: Participants, expected: bool) -> Vec<String> {
        match condition {
            Condition::Not(part) => self.unmet_parts(part, participants, !expected),
            Condition::All(parts) if expected => self.unmet_parts_of_all(parts, participants, expected),
            Condition::Any(parts) if !expected => self.unmet_parts_of_all(parts, participants, expected),
            Condition::All(parts) | Condition::Any(parts) => self.unmet_parts_of_any(parts, participants, expected),
            _ => {
                let (holds, description) = self.evaluate_single(condition, participants);
                match (holds, expected) {
                    (true, false) => vec![format!("{description} (must not be the case)")],
                    (false, true) => vec![description],
                    _ => Vec::new(),
                }
            }
        }
    }

    fn unmet_parts_of_all(&self, parts: &[Condition], participants: Participants, expected: bool) -> Vec<String> {
        parts.iter().flat_map(|part| self.unmet_parts(part, participants, expected)).collect()
    }

    fn unmet_parts_of_any(&self, parts: &[Condition], participants: Participants, expected: bool) -> Vec<String> {
        let mut alternatives = Vec::new();
        for part in parts {
            let missing = self.unmet_parts(part, participants, expected);
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
    fn evaluate_single(&self, condition: &Condition, participants: Participants) -> (bool, String) {
        let state = self.state;
        let name_of = |id: &EntityId| state.name_or_id(id).to_owned();
        let no_listener = || (false, "there is no listener".to_owned());
        let describe = |holds: bool, who: &EntityId, verb: &str, negated_verb: &str, object: String| {
            (holds, format!("{} {} {object}", name_of(who), if holds { verb } else { negated_verb }))
        };
        match condition {
            Condition::Trusts { who, of, at_least } => {
                let (Some(who), Some(of)) = (participants.resolve(who), participants.resolve(of)) else {
                    return no_listener();
                };
                let trust = (self.trust)(who, of);
                let expected =
                    if trust < *at_least { format!(" (wanted: at least {at_least})") } else { String::new() };
                (trust >= *at_least, format!("{} trusts {} {trust}{expected}", name_of(who), name_of(of)))
            }
            Condition::Owns { who, item } => {
                let Some(who) = participants.resolve(who) else { return no_listener() };
                describe(self.owns(who, item), who, "owns", "does not own", name_of(item))
            }
            Condition::Member { who, group, rank } => {
                let Some(who) = participants.resolve(who) else { return no_listener() };
                let holds = match rank {
                    None => self.is_within(self.memberships(who), group),
                    Some(rank) => self.memberships(who).into_iter().any(|fact| {
                        let is_required = |own_rank: &str| text::normalize(own_rank) == text::normalize(rank);
                        fact.object().entity() == Some(group) && fact.rank().is_some_and(is_required)
                    }),
                };
                let rank_suffix = rank.as_ref().map_or(String::new(), |rank| format!(" with the rank {rank}"));
                describe(holds, who, "is a member of", "is not a member of", name_of(group) + &rank_suffix)
            }
            Condition::At { who, place } => {
                let Some(who) = participants.resolve(who) else { return no_listener() };
                describe(
                    self.is_within(self.current_facts(who, PredicateRole::Location.name()), place),
                    who,
                    "is at",
                    "is not at",
                    name_of(place),
                )
            }
            Condition::Attribute { of, name, is } => self.attribute(of, name, is),
            Condition::Flag { name, is } => match state.flag(name) {
                Some(value) if value == is => (true, format!("flag `{name}` is {value}")),
                Some(value) => (false, format!("flag `{name}` is {value} (wanted: {is})")),
                None => (false, format!("flag `{name}` is not declared (wanted: {is})")),
            },
            Condition::Date { from } => self.date(from),
            Condition::Knows { who, fact } => {
                let Some(who) = participants.resolve(who) else { return no_listener() };
                let statement = state.fact(*fact).map_or_else(|| fact.short(), |fact| fact.statement().to_owned());
                describe(self.knows(who, *fact), who, "knows", "does not know", format!("\u{201C}{statement}\u{201D}"))
            }
            Condition::Feels { who, towards, feeling, at_least } => {
                let (Some(who), Some(towards)) = (participants.resolve(who), participants.resolve(towards)) else {
                    return no_listener();
                };
                let level = Feelings::from_view(&self.view(who), towards).level(*feeling);
                let holds = level >= at_least.get();
                let expected = if holds { String::new() } else { format!(" (wanted: at least {})", at_least.get()) };
                (holds, format!("the {feeling} of {} towards {} is {level}{expected}", name_of(who), name_of(towards)))
            }
            Condition::All(_) | Condition::Any(_) | Condition::Not(_) => {
                let missing = self.unmet_parts(condition, participants, true);
                (missing.is_empty(), missing.join(" and "))
            }
        }
    }

    /// Returns the canon facts with a subject and a predicate that are valid at the current game time.
    fn current_facts(&self, subject: &EntityId, name: &str) -> impl Iterator<Item = &'a Fact> {
        let facts = self.state.facts_with_subject(subject, name).at(self.state.clock());
        facts.map(AsRef::as_ref).filter(|fact: &&Fact| fact.status() == FactStatus::Canon)
    }

    /// Returns the canon facts that state this [`Belonging`] for a subject and that are valid at the current game time.
    fn belongings(&self, subject: &EntityId, belonging: Belonging) -> Vec<&'a Fact> {
        let names = self.state.vocabulary().with_belonging(belonging);
        names.flat_map(|name| self.current_facts(subject, name.as_str())).collect()
    }

    fn memberships(&self, subject: &EntityId) -> Vec<&'a Fact> {
        self.belongings(subject, Belonging::Member)
    }

    fn owns(&self, owner: &EntityId, item: &EntityId) -> bool {
        let owns_directly = |owner: &EntityId| {
            self.current_facts(owner, PredicateRole::Possession.name()).any(|fact| fact.object().entity() == Some(item))
        };
        let groups = self.memberships(owner).into_iter().filter_map(|fact| fact.object().entity());
        let is_party = |group: &&EntityId| self.state.kind(group) == Some(Kind::Party);
        owns_directly(owner) || groups.filter(is_party).any(owns_directly)
    }

    /// Returns whether the object of one of the relations is `container` or a part of it.
    fn is_within(&self, relations: impl IntoIterator<Item = &'a Fact>, container: &EntityId) -> bool {
        let mut reached: BTreeSet<&EntityId> = BTreeSet::new();
        let mut pending: Vec<&EntityId> = relations.into_iter().filter_map(|fact| fact.object().entity()).collect();
        while let Some(entity) = pending.pop() {
            if entity == container {
                return true;
            }
            if reached.insert(entity) {
                pending.extend(
                    self.belongings(entity, Belonging::Part).into_iter().filter_map(|fact| fact.object().entity()),
                );
            }
        }
        false
    }

    fn attribute(&self, of: &EntityId, name: &Predicate, is: &str) -> (bool, String) {
        let mut values: Vec<String> =
            self.current_facts(of, name.as_str()).map(|fact| fact.object().to_string()).collect();
        values.sort();
        let entity = self.state.name_or_id(of);
        let holds = values.iter().any(|value| text::normalize(value) == text::normalize(is));
        let description = match (holds, values.as_slice()) {
            (true, _) => format!("the {name} of {entity} is \u{201C}{is}\u{201D}"),
            (false, []) => format!("{entity} has no {name} (wanted: \u{201C}{is}\u{201D})"),
            (false, values) => {
                let values = values.join("\u{201D} and \u{201C}");
                format!("the {name} of {entity} is \u{201C}{values}\u{201D} (wanted: \u{201C}{is}\u{201D})")
            }
        };
        (holds, description)
    }

    fn date(&self, from: &Date) -> (bool, String) {
        let print = |time| self.state.calendar().format(time);
        let expected = match from.time {
            Some(time) if from.raw.is_empty() => print(time),
            _ => from.raw.clone(),
        };
        let Some(clock) = self.state.clock() else {
            return (false, format!("the game clock is not set (wanted: {expected} or later)"));
        };
        if from.time.is_some_and(|from| from <= clock) {
            (true, format!("it is {}", print(clock)))
        } else {
            (false, format!("it is {} (wanted: {expected} or later)", print(clock)))
        }
    }

    fn knows(&self, knower: &EntityId, fact: FactId) -> bool {
        self.view(knower).fact(fact).is_some_and(|known| !known.is_made_up())
    }

    /// Returns the view of a knower at the current game time.
    fn view(&self, knower: &EntityId) -> Rc<View> {
        self.views.get(&Knower::Entity(knower.clone()), self.state.clock())
    }
}

#[cfg(test)]
mod tests;
