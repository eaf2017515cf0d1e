use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use hearsay_model::{
    Acquisition, Author, Change, Confidence, Date, Entity, EntityId, Evidence, ExternalId, Fact, FactId, FactRelation,
    FactStatus, GameTime, Justification, Knower, KnowledgeEdge, Method, Operation, Passage, PassageId, Position,
    Provenance, ReviewSetting, Session, SessionId, Setting, Span, State, Timestamp, Validity,
};
use hearsay_query::resolve::{resolve, resolve_merged};
use proptest::prelude::*;

use super::*;

fn id(n: u8) -> EntityId {
    EntityId::new(format!("e{}", n % 6)).unwrap()
}

/// An entity that has nothing to do with the merge.
fn bystander(n: u8) -> EntityId {
    id(2 + n % 4)
}

fn passage(n: u8) -> Arc<Passage> {
    let n = n % 6;
    let (speaker, place) = ((!n.is_multiple_of(3)).then(|| id(n)), n.is_multiple_of(2).then(|| id(n / 2)));
    let mut heard_by: Vec<Knower> = vec![id(n / 2).into(), id(n + 1).into()];
    heard_by.sort();
    heard_by.dedup();
    Arc::new(Passage { speaker, place, heard_by, mentions: vec![id(n + 2)], ..Passage::new(format!("Line {n}.")) })
}

fn provenance(n: u8) -> Provenance {
    let author = if n.is_multiple_of(3) { Author::Dm } else { Author::Extractor };
    let span = Span { start: 0, end: 4 };
    let quote = Evidence::Passage { passage: passage(n / 3).id(), span, quote: "Line".into() };
    Provenance {
        speaker: n.is_multiple_of(2).then(|| id(n / 2)),
        confidence: Confidence::new(f64::from(n % 10) / 10.0).unwrap(),
        evidence: if n.is_multiple_of(4) { vec![quote] } else { vec![] },
        ..Provenance::new(Method::Stated, author)
    }
}

fn fact(n: u8) -> Arc<Fact> {
    let (subject, object) = (id(n), id(n / 6));
    let builder = match n % 5 {
        0 => Fact::attribute(&subject, "name", format!("Name {}", n % 7), provenance(n)),
        1 => Fact::attribute(&subject, "lore", format!("Lore {n}."), provenance(n)),
        _ => Fact::relation(&subject, ["KNOWS", "LOCATED_AT", "OWES"][usize::from(n / 5) % 3], &object, provenance(n)),
    };
    let refuted = (n % 5 == 1 && n > 40).then(|| FactRelation::Refutes(fact(n / 4).id()));
    let builder = builder.unwrap().mentions([id(n / 3)]).status(FactStatus::ALL[usize::from(n / 2) % 4]);
    Arc::new(builder.fact_relation(refuted).build().unwrap())
}

/// Returns an authored edge if `depth` is 0. If `depth` is greater than 0, returns an edge that depends on an edge of
/// another knower.
fn edge(n: u8, depth: u8) -> Arc<KnowledgeEdge> {
    let fact_id = fact(n).id();
    let knower = id(n / 5 + depth);
    let authored =
        KnowledgeEdge { co_present: vec![id(n / 7 + 1)], ..KnowledgeEdge::authored(knower.clone().into(), fact_id) };
    if depth == 0 {
        return Arc::new(authored.sorted());
    }
    let basis = edge(n, depth - 1);
    let (teller, sources) =
        (basis.knower.entity().cloned(), vec![Justification::Basis { fact: fact_id, edge: basis.id() }]);
    let told_edge = KnowledgeEdge { acquisition: Acquisition::told(teller), sources, ..authored };
    Arc::new(told_edge.sorted())
}

fn apply(state: &mut State, changes: Vec<Change>) -> bool {
    state.apply(Operation::new(Author::Dm, "do", changes)).is_ok()
}

/// Returns a state with six entities. The tests merge the first two entities.
fn world(parts: &[(u8, u8)]) -> State {
    let mut state = State::default();
    let external = |n: u8| ExternalId { system: "file".into(), id: format!("x{n}") };
    let add = (0..6).map(|n| Change::AddEntity(Entity { id: id(n), external_ids: vec![external(n)] })).collect();
    assert!(apply(&mut state, add));
    let present = vec![id(0), id(3)];
    let session =
        Session { number: Some(1), title: "One".into(), present, ..Session::new(SessionId::new("s1").unwrap()) };
    assert!(apply(&mut state, vec![Change::SetSession(session)]));
    for &(change_type, n) in parts {
        let change = match change_type % 8 {
            0..=2 => Change::AssertFact(fact(n)),
            3 | 4 => Change::Learn(edge(n, 0)),
            5 => Change::Learn(edge(n, 1)),
            6 => Change::Learn(edge(n, 2)),
            _ => Change::AddPassage(passage(n)),
        };
        apply(&mut state, vec![change]);
    }
    state
}

/// Returns the changes of an operation after the merge. The changes concern the fact `about` or the fact `remark`.
fn later_changes(change_type: u8, n: u8, about: FactId, remark: FactId) -> Vec<Change> {
    let learn = |edge: KnowledgeEdge| Change::Learn(Arc::new(edge.sorted()));
    let remarks = |number: u8| {
        let provenance = Provenance::new(Method::Authored, Author::Dm);
        let builder = Fact::attribute(&bystander(n), "lore", format!("Remark {number}."), provenance).unwrap();
        builder.fact_relation(Some(FactRelation::Refutes(about))).build().unwrap()
    };
    let change = match change_type % 9 {
        0 => Change::SetStatus { fact: about, status: FactStatus::ALL[usize::from(n) % 5] },
        1 => Change::Confirm(about),
        2 => Change::EndFact { fact: about, until: Date::at(GameTime(10_000)) },
        3 if n < 60 => Change::RetractFact(about),
        3 | 4 => learn(KnowledgeEdge::authored(bystander(n).into(), about)),
        5 => {
            let teller = KnowledgeEdge::authored(bystander(n).into(), about);
            let sources = vec![Justification::Basis { fact: about, edge: teller.id() }];
            let acquisition = Acquisition::told(Some(bystander(n)));
            let told_edge =
                KnowledgeEdge { acquisition, sources, ..KnowledgeEdge::authored(bystander(n / 4 + 1).into(), about) };
            return vec![learn(teller), learn(told_edge)];
        }
        6 => Change::AssertFact(Arc::new(remarks(n % 3))),
        7 => Change::SetStatus { fact: remark, status: FactStatus::False },
        _ => learn(KnowledgeEdge::authored(bystander(n).into(), remark)),
    };
    vec![change]
}

/// Returns the new id of each fact that the merge moved; `None` if the fact has no new id of its own.
fn new_fact_ids(plan: &MergePlan) -> BTreeMap<FactId, Option<FactId>> {
    let mut new_ids = BTreeMap::new();
    for (number, change) in plan.operation.changes.iter().enumerate() {
        let Change::RetractFact(old) = change else { continue };
        let new = match &plan.operation.changes[number - 1] {
            Change::AssertFact(new) => Some(new.id()),
            _ => None,
        };
        new_ids.insert(*old, new);
    }
    new_ids
}

fn plan_merge(state: &State) -> MergePlan {
    merge(state, &id(0), &id(1), Author::Dm, Timestamp(0)).unwrap()
}

proptest! {
    #[test]
    fn a_split_is_as_if_nothing_had_been_merged(
        parts in prop::collection::vec((any::<u8>(), any::<u8>()), 1..60),
        writes in prop::collection::vec((any::<u8>(), any::<u8>(), any::<prop::sample::Index>()), 0..12),
    ) {
        let mut unmerged = world(&parts);
        let mut state = unmerged.clone();
        let plan = plan_merge(&state);
        let new_ids = new_fact_ids(&plan);
        state.apply(plan.operation).unwrap();
        let facts: Vec<FactId> = unmerged.facts().map(|fact| fact.id()).collect();
        let no_fact: FactId = "0".repeat(32).parse().unwrap();
        let (mut remark, mut merged_remark) = (no_fact, no_fact);
        for (change_type, n, fact_index) in writes {
            if facts.is_empty() {
                break;
            }
            let about = *fact_index.get(&facts);
            let Some(merged_about) = new_ids.get(&about).copied().unwrap_or(Some(about)) else { continue };
            let (one, other) = (later_changes(change_type, n, about, remark), later_changes(change_type, n, merged_about, merged_remark));
            if let (Change::AssertFact(one), Change::AssertFact(other)) = (&one[0], &other[0]) {
                (remark, merged_remark) = (one.id(), other.id());
            }
            prop_assert_eq!(apply(&mut unmerged, one.clone()), apply(&mut state, other), "{:?}", one);
        }
        state.apply(split(&state, &id(0), Timestamp(0)).unwrap()).unwrap();
        unmerged.apply(mark_distinct(&unmerged, &id(0), &id(1), Timestamp(0)).unwrap()).unwrap();
        prop_assert!(unmerged.entities().eq(state.entities()), "entities");
        let (left, right): (Vec<_>, Vec<_>) = (unmerged.facts().collect(), state.facts().collect());
        prop_assert_eq!(left, right);
        let (left, right): (Vec<_>, Vec<_>) = (unmerged.all_knowledge().collect(), state.all_knowledge().collect());
        prop_assert_eq!(left, right);
        prop_assert!(unmerged == state);
    }

    #[test]
    fn no_record_names_a_merged_entity(parts in prop::collection::vec((any::<u8>(), any::<u8>()), 1..60)) {
        let before = world(&parts);
        let mut state = before.clone();
        state.apply(plan_merge(&state).operation).unwrap();
        let removed = id(0);
        prop_assert!(state.entity(&removed).is_none());
        let passages: BTreeSet<PassageId> = state.passages().map(|(id, _)| id).collect();
        for fact in state.facts() {
            let provenance = fact.provenance();
            prop_assert!(fact.entities().chain(&provenance.speaker).all(|id| *id != removed), "{fact:?}");
            for evidence in &provenance.evidence {
                let Evidence::Passage { passage, .. } = evidence else { continue };
                let moved = before.passage(*passage).is_some() && !passages.contains(passage);
                prop_assert!(!moved, "the evidence refers to a passage that was renamed");
            }
            for (_, edge) in state.recorded_edges(fact.id()) {
                let entities = match &edge.acquisition {
                    Acquisition::Told { by, .. } => by.iter().collect::<Vec<_>>(),
                    _ => Vec::new(),
                };
                prop_assert!(entities.into_iter().chain(&edge.co_present).all(|id| *id != removed) || !state.shows(&hearsay_model::Key::KnowledgeEdge(edge.id())));
            }
        }
        for (_, passage) in state.passages() {
            let entities = passage.speaker.iter().chain(&passage.place).chain(&passage.mentions);
            prop_assert!(entities.chain(passage.heard_by.iter().filter_map(Knower::entity)).all(|id| *id != removed));
        }
        prop_assert!(state.sessions().all(|session| !session.present.contains(&removed)));
        // Every other knower knows as many facts as before.
        let count = |state: &State, n: u8| state.knowledge_of(&id(n).into()).map(|edge| edge.fact).collect::<BTreeSet<_>>().len();
        let dropped = new_fact_ids(&plan_merge(&before)).values().filter(|to| to.is_none()).count();
        for n in 2..6 {
            prop_assert!(count(&state, n) + dropped >= count(&before, n));
        }
        // The remaining entity has the external ids of both entities.
        prop_assert_eq!(state.entity(&id(1)).unwrap().external_ids.len(), 2);
        // Reverting the operation restores the earlier state exactly.
        state.apply(Operation::new(Author::Dm, "undo", vec![Change::Revert(state.position())])).unwrap();
        prop_assert!(state == before);
    }
}

fn named(state: &mut State, entity: &str, names: &[&str], kind: &str) {
    let id = EntityId::new(entity).unwrap();
    let mut changes = vec![Change::AddEntity(Entity::new(id.clone()))];
    let attributes = std::iter::once(("kind", kind))
        .chain(names.iter().enumerate().map(|(number, name)| (if number == 0 { "name" } else { "alias" }, *name)));
    for (attribute, value) in attributes {
        let provenance = Provenance::new(Method::Authored, Author::Dm);
        let fact = Fact::attribute(&id, attribute, value, provenance).unwrap().build().unwrap();
        changes.push(Change::AssertFact(Arc::new(fact)));
    }
    assert!(apply(state, changes));
}

fn relate(state: &mut State, subject: &str, predicate: &str, object: &str) {
    let id = |id: &str| EntityId::new(id).unwrap();
    let provenance = Provenance::new(Method::Authored, Author::Dm);
    let fact = Fact::relation(&id(subject), predicate, &id(object), provenance).unwrap().build().unwrap();
    assert!(apply(state, vec![Change::AssertFact(Arc::new(fact))]));
}

#[test]
fn the_value_with_the_higher_confidence_stays_and_the_other_is_a_claim() {
    let mut state = State::default();
    for (id, name, kind) in
        [("a", "Old Ada", "npc"), ("b", "Ada Flint", "npc"), ("inn", "Inn", "location"), ("mill", "Mill", "location")]
    {
        named(&mut state, id, &[name], kind);
    }
    let id = |id: &str| EntityId::new(id).unwrap();
    let at = |entity: &str, place: &str, confidence: f64| {
        let provenance = Provenance {
            confidence: Confidence::new(confidence).unwrap(),
            ..Provenance::new(Method::Inferred, Author::Extractor)
        };
        let validity = Validity::default();
        let builder = Fact::relation(&id(entity), "LOCATED_AT", &id(place), provenance).unwrap();
        Change::AssertFact(Arc::new(builder.validity(validity).build().unwrap()))
    };
    apply(&mut state, vec![at("a", "inn", 0.9), at("b", "mill", 0.8)]);
    let plan = merge(&state, &id("a"), &id("b"), Author::Dm, Timestamp(0)).unwrap();
    assert_eq!(plan.undecided.len(), 1);
    state.apply(plan.operation).unwrap();
    let status = |state: &State, place: &str| {
        let found = state.facts_of(&id("b")).find(|fact| fact.object().entity() == Some(&id(place)));
        found.map(|fact| fact.status())
    };
    assert_eq!(status(&state, "inn"), Some(FactStatus::Canon));
    assert_eq!(status(&state, "mill"), Some(FactStatus::Claimed));
    assert_eq!(state.names(&id("b")), ["Ada Flint", "Old Ada"]);
    assert_eq!(resolve(&state, "Old Ada").unwrap(), id("b"));
    assert_eq!(resolve_merged(&state, "Ada Flint").unwrap(), id("b"));
    assert_eq!(resolve_merged(&state, "a").unwrap(), id("a"), "the removed entity");
    assert_eq!(state.merged_into(&id("a")), Some(&id("b")));
    // After the split, each entity has its own canon value again.
    let position = state.position();
    state.apply(split(&state, &id("b"), Timestamp(0)).unwrap()).unwrap();
    assert_eq!((status(&state, "mill"), status(&state, "inn")), (Some(FactStatus::Canon), None));
    assert!(state.are_distinct(&id("a"), &id("b")));
    assert!(!state.entry(position).unwrap().live && state.merged_into(&id("a")).is_none());
}

#[test]
fn merges_of_merges_are_split_from_the_last() {
    let mut state = State::default();
    for name in ["Ada", "Beda", "Cedda"] {
        named(&mut state, &name.to_lowercase(), &[name], "npc");
    }
    named(&mut state, "inn", &["Inn"], "location");
    relate(&mut state, "ada", "OWES", "inn");
    let before = state.clone();
    let id = |id: &str| EntityId::new(id).unwrap();
    let join = |state: &mut State, a: &str, b: &str| {
        let operation = merge(state, &id(a), &id(b), Author::Dm, Timestamp(0)).unwrap().operation;
        state.apply(operation).unwrap();
    };
    join(&mut state, "ada", "beda");
    join(&mut state, "beda", "cedda");
    let error = split(&state, &id("ada"), Timestamp(0)).unwrap_err().to_string();
    assert!(error.contains("split `beda` first"), "{error}");
    let entity = |name: &str| resolve(&state, name).unwrap();
    let error = merge(&state, &entity("Ada"), &entity("Cedda"), Author::Dm, Timestamp(0)).unwrap_err().to_string();
    assert!(error.contains("both names refer to `cedda`"), "{error}");
    for removed in ["beda", "ada"] {
        state.apply(split(&state, &id(removed), Timestamp(0)).unwrap()).unwrap();
    }
    assert!(before.facts().eq(state.facts()) && before.entities().eq(state.entities()));
    let error = split(&state, &id("ada"), Timestamp(0)).unwrap_err().to_string();
    assert!(error.contains("no entity was merged into `ada`"), "{error}");
    // If two entities were merged into the same entity, the split needs the id of one of them.
    join(&mut state, "ada", "cedda");
    join(&mut state, "beda", "cedda");
    let error = split(&state, &id("cedda"), Timestamp(0)).unwrap_err().to_string();
    assert!(error.contains("`ada`, `beda`"), "{error}");
    state.apply(split(&state, &id("ada"), Timestamp(0)).unwrap()).unwrap();
    assert!(state.entity(&id("ada")).is_some());
    assert_eq!(state.position(), Position(state.journal().count() as u64));
}

#[test]
fn a_lie_contradicts_the_moved_fact_after_a_merge() {
    let mut state = world(&[]);
    let lore = |n: u8, text: &str| {
        Fact::attribute(&id(n), "lore", text, Provenance::new(Method::Authored, Author::Dm)).unwrap()
    };
    let truth = lore(0, "The truth.").build().unwrap();
    let lie = lore(3, "The lie.").contradicts([truth.id()]).build().unwrap();
    let lie_id = lie.id();
    assert!(apply(&mut state, vec![Change::AssertFact(truth.into()), Change::AssertFact(lie.into())]));
    state.apply(plan_merge(&state).operation).unwrap();
    let moved = state.facts().find(|fact| *fact.subject() == id(1)).unwrap().id();
    assert_eq!(state.fact(lie_id).unwrap().contradicts(), [moved]);
}

#[test]
fn an_export_contains_merges() {
    let mut state = State::default();
    let id = |id: &str| EntityId::new(id).unwrap();
    named(&mut state, "a", &["Old Ada"], "npc");
    named(&mut state, "b", &["Ada Flint"], "npc");
    named(&mut state, "c", &["Ada Flynt"], "npc");
    relate(&mut state, "a", "OWES", "c");
    state.apply(merge(&state, &id("a"), &id("b"), Author::Dm, Timestamp(0)).unwrap().operation).unwrap();
    state.apply(mark_distinct(&state, &id("b"), &id("c"), Timestamp(0)).unwrap()).unwrap();
    state.apply(crate::teach::Teach::Reset.operation(&state, Timestamp(0))).unwrap();
    let mut bytes = Vec::new();
    hearsay_campaign::export_jsonl(&state, &mut bytes).unwrap();
    let changes = hearsay_campaign::read_jsonl(&bytes[..]).unwrap();
    let again = State::fold([Operation::new(Author::Dm, "import", changes)]).unwrap();
    assert!(again == state);
    assert!(again.settings().any(|setting| matches!(**setting, Setting::Review(ReviewSetting::Distinct { .. }))));
    let error = split(&again, &id("a"), Timestamp(0)).unwrap_err().to_string();
    assert!(error.contains("contain this merge"), "{error}");
}
