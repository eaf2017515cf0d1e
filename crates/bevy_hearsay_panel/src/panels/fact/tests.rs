//! Measures the time for reading the models of a large campaign and for drawing its panels. Run the test by hand:
//! `cargo test -p bevy_hearsay_panel --lib -- --ignored --nocapture a_large_campaign`.
#![allow(clippy::print_stdout)]

use std::{
    sync::{Arc, Mutex, OnceLock},
    time::{Duration, Instant},
};

use hearsay_engine::ReadSnapshot;
use hearsay_model::{
    Author, Change, Entity, EntityId, Fact, KnowledgeEdge, Method, Operation, Passage, Provenance, Secrecy, State,
};

use crate::{
    panels::{
        entity::{EntityModel, EntityRequest, EntityView, PageNavigation, entity_ui},
        graph::{GraphModel, GraphRequest, GraphView, NodePositions, compute_layout, graph_ui},
        scene::{KnowledgeModel, KnowledgeRequest, SceneSettingModel, SceneSettingRequest},
    },
    testing::draw_harness,
};

const ENTITIES: usize = 20_000;
const FACTS: usize = 100_000;
const PASSAGES: usize = 20_000;

fn id(number: usize) -> EntityId {
    EntityId::new(format!("e{number}")).unwrap()
}

/// Returns a pseudo-random number for a seed.
fn random(seed: usize) -> usize {
    let mixed = (seed as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    ((mixed ^ (mixed >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 33) as usize
}

fn large_campaign() -> ReadSnapshot {
    let provenance = || Provenance::new(Method::Authored, Author::Dm);
    let mut changes: Vec<Change> = (0..ENTITIES).map(|number| Change::AddEntity(Entity::new(id(number)))).collect();
    let mut assert = |fact: Fact, knowers: &[usize]| {
        let fact = Arc::new(fact);
        let edges = knowers.iter().map(|knower| KnowledgeEdge::authored(id(*knower).into(), fact.id()));
        let edges: Vec<Change> = edges.map(|edge| Change::Learn(Arc::new(edge))).collect();
        changes.push(Change::AssertFact(fact));
        changes.extend(edges);
    };
    for number in 0..ENTITIES {
        let kind = match number {
            0..5 => "player",
            _ if number.is_multiple_of(9) => "location",
            _ if number.is_multiple_of(31) => "faction",
            _ => "npc",
        };
        for (name, value) in [("name", format!("Somebody {number}")), ("kind", kind.into())] {
            assert(Fact::attribute(&id(number), name, value, provenance()).unwrap().build().unwrap(), &[number]);
        }
    }
    for number in 0..FACTS - 2 * ENTITIES {
        // A few entities occur in many facts.
        let a = if number.is_multiple_of(10) { random(number) % 40 } else { random(number) % ENTITIES };
        let b = random(number + FACTS) % ENTITIES;
        if a != b {
            let name = ["KNOWS", "OWES", "LIKES", "ALLIED_WITH"][number % 4];
            let fact = Fact::relation(&id(a), name, &id(b), provenance()).unwrap();
            let fact = fact.secrecy(if number.is_multiple_of(12) { Secrecy::Secret } else { Secrecy::Open });
            assert(fact.statement(format!("Something {number} about these two.")).build().unwrap(), &[a, b]);
        }
    }
    for number in 0..PASSAGES {
        let mut passage = Passage::new(format!("Words that were said as number {number}."));
        passage.speaker = Some(id(random(number) % ENTITIES));
        passage.heard_by = vec![id(number % 5).into()];
        passage.line = number as u32;
        changes.push(Change::AddPassage(Arc::new(passage)));
    }
    let mut state = State::default();
    state.apply(Operation::new(Author::Dm, "a large campaign", changes)).unwrap();
    ReadSnapshot { state: Arc::new(state), learned: Arc::default() }
}

/// Returns the processor time of this thread. If the system does not provide this value, returns the elapsed time.
fn processor_time() -> Duration {
    static START: OnceLock<Instant> = OnceLock::new();
    let schedstat = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanos = schedstat.and_then(|schedstat| schedstat.split(' ').next()?.parse().ok());
    nanos.map_or_else(|| START.get_or_init(Instant::now).elapsed(), Duration::from_nanos)
}

fn print_time<T>(label: &str, mut read: impl FnMut() -> T) -> T {
    read();
    let start = processor_time();
    let result = read();
    println!("{label}: {:.1} ms", ms(processor_time() - start));
    result
}

fn print_frame_times<S: 'static>(
    label: &str,
    state: S,
    mut draw: impl FnMut(&mut egui::Ui, &crate::DisplayContext, &mut S) + 'static,
) {
    let frame_times = Arc::new(Mutex::new(Vec::<Duration>::new()));
    let recorded_times = Arc::clone(&frame_times);
    let mut harness = draw_harness(state, move |ui, display, state| {
        let start = processor_time();
        draw(ui, display, state);
        recorded_times.lock().unwrap().push(processor_time() - start);
    });
    harness.run_steps(60);
    let mut frame_times = frame_times.lock().unwrap().split_off(20);
    frame_times.sort();
    println!(
        "{label}: {:.2} ms a frame, {:.2} ms at most",
        ms(frame_times[frame_times.len() / 2]),
        ms(frame_times[frame_times.len() - 1])
    );
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

#[test]
#[ignore = "measures"]
fn a_large_campaign() {
    let world = large_campaign();
    let hub_page = print_time("page of a hub", || EntityModel::load(&world, &EntityRequest { id: id(7) }).unwrap());
    print_time("table", || {
        let players_view = hearsay_query::table::PlayersView::new(&world.state, None);
        players_view.players().count()
    });
    print_time("meetings", || hearsay_query::portrait::meetings(&world.state, &id(7)).unwrap());
    print_time("page of one of many", || EntityModel::load(&world, &EntityRequest { id: id(777) }).unwrap());
    let whole_graph = print_time("whole graph", || GraphModel::load(&world, &GraphRequest::default()).unwrap());
    let hub_request = GraphRequest { center: Some(id(7)), depth: 2, ..GraphRequest::default() };
    print_time("graph around a hub", || GraphModel::load(&world, &hub_request).unwrap());
    let places = print_time("layout", || compute_layout(&whole_graph, &NodePositions::new()));
    let setting_request =
        SceneSettingRequest { place: Some(id(9)), added: (5..12).map(id).collect(), ..SceneSettingRequest::default() };
    print_time("stage", || SceneSettingModel::load(&world, &setting_request).unwrap());
    let facts = hub_page.facts().map(|fact| fact.fact).take(10).collect();
    let knowledge_request = KnowledgeRequest { question: "?".into(), facts, present: (5..12).map(id).collect() };
    print_time("minds", || KnowledgeModel::load(&world, &knowledge_request).unwrap());
    println!(
        "{} facts on the page, {} nodes, {} edges",
        hub_page.facts().count(),
        whole_graph.nodes.len(),
        whole_graph.edges.len()
    );
    print_frame_times("page", (hub_page, EntityView::default()), |ui, display, (model, view)| {
        drop(entity_ui(ui, display, model, view, PageNavigation::default()));
    });
    print_frame_times("graph", (whole_graph, places, GraphView::default()), |ui, display, (model, places, view)| {
        drop(graph_ui(ui, display, model, places, view));
    });
}
