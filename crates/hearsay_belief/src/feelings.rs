//! Feelings: what one character feels towards another, computed from the facts that the character knows.

use std::collections::BTreeMap;

use hearsay_model::{EntityId, FactId, Feeling, FeelingChanges, GameTime, Knower, OpenThread, State, Vocabulary};
use serde::Serialize;

use crate::{
    BeliefStatus, Known, View,
    attitudes::{attitudes, strongest_attitude},
};

/// Share of a change for characters that are not the object of the fact.
const BYSTANDER_SHARE: f64 = 0.5;

/// Value of the feeling *debt* for an open debt between the two characters.
const OPEN_DEBT: f64 = 40.0;

/// Minimum absolute value of a feeling that is expressed in words.
const NOTICEABLE: i8 = 20;

/// Minimum absolute value of a feeling that is expressed in strong words.
const STRONG: i8 = 60;

/// Values of all kinds of feelings, one number for each kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct FeelingValues {
    /// Affinity: positive if the character likes the other character.
    pub affinity: f64,
    /// Respect: positive if the character respects the other character.
    pub respect: f64,
    /// Fear: positive if the character is afraid of the other character.
    pub fear: f64,
    /// Debt: positive if the character is in the debt of the other character.
    pub debt: f64,
}

impl FeelingValues {
    /// Creates the values from the value of each feeling.
    fn from_fn(mut value: impl FnMut(Feeling) -> f64) -> Self {
        Self {
            affinity: value(Feeling::Affinity),
            respect: value(Feeling::Respect),
            fear: value(Feeling::Fear),
            debt: value(Feeling::Debt),
        }
    }

    /// Returns the value of one feeling.
    pub fn get(&self, feeling: Feeling) -> f64 {
        match feeling {
            Feeling::Affinity => self.affinity,
            Feeling::Respect => self.respect,
            Feeling::Fear => self.fear,
            Feeling::Debt => self.debt,
        }
    }

    /// Returns the sum of the absolute values.
    pub fn strength(&self) -> f64 {
        Feeling::ALL.iter().map(|feeling| self.get(*feeling).abs()).sum()
    }
}

/// A fact that causes feelings of one character towards another: a deed or a relation.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct FeelingCause {
    /// The fact.
    pub fact: FactId,
    /// The part of each feeling that comes from this fact. For a deed, this is the change at the moment of the view,
    /// after multiplication by credence and decay.
    pub change: FeelingValues,
}

/// A feeling in words: a verb phrase that the name of the other character follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct FeelingWords {
    /// The kind of feeling.
    pub feeling: Feeling,
    /// The words in the third person: "is afraid of".
    pub third_person: &'static str,
    /// The words in the second person: "are afraid of".
    pub second_person: &'static str,
}

/// Feelings of one character towards another.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Feelings {
    /// The feelings at the moment of the view, each from −100 to 100.
    pub values: FeelingValues,
    /// The part of the feelings that comes from relations, such as LIKES and OWES. This part does not decay over time.
    pub baseline: FeelingValues,
    /// The relations from which the baseline comes, in the same order as `causes`.
    pub baseline_causes: Vec<FeelingCause>,
    /// The facts that change the feelings. The strongest change comes first. Equally strong changes are sorted by fact.
    pub causes: Vec<FeelingCause>,
}

impl Feelings {
    /// Returns the feelings of the view's knower towards another entity.
    ///
    /// The baseline of the affinity is the strongest known attitude of the knower towards the other entity, as in
    /// [`Trust`](crate::Trust). An open debt sets the baseline of the debt to 40.
    /// A relation of the knower can set the baseline of the fear: see
    /// [`Behavior::fear`](hearsay_model::Behavior::fear).
    ///
    /// A known fact changes the feelings if its subject is the other entity and its predicate [changes
    /// feelings](hearsay_model::Behavior::feelings). The fact then adds `change × credence × 0.5^(age ÷ half-life)`.
    /// The age is counted from the start of the fact's validity. If the start is unknown, the age is counted from the
    /// time when the knower learned the fact. Without either time, the change does not decay. In a view without a
    /// moment, no change decays. Facts that the knower believes to be untrue or ended are ignored.
    ///
    /// If the knower is not the object of the fact, the changes of respect and fear are halved, and the debt does not
    /// change. The change of the affinity is multiplied by `a ÷ 100 × 0.5`, where `a` is the knower's attitude towards
    /// the object. Therefore, an enemy of the object likes a character who harmed the object. This function uses only
    /// facts that the knower knows.
    pub fn from_view(view: &View, other: &EntityId) -> Self {
        Self::from_view_at(view, other, None)
    }

    /// Returns the feelings of the view's knower, as [`from_view`](Self::from_view) does, with a decay until the moment
    /// `now`. If `now` is `None`, the changes decay until the moment of the view.
    pub fn from_view_at(view: &View, other: &EntityId, now: Option<GameTime>) -> Self {
        let Some(knower) = view.knower().entity().filter(|knower| *knower != other) else { return Self::default() };
        let (mut baseline_causes, mut causes) =
            (baseline_causes(view, knower, other), causes_in_view(view, other, now));
        let sum = |causes: &[FeelingCause], feeling| {
            causes.iter().fold(0.0, |sum, cause: &FeelingCause| sum + cause.change.get(feeling))
        };
        let baseline = FeelingValues::from_fn(|feeling| sum(&baseline_causes, feeling));
        let values =
            FeelingValues::from_fn(|feeling| (baseline.get(feeling) + sum(&causes, feeling)).clamp(-100.0, 100.0));
        for causes in [&mut baseline_causes, &mut causes] {
            causes
                .sort_by(|a, b| b.change.strength().total_cmp(&a.change.strength()).then_with(|| a.fact.cmp(&b.fact)));
        }
        Self { values, baseline, baseline_causes, causes }
    }

    /// Returns the feelings of one character towards another at the current game time.
    pub fn between(state: &State, who: &EntityId, other: &EntityId) -> Self {
        Self::from_view(&View::new(state, &Knower::Entity(who.clone()), state.clock()), other)
    }

    /// Returns one feeling, rounded to an integer from −100 to 100.
    pub fn level(&self, feeling: Feeling) -> i8 {
        // The value is clamped to the range of `i8`.
        self.values.get(feeling).round() as i8
    }

    /// Returns the feelings in words. A feeling from −19 to 19 is too weak and is omitted.
    pub fn words(&self) -> Vec<FeelingWords> {
        Feeling::ALL.into_iter().filter_map(|feeling| words(feeling, self.level(feeling))).collect()
    }

    /// Returns the main cause of a feeling: the relation or deed with the largest part in the direction of its value.
    /// Returns `None` if the value is 0.
    pub fn strongest_cause(&self, feeling: Feeling) -> Option<&FeelingCause> {
        let direction = self.values.get(feeling).signum();
        let in_direction = |cause: &&FeelingCause| cause.change.get(feeling) * direction > 0.0;
        let by_change = |a: &&FeelingCause, b: &&FeelingCause| {
            let change = |cause: &FeelingCause| cause.change.get(feeling) * direction;
            change(a).total_cmp(&change(b)).then_with(|| b.fact.cmp(&a.fact))
        };
        self.baseline_causes.iter().chain(&self.causes).filter(in_direction).max_by(by_change)
    }
}

/// Returns a feeling in words; `None` if it is too weak.
fn words(feeling: Feeling, level: i8) -> Option<FeelingWords> {
    if level.abs() < NOTICEABLE {
        return None;
    }
    let (third_person, second_person) = match (feeling, level > 0, level.abs() >= STRONG) {
        (Feeling::Affinity, true, false) => ("likes", "like"),
        (Feeling::Affinity, true, true) => ("strongly likes", "strongly like"),
        (Feeling::Affinity, false, false) => ("dislikes", "dislike"),
        (Feeling::Affinity, false, true) => ("strongly dislikes", "strongly dislike"),
        (Feeling::Respect, true, false) => ("respects", "respect"),
        (Feeling::Respect, true, true) => ("deeply respects", "deeply respect"),
        (Feeling::Respect, false, false) => ("has little respect for", "have little respect for"),
        (Feeling::Respect, false, true) => ("despises", "despise"),
        (Feeling::Fear, true, false) => ("is afraid of", "are afraid of"),
        (Feeling::Fear, true, true) => ("is terrified of", "are terrified of"),
        (Feeling::Fear, false, false) => ("is not afraid of", "are not afraid of"),
        (Feeling::Fear, false, true) => ("is not at all afraid of", "are not at all afraid of"),
        (Feeling::Debt, true, false) => ("is in the debt of", "are in the debt of"),
        (Feeling::Debt, true, true) => ("is deeply in the debt of", "are deeply in the debt of"),
        (Feeling::Debt, false, false) => ("has a claim on", "have a claim on"),
        (Feeling::Debt, false, true) => ("has a large claim on", "have a large claim on"),
    };
    Some(FeelingWords { feeling, third_person, second_person })
}

/// Returns the relations from which the baseline of the feelings comes: the strongest attitude, the strongest implied
/// fear, and an open debt in each direction.
fn baseline_causes(view: &View, knower: &EntityId, other: &EntityId) -> Vec<FeelingCause> {
    let between: Vec<&Known> = view.facts_about(knower).collect();
    let mut causes: BTreeMap<FactId, FeelingValues> = BTreeMap::new();
    if let Some(attitude) = attitudes(view.vocabulary(), knower, other, between.iter().copied()).strongest {
        causes.entry(attitude.fact).or_default().affinity = f64::from(attitude.level);
    }
    let is_believed = |known: &&&Known| view.belief(known).status == BeliefStatus::Believed;
    let relations = |subject: &EntityId, object: &EntityId| -> Vec<&Known> {
        let relations =
            between.iter().filter(|known| known.subject() == subject && known.object().entity() == Some(object));
        relations.filter(is_believed).copied().collect()
    };
    let own = relations(knower, other);
    let fears = own
        .iter()
        .filter_map(|known| Some((f64::from(view.vocabulary().behavior(known.predicate()).fear?.get()), known.id())));
    if let Some((fear, fact)) = fears.max_by(|a, b| a.0.abs().total_cmp(&b.0.abs())) {
        causes.entry(fact).or_default().fear = fear;
    }
    for (relations, value) in [(own, OPEN_DEBT), (relations(other, knower), -OPEN_DEBT)] {
        let is_debt = |known: &&Known| view.vocabulary().behavior(known.predicate()).thread == Some(OpenThread::Debt);
        if let Some(debt) = relations.into_iter().find(is_debt) {
            causes.entry(debt.id()).or_default().debt = value;
        }
    }
    let causes = causes.into_iter().map(|(fact, change)| FeelingCause { fact, change });
    causes.filter(|cause| cause.change.strength() > 0.0).collect()
}

/// The pair of characters and the moment for which changes of feelings are computed.
pub(crate) struct FeelingContext<'a> {
    pub(crate) vocabulary: &'a Vocabulary,
    pub(crate) knower: &'a EntityId,
    pub(crate) other: &'a EntityId,
    /// The moment; `None` means that nothing decays.
    pub(crate) now: Option<GameTime>,
    /// The half-life of changes, in minutes of game time.
    pub(crate) half_life: i64,
}

impl FeelingContext<'_> {
    /// Returns whether a fact can change the feelings of the knower towards the other entity.
    pub(crate) fn is_deed(&self, known: &Known) -> bool {
        known.subject() == self.other
            && known.object().entity().is_some_and(|object| object != self.other)
            && self.vocabulary.is_deed(known.predicate())
    }

    /// Returns the changes that facts cause, in the order of the facts. Each fact has the credence of the knower. This
    /// credence is 0 if the knower believes that the fact is untrue or has ended.
    pub(crate) fn causes<'k>(
        &self,
        deeds: impl IntoIterator<Item = (&'k Known, f64)>,
        mut attitude_to: impl FnMut(&EntityId) -> i32,
    ) -> Vec<FeelingCause> {
        let cause = |(known, credence): (&Known, f64)| {
            let object = known.object().entity().filter(|_| credence > 0.0)?;
            let changes = &self.vocabulary.behavior(known.predicate()).feelings;
            let attitude = (object != self.knower).then(|| attitude_to(object));
            let factor = credence * self.decay(known);
            let change = FeelingValues::from_fn(|feeling| share(changes, feeling, attitude) * factor);
            (change.strength() > 0.0).then_some(FeelingCause { fact: known.id(), change })
        };
        deeds.into_iter().filter_map(cause).collect()
    }

    /// Returns the share of a change that remains at the moment after decay.
    fn decay(&self, known: &Known) -> f64 {
        let begin = known.since().and_then(|date| date.time).or_else(|| known.learned());
        let (Some(GameTime(now)), Some(GameTime(begin))) = (self.now, begin) else { return 1.0 };
        let age = now.saturating_sub(begin).max(0);
        0.5_f64.powf(age as f64 / self.half_life.max(1) as f64)
    }
}

/// Returns the change of one feeling without credence and decay. `attitude` is the attitude of the knower towards the
/// object of the fact; `None` if the knower is the object.
fn share(changes: &FeelingChanges, feeling: Feeling, attitude: Option<i32>) -> f64 {
    let change = f64::from(changes.get(feeling));
    match attitude {
        None => change,
        Some(_) if matches!(feeling, Feeling::Respect | Feeling::Fear) => change * BYSTANDER_SHARE,
        Some(attitude) if feeling == Feeling::Affinity => change * f64::from(attitude) / 100.0 * BYSTANDER_SHARE,
        Some(_) => 0.0,
    }
}

/// Returns the facts of a view that change the knower's feelings towards another entity, sorted by fact.
pub(crate) fn causes_in_view(view: &View, other: &EntityId, now: Option<GameTime>) -> Vec<FeelingCause> {
    let Some(knower) = view.knower().entity().filter(|knower| *knower != other) else { return Vec::new() };
    let now = now.or(view.as_of());
    let context =
        FeelingContext { vocabulary: view.vocabulary(), knower, other, now, half_life: view.feelings_half_life() };
    let deeds: Vec<&Known> = view.facts().filter(|known| context.is_deed(known)).collect();
    if deeds.is_empty() {
        return Vec::new();
    }
    let deeds = deeds.into_iter().map(|known| {
        let belief = view.belief(known);
        let counts = matches!(belief.status, BeliefStatus::Believed | BeliefStatus::Doubted);
        (known, if counts { belief.credence.get() } else { 0.0 })
    });
    let own: Vec<&Known> = view.facts_about(knower).collect();
    context.causes(deeds, |object| strongest_attitude(view.vocabulary(), knower, object, own.iter().copied()))
}

/// Returns the sum of the changes of the affinity.
pub(crate) fn affinity_change(causes: &[FeelingCause]) -> f64 {
    causes.iter().map(|cause| cause.change.affinity).sum()
}

#[cfg(test)]
mod tests;
