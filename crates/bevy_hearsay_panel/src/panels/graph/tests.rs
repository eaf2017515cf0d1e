use std::sync::Arc;

use egui::{Key, Modifiers};
use egui_kittest::kittest::Queryable;
use hearsay_model::{EntityId, Kind};

use super::*;
use crate::{
    names::Named,
    testing::{Bench, bench, bench_with, drawn, fact_of, gullhaven, step_until},
};

fn id(text: &str) -> EntityId {
    EntityId::new(text).unwrap()
}

fn model() -> GraphModel {
    let node = |name: &str, kind: Kind, safe: bool| Node {
        who: Named { id: id(name), name: name.to_uppercase(), kind: Some(kind) },
        degree: 2,
        hub: name == "odo",
        distance: 0,
        safe,
    };
    let relation = |statement: &str, secret: bool| Relation {
        fact: fact_of(statement),
        predicate: "OWES".into(),
        forward: true,
        statement: statement.into(),
        secret,
        safe: !secret,
    };
    GraphModel {
        nodes: vec![
            node("odo", Kind::Npc, true),
            node("mirela", Kind::Npc, true),
            node("lantern-club", Kind::Faction, false),
        ],
        edges: vec![
            Edge { a: 0, b: 1, relations: vec![relation("Odo knows Mirela.", false)] },
            Edge { a: 0, b: 2, relations: vec![relation("Odo owes the club.", true)] },
        ],
        predicates: vec![("OWES".into(), 1), ("KNOWS".into(), 1)],
        ..GraphModel::default()
    }
}

struct Drawn {
    model: GraphModel,
    places: Places,
    view: GraphView,
    asked: Vec<Request>,
}

fn shown(screen_safe: bool) -> egui_kittest::Harness<'static, Drawn> {
    let model = model();
    let places = lay_out(&model, &Places::new());
    let state = Drawn { model, places, view: GraphView::default(), asked: Vec::new() };
    drawn(state, move |ui, look, state| {
        let look = Look { screen_safe, ..look.clone() };
        state.asked.extend(graph_ui(ui, &look, &state.model, &state.places, &mut state.view));
    })
}

#[test]
fn a_click_selects_and_a_second_click_walks() {
    let mut harness = shown(false);
    harness.step();
    harness.get_by_label("ODO, npc, 2 relations").click();
    harness.step();
    assert_eq!(harness.state().view.selected, Some(id("odo")));
    harness.step();
    harness.get_by_label_contains("Odo owes the club.").click();
    harness.step();
    assert!(matches!(harness.state().asked[..], [Request::ShowFact(_)]));
    harness.get_by_label("ODO, npc, 2 relations").click();
    harness.step();
    harness.step();
    assert_eq!(harness.state().view.request.center, Some(id("odo")));
    harness.get_by_label("Open page").click();
    harness.step();
    assert!(matches!(harness.state().asked.last(), Some(Request::Show(who)) if *who == id("odo")));
    harness.get_by_label("2 steps").click();
    harness.step();
    assert_eq!(harness.state().view.request.depth, 2);
    harness.key_press(Key::D);
    harness.step();
    assert_eq!(harness.state().view.request.depth, 3);
    harness.get_by_label("Whole campaign").click();
    harness.step();
    assert_eq!(harness.state().view.request.center, None);
    harness.get_by_label("MIRELA, npc, 2 relations").click();
    harness.step();
    harness.key_press(Key::G);
    harness.step();
    assert_eq!(harness.state().view.request.center, Some(id("mirela")));
    harness.key_press(Key::W);
    harness.step();
    assert_eq!(harness.state().view.request.center, None);
}

#[test]
fn relations_are_filtered_and_the_view_moves() {
    let mut harness = shown(false);
    harness.step();
    let before = harness.state().view.zoom;
    harness.get_by_label("Nearer").click();
    harness.step();
    assert!(harness.state().view.zoom > before);
    harness.get_by_label("Farther").click();
    harness.step();
    let middle = harness.state().view.middle;
    let canvas = harness.get_by_label("Graph").rect();
    let corner = canvas.left_bottom() + egui::vec2(10.0, -10.0);
    harness.drag_at(corner);
    harness.step();
    harness.hover_at(corner + egui::vec2(60.0, -30.0));
    harness.step();
    harness.drop_at(corner + egui::vec2(60.0, -30.0));
    harness.step();
    assert_ne!(harness.state().view.middle, middle);
    harness.get_by_label("Fit").click();
    harness.step();
    harness.get_by_label_contains("All relations").click();
    harness.step();
    harness.get_by_label("owes (1)").click();
    harness.step();
    assert_eq!(harness.state().view.request.predicates, ["OWES"]);
}

#[test]
fn secret_relations_and_unknown_nodes_are_not_drawn_while_players_look() {
    let mut harness = shown(true);
    harness.step();
    assert!(harness.query_by_label_contains("LANTERN-CLUB").is_none());
    harness.get_by_label("ODO, npc, 2 relations").click();
    harness.step();
    harness.step();
    harness.get_by_label("Odo knows Mirela.");
    assert!(harness.query_by_label_contains("owes the club").is_none());
}

fn ready(bench: &mut Bench<GraphPanel>, what: &str) {
    step_until(bench, what, |stage| {
        let panel = &stage.panel;
        let read = panel.read.as_ref().is_some_and(|(request, _)| *request == panel.view.request);
        read && !panel.is_busy()
    });
}

#[test]
fn a_campaign_as_a_whole_and_around_somebody() {
    let mut bench = bench(GraphPanel::default(), gullhaven());
    ready(&mut bench, "the whole campaign");
    let whole = bench.state().panel.model().clone();
    assert!(whole.nodes.len() > 60 && whole.nodes.len() <= MOST_NODES, "{}", whole.nodes.len());
    assert!(whole.nodes.windows(2).all(|pair| pair[0].degree >= pair[1].degree));
    let hubs = whole.nodes.iter().filter(|node| node.hub).count();
    assert!(hubs > 2 && hubs < whole.nodes.len() / 5, "{hubs}");
    assert!(whole.edges.iter().any(Edge::is_secret));
    assert_eq!(bench.state().panel.places().len(), whole.nodes.len());

    bench.state_mut().panel.show(&Request::Graph(id("odo-brandt")));
    ready(&mut bench, "the neighbourhood");
    let around = bench.state().panel.model().clone();
    assert_eq!(around.nodes[0].who.id, id("odo-brandt"));
    assert!(around.nodes[1..].iter().all(|node| node.distance == 1));
    assert!(around.edges.iter().any(|edge| edge.a == 0 && edge.has_secret()));
    let before = bench.state().panel.places().clone();

    // A changed attribute does not move any node.
    let memory = &bench.state().memory;
    let edit = hearsay_commands::edit::Edit::Set {
        entity: "odo-brandt".into(),
        attribute: "mood".into(),
        value: "worse".into(),
        options: hearsay_commands::edit::FactOptions::default(),
    };
    let written = memory.edit(edit).unwrap().wait().unwrap();
    bench.state_mut().watch.wrote(written.position);
    step_until(&mut bench, "the next reading", move |stage| {
        stage.panel.read.as_ref().is_some_and(|(_, at)| at.position >= written.position) && !stage.panel.is_busy()
    });
    assert_eq!(*bench.state().panel.places(), before);

    // The graph of one knower is smaller.
    bench.state_mut().panel.view.request.knower = Some(id("bettony-lark"));
    ready(&mut bench, "the graph of a knower");
    let known = bench.state().panel.model().clone();
    assert!(known.edges.len() < around.edges.len());
    assert!(
        !known.edges.iter().flat_map(|edge| &edge.relations).any(|r| r.statement.contains("owes the Lantern Club"))
    );
    bench.state_mut().panel.view.request.knower = None;
    bench.state_mut().panel.view.request.predicates = vec!["OWES".into()];
    ready(&mut bench, "one relation");
    let owes = bench.state().panel.model().clone();
    assert!(owes.edges.iter().flat_map(|edge| &edge.relations).all(|relation| relation.predicate == "OWES"));
    assert!(owes.predicates.len() > 1, "the filter offers other predicates");
    bench.key_press_modifiers(Modifiers::NONE, Key::W);
    bench.step();
    ready(&mut bench, "the whole campaign, one relation");
    assert_eq!(bench.state().panel.model().center, None);
}

#[test]
fn the_graph_follows_the_moves_of_a_game() {
    let mut bench = bench(GraphPanel::default(), gullhaven());
    bench.state_mut().panel.show(&Request::Graph(id("odo-brandt")));
    ready(&mut bench, "the neighbourhood");
    let is_at = |panel: &GraphPanel, place: &str| {
        let model = panel.model();
        let edges = model.edges.iter().filter(|edge| edge.relations.iter().any(|of| of.predicate == "LOCATED_AT"));
        edges.flat_map(|edge| [edge.a, edge.b]).any(|end| model.nodes[end].who.id == id(place))
    };
    // The first move is an operation, because it ends the location fact from the campaign file. The later moves only
    // change the transient value.
    for (is_operation, place) in [(true, "ferry-stairs"), (false, "watch-house"), (false, "ferry-stairs")] {
        let patch = hearsay_commands::patches::Patch { place: Some(Some(id(place))), ..Default::default() };
        let patches = hearsay_commands::patches::Patches { entities: vec![(id("odo-brandt"), patch)], clock: None };
        let memory = &bench.state().memory;
        let patched = memory.patch(hearsay_model::Author::Game, Arc::new(patches)).unwrap().wait().unwrap();
        assert_eq!((patched.refused.len(), patched.written.is_some()), (0, is_operation), "{patched:?}");
        step_until(&mut bench, place, |stage| is_at(&stage.panel, place) && !stage.panel.is_busy());
    }
}

#[test]
fn no_secret_of_the_campaign_is_drawn_while_players_look() {
    let look = Look { screen_safe: true, ..Look::default() };
    let mut bench = bench_with(GraphPanel::default(), gullhaven(), look);
    ready(&mut bench, "the whole campaign");
    let unsafe_names: Vec<String> =
        bench.state().panel.model().nodes.iter().filter(|node| !node.safe).map(|node| node.who.name.clone()).collect();
    for name in unsafe_names {
        assert!(bench.query_by_label_contains(&format!("{name}, ")).is_none(), "{name}");
    }
}
