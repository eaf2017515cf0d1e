use hearsay_model::{Author, Change, Date, Entity, GameTime, Method, Operation, Position, Provenance, Validity};
use proptest::prelude::*;

use super::*;

type Items = BTreeSet<(EntityId, Clash, BTreeSet<FactId>)>;

/// Reference implementation: compares every fact with every other fact.
fn naive(state: &State) -> Items {
    let mut items: BTreeMap<(EntityId, Clash), BTreeSet<FactId>> = BTreeMap::new();
    let asserted_facts: Vec<&Arc<Fact>> = state.facts().filter(|fact| is_asserted(fact)).collect();
    for a in &asserted_facts {
        for b in asserted_facts.iter().filter(|b| b.id() != a.id()) {
            let mut add_conflict = |subject: &EntityId, clash| {
                items.entry((subject.clone(), clash)).or_default().extend([a.id(), b.id()]);
            };
            if let Some(FactRelation::Refutes(id)) = a.fact_relation()
                && id == b.id()
            {
                add_conflict(b.subject(), Clash::Refuted(id));
            }
            if a.subject() != b.subject() || !hold_together(a, b) {
                continue;
            }
            if a.predicate() == b.predicate() && state.is_functional(a.predicate()) && a.object() != b.object() {
                add_conflict(a.subject(), Clash::OneAtATime(a.predicate().clone()));
            }
            if let Some(object) = a.object().entity()
                && a.object() == b.object()
                && state.vocabulary().are_opposites(a.predicate(), b.predicate())
            {
                add_conflict(a.subject(), Clash::Opposites(object.clone()));
            }
        }
    }
    items.into_iter().map(|((subject, clash), facts)| (subject, clash, facts)).collect()
}

fn hold_together(a: &Fact, b: &Fact) -> bool {
    // First minute, last minute, and whether the start of an open fact is unknown.
    let interval = |fact: &Fact| {
        let validity = fact.validity();
        let start = validity.start().map_or(i64::MIN, |start| start.0);
        let end = match &validity.until {
            None => i64::MAX,
            Some(_) => validity.end()?.0,
        };
        Some((start, end, validity.from.is_none() && validity.until.is_none()))
    };
    let (Some((a_start, a_end, a_vague)), Some((b_start, b_end, b_vague))) = (interval(a), interval(b)) else {
        return false;
    };
    let is_over = |end| end != i64::MAX;
    let is_history = |fact: &Fact, end| is_over(end) && fact.status() == FactStatus::Canon;
    let settled = is_history(a, a_end) && is_history(b, b_end);
    let may_follow = (a_vague && is_over(b_end)) || (b_vague && is_over(a_end));
    !settled && !may_follow && a_start < b_end && b_start < a_end
}

pub(crate) fn id(n: u8) -> EntityId {
    EntityId::new(format!("e{}", n % 4)).unwrap()
}

/// A generated fact. Each number selects a value.
#[derive(Debug, Clone)]
pub(crate) struct GeneratedFact {
    subject: u8,
    predicate: u8,
    object: u8,
    from: Option<u8>,
    until: Option<Option<u8>>,
    status: u8,
}

#[derive(Debug, Clone)]
pub(crate) enum Step {
    Say(Vec<GeneratedFact>),
    Refute(u8),
    Move(u8, u8),
    End(u8, u8),
    Judge(u8, u8),
    Remove(u8),
    Add(u8),
    Revert(u8),
}

pub(crate) fn steps() -> impl Strategy<Value = Vec<Step>> {
    let minute = || 0..24_u8;
    let until = prop_oneof![3 => Just(None), 3 => minute().prop_map(|at| Some(Some(at))), 1 => Just(Some(None))];
    let generated_fact = (0..3_u8, 0..4_u8, 0..4_u8, prop::option::of(minute()), until, 0..5_u8);
    let generated_fact = generated_fact.prop_map(|(subject, predicate, object, from, until, status)| GeneratedFact {
        subject,
        predicate,
        object,
        from,
        until,
        status,
    });
    let step = prop_oneof![
        6 => prop::collection::vec(generated_fact, 1..4).prop_map(Step::Say),
        1 => any::<u8>().prop_map(Step::Refute),
        8 => (0..3_u8, 0..4_u8).prop_map(|(subject, object)| Step::Move(subject, object)),
        2 => (any::<u8>(), minute()).prop_map(|(fact, at)| Step::End(fact, at)),
        2 => (any::<u8>(), 0..5_u8).prop_map(|(fact, status)| Step::Judge(fact, status)),
        1 => any::<u8>().prop_map(Step::Remove),
        1 => any::<u8>().prop_map(Step::Add),
        1 => (1..40_u8).prop_map(Step::Revert),
    ];
    prop::collection::vec(step, 1..60)
}

fn date(minute: u8) -> Date {
    Date::at(GameTime(minute.into()))
}

fn fact(generated: &GeneratedFact) -> Option<Arc<Fact>> {
    let name = ["LOCATED_AT", "EMPLOYED_BY", "ALLIED_WITH", "HOSTILE_TO"][usize::from(generated.predicate)];
    let until = generated.until.map(|at| at.map_or(Date { raw: "long ago".into(), time: None }, date));
    let validity = Validity { from: generated.from.map(date), until };
    let provenance = Provenance::new(Method::Stated, Author::Extractor);
    let fact = Fact::relation(&id(generated.subject), name, &id(generated.object), provenance).ok()?;
    let fact = fact.status(FactStatus::ALL[usize::from(generated.status)]).validity(validity).build();
    fact.ok().map(Arc::new)
}

/// Returns the operation of a step. Returns `None` if the step needs a fact and the state has none. `clock` is the game
/// time in minutes.
pub(crate) fn operation(state: &State, step: &Step, clock: u8) -> Option<Operation> {
    let all: Vec<&Arc<Fact>> = state.facts().collect();
    let pick = |n: u8| all.get(usize::from(n) % all.len().max(1)).map(|fact| fact.id());
    let assert = |generated: &GeneratedFact| fact(generated).map(Change::AssertFact);
    let changes = match step {
        Step::Say(generated) => generated.iter().filter_map(assert).collect(),
        Step::Refute(n) => {
            let other = state.fact(pick(*n)?)?;
            let provenance = Provenance::new(Method::Stated, Author::Extractor);
            let refuting = Fact::attribute(other.subject(), "lore", format!("not {n}"), provenance).ok()?;
            let refuting = refuting.status(FactStatus::Claimed).fact_relation(Some(FactRelation::Refutes(other.id())));
            vec![Change::AssertFact(Arc::new(refuting.build().ok()?))]
        }
        Step::Move(subject, object) => {
            let name = Predicate::new("LOCATED_AT").ok()?;
            let open = state.values(&id(*subject), &name).into_iter();
            let open = open.filter(|fact| fact.validity().start().is_none_or(|start| start <= GameTime(clock.into())));
            let ended = open.map(|fact| Change::EndFact { fact: fact.id(), until: date(clock) });
            let (from, until, status) = (Some(clock), None, 2);
            let generated = GeneratedFact { subject: *subject, predicate: 0, object: *object, from, until, status };
            ended.chain(assert(&generated)).collect()
        }
        Step::End(n, at) => vec![Change::EndFact { fact: pick(*n)?, until: date(*at) }],
        Step::Judge(n, status) => {
            let status = FactStatus::ALL[usize::from(*status)];
            vec![Change::SetStatus { fact: pick(*n)?, status }]
        }
        Step::Remove(n) => vec![Change::RemoveEntity(id(*n))],
        Step::Add(n) => vec![Change::AddEntity(Entity::new(id(*n)))],
        Step::Revert(n) => vec![Change::Revert(Position(u64::from(*n)))],
    };
    Some(Operation::new(Author::Dm, "step", changes))
}

/// Returns a state with the entities of the steps.
pub(crate) fn stage() -> State {
    let begin = (0..4).map(|n| Change::AddEntity(Entity::new(id(n)))).collect();
    State::fold([Operation::new(Author::Dm, "begin", begin)]).unwrap()
}

proptest! {
    #[test]
    fn contradictions_equal_their_definition_after_every_operation(steps in steps()) {
        let mut state = stage();
        let mut incremental = Contradictions::from_state(&state);
        for (clock, step) in (0..).zip(&steps) {
            let Some(operation) = operation(&state, step, clock) else { continue };
            let Ok(applied) = state.apply(operation) else { continue };
            incremental.update(&state, &applied.touched);
            prop_assert_eq!(&incremental, &Contradictions::from_state(&state));
            let items: Items = incremental
                .iter()
                .map(|(subject, clash, facts)| (subject.clone(), clash.clone(), facts.into_iter().collect()))
                .collect();
            prop_assert_eq!(items, naive(&state));
        }
    }
}

#[test]
fn states_clash_when_both_cannot_be_so() {
    let check = |a: (&str, Validity), b: (&str, Validity), expected: bool| {
        let mut state = State::default();
        let mut changes: Vec<Change> =
            ["e0", "inn", "mill"].map(|id| Change::AddEntity(Entity::new(EntityId::new(id).unwrap()))).into();
        for (object, validity) in [a, b] {
            let provenance = Provenance::new(Method::Stated, Author::Extractor);
            let object = EntityId::new(object).unwrap();
            let fact = Fact::relation(&id(0), "LOCATED_AT", &object, provenance).unwrap();
            changes.push(Change::AssertFact(Arc::new(fact.validity(validity).build().unwrap())));
        }
        state.apply(Operation::new(Author::Dm, "say", changes)).unwrap();
        assert_eq!(Contradictions::from_state(&state).count() > 0, expected);
        assert_eq!(!naive(&state).is_empty(), expected);
    };
    let from_to = |from: Option<i64>, until: Option<i64>| {
        let date = |minute: i64| Date::at(GameTime(minute));
        Validity { from: from.map(date), until: until.map(date) }
    };
    let over = Validity { from: None, until: Some(Date { raw: String::new(), time: None }) };
    check(("inn", from_to(None, None)), ("mill", from_to(None, None)), true);
    check(("inn", from_to(None, None)), ("inn", from_to(None, None)), false);
    check(("inn", from_to(None, Some(5))), ("mill", from_to(Some(5), None)), false);
    check(("inn", from_to(None, Some(6))), ("mill", from_to(Some(5), None)), true);
    check(("inn", over.clone()), ("mill", from_to(None, None)), false);
    check(("inn", over.clone()), ("mill", over), false);
}
