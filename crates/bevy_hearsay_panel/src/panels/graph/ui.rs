//! Draws the graph.

use std::collections::{BTreeMap, BTreeSet};

use egui::{Key, Modifiers, Pos2, Rect, Response, RichText, Sense, Ui, Vec2, pos2, vec2};
use hearsay_model::{EntityId, Kind};
use serde::{Deserialize, Serialize};

use super::{
    draw::{Canvas, DrawnGraph, paint_symbol},
    layout::{NodePosition, NodePositions},
    model::{GraphModel, GraphRequest, MAX_DEPTH, Node, relation_label},
};
use crate::{
    commands,
    names::NamedEntity,
    panel::{DisplayContext, Request},
    theme::Tone,
    widgets::{
        Completion, command_button, empty_state, entity_button, icon_button, link, name_field, toggle, toned_label,
        weak_label,
    },
};

/// UI state of the graph panel: the displayed part of the graph, the selected entity, scroll position and zoom.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct GraphView {
    /// Request for the part of the graph to display.
    pub request: GraphRequest,
    /// The selected entity. Entities without a relation to this entity are dimmed.
    pub selected: Option<EntityId>,
    /// Position in the layout that is displayed in the middle of the panel.
    pub middle: NodePosition,
    /// Zoom factor, from 0.12 to 4.
    pub zoom: f32,
    /// Whether to scale the graph in the next frame so that the whole graph is visible.
    #[serde(skip)]
    pub fit: bool,
    /// Whether the DM moved or zoomed the view. If `true`, the view stays the same when the size of the canvas changes.
    #[serde(skip)]
    moved_by_user: bool,
    #[serde(skip)]
    canvas_size: Vec2,
    /// Height of the legend in the last frame.
    #[serde(skip)]
    legend_height: f32,
    /// Current positions while the entities move to their final positions.
    #[serde(skip)]
    animated_positions: NodePositions,
    #[serde(skip)]
    fields: Fields,
}

impl Default for GraphView {
    fn default() -> Self {
        Self {
            request: GraphRequest::default(),
            selected: None,
            middle: [0.0; 2],
            zoom: 1.0,
            fit: true,
            moved_by_user: false,
            canvas_size: Vec2::ZERO,
            legend_height: 0.0,
            animated_positions: NodePositions::new(),
            fields: Fields::default(),
        }
    }
}

#[derive(Debug, Clone, Default, PartialEq)]
struct Fields {
    center: String,
    center_completion: Completion,
    knower: String,
    knower_completion: Completion,
}

/// Minimum and maximum zoom.
const ZOOM_RANGE: std::ops::RangeInclusive<f32> = 0.12..=4.0;

/// Draws the graph. Returns the requests to the DM console. If the user chooses another part of the graph, changes
/// `view.request`.
pub fn graph_ui(
    ui: &mut Ui,
    display: &DisplayContext,
    model: &GraphModel,
    positions: &NodePositions,
    view: &mut GraphView,
) -> Vec<Request> {
    let mut requests = Vec::new();
    toolbar_ui(ui, display, model, view);
    let nodes: Vec<&Node> = model.nodes.iter().collect();
    if nodes.is_empty() {
        let hint = match &view.request.knower {
            Some(_) => "This character knows of no relations here.",
            None => "Relations come from imported files, from the capture line, and from the session log.",
        };
        empty_state(ui, display, "Nothing to draw", hint, None);
        return requests;
    }
    let drawn = DrawnGraph::new(model);
    let info_height = if view.selected.as_ref().is_some_and(|id| drawn.node_index(id).is_some()) { 104.0 } else { 0.0 };
    let legend_height = view.legend_height.max(display.theme.sizes().row);
    let size = vec2(ui.available_width(), (ui.available_height() - info_height - legend_height - 8.0).max(120.0));
    let (rect, response) = ui.allocate_exact_size(size, Sense::click_and_drag());
    response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Other, true, "Graph"));
    animate_positions(ui, model, positions, view);
    let size_changed = std::mem::replace(&mut view.canvas_size, rect.size()) != rect.size();
    if std::mem::take(&mut view.fit) || size_changed && !view.moved_by_user {
        view.moved_by_user = false;
        fit_view(&nodes, positions, rect, view);
    }
    pan_and_zoom(ui, rect, &response, view);
    let hovered = canvas_ui(ui, display, model, &drawn, rect, view, &mut requests);
    if response.clicked() && hovered.is_none() {
        view.selected = None;
    }
    let legend_height = ui.scope(|ui| legend_ui(ui, display, &nodes, model)).response.rect.height();
    if (legend_height - view.legend_height).abs() > 0.5 {
        view.legend_height = legend_height;
        ui.ctx().request_repaint();
    }
    if info_height > 0.0 {
        info_ui(ui, display, model, &drawn, view, &mut requests);
    }
    requests
}

/// Draws the controls for center, depth, relations and knower.
fn toolbar_ui(ui: &mut Ui, display: &DisplayContext, model: &GraphModel, view: &mut GraphView) {
    let before = view.request.clone();
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().text_edit_width = 130.0;
        let shows_whole_campaign = view.request.center.is_none();
        let toggle_clicked = toggle(
            ui,
            shows_whole_campaign,
            commands::GRAPH_WHOLE_CAMPAIGN.name,
            &commands::GRAPH_WHOLE_CAMPAIGN.tooltip(),
        )
        .clicked();
        if display.is_triggered(ui, &commands::GRAPH_WHOLE_CAMPAIGN) || toggle_clicked {
            view.request.center = None;
        }
        if let Some(center) = &model.center {
            weak_label(ui, display, "around");
            if entity_button(ui, display, center).on_hover_text("Select it").clicked() {
                view.selected = Some(center.id.clone());
            }
        }
        let fields = &mut view.fields;
        let (hint, completion) = ("Around\u{2026}", &mut fields.center_completion);
        let center_field =
            name_field(ui, display, "Center of the graph", hint, &mut fields.center, completion, |_| true);
        if let Some(chosen) = center_field.chosen {
            view.selected = Some(chosen.id.clone());
            view.request.center = Some(chosen.id);
            view.fields.center.clear();
        }
        if view.request.center.is_some() {
            for depth in 1..=MAX_DEPTH {
                let is_selected = view.request.depth == depth;
                let name = crate::text::format_count(depth, "step", "steps");
                if ui.selectable_label(is_selected, name).on_hover_text(commands::GRAPH_DEPTH.tooltip()).clicked() {
                    view.request.depth = depth;
                }
            }
            if display.is_triggered(ui, &commands::GRAPH_DEPTH) {
                view.request.depth = view.request.depth % MAX_DEPTH + 1;
            }
        }
        relations_ui(ui, model, view);
        knower_ui(ui, display, model, view);
        if command_button(ui, display, &commands::GRAPH_FIT) {
            view.fit = true;
        }
        for (symbol, name, factor) in [("+", "Nearer", 1.25), ("\u{2212}", "Farther", 0.8)] {
            if icon_button(ui, symbol, name).clicked() {
                view.zoom = (view.zoom * factor).clamp(*ZOOM_RANGE.start(), *ZOOM_RANGE.end());
                view.moved_by_user = true;
            }
        }
    });
    // If the displayed part changed, fit it into view.
    if view.request != before {
        view.fit = view.request.center != before.center || view.request.knower != before.knower;
    }
}

/// Draws the filter of relations.
fn relations_ui(ui: &mut Ui, model: &GraphModel, view: &mut GraphView) {
    let chosen = &mut view.request.predicates;
    let text = match chosen.as_slice() {
        [] => "All relations \u{25BE}".to_owned(),
        [one] => format!("{} \u{25BE}", relation_label(one)),
        predicates => format!("{} relations \u{25BE}", predicates.len()),
    };
    ui.menu_button(text, |ui| {
        if ui.selectable_label(chosen.is_empty(), "All relations").clicked() {
            chosen.clear();
        }
        egui::ScrollArea::vertical().max_height(360.0).show(ui, |ui| {
            // Keep selected predicates in the list, even if the graph has no such relations.
            let absent_predicates: Vec<(String, usize)> = chosen
                .iter()
                .filter(|name| model.predicates.iter().all(|(other, _)| other != *name))
                .map(|name| (name.clone(), 0))
                .collect();
            for (name, count) in model.predicates.iter().chain(&absent_predicates) {
                let mut is_selected = chosen.contains(name);
                if ui.checkbox(&mut is_selected, format!("{} ({count})", relation_label(name))).clicked() {
                    match is_selected {
                        true => chosen.push(name.clone()),
                        false => chosen.retain(|other| other != name),
                    }
                    chosen.sort();
                }
            }
        });
    });
}

/// Draws the choice of the knower.
fn knower_ui(ui: &mut Ui, display: &DisplayContext, model: &GraphModel, view: &mut GraphView) {
    match &model.knower {
        Some(knower) => {
            weak_label(ui, display, "as seen by");
            let name = knower.name.clone();
            toned_label(ui, display, Tone::Accent, &name);
            if icon_button(ui, "\u{D7}", "Show all relations, as the DM sees them").clicked() {
                view.request.knower = None;
            }
        }
        None => {
            let can_know = |entity: &NamedEntity| entity.kind.as_ref().is_none_or(Kind::can_know);
            let fields = &mut view.fields;
            let hint = "As seen by\u{2026}";
            let field = name_field(
                ui,
                display,
                "As seen by",
                hint,
                &mut fields.knower,
                &mut fields.knower_completion,
                can_know,
            );
            if let Some(chosen) = field.chosen {
                view.request.knower = Some(chosen.id);
                view.fields.knower.clear();
            }
        }
    }
}

/// Animates the entities towards their final positions, in a fraction of a second.
fn animate_positions(ui: &Ui, model: &GraphModel, positions: &NodePositions, view: &mut GraphView) {
    let fraction = 1.0 - (-14.0 * ui.input(|input| input.stable_dt).min(0.1)).exp();
    let mut animated_positions = BTreeMap::new();
    let mut is_moving = false;
    for node in &model.nodes {
        let Some(to) = positions.get(&node.entity.id) else { continue };
        let from = view.animated_positions.get(&node.entity.id).unwrap_or(to);
        let (dx, dy) = (to[0] - from[0], to[1] - from[1]);
        let has_arrived = dx.abs() < 0.5 && dy.abs() < 0.5;
        is_moving |= !has_arrived;
        let at = if has_arrived { *to } else { [from[0] + dx * fraction, from[1] + dy * fraction] };
        animated_positions.insert(node.entity.id.clone(), at);
    }
    view.animated_positions = animated_positions;
    if is_moving {
        ui.ctx().request_repaint();
    }
}

/// Fits the graph into view.
fn fit_view(nodes: &[&Node], positions: &NodePositions, rect: Rect, view: &mut GraphView) {
    let points =
        nodes.iter().filter_map(|node| positions.get(&node.entity.id)).map(|position| pos2(position[0], position[1]));
    let bounds = Rect::from_points(&points.collect::<Vec<_>>());
    if !bounds.is_finite() {
        return;
    }
    // Leave space for names, because their size does not depend on the zoom factor.
    let available_size = (rect.size() - vec2(180.0, 80.0)).max(vec2(1.0, 1.0));
    let zoom = (available_size.x / bounds.width().max(1.0)).min(available_size.y / bounds.height().max(1.0));
    view.zoom = zoom.clamp(*ZOOM_RANGE.start(), 2.4);
    view.middle = [bounds.center().x, bounds.center().y];
}

/// Handles dragging and zooming with the wheel.
fn pan_and_zoom(ui: &Ui, rect: Rect, response: &Response, view: &mut GraphView) {
    if response.dragged() {
        let delta = response.drag_delta() / view.zoom;
        view.moved_by_user = true;
        view.middle = [view.middle[0] - delta.x, view.middle[1] - delta.y];
    }
    let pointer = ui.input(|input| input.pointer.hover_pos()).filter(|at| rect.contains(*at));
    if let Some(pointer) = pointer.filter(|_| response.contains_pointer() || response.hovered()) {
        let (pinch, scroll) = ui.input(|input| (input.zoom_delta(), input.smooth_scroll_delta.y));
        let zoom_factor = pinch * (scroll / 240.0).exp();
        if (zoom_factor - 1.0).abs() > 0.001 {
            let zoom = (view.zoom * zoom_factor).clamp(*ZOOM_RANGE.start(), *ZOOM_RANGE.end());
            // Keep the same layout position under the pointer.
            let from = pointer - rect.center();
            let shift = from / view.zoom - from / zoom;
            view.middle = [view.middle[0] + shift.x, view.middle[1] + shift.y];
            view.zoom = zoom;
            view.moved_by_user = true;
        }
    }
}

/// Draws nodes and edges. Returns the hovered node.
fn canvas_ui(
    ui: &mut Ui,
    display: &DisplayContext,
    model: &GraphModel,
    drawn: &DrawnGraph,
    rect: Rect,
    view: &mut GraphView,
    requests: &mut Vec<Request>,
) -> Option<usize> {
    let to_screen = |place: &NodePosition| -> Pos2 {
        rect.center() + Vec2::new(place[0] - view.middle[0], place[1] - view.middle[1]) * view.zoom
    };
    let positions: Vec<Option<Pos2>> =
        model.nodes.iter().map(|node| view.animated_positions.get(&node.entity.id).map(to_screen)).collect();
    let canvas = Canvas { display, model, drawn, rect, zoom: view.zoom, positions: &positions };
    let (mut hovered, mut clicked, mut double_clicked) = (None, None, None);
    for &number in &drawn.nodes {
        let (Some(position), node) = (positions[number], &model.nodes[number]) else { continue };
        let radius = canvas.radius(node).max(display.theme.sizes().target * 0.4);
        if !rect.expand(radius).contains(position) {
            continue;
        }
        let area = Rect::from_center_size(position, Vec2::splat(radius * 2.0)).intersect(rect);
        let response = ui.interact(area, ui.id().with(("node", &node.entity.id)), Sense::click());
        let kind = node.entity.kind.as_ref().map_or("unknown", Kind::as_str);
        let relations = crate::text::format_count(node.degree, "relation", "relations");
        let name = format!("{}, {kind}, {relations}", node.entity.name);
        let is_selected = view.selected.as_ref() == Some(&node.entity.id);
        response.widget_info(|| egui::WidgetInfo::selected(egui::WidgetType::Button, true, is_selected, &name));
        if response.hovered() || response.has_focus() {
            hovered = Some(number);
        }
        if response.clicked() {
            clicked = Some(number);
        }
        if response.double_clicked() {
            double_clicked = Some(number);
        }
    }
    let selected = view.selected.as_ref().and_then(|id| drawn.node_index(id));
    canvas.paint(ui, selected, hovered);
    if let Some(number) = clicked {
        let id = &model.nodes[number].entity.id;
        // A click on the selected node makes it the center.
        if view.selected.as_ref() == Some(id) || double_clicked.is_some() {
            recenter(view, id.clone());
        } else {
            view.selected = Some(id.clone());
        }
    }
    if let Some(id) = view.selected.clone().filter(|_| selected.is_some()) {
        if display.is_triggered(ui, &commands::GRAPH_RECENTER) {
            recenter(view, id.clone());
        }
        if display.is_triggered(ui, &commands::GRAPH_PAGE) {
            requests.push(Request::ShowEntity(id));
        }
    }
    if display.accepts_keys && ui.input_mut(|input| input.consume_key(Modifiers::NONE, Key::Escape)) {
        view.selected = None;
    }
    hovered
}

/// Makes an entity the center.
fn recenter(view: &mut GraphView, id: EntityId) {
    view.fit = view.request.center.as_ref() != Some(&id);
    view.selected = Some(id.clone());
    view.request.center = Some(id);
}

/// Draws the legend: the symbols and colours of kinds, and the number of omitted entities.
fn legend_ui(ui: &mut Ui, display: &DisplayContext, nodes: &[&Node], model: &GraphModel) {
    let palette = display.theme.palette();
    let small = |text: &str, colour| RichText::new(text).small().color(colour);
    let kinds: BTreeSet<&Kind> = nodes.iter().filter_map(|node| node.entity.kind.as_ref()).collect();
    ui.horizontal_wrapped(|ui| {
        for kind in kinds {
            // Keep the symbol and the name of a kind on one line.
            let radius = display.theme.sizes().body * 0.35;
            let font = egui::TextStyle::Small.resolve(ui.style());
            let kind_name = ui.painter().layout_no_wrap(kind.as_str().to_owned(), font, palette.weak);
            let symbol_size = Vec2::splat(radius * 2.6);
            let size = vec2(
                symbol_size.x + display.theme.spacing().tight + kind_name.size().x,
                kind_name.size().y.max(symbol_size.y),
            );
            let (rect, response) = ui.allocate_exact_size(size, Sense::hover());
            response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Label, true, kind.as_str()));
            let center = rect.left_center() + vec2(symbol_size.x / 2.0, 0.0);
            paint_symbol(ui.painter(), Some(kind), center, radius, display.theme.kind(Some(kind)));
            let at = pos2(rect.right() - kind_name.size().x, rect.center().y - kind_name.size().y / 2.0);
            ui.painter().galley(at, kind_name, palette.weak);
        }
        ui.label(small("- - \u{1F512} secret", palette.secret));
        ui.label(small("\u{25CE} hub", palette.weak));
        if model.more > 0 {
            let text = format!("\u{00B7} {} shown, {} more have fewer relations", nodes.len(), model.more);
            ui.label(small(&text, palette.weak));
        }
    });
}

/// Draws the selected entity and its relations.
fn info_ui(
    ui: &mut Ui,
    display: &DisplayContext,
    model: &GraphModel,
    drawn: &DrawnGraph,
    view: &mut GraphView,
    requests: &mut Vec<Request>,
) {
    let Some(number) = view.selected.as_ref().and_then(|id| drawn.node_index(id)) else { return };
    let node = &model.nodes[number];
    ui.horizontal_wrapped(|ui| {
        if entity_button(ui, display, &node.entity).clicked() {
            requests.push(Request::ShowEntity(node.entity.id.clone()));
        }
        weak_label(ui, display, &crate::text::format_count(node.degree, "relation", "relations"));
        if view.request.center.as_ref() != Some(&node.entity.id)
            && crate::widgets::command_button_without_keys(ui, display, &commands::GRAPH_RECENTER).clicked()
        {
            recenter(view, node.entity.id.clone());
        }
        if crate::widgets::command_button_without_keys(ui, display, &commands::GRAPH_PAGE).clicked() {
            requests.push(Request::ShowEntity(node.entity.id.clone()));
        }
    });
    egui::ScrollArea::vertical().id_salt("relations").auto_shrink([false, false]).show(ui, |ui| {
        let node_edges =
            drawn.edges.iter().map(|edge| &model.edges[*edge]).filter(|edge| edge.a == number || edge.b == number);
        for relation in node_edges.flat_map(|edge| &edge.relations) {
            let (text, tone) = match relation.secret {
                true => (format!("\u{1F512} {}", relation.statement), Tone::Secret),
                false => (relation.statement.clone(), Tone::Plain),
            };
            if link(ui, RichText::new(&text).color(display.theme.tone(tone))).clicked() {
                requests.push(Request::ShowFact(relation.fact));
            }
        }
    });
}
