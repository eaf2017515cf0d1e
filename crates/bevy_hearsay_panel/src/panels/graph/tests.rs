use std::sync::Arc;

use egui::{Key, Modifiers};
use egui_kittest::kittest::Queryable;
use hearsay_model::{EntityId, Kind};

use super::*;
use crate::{
    names::NamedEntity,
    testing::{PanelHarness, draw_harness, fact_id_from_text, gullhaven, open_panel, step_until},
};

fn id(text: &str) -> EntityId {
    EntityId::new(text).unwrap()
}

fn model() -> GraphModel {
    let node = |name: &str, kind: Kind| Node {
        entity: NamedEntity { id: id(name), name: name.to_uppercase(), kind: Some(kind) },
        degree: 2,
        hub: name == "odo",
        distance: 0,
    };
    let relation = |statement: &str, secret: bool| EdgeRelation {
        fact: fact_id_from_text(statement),
        predicate: "OWES".into(),
        forward: true,
        statement: statement.into(),
        secret,
    };
    GraphModel {
        nodes: vec![node("odo", Kind::Npc), node("mirela", Kind::Npc), node("lantern-club", Kind::Faction)],
        edges: vec![
            Edge { a: 0, b: 1, relations: vec![relation("Odo knows Mirela.", false)] },
            Edge { a: 0, b: 2, relations: vec![relation("Odo owes the club.", true)] },
        ],
        predicates: vec![("OWES".into(), 1), ("KNOWS".into(), 1)],
        ..GraphModel::default()
    }
}

struct GraphTestState {
    model: GraphModel,
    positions: NodePositions,
    view: GraphView,
    requests: Vec<Request>,
}

fn graph_harness() -> egui_kittest::Harness<'static, GraphTestState> {
    let model = model();
    let positions = compute_layout(&model, &NodePositions::new());
    let state = GraphTestState { model, positions, view: GraphView::default(), requests: Vec::new() };
    draw_harness(state, move |ui, display, state| {
        state.requests.extend(graph_ui(ui, display, &state.model, &state.positions, &mut state.view));
    })
}

#[test]
fn a_click_selects_and_a_second_click_walks() {
    let mut harness = graph_harness();
    harness.step();
    harness.get_by_label("ODO, npc, 2 relations").click();
    harness.step();
    assert_eq!(harness.state().view.selected, Some(id("odo")));
    harness.step();
    harness.get_by_label_contains("Odo owes the club.").click();
    harness.step();
    assert!(matches!(harness.state().requests[..], [Request::ShowFact(_)]));
    harness.get_by_label("ODO, npc, 2 relations").click();
    harness.step();
    harness.step();
    assert_eq!(harness.state().view.request.center, Some(id("odo")));
    harness.get_by_label("Open page").click();
    harness.step();
    assert!(matches!(harness.state().requests.last(), Some(Request::ShowEntity(entity)) if *entity == id("odo")));
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
    let mut harness = graph_harness();
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

fn wait_until_loaded(harness: &mut PanelHarness<GraphPanel>, description: &str) {
    step_until(harness, description, |host| {
        let panel = &host.panel;
        let is_loaded = panel.loaded.as_ref().is_some_and(|(request, _)| *request == panel.view.request);
        is_loaded && !panel.is_busy()
    });
}

#[test]
fn a_campaign_as_a_whole_and_around_somebody() {
    let mut harness = open_panel(GraphPanel::default(), gullhaven());
    wait_until_loaded(&mut harness, "the whole campaign");
    let whole_graph = harness.state().panel.model().clone();
    assert!(whole_graph.nodes.len() > 60 && whole_graph.nodes.len() <= MAX_NODES, "{}", whole_graph.nodes.len());
    assert!(whole_graph.nodes.windows(2).all(|pair| pair[0].degree >= pair[1].degree));
    let hubs = whole_graph.nodes.iter().filter(|node| node.hub).count();
    assert!(hubs > 2 && hubs < whole_graph.nodes.len() / 5, "{hubs}");
    assert!(whole_graph.edges.iter().any(Edge::is_secret));
    assert_eq!(harness.state().panel.positions().len(), whole_graph.nodes.len());

    harness.state_mut().panel.handle_request(&Request::Graph(id("odo-brandt")));
    wait_until_loaded(&mut harness, "the neighbourhood");
    let neighbourhood = harness.state().panel.model().clone();
    assert_eq!(neighbourhood.nodes[0].entity.id, id("odo-brandt"));
    assert!(neighbourhood.nodes[1..].iter().all(|node| node.distance == 1));
    assert!(neighbourhood.edges.iter().any(|edge| edge.a == 0 && edge.has_secret()));
    let before = harness.state().panel.positions().clone();

    // A changed attribute does not move any node.
    let memory = &harness.state().memory;
    let edit = hearsay_commands::edit::Edit::Set {
        entity: id("odo-brandt"),
        attribute: "mood".into(),
        value: "worse".into(),
        options: hearsay_commands::edit::FactOptions::default(),
    };
    let written = memory.edit(edit).unwrap().wait().unwrap();
    harness.state_mut().context_poller.register_write(written.position);
    step_until(&mut harness, "the next reading", move |host| {
        host.panel.loaded.as_ref().is_some_and(|(_, at)| at.position >= written.position) && !host.panel.is_busy()
    });
    assert_eq!(*harness.state().panel.positions(), before);

    // The graph of one knower is smaller.
    harness.state_mut().panel.view.request.knower = Some(id("bettony-lark"));
    wait_until_loaded(&mut harness, "the graph of a knower");
    let knower_graph = harness.state().panel.model().clone();
    assert!(knower_graph.edges.len() < neighbourhood.edges.len());
    assert!(
        !knower_graph
            .edges
            .iter()
            .flat_map(|edge| &edge.relations)
            .any(|r| r.statement.contains("owes the Lantern Club"))
    );
    harness.state_mut().panel.view.request.knower = None;
    harness.state_mut().panel.view.request.predicates = vec!["OWES".into()];
    wait_until_loaded(&mut harness, "one relation");
    let owes_graph = harness.state().panel.model().clone();
    assert!(owes_graph.edges.iter().flat_map(|edge| &edge.relations).all(|relation| relation.predicate == "OWES"));
    assert!(owes_graph.predicates.len() > 1, "the filter offers other predicates");
    harness.key_press_modifiers(Modifiers::NONE, Key::W);
    harness.step();
    wait_until_loaded(&mut harness, "the whole campaign, one relation");
    assert_eq!(harness.state().panel.model().center, None);
}

#[test]
fn the_graph_follows_the_moves_of_a_game() {
    let mut harness = open_panel(GraphPanel::default(), gullhaven());
    harness.state_mut().panel.handle_request(&Request::Graph(id("odo-brandt")));
    wait_until_loaded(&mut harness, "the neighbourhood");
    let is_at = |panel: &GraphPanel, place: &str| {
        let model = panel.model();
        let edges = model.edges.iter().filter(|edge| edge.relations.iter().any(|of| of.predicate == "LOCATED_AT"));
        edges.flat_map(|edge| [edge.a, edge.b]).any(|node_index| model.nodes[node_index].entity.id == id(place))
    };
    // The first move is an operation, because it ends the location fact from the campaign file. The later moves only
    // change the transient value.
    for (is_operation, place) in [(true, "ferry-stairs"), (false, "watch-house"), (false, "ferry-stairs")] {
        let patch = hearsay_commands::patches::Patch { place: Some(id(place)).into(), ..Default::default() };
        let entities = vec![(id("odo-brandt"), patch)];
        let patches = hearsay_commands::patches::Patches { entities, ..Default::default() };
        let memory = &harness.state().memory;
        let patched = memory.patch(hearsay_model::Author::Game, Arc::new(patches)).unwrap().wait().unwrap();
        assert_eq!((patched.refused.len(), patched.written.is_some()), (0, is_operation), "{patched:?}");
        step_until(&mut harness, place, |host| is_at(&host.panel, place) && !host.panel.is_busy());
    }
}
