//! Draws the graph.

use std::collections::{BTreeMap, BTreeSet};

use egui::{Key, Modifiers, Pos2, Rect, Response, RichText, Sense, Ui, Vec2, pos2, vec2};
use hearsay_model::{EntityId, Kind};
use serde::{Deserialize, Serialize};

use super::{
    draw::{Canvas, Drawn, form},
    layout::{Place, Places},
    model::{DEEPEST, GraphModel, GraphRequest, Node, label},
};
use crate::{
    commands,
    names::Named,
    panel::{Look, Request},
    theme::Tone,
    widgets::{
        Completion, command_button, empty_state, entity_button, icon_button, link, name_field, toggle, toned, weak,
    },
};

/// View state of the graph.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct GraphView {
    /// The displayed part of the graph.
    pub request: GraphRequest,
    /// The selected entity. Entities that are not connected to it are dimmed.
    pub selected: Option<EntityId>,
    /// Position in the layout that is at the middle of the canvas.
    pub middle: Place,
    /// Zoom factor, from 0.12 to 4.
    pub zoom: f32,
    /// Whether to fit the graph into view in the next frame.
    #[serde(skip)]
    pub fit: bool,
    /// Whether the DM moved or zoomed the view. If so, the view stays the same when the size of the canvas changes.
    #[serde(skip)]
    moved: bool,
    #[serde(skip)]
    size: Vec2,
    /// Height of the legend in the last frame.
    #[serde(skip)]
    legend: f32,
    /// Current positions while the entities move to their final positions.
    #[serde(skip)]
    drawn: Places,
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
            moved: false,
            size: Vec2::ZERO,
            legend: 0.0,
            drawn: Places::new(),
            fields: Fields::default(),
        }
    }
}

#[derive(Debug, Clone, Default, PartialEq)]
struct Fields {
    around: String,
    around_list: Completion,
    knower: String,
    knower_list: Completion,
}

/// Minimum and maximum zoom.
const ZOOM: std::ops::RangeInclusive<f32> = 0.12..=4.0;

/// Draws the graph. Returns the requests to the desk. If the user chooses another part of the graph, changes
/// `view.request`.
pub fn graph_ui(ui: &mut Ui, look: &Look, model: &GraphModel, places: &Places, view: &mut GraphView) -> Vec<Request> {
    let mut asked = Vec::new();
    bar_ui(ui, look, model, view);
    let nodes: Vec<&Node> = model.nodes.iter().filter(|node| !look.screen_safe || node.safe).collect();
    if nodes.is_empty() {
        let next = match (&view.request.knower, model.nodes.is_empty()) {
            (_, false) => "The players do not know these entities, so screen-safe mode hides them.",
            (Some(_), true) => "This character knows of no relations here.",
            (None, true) => "Relations come from imported files, from the capture line, and from the session log.",
        };
        empty_state(ui, look, "Nothing to draw", next, None);
        return asked;
    }
    let drawn = Drawn::of(model, look.screen_safe);
    let info = if view.selected.as_ref().is_some_and(|id| drawn.place_of(id).is_some()) { 104.0 } else { 0.0 };
    let legend = view.legend.max(look.theme.sizes().row);
    let size = vec2(ui.available_width(), (ui.available_height() - info - legend - 8.0).max(120.0));
    let (rect, response) = ui.allocate_exact_size(size, Sense::click_and_drag());
    response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Other, true, "Graph"));
    settle(ui, model, places, view);
    let other_size = std::mem::replace(&mut view.size, rect.size()) != rect.size();
    if std::mem::take(&mut view.fit) || other_size && !view.moved {
        view.moved = false;
        fit(&nodes, places, rect, view);
    }
    move_about(ui, rect, &response, view);
    let hovered = canvas_ui(ui, look, model, &drawn, rect, view, &mut asked);
    if response.clicked() && hovered.is_none() {
        view.selected = None;
    }
    let legend = ui.scope(|ui| legend_ui(ui, look, &nodes, model, drawn.hidden)).response.rect.height();
    if (legend - view.legend).abs() > 0.5 {
        view.legend = legend;
        ui.ctx().request_repaint();
    }
    if info > 0.0 {
        info_ui(ui, look, model, &drawn, view, &mut asked);
    }
    asked
}

/// Draws the controls for center, depth, relations and knower.
fn bar_ui(ui: &mut Ui, look: &Look, model: &GraphModel, view: &mut GraphView) {
    let before = view.request.clone();
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().text_edit_width = 130.0;
        let whole = view.request.center.is_none();
        let pressed = toggle(ui, whole, commands::GRAPH_WHOLE.name, &commands::GRAPH_WHOLE.tooltip()).clicked();
        if look.pressed(ui, &commands::GRAPH_WHOLE) || pressed {
            view.request.center = None;
        }
        if let Some(center) = &model.center
            && (!look.screen_safe || is_safe(model, &center.id))
        {
            weak(ui, look, "around");
            if entity_button(ui, look, center).on_hover_text("Select it").clicked() {
                view.selected = Some(center.id.clone());
            }
        }
        // In screen-safe mode, a list of names would reveal entities.
        if !look.screen_safe {
            let fields = &mut view.fields;
            let hint = "Around\u{2026}";
            let around =
                name_field(ui, look, "Center of the graph", hint, &mut fields.around, &mut fields.around_list, |_| {
                    true
                });
            if let Some(chosen) = around.chosen {
                view.selected = Some(chosen.id.clone());
                view.request.center = Some(chosen.id);
                view.fields.around.clear();
            }
        }
        if view.request.center.is_some() {
            for depth in 1..=DEEPEST {
                let on = view.request.depth == depth;
                let name = if depth == 1 { "1 step".to_owned() } else { format!("{depth} steps") };
                if ui.selectable_label(on, name).on_hover_text(commands::GRAPH_DEEPER.tooltip()).clicked() {
                    view.request.depth = depth;
                }
            }
            if look.pressed(ui, &commands::GRAPH_DEEPER) {
                view.request.depth = view.request.depth % DEEPEST + 1;
            }
        }
        relations_ui(ui, look, model, view);
        knower_ui(ui, look, model, view);
        if command_button(ui, look, &commands::GRAPH_FIT) {
            view.fit = true;
        }
        for (sign, name, by) in [("+", "Nearer", 1.25), ("\u{2212}", "Farther", 0.8)] {
            if icon_button(ui, sign, name).clicked() {
                view.zoom = (view.zoom * by).clamp(*ZOOM.start(), *ZOOM.end());
                view.moved = true;
            }
        }
    });
    // If the displayed part changed, fit it into view.
    if view.request != before {
        view.fit = view.request.center != before.center || view.request.knower != before.knower;
    }
}

fn is_safe(model: &GraphModel, id: &EntityId) -> bool {
    model.nodes.iter().any(|node| node.who.id == *id && node.safe)
}

/// Draws the filter of relations.
fn relations_ui(ui: &mut Ui, look: &Look, model: &GraphModel, view: &mut GraphView) {
    // In screen-safe mode, a list of predicates would reveal which relations exist.
    if look.screen_safe {
        return;
    }
    let chosen = &mut view.request.predicates;
    let text = match chosen.as_slice() {
        [] => "All relations \u{25BE}".to_owned(),
        [one] => format!("{} \u{25BE}", label(one)),
        more => format!("{} relations \u{25BE}", more.len()),
    };
    ui.menu_button(text, |ui| {
        if ui.selectable_label(chosen.is_empty(), "All relations").clicked() {
            chosen.clear();
        }
        egui::ScrollArea::vertical().max_height(360.0).show(ui, |ui| {
            // Keep selected predicates in the list, even if the graph has no such relations.
            let gone: Vec<(String, usize)> = chosen
                .iter()
                .filter(|name| model.predicates.iter().all(|(other, _)| other != *name))
                .map(|name| (name.clone(), 0))
                .collect();
            for (name, count) in model.predicates.iter().chain(&gone) {
                let mut on = chosen.contains(name);
                if ui.checkbox(&mut on, format!("{} ({count})", label(name))).clicked() {
                    match on {
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
fn knower_ui(ui: &mut Ui, look: &Look, model: &GraphModel, view: &mut GraphView) {
    if look.screen_safe {
        return;
    }
    match &model.knower {
        Some(knower) => {
            weak(ui, look, "as seen by");
            let name = knower.name.clone();
            toned(ui, look, Tone::Accent, &name);
            if icon_button(ui, "\u{D7}", "Show all relations, as the DM sees them").clicked() {
                view.request.knower = None;
            }
        }
        None => {
            let can_know = |named: &Named| named.kind.as_ref().is_none_or(Kind::can_know);
            let fields = &mut view.fields;
            let hint = "As seen by\u{2026}";
            let field = name_field(ui, look, "As seen by", hint, &mut fields.knower, &mut fields.knower_list, can_know);
            if let Some(chosen) = field.chosen {
                view.request.knower = Some(chosen.id);
                view.fields.knower.clear();
            }
        }
    }
}

/// Animates the entities towards their final positions, in a fraction of a second.
fn settle(ui: &Ui, model: &GraphModel, places: &Places, view: &mut GraphView) {
    let share = 1.0 - (-14.0 * ui.input(|input| input.stable_dt).min(0.1)).exp();
    let mut drawn = BTreeMap::new();
    let mut moving = false;
    for node in &model.nodes {
        let Some(to) = places.get(&node.who.id) else { continue };
        let from = view.drawn.get(&node.who.id).unwrap_or(to);
        let (dx, dy) = (to[0] - from[0], to[1] - from[1]);
        let near = dx.abs() < 0.5 && dy.abs() < 0.5;
        moving |= !near;
        let at = if near { *to } else { [from[0] + dx * share, from[1] + dy * share] };
        drawn.insert(node.who.id.clone(), at);
    }
    view.drawn = drawn;
    if moving {
        ui.ctx().request_repaint();
    }
}

/// Fits the graph into view.
fn fit(nodes: &[&Node], places: &Places, rect: Rect, view: &mut GraphView) {
    let points = nodes.iter().filter_map(|node| places.get(&node.who.id)).map(|place| pos2(place[0], place[1]));
    let bounds = Rect::from_points(&points.collect::<Vec<_>>());
    if !bounds.is_finite() {
        return;
    }
    // Leave space for names, because their size does not depend on the zoom factor.
    let room = (rect.size() - vec2(180.0, 80.0)).max(vec2(1.0, 1.0));
    let zoom = (room.x / bounds.width().max(1.0)).min(room.y / bounds.height().max(1.0));
    view.zoom = zoom.clamp(*ZOOM.start(), 2.4);
    view.middle = [bounds.center().x, bounds.center().y];
}

/// Handles dragging and zooming with the wheel.
fn move_about(ui: &Ui, rect: Rect, response: &Response, view: &mut GraphView) {
    if response.dragged() {
        let by = response.drag_delta() / view.zoom;
        view.moved = true;
        view.middle = [view.middle[0] - by.x, view.middle[1] - by.y];
    }
    let pointer = ui.input(|input| input.pointer.hover_pos()).filter(|at| rect.contains(*at));
    if let Some(pointer) = pointer.filter(|_| response.contains_pointer() || response.hovered()) {
        let (pinch, scroll) = ui.input(|input| (input.zoom_delta(), input.smooth_scroll_delta.y));
        let by = pinch * (scroll / 240.0).exp();
        if (by - 1.0).abs() > 0.001 {
            let zoom = (view.zoom * by).clamp(*ZOOM.start(), *ZOOM.end());
            // Keep the same layout position under the pointer.
            let from = pointer - rect.center();
            let shift = from / view.zoom - from / zoom;
            view.middle = [view.middle[0] + shift.x, view.middle[1] + shift.y];
            view.zoom = zoom;
            view.moved = true;
        }
    }
}

/// Draws nodes and edges. Returns the hovered node.
fn canvas_ui(
    ui: &mut Ui,
    look: &Look,
    model: &GraphModel,
    drawn: &Drawn,
    rect: Rect,
    view: &mut GraphView,
    asked: &mut Vec<Request>,
) -> Option<usize> {
    let at = |place: &Place| -> Pos2 {
        rect.center() + Vec2::new(place[0] - view.middle[0], place[1] - view.middle[1]) * view.zoom
    };
    let positions: Vec<Option<Pos2>> = model.nodes.iter().map(|node| view.drawn.get(&node.who.id).map(at)).collect();
    let canvas = Canvas { look, model, drawn, rect, zoom: view.zoom, positions: &positions };
    let (mut hovered, mut clicked, mut opened) = (None, None, None);
    for &number in &drawn.nodes {
        let (Some(position), node) = (positions[number], &model.nodes[number]) else { continue };
        let radius = canvas.radius(node).max(look.theme.sizes().target * 0.4);
        if !rect.expand(radius).contains(position) {
            continue;
        }
        let area = Rect::from_center_size(position, Vec2::splat(radius * 2.0)).intersect(rect);
        let response = ui.interact(area, ui.id().with(("node", &node.who.id)), Sense::click());
        let kind = node.who.kind.as_ref().map_or("unknown", Kind::as_str);
        let relations = crate::text::counted(node.degree, "relation", "relations");
        let name = format!("{}, {kind}, {relations}", node.who.name);
        let on = view.selected.as_ref() == Some(&node.who.id);
        response.widget_info(|| egui::WidgetInfo::selected(egui::WidgetType::Button, true, on, &name));
        if response.hovered() || response.has_focus() {
            hovered = Some(number);
        }
        if response.clicked() {
            clicked = Some(number);
        }
        if response.double_clicked() {
            opened = Some(number);
        }
    }
    let selected = view.selected.as_ref().and_then(|id| drawn.place_of(id));
    canvas.paint(ui, selected, hovered);
    if let Some(number) = clicked {
        let id = &model.nodes[number].who.id;
        // A click on the selected node makes it the center.
        if view.selected.as_ref() == Some(id) || opened.is_some() {
            walk(view, id.clone());
        } else {
            view.selected = Some(id.clone());
        }
    }
    if let Some(id) = view.selected.clone().filter(|_| selected.is_some()) {
        if look.pressed(ui, &commands::GRAPH_WALK) {
            walk(view, id.clone());
        }
        if look.pressed(ui, &commands::GRAPH_PAGE) {
            asked.push(Request::Show(id));
        }
    }
    if look.keys && ui.input_mut(|input| input.consume_key(Modifiers::NONE, Key::Escape)) {
        view.selected = None;
    }
    hovered
}

/// Makes an entity the center.
fn walk(view: &mut GraphView, id: EntityId) {
    view.fit = view.request.center.as_ref() != Some(&id);
    view.selected = Some(id.clone());
    view.request.center = Some(id);
}

/// Draws the legend: the symbols and colours of kinds, and the number of hidden entities.
fn legend_ui(ui: &mut Ui, look: &Look, nodes: &[&Node], model: &GraphModel, hidden: usize) {
    let palette = look.theme.palette();
    let small = |words: &str, colour| RichText::new(words).small().color(colour);
    let kinds: BTreeSet<&Kind> = nodes.iter().filter_map(|node| node.who.kind.as_ref()).collect();
    ui.horizontal_wrapped(|ui| {
        for kind in kinds {
            // Keep the symbol and the name of a kind on one line.
            let radius = look.theme.sizes().body * 0.35;
            let font = egui::TextStyle::Small.resolve(ui.style());
            let word = ui.painter().layout_no_wrap(kind.as_str().to_owned(), font, palette.weak);
            let form_size = Vec2::splat(radius * 2.6);
            let size = vec2(form_size.x + look.theme.spacing().tight + word.size().x, word.size().y.max(form_size.y));
            let (rect, response) = ui.allocate_exact_size(size, Sense::hover());
            response.widget_info(|| egui::WidgetInfo::labeled(egui::WidgetType::Label, true, kind.as_str()));
            let center = rect.left_center() + vec2(form_size.x / 2.0, 0.0);
            form(ui.painter(), Some(kind), center, radius, look.theme.kind(Some(kind)));
            let at = pos2(rect.right() - word.size().x, rect.center().y - word.size().y / 2.0);
            ui.painter().galley(at, word, palette.weak);
        }
        if !look.screen_safe {
            ui.label(small("- - \u{1F512} secret", palette.secret));
            ui.label(small("\u{25CE} hub", palette.weak));
        }
        if model.more > 0 && !look.screen_safe {
            let words = format!("\u{00B7} {} shown, {} more have fewer relations", nodes.len(), model.more);
            ui.label(small(&words, palette.weak));
        }
        if hidden > 0 {
            ui.label(small(&format!("\u{00B7} {hidden} hidden in screen-safe mode"), palette.weak));
        }
    });
}

/// Draws the selected entity and its relations.
fn info_ui(
    ui: &mut Ui,
    look: &Look,
    model: &GraphModel,
    drawn: &Drawn,
    view: &mut GraphView,
    asked: &mut Vec<Request>,
) {
    let Some(number) = view.selected.as_ref().and_then(|id| drawn.place_of(id)) else { return };
    let node = &model.nodes[number];
    ui.horizontal_wrapped(|ui| {
        if entity_button(ui, look, &node.who).clicked() {
            asked.push(Request::Show(node.who.id.clone()));
        }
        weak(ui, look, &crate::text::counted(node.degree, "relation", "relations"));
        if view.request.center.as_ref() != Some(&node.who.id)
            && crate::widgets::command_button_only(ui, look, &commands::GRAPH_WALK).clicked()
        {
            walk(view, node.who.id.clone());
        }
        if crate::widgets::command_button_only(ui, look, &commands::GRAPH_PAGE).clicked() {
            asked.push(Request::Show(node.who.id.clone()));
        }
    });
    egui::ScrollArea::vertical().id_salt("relations").auto_shrink([false, false]).show(ui, |ui| {
        let of_node =
            drawn.edges.iter().map(|edge| &model.edges[*edge]).filter(|edge| edge.a == number || edge.b == number);
        for relation in of_node.flat_map(|edge| &edge.relations).filter(|relation| !look.screen_safe || relation.safe) {
            let (text, tone) = match relation.secret {
                true => (format!("\u{1F512} {}", relation.statement), Tone::Secret),
                false => (relation.statement.clone(), Tone::Plain),
            };
            if link(ui, RichText::new(&text).color(look.theme.tone(tone))).clicked() {
                asked.push(Request::ShowFact(relation.fact));
            }
        }
    });
}
