//! Measures the speed of the engine. Generates a world that resembles a campaign, and measures typical tasks of a game
//! and a DM in this world.
//!
//! The vectors of the texts are random numbers, because the time of a search does not depend on their values. The real
//! encoder computes the vector of the question.

use std::{
    cell::RefCell,
    collections::BTreeSet,
    fs::File,
    io::Write,
    path::Path,
    process::Command,
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::{Context, Result};
use hearsay_belief::{
    RevealableFacts, View,
    graph::{Traversal, identity, neighbours, path},
};
use hearsay_embed::Encoder;
use hearsay_model::{
    Author, Change, Entity, EntityId, Fact, Knower, KnowledgeEdge, Method, Operation, Position, Provenance, State,
};
use hearsay_query::views::{CachedView, ViewCache};
use hearsay_recall::{
    ApproximateTokens, ContextRequest, Detail, DocId, EntityLinker, Index, Query, Ranking, Scene, SceneContext,
    TermCache, rank,
};
use hearsay_store::{Location, Store, StoreOptions};
use serde::{Deserialize, Serialize};

use crate::Random;

/// Number of facts that the scholar knows. The scholar is a character who knows a large part of all facts.
const SCHOLAR_KNOWS: usize = 20_000;

/// Durations of one task over its repetitions.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Timing {
    /// The name of the measured task.
    pub work: &'static str,
    /// The number of repetitions of the task.
    pub n: usize,
    /// Median duration of the task, in microseconds.
    pub p50_us: f64,
    /// 95th percentile of the duration of the task, in microseconds.
    pub p95_us: f64,
    /// 99th percentile of the duration of the task, in microseconds.
    pub p99_us: f64,
}

/// Memory and disk use of a world.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SpaceUse {
    /// Number of entities in the world.
    pub entities: usize,
    /// Number of facts in the world.
    pub facts: usize,
    /// Memory use of a program that has opened the world; `None` on systems other than Linux.
    pub held: Option<MemoryUse>,
    /// Size of the database per fact, including graph tables and snapshot, in bytes.
    pub bytes_per_fact: f64,
}

/// Resident memory of a program after each of four steps, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct MemoryUse {
    /// Memory before the program opens the database.
    pub program: u64,
    /// Memory after the program has opened the database and loaded the state.
    pub opened: u64,
    /// Memory after the program has also indexed the words of all texts.
    pub indexed: u64,
    /// Memory after the program has also added a vector for every text.
    pub embedded: u64,
}

/// A generated world with groups and places. A few entities have many relations. Most facts are known to few
/// characters.
pub struct GeneratedWorld {
    people: Vec<EntityId>,
    changes: Vec<Change>,
}

/// Returns the name of the entity with the number `n`: a first name, a family name and a number.
fn called(n: usize) -> String {
    const FIRST: [&str; 24] = [
        "Aldo", "Berit", "Cass", "Dorn", "Edda", "Falk", "Gerda", "Hale", "Ilse", "Jory", "Kuno", "Lark", "Mira",
        "Nils", "Odo", "Petra", "Quill", "Roz", "Sanna", "Tuck", "Ulla", "Viggo", "Wenna", "Yrsa",
    ];
    const LAST: [&str; 20] = [
        "Ash", "Brandt", "Crane", "Dunmore", "Eel", "Farrow", "Grau", "Hask", "Irons", "Jessop", "Keel", "Lark",
        "Moor", "Nettle", "Oak", "Penhale", "Reed", "Stone", "Thorne", "Voss",
    ];
    format!("{} {} {}", FIRST[n % 24], LAST[n / 24 % 20], n / 480 + 1)
}

const TRADES: [&str; 8] = ["ferryman", "baker", "smith", "clerk", "healer", "sailor", "weaver", "guard"];

const LORE: [&str; 10] = [
    "was seen at the old mill at night",
    "hides a letter under the floor",
    "quarrelled with the harbour master over a debt",
    "knows where the lost boat lies",
    "sold a stolen lantern on the quay",
    "swore to find whoever set the fire",
    "keeps the key to the drowned chapel",
    "pays for silence with silver every spring",
    "saw three men carry a chest to the cistern",
    "mends nets and listens at doors",
];

impl GeneratedWorld {
    /// Generates a world with `entities` entities, and about `facts` facts. Names and kinds count as facts.
    ///
    /// # Errors
    /// Returns an error if `entities` is below 100, or if there are fewer than three facts per entity.
    pub fn generate(entities: usize, facts: usize) -> Result<Self> {
        anyhow::ensure!(entities >= 100, "a world needs at least 100 entities, not {entities}");
        anyhow::ensure!(facts >= 3 * entities, "{entities} entities need at least {} facts, not {facts}", 3 * entities);
        let (places, groups) = (entities / 50, entities / 100);
        let id = |n: usize| EntityId::new(format!("e-{n}"));
        let mut world = Self { people: Vec::new(), changes: Vec::new() };
        for n in 0..entities {
            world.changes.push(Change::AddEntity(Entity::new(id(n)?)));
        }
        let mut random = Random::new(7, 0);
        let kind = |n: usize| match n {
            n if n < places => "location",
            n if n < places + groups => "faction",
            _ => "npc",
        };
        let first_person = places + groups;
        for n in 0..entities {
            let (this, home) = (id(n)?, id(n % places)?);
            let name = called(n);
            let knowers = [this.clone().into(), Knower::Entity(home.clone())];
            world.say(Fact::attribute(&this, "name", name.as_str(), provenance())?.statement(&name), &knowers)?;
            world.say(Fact::attribute(&this, "kind", kind(n), provenance())?.statement(kind(n)), &knowers)?;
            if n >= first_person {
                world.people.push(this.clone());
                let lives = format!("{name} lives in {}.", called(n % places));
                world.say(Fact::relation(&this, "RESIDENT_OF", &home, provenance())?.statement(lives), &knowers)?;
            }
        }
        let mut written = world.changes.iter().filter(|change| matches!(change, Change::AssertFact(_))).count();
        let mut number = 0;
        while written < facts {
            // A few entities have many relations, most have few.
            let skewed = |random: &mut Random| {
                let people = entities - first_person;
                first_person + random.below(people).min(random.below(people)).min(random.below(people))
            };
            let (one, other) = (skewed(&mut random), skewed(&mut random));
            let (from, to, home) = (id(one)?, id(other)?, id(one % places)?);
            let (a, b) = (called(one), called(other));
            let own = Knower::Entity(from.clone());
            number += 1;
            let (builder, knowers) = match number % 10 {
                0 => {
                    let group = places + one % groups;
                    let sentence = format!("{a} belongs to {}.", called(group));
                    let fact = Fact::relation(&from, "MEMBER_OF", &id(group)?, provenance())?.statement(sentence);
                    (fact, vec![own, id(group)?.into()])
                }
                1 => {
                    let trade = TRADES[random.below(TRADES.len())];
                    let fact = Fact::attribute(&from, "occupation", format!("{trade} {number}"), provenance())?;
                    (fact.statement(format!("{a} works as {trade} number {number}.")), vec![own, home.into()])
                }
                2..=5 => {
                    let relation = ["KNOWS", "OWES", "LIKES", "FEARS"][random.below(4)];
                    let sentence = format!("{a} {} {b}.", relation.to_lowercase());
                    let fact = Fact::relation(&from, relation, &to, provenance())?.statement(sentence);
                    (fact, vec![own, to.into()])
                }
                6 => {
                    let text = format!("{a} {}, as {b} tells on day {number}.", LORE[random.below(LORE.len())]);
                    (Fact::attribute(&from, "lore", text.as_str(), provenance())?.statement(text), vec![Knower::World])
                }
                7 => {
                    let text =
                        format!("{a} {}; {} guards it ({number}).", LORE[random.below(LORE.len())], called(places));
                    let group = places + random.below(groups);
                    (
                        Fact::attribute(&from, "lore", text.as_str(), provenance())?.statement(text),
                        vec![id(group)?.into()],
                    )
                }
                _ => {
                    let text = format!("{a} {}, and {b} was there ({number}).", LORE[random.below(LORE.len())]);
                    let fact = Fact::attribute(&from, "lore", text.as_str(), provenance())?.statement(text);
                    (fact.mentions([to.clone()]), vec![own, to.into(), home.into()])
                }
            };
            // Of the facts from branch 6, one in five is known to all characters, and the others are known at one place
            // only.
            let knowers = if number % 10 == 6 && number % 50 != 6 { vec![id(one % places)?.into()] } else { knowers };
            world.say(builder, &knowers)?;
            written += 1;
        }
        Ok(world)
    }

    /// Returns the people, sorted by their number of relations, largest first. Also returns the changes that create the
    /// world.
    pub(crate) fn into_parts(self) -> (Vec<EntityId>, Vec<Change>) {
        (self.people, self.changes)
    }

    /// Makes the first person the scholar: adds edges until this person knows `facts` facts.
    fn teach(&mut self, facts: usize) -> Result<()> {
        let scholar = Knower::Entity(self.people.first().context("the generated world has no people")?.clone());
        let ids: Vec<_> = self
            .changes
            .iter()
            .filter_map(|change| match change {
                Change::AssertFact(fact) => Some(fact.id()),
                _ => None,
            })
            .collect();
        let every = (ids.len() / facts.max(1)).max(1);
        let edges = ids.into_iter().step_by(every).take(facts);
        self.changes.extend(edges.map(|id| Change::Learn(Arc::new(KnowledgeEdge::authored(scholar.clone(), id)))));
        Ok(())
    }

    fn say(&mut self, builder: hearsay_model::FactBuilder, knowers: &[Knower]) -> Result<()> {
        let fact = Arc::new(builder.build()?);
        let id = fact.id();
        self.changes.push(Change::AssertFact(fact));
        for knower in knowers {
            self.changes.push(Change::Learn(Arc::new(KnowledgeEdge::authored(knower.clone(), id))));
        }
        Ok(())
    }
}

fn provenance() -> Provenance {
    Provenance::new(Method::Authored, Author::Dm)
}

/// Measures tasks, and passes the durations of each task to `tell`.
struct Clock<'a> {
    tell: &'a mut dyn FnMut(&Timing) -> Result<()>,
}

impl Clock<'_> {
    /// Runs a task `n` times, and reports its durations.
    fn time(&mut self, work: &'static str, n: usize, mut what: impl FnMut(usize) -> Result<()>) -> Result<()> {
        self.time_after(work, n, |_| Ok(()), |number, ()| what(number))
    }

    /// Runs a task `n` times, and reports its durations. Each run is prepared first; the preparation is not measured.
    fn time_after<T>(
        &mut self,
        work: &'static str,
        n: usize,
        mut prepare: impl FnMut(usize) -> Result<T>,
        mut what: impl FnMut(usize, T) -> Result<()>,
    ) -> Result<()> {
        let mut took = Vec::with_capacity(n);
        for number in 0..n {
            let prepared = prepare(number)?;
            let since = Instant::now();
            what(number, prepared)?;
            took.push(since.elapsed());
        }
        took.sort_unstable();
        let at = |part: f64| {
            let place = (part * took.len() as f64).ceil() as usize;
            let took: Duration = took[place.clamp(1, took.len()) - 1];
            took.as_secs_f64() * 1e6
        };
        (self.tell)(&Timing { work, n, p50_us: at(0.50), p95_us: at(0.95), p99_us: at(0.99) })
    }
}

/// Measures the tasks of a game and a DM in a generated world. Writes the world to `directory`. Calls `tell` with the
/// durations of each task as soon as the task was measured. If no encoder is given, the time to compute the vector of a
/// question is not measured.
///
/// # Errors
/// Returns an error if the world cannot be generated, or the database fails.
pub fn measure(
    entities: usize,
    facts: usize,
    directory: &Path,
    encoder: Option<&Encoder>,
    tell: &mut dyn FnMut(&Timing) -> Result<()>,
) -> Result<SpaceUse> {
    let mut clock = Clock { tell };
    let mut world = GeneratedWorld::generate(entities, facts)?;
    world.teach(SCHOLAR_KNOWS)?;
    let GeneratedWorld { people, changes } = world;
    let world = Arc::new(Operation::new(Author::Dm, "a world", changes));
    let mut state = State::default();
    state.apply(Arc::clone(&world)).map_err(|error| anyhow::anyhow!("{error}"))?;
    read(&mut clock, &state, &people)?;
    let index = indexed(&mut clock, &state)?;
    recall(&mut clock, &state, &index, &people, encoder)?;
    write(&mut clock, directory)?;
    let store = open(&directory.join("world"))?;
    clock.time("bulk_write", 1, |_| Ok(store.commit_blocking(Position(1), vec![Arc::clone(&world)])?))?;
    let (sender, done) = std::sync::mpsc::channel();
    store.write_snapshot(&state, move |result| drop(sender.send(result)));
    done.recv().context("the store stopped before it wrote the snapshot")??;
    store.close()?;
    // The store writes the graph tables in the background, so opening does not wait for them.
    let held = measure_in_child_process(&directory.join("world"));
    reopen(&mut clock, &directory.join("world"))?;
    let store = open(&directory.join("world"))?;
    clock.time("graph_filled", 1, |_| Ok(store.rebuild_projections_blocking(&state, |_, _| {})?))?;
    store.close()?;
    let bytes_per_fact = bytes_below(&directory.join("world"))? as f64 / state.fact_count() as f64;
    Ok(SpaceUse { entities: state.entity_count(), facts: state.fact_count(), held, bytes_per_fact })
}

fn read(clock: &mut Clock, state: &State, people: &[EntityId]) -> Result<()> {
    let person = |n: usize| &people[n * 7919 % people.len()];
    let walk = Traversal::default();
    // Uses each result, so that the compiler does not remove the measured work.
    let keep = |found: usize| -> Result<()> {
        std::hint::black_box(found);
        Ok(())
    };
    clock.time("identity", 2_000, |n| keep(identity(state, person(n), &walk).relations.len()))?;
    for (work, depth) in [("neighbours_1", 1), ("neighbours_2", 2), ("neighbours_3", 3)] {
        clock.time(work, 500, |n| keep(neighbours(state, person(n), &walk, depth, 1_000).len()))?;
    }
    clock.time("path", 200, |n| keep(path(state, person(n), person(n + 1), &walk, 4).map_or(0, |p| p.len())))?;
    clock.time("visible_view", 300, |n| keep(View::new(state, &person(n).clone().into(), None).facts().len()))
}

/// Returns an index with a vector for every text.
fn indexed(clock: &mut Clock, state: &State) -> Result<Index> {
    let mut index = Index::default();
    clock.time("index_built", 1, |_| {
        index = Index::new(state.corpus());
        Ok(())
    })?;
    let stored = index.term_cache().encode();
    clock.time("index_from_stored_terms", 1, |_| {
        index =
            Index::with_cache(state.corpus(), TermCache::decode(&stored).context("the stored terms cannot be read")?);
        Ok(())
    })?;
    embed(state, &mut index);
    Ok(index)
}

/// Sets a vector for every text.
fn embed(state: &State, index: &mut Index) {
    let mut random = Random::new(11, 0);
    let docs: Vec<DocId> =
        state.facts().filter(|fact| Index::is_indexed(fact)).map(|fact| DocId::Fact(fact.id())).collect();
    for doc in docs {
        index.set_vector(doc, &unit(&mut random));
    }
}

/// Returns a vector with the Euclidean norm 1 and the dimension of the default model.
fn unit(random: &mut Random) -> Vec<f32> {
    let mut vector: Vec<f32> = (0..384).map(|_| random.below(2_001) as f32 / 1_000.0 - 1.0).collect();
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt().max(f32::MIN_POSITIVE);
    vector.iter_mut().for_each(|x| *x /= length);
    vector
}

/// Question of the measurements of retrieval.
const QUESTION: &str = "Who saw the men carry the chest to the old mill by the quay?";

/// Measures rankings and scene contexts.
fn recall(
    clock: &mut Clock,
    state: &State,
    index: &Index,
    people: &[EntityId],
    encoder: Option<&Encoder>,
) -> Result<()> {
    let vector = match encoder {
        Some(encoder) => encoder.encode_one(QUESTION)?,
        None => unit(&mut Random::new(13, 0)),
    };
    rankings(clock, state, index, people, &vector)?;
    scene_contexts(clock, state, index, people, encoder, &vector)
}

/// Measures entity linking, the comparison of vectors, and the rankings for the DM.
fn rankings(clock: &mut Clock, state: &State, index: &Index, people: &[EntityId], vector: &[f32]) -> Result<()> {
    let person = |n: usize| &people[n * 7919 % people.len()];
    let views: Vec<(View, EntityLinker)> = (0..50)
        .map(|n| {
            let view = View::new(state, &person(n).clone().into(), None);
            let names = EntityLinker::new(&view);
            (view, names)
        })
        .collect();
    clock.time("names", 300, |n| {
        std::hint::black_box(EntityLinker::new(&views[n % views.len()].0));
        Ok(())
    })?;
    clock.time("vector_search", 300, |n| {
        let (view, _) = &views[n % views.len()];
        let query = Query { text: "", vector: Some(vector), graph: false, ..Query::default() };
        std::hint::black_box(rank(view, index, &query).len());
        Ok(())
    })?;
    let whole = View::of_dm(state);
    let names = EntityLinker::new(&whole);
    for (work, vector) in [("dm_ranking_words_graph", None), ("dm_ranking", Some(vector))] {
        clock.time(work, 100, |n| {
            let text = format!("{QUESTION} Was it {}?", called(n * 7919 % people.len() + 600));
            let named = names.mentioned_entities(&text);
            let query = Query { text: &text, vector, named, graph: true, ..Query::default() };
            let mut ranking = Ranking::new(&whole, index, &query);
            std::hint::black_box((ranking.facts(10, |_| true), ranking.passages(10, |_| true)));
            Ok(())
        })?;
    }
    Ok(())
}

/// Measures scene contexts. The questions are embedded if there is an encoder; `vector` is the vector of [`QUESTION`].
fn scene_contexts(
    clock: &mut Clock,
    state: &State,
    index: &Index,
    people: &[EntityId],
    encoder: Option<&Encoder>,
    vector: &[f32],
) -> Result<()> {
    let person = |n: usize| &people[n * 7919 % people.len()];
    let context =
        |state: &State, cached_view: &CachedView, speaker: &EntityId, n: usize, question: &str, vector: &[f32]| {
            let scene = Scene { present: vec![person(n + 1).clone()], ..Scene::default() };
            let context = SceneContext::assemble(&ContextRequest {
                view: &cached_view.view,
                names: &cached_view.names,
                index,
                calendar: state.calendar(),
                vocabulary: state.vocabulary(),
                speaker,
                scene: &scene,
                question,
                about: &[],
                revealable: &RevealableFacts::new(),
                hidden: &BTreeSet::new(),
                vector: Some(vector),
                graph: true,
                min_episodes: 3,
                limit: 16,
                budget: 1_500,
                counter: &ApproximateTokens,
                detail: Detail::Plain,
            });
            std::hint::black_box(context);
        };
    let view_of = |view_cache: &mut ViewCache, state: &State, of: &EntityId| {
        view_cache.get_or_compute(state, Some(&of.clone().into()), None)
    };
    clock.time("context", 300, |n| {
        let cached_view = view_of(&mut ViewCache::default(), state, person(n));
        context(state, &cached_view, person(n), n, QUESTION, vector);
        Ok(())
    })?;
    let Some(encoder) = encoder else { return Ok(()) };
    // Each repetition asks a different question, because a repeated question could be answered from a cache.
    let embedded = |state: &State, view_cache: &mut ViewCache, speaker: &EntityId, n: usize| -> Result<()> {
        let question = format!("{QUESTION} ({n})");
        let vector = encoder.encode_one(&question)?;
        context(state, &view_of(view_cache, state, speaker), speaker, n, &question, &vector);
        Ok(())
    };
    clock.time("context_with_query_embedding", 300, |n| embedded(state, &mut ViewCache::default(), person(n), n))?;
    // A program keeps views between questions. Before each question, somebody learns a fact: another person, or the
    // scholar.
    for (work, scholar_learns) in [
        ("scholar_context_with_query_embedding", false),
        ("scholar_context_with_query_embedding_after_own_change", true),
    ] {
        let mut state = state.clone();
        let view_cache = RefCell::new(ViewCache::default());
        view_of(&mut view_cache.borrow_mut(), &state, &people[0]);
        let learn = |n: usize| -> Result<State> {
            let before = state.version();
            let learner = if scholar_learns { &people[0] } else { person(n + 1) };
            let fact =
                Fact::attribute(learner, "lore", format!("Heard a bell on night {n}."), provenance())?.build()?;
            let edge = KnowledgeEdge::authored(learner.clone().into(), fact.id());
            let changes = vec![Change::AssertFact(fact.into()), Change::Learn(edge.into())];
            let applied = state.apply(Operation::new(Author::Game, "hear", changes));
            let applied = applied.map_err(|error| anyhow::anyhow!("{error}"))?;
            view_cache.borrow_mut().follow(before, &state, &applied.touched);
            Ok(state.clone())
        };
        clock.time_after(work, 300, learn, |n, state| embedded(&state, &mut view_cache.borrow_mut(), &people[0], n))?;
    }
    Ok(())
}

fn open(directory: &Path) -> Result<Store> {
    Ok(Store::open(Location::from(directory), StoreOptions::default())?.store)
}

/// Measures the durable write of one fact. For comparison, also measures a write and fsync of the same number of bytes.
fn write(clock: &mut Clock, directory: &Path) -> Result<()> {
    let someone = EntityId::new("someone")?;
    let one = |n: usize| -> Result<Arc<Operation>> {
        let fact = Fact::attribute(&someone, "lore", format!("Was seen at the old mill on day {n}."), provenance())?;
        let fact = Arc::new(fact.build()?);
        let learn = KnowledgeEdge::authored(Knower::World, fact.id());
        let changes = vec![
            Change::AddEntity(Entity::new(someone.clone())),
            Change::AssertFact(fact),
            Change::Learn(learn.into()),
        ];
        Ok(Arc::new(Operation::new(Author::Game, "say", changes)))
    };
    let bytes = serde_json::to_vec(&*one(1)?)?;
    let store = open(&directory.join("writes"))?;
    let operations = (0..300).map(one).collect::<Result<Vec<_>>>()?;
    clock.time("durable_write", operations.len(), |n| {
        Ok(store.commit_blocking(Position(n as u64 + 1), vec![Arc::clone(&operations[n])])?)
    })?;
    store.close()?;
    let mut file = File::create(directory.join("plain"))?;
    clock.time("fsync", 300, |_| {
        file.write_all(&bytes)?;
        Ok(file.sync_data()?)
    })
}

fn reopen(clock: &mut Clock, directory: &Path) -> Result<()> {
    for (work, snapshot) in [("open_snapshot", true), ("open_journal", false)] {
        if !snapshot {
            std::fs::remove_file(directory.join("snapshot"))?;
        }
        let mut opened = Vec::new();
        clock.time(work, 3, |_| {
            // Closing is not measured.
            opened.clear();
            opened.push(Store::open(Location::from(directory), StoreOptions::default())?);
            Ok(())
        })?;
        for opened in opened {
            opened.store.close()?;
        }
    }
    Ok(())
}

/// Opens a world in the same way as a game. Returns the resident memory of this program after each step. Returns `None`
/// if the system does not report the resident memory.
///
/// # Errors
/// Returns an error if the world cannot be opened.
pub fn measure_memory(directory: &Path) -> Result<Option<MemoryUse>> {
    let program = resident();
    let opened = Store::open(Location::from(directory), StoreOptions::default())?;
    let with_state = resident();
    let mut index = Index::new(opened.state.corpus());
    let with_words = resident();
    embed(&opened.state, &mut index);
    let with_vectors = resident();
    opened.store.close()?;
    let all =
        || Some(MemoryUse { program: program?, opened: with_state?, indexed: with_words?, embedded: with_vectors? });
    Ok(all())
}

/// Starts a separate program that opens the world, and returns the memory use of that program. The current program uses
/// more memory, because it has generated the world.
fn measure_in_child_process(directory: &Path) -> Option<MemoryUse> {
    let program = std::env::current_exe().ok()?;
    let told = Command::new(program).arg("hold").arg(directory).output().ok()?;
    serde_json::from_slice(&told.stdout).ok()?
}

/// Returns the resident memory of this program in bytes. Returns `None` except on Linux.
pub(crate) fn resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().trim_end_matches("kB").trim().parse::<u64>().ok().map(|kilobytes| kilobytes * 1024)
}

pub(crate) fn bytes_below(directory: &Path) -> Result<u64> {
    let mut bytes = 0;
    for entry in std::fs::read_dir(directory)? {
        let (entry, metadata) = entry.and_then(|entry| entry.metadata().map(|metadata| (entry, metadata)))?;
        bytes += if metadata.is_dir() { bytes_below(&entry.path())? } else { metadata.len() };
    }
    Ok(bytes)
}
