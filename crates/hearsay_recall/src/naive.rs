//! Property tests that compare the optimised code with simple definitions, such as a ranking that computes every cosine
//! in full.

use std::sync::Arc;

use hearsay_belief::View;
use hearsay_model::{
    Author, Change, Date, Entity, EntityId, Evidence, Fact, FactId, GameTime, Knower, KnowledgeEdge, Method, Operation,
    Passage, Position, Provenance, Span, State,
};
use proptest::prelude::*;

use crate::{DocId, EntityLinker, Index, Query, Ranked, Ranking, TermCache, VectorSet, rank, vectors::Vectors};

const WORDS: [&str; 8] = ["lantern", "quay", "ledger", "chapel", "debt", "smuggler", "organ", "silver"];

fn id(n: u8) -> EntityId {
    EntityId::new(format!("e{}", n % 12)).unwrap()
}

fn words(seed: u8) -> String {
    (0..1 + seed % 4).map(|n| WORDS[usize::from(seed / 4 + n * n) % 8]).collect::<Vec<_>>().join(" ")
}

/// Returns operations that build a campaign from seeds. The operations add facts and passages with few knowers, end and
/// retract facts, and revert operations.
fn operations(seeds: &[(u8, u8, u8)]) -> Vec<Operation> {
    let add = (0..12).map(|n| Change::AddEntity(Entity::new(id(n)))).collect();
    let mut operations = vec![Operation::new(Author::Dm, "add", add)];
    let (mut facts, mut passages): (Vec<FactId>, Vec<_>) = (Vec::new(), Vec::new());
    for &(n, m, k) in seeds {
        let mut provenance = Provenance::new(Method::Authored, Author::Dm);
        if let Some(passage) = passages.get(usize::from(k) % 7).filter(|_| m.is_multiple_of(2)) {
            let span = Span { start: 0, end: 1 };
            provenance.evidence.push(Evidence::Passage { passage: *passage, span, quote: "x".into() });
        }
        let knower = if k.is_multiple_of(5) { Knower::World } else { id(k).into() };
        let changes = match (n % 8, facts.get(usize::from(m) % facts.len().max(1))) {
            (0, _) if k.is_multiple_of(4) && !passages.is_empty() => {
                vec![Change::RemovePassage(passages[usize::from(m) % passages.len()])]
            }
            (1, _) if k.is_multiple_of(4) => {
                vec![Change::Revert(Position(operations.len() as u64 * u64::from(m) / 256 + 1))]
            }
            (0, _) => {
                let time = Some(Date { raw: words(k), time: Some(GameTime(m.into())) });
                let passage = Passage { line: u32::from(m % 16), time, ..Passage::new(words(m)) };
                let passage = Passage { heard_by: vec![knower], speaker: Some(id(n / 8)), ..passage };
                passages.push(passage.id());
                vec![Change::AddPassage(passage.into())]
            }
            (1, Some(fact)) => vec![Change::RetractFact(*fact)],
            (2, Some(fact)) => vec![Change::EndFact { fact: *fact, until: Date::at(GameTime(i64::MAX)) }],
            (kind, _) => {
                let fact = match kind {
                    3 => Fact::attribute(&id(n / 8), "name", words(m), provenance),
                    4 => Fact::attribute(&id(n / 8), "lore", words(m), provenance),
                    _ => Fact::relation(&id(n / 8), ["KNOWS", "OWES"][usize::from(m % 2)], &id(m / 2), provenance),
                };
                let fact = fact.unwrap().statement(format!("{} {}", words(m), words(k))).build().unwrap();
                facts.push(fact.id());
                let edge = KnowledgeEdge::authored(knower, fact.id());
                vec![Change::AssertFact(Arc::new(fact)), Change::Learn(Arc::new(edge))]
            }
        };
        operations.push(Operation::new(Author::Dm, "edit", changes));
    }
    operations
}

/// Applies an operation and returns the touched keys. Ignores errors, for example when an operation ends a retracted
/// fact.
fn apply(state: &mut State, operation: Operation) -> Vec<hearsay_model::Key> {
    state.apply(operation).map(|applied| applied.touched).unwrap_or_default()
}

/// Returns the state after all operations that the seeds give.
fn build_state(seeds: &[(u8, u8, u8)]) -> State {
    let mut state = State::default();
    for operation in operations(seeds) {
        apply(&mut state, operation);
    }
    state
}

/// Returns a vector of length 1 that depends only on `seed` and `dimension`. Close seeds give nearly equal vectors.
fn vector(seed: u64, dimension: usize) -> Vec<f32> {
    // The offset prevents zero vectors.
    let wave = |at: usize| (0.1 + (seed % 7) as f32 + (seed as f32) * 1e-3 + at as f32 * 0.7).sin();
    let vector: Vec<f32> = (0..dimension).map(wave).collect();
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    vector.into_iter().map(|x| x / length).collect()
}

/// Sets a vector for about three of four texts. Texts of the same length get equal vectors, so that some scores tie.
fn set_vectors(index: &mut Index, state: &State, dimension: usize) {
    let facts = state.facts().map(|fact| (DocId::Fact(fact.id()), fact.statement().len()));
    let passages = state.passages().map(|(id, passage)| (DocId::Passage(id), passage.text.len()));
    for (doc, seed) in facts.chain(passages).filter(|(_, seed)| seed % 4 != 0) {
        index.set_vector(doc, &vector(seed as u64, dimension));
    }
}

fn query<'a>(view: &View, text: &'a str, vector: &'a [f32]) -> Query<'a> {
    let names = EntityLinker::new(view);
    let named = names.mentioned_entities(text);
    Query { text, vector: Some(vector), named, graph: true, ..Query::default() }
}

fn top_results<'r>(all: &'r [Ranked], accepts: impl Fn(DocId) -> bool, limit: usize) -> Vec<(DocId, u32, f32)> {
    let key = |ranked: &'r Ranked| (ranked.doc, ranked.score.to_bits(), ranked.explanation.activation);
    all.iter().filter(|ranked| accepts(ranked.doc)).take(limit).map(key).collect()
}

/// Checks that two indexes give equal rankings for the DM and for one character.
fn check_equal_rankings(
    state: &State,
    indexes: [&Index; 2],
    knower: u8,
    question: u8,
    dimension: usize,
) -> Result<(), TestCaseError> {
    let (text, vector) = (words(question), vector(question.into(), dimension));
    for view in [View::of_dm(state), View::new(state, &Knower::Entity(id(knower)), None)] {
        let query = query(&view, &text, &vector);
        prop_assert_eq!(rank(&view, indexes[0], &query), rank(&view, indexes[1], &query));
    }
    Ok(())
}

proptest! {
    #[test]
    fn an_approximate_score_stays_within_its_error_bound(
        vectors in prop::collection::vec(prop::collection::vec(-1.0_f32..1.0, 37), 1..8),
        question in prop::collection::vec(-1.0_f32..1.0, 37),
    ) {
        let mut all = Vectors::default();
        let numbers: Vec<u32> = vectors.iter().filter_map(|vector| all.push(vector)).collect();
        let probe = all.probe(&question).unwrap();
        for number in numbers {
            let (cosine, error) = probe.estimate(number);
            prop_assert!((cosine - probe.full(number)).abs() <= error, "{cosine} {error} {}", probe.full(number));
        }
    }

    #[test]
    fn a_ranking_equals_one_in_which_every_cosine_is_full(
        seeds in prop::collection::vec(any::<(u8, u8, u8)>(), 1..60),
        knower in 0_u8..12,
        question in any::<u8>(),
        dimension in 1_usize..24,
    ) {
        let state = build_state(&seeds);
        let mut index = Index::new(state.corpus());
        set_vectors(&mut index, &state, dimension);
        let mut full = index.clone();
        full.compute_all_cosines_in_full();
        check_equal_rankings(&state, [&index, &full], knower, question, dimension)?;
    }

    #[test]
    fn the_first_results_are_those_of_the_whole_ranking(
        seeds in prop::collection::vec(any::<(u8, u8, u8)>(), 1..60),
        knower in 0_u8..12,
        limit in 1_usize..12,
        question in any::<u8>(),
        dimension in 1_usize..24,
    ) {
        let state = build_state(&seeds);
        let mut index = Index::new(state.corpus());
        set_vectors(&mut index, &state, dimension);
        let (text, vector) = (words(question), vector(question.into(), dimension));
        for view in [View::of_dm(&state), View::new(&state, &Knower::Entity(id(knower)), None)] {
            let query = query(&view, &text, &vector);
            let all = rank(&view, &index, &query);
            let mut ranking = Ranking::new(&view, &index, &query);
            let key = |ranked: &Ranked| (ranked.doc, ranked.score.to_bits(), ranked.explanation.activation);
            let is_fact = |doc: DocId| matches!(doc, DocId::Fact(_));
            let odd = |doc: DocId| matches!(doc, DocId::Fact(id) if id.as_u128() % 2 == 1);
            let facts: Vec<_> = ranking.facts(limit, |_| true).iter().map(key).collect();
            prop_assert_eq!(facts, top_results(&all, is_fact, limit));
            let facts: Vec<_> = ranking.facts(limit, |known| odd(DocId::Fact(known.id()))).iter().map(key).collect();
            prop_assert_eq!(facts, top_results(&all, odd, limit));
            let passages: Vec<_> = ranking.passages(limit, |_| true).iter().map(key).collect();
            prop_assert_eq!(passages, top_results(&all, |doc| !is_fact(doc), limit));
            // The cosine of a fact must be exact. The cosine of a passage may differ, because the ranking subtracts the
            // part that comes from addressing a person by name.
            for ranked in all.iter().filter(|ranked| is_fact(ranked.doc)) {
                if let (Some(cosine), Some(vector)) = (ranked.explanation.cosine, index.vector(ranked.doc)) {
                    let product = |(a, b): (&f32, &f32)| f64::from(*a) * f64::from(*b);
                    let full: f64 = vector.iter().zip(query.vector.unwrap()).map(product).sum();
                    prop_assert!((f64::from(cosine) - full).abs() < 1e-5, "{cosine} is not {full}");
                }
            }
        }
    }

    #[test]
    fn an_index_that_is_fed_equals_one_that_is_built(
        seeds in prop::collection::vec(any::<(u8, u8, u8)>(), 1..40),
        question in any::<u8>(),
    ) {
        let (mut state, mut updated) = (State::default(), Index::default());
        for operation in operations(&seeds) {
            let touched = apply(&mut state, operation);
            updated.update(state.corpus(), &touched);
        }
        let mut built = Index::new(state.corpus());
        set_vectors(&mut updated, &state, 16);
        set_vectors(&mut built, &state, 16);
        check_equal_rankings(&state, [&updated, &built], question, question, 16)?;
    }

    #[test]
    fn an_index_that_was_stored_equals_one_that_is_built(
        seeds in prop::collection::vec(any::<(u8, u8, u8)>(), 1..60),
        stored_after in 0_usize..60,
        loaded_after in 0_usize..60,
        question in any::<u8>(),
    ) {
        // Stores the cache after one operation, reads it after a later operation, and updates the index from then on.
        let (mut state, mut cache, mut loaded) = (State::default(), None, None);
        let operations = operations(&seeds);
        let stored_after = stored_after % operations.len();
        let loaded_after = stored_after + loaded_after % (operations.len() - stored_after);
        for (at, operation) in operations.into_iter().enumerate() {
            let touched = apply(&mut state, operation);
            loaded.iter_mut().for_each(|index: &mut Index| drop(index.update(state.corpus(), &touched)));
            if at == stored_after {
                cache = TermCache::decode(&Index::new(state.corpus()).term_cache().encode());
            }
            if at == loaded_after {
                loaded = cache.take().map(|cache| Index::with_cache(state.corpus(), cache));
            }
        }
        let (mut loaded, mut built) = (loaded.unwrap(), Index::new(state.corpus()));
        prop_assert_eq!(loaded.term_cache().len(), built.term_cache().len());
        let mut vectors = VectorSet::default();
        let facts = state.facts().map(|fact| (DocId::Fact(fact.id()), fact.statement().len()));
        let passages = state.passages().map(|(id, passage)| (DocId::Passage(id), passage.text.len()));
        let texts: Vec<_> = facts.chain(passages).filter(|(_, seed)| seed % 4 != 0).collect();
        for (_, seed) in &texts {
            vectors.push([*seed as u8; 16], &vector(*seed as u64, 16));
        }
        let mut stored = VectorSet::default();
        prop_assert!(vectors.is_empty() || stored.decode(&vectors.encode()));
        loaded.add_vectors(stored);
        texts.iter().for_each(|(doc, seed)| _ = loaded.assign_vector(*doc, [*seed as u8; 16]));
        set_vectors(&mut built, &state, 16);
        check_equal_rankings(&state, [&loaded, &built], question, question, 16)?;
    }

    #[test]
    fn an_index_serves_a_state_of_another_history(
        seeds in prop::collection::vec((2_u8..8, any::<u8>(), any::<u8>()), 1..40),
        question in any::<u8>(),
    ) {
        let facts = seeds.into_iter().map(|(kind, m, k)| (kind.max(3), m, k)).collect::<Vec<_>>();
        let (mut state, mut other) = (State::default(), State::default());
        let mut operations = operations(&facts);
        for operation in &operations {
            apply(&mut state, operation.clone());
        }
        operations[1..].reverse();
        for operation in operations {
            apply(&mut other, operation);
        }
        let (text, view) = (words(question), View::of_dm(&other));
        let query = Query { text: &text, ..Query::default() };
        prop_assert_eq!(rank(&view, &Index::new(state.corpus()), &query), rank(&view, &Index::new(other.corpus()), &query));
    }
}

/// Checks that an update takes time in proportion to its changes: a hundred updates take less time than building the
/// index once.
#[test]
fn feeding_costs_what_changes() {
    let mut state = State::default();
    let add = Change::AddEntity(Entity::new(id(0)));
    let fact = |n: usize| {
        let provenance = Provenance::new(Method::Authored, Author::Dm);
        let fact = Fact::attribute(&id(0), "lore", format!("{} number {n}", words(n as u8)), provenance);
        Change::AssertFact(Arc::new(fact.unwrap().build().unwrap()))
    };
    let many = std::iter::once(add).chain((0..20_000).map(fact)).collect();
    state.apply(Operation::new(Author::Dm, "many", many)).unwrap();
    let start = std::time::Instant::now();
    let mut index = Index::new(state.corpus());
    let build_time = start.elapsed();
    let mut update_time = std::time::Duration::ZERO;
    for n in 20_000..20_100 {
        let touched = state.apply(Operation::new(Author::Dm, "one", vec![fact(n)])).unwrap().touched;
        let start = std::time::Instant::now();
        index.update(state.corpus(), &touched);
        update_time += start.elapsed();
    }
    assert!(update_time < build_time, "{update_time:?} {build_time:?}");
}
