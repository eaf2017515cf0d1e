//! Paints the graph.

use std::collections::HashMap;

use egui::{
    Align2, Color32, CornerRadius, FontId, Mesh, Painter, Pos2, Rect, Shape, Stroke, Ui, Vec2, epaint::Vertex, pos2,
    vec2,
};
use hearsay_model::{EntityId, Kind};

use super::model::{Edge, GraphModel, Node, relation_label};
use crate::{direction::visual_order, panel::DisplayContext, text::shorten, widgets::dimmed};

/// The part of a graph that is drawn: the nodes, and the edges between them.
#[derive(Debug)]
pub(super) struct DrawnGraph<'a> {
    /// Indexes of the model's nodes.
    pub(super) nodes: Vec<usize>,
    /// Indexes of the model's edges.
    pub(super) edges: Vec<usize>,
    by_id: HashMap<&'a EntityId, usize>,
}

impl<'a> DrawnGraph<'a> {
    pub(super) fn new(model: &'a GraphModel) -> Self {
        let nodes: Vec<usize> = (0..model.nodes.len()).collect();
        Self {
            edges: (0..model.edges.len()).collect(),
            by_id: nodes.iter().map(|number| (&model.nodes[*number].entity.id, *number)).collect(),
            nodes,
        }
    }

    /// Returns the index of an entity's node, if it is drawn.
    pub(super) fn node_index(&self, id: &EntityId) -> Option<usize> {
        self.by_id.get(id).copied()
    }
}

/// A graph and the area of the screen in which it is painted.
pub(super) struct Canvas<'a> {
    pub(super) display: &'a DisplayContext,
    pub(super) model: &'a GraphModel,
    pub(super) drawn: &'a DrawnGraph<'a>,
    pub(super) rect: Rect,
    pub(super) zoom: f32,
    pub(super) positions: &'a [Option<Pos2>],
}

/// Transparency of nodes and edges that are not connected to the focused node, from 0 to 1.
const DIMMED_TRANSPARENCY: f32 = 0.78;

impl Canvas<'_> {
    /// Returns the radius of a node.
    pub(super) fn radius(&self, node: &Node) -> f32 {
        let is_center = self.model.center.as_ref().is_some_and(|center| center.id == node.entity.id);
        let size = 6.0 + (node.degree as f32).sqrt().min(7.0) * 1.5 + if is_center { 3.0 } else { 0.0 };
        size * self.zoom.sqrt().clamp(0.55, 1.5)
    }

    /// Paints the graph. If a node is selected or hovered, all nodes except this node and its neighbours are dimmed.
    pub(super) fn paint(&self, ui: &Ui, selected: Option<usize>, hovered: Option<usize>) {
        let painter = ui.painter_at(self.rect);
        let palette = self.display.theme.palette();
        painter.rect_filled(self.rect, CornerRadius::same(4), palette.background);
        let focused_node = hovered.or(selected);
        let mut highlighted = vec![focused_node.is_none(); self.model.nodes.len()];
        if let Some(focused_node) = focused_node {
            highlighted[focused_node] = true;
            for edge in self.drawn.edges.iter().map(|number| &self.model.edges[*number]) {
                if edge.a == focused_node || edge.b == focused_node {
                    (highlighted[edge.a], highlighted[edge.b]) = (true, true);
                }
            }
        }
        for edge in self.drawn.edges.iter().map(|number| &self.model.edges[*number]) {
            self.paint_edge(&painter, edge, focused_node);
        }
        for &number in &self.drawn.nodes {
            let is_focused = selected == Some(number) || hovered == Some(number);
            self.paint_node(&painter, number, highlighted[number], is_focused);
        }
        self.paint_names(&painter, &highlighted, selected, hovered);
    }

    fn paint_edge(&self, painter: &Painter, edge: &Edge, focused_node: Option<usize>) {
        let (Some(a), Some(b)) = (self.positions[edge.a], self.positions[edge.b]) else { return };
        if !self.rect.intersects(Rect::from_two_pos(a, b).expand(1.0)) {
            return;
        }
        let palette = self.display.theme.palette();
        let touches_focus = focused_node.is_some_and(|focused_node| edge.a == focused_node || edge.b == focused_node);
        let is_dimmed = focused_node.is_some() && !touches_focus;
        let secret = edge.is_secret();
        let colour = match (secret, touches_focus) {
            (true, _) => palette.secret,
            (false, true) => palette.strong,
            (false, false) => palette.weak,
        };
        let transparency = match (is_dimmed, touches_focus, secret) {
            (true, ..) => DIMMED_TRANSPARENCY,
            (false, true, _) => 0.1,
            (false, false, true) => 0.2,
            (false, false, false) => 0.45,
        };
        let colour = dimmed(colour, transparency);
        let stroke = Stroke::new(if touches_focus { 2.0 } else { 1.2 }, colour);
        match secret {
            true => painter.extend(Shape::dashed_line(&[a, b], stroke, 6.0, 4.0)),
            false => _ = painter.line_segment([a, b], stroke),
        }
        if edge.has_secret() && !is_dimmed && (self.zoom > 0.45 || touches_focus) {
            self.paint_lock(painter, a + (b - a) * 0.5);
        }
        if touches_focus && self.zoom > 0.6 {
            // Place the label nearer to the other node, because all lines meet at the focused node.
            let (from, to) = if focused_node == Some(edge.a) { (a, b) } else { (b, a) };
            self.paint_relation_label(painter, edge, from + (to - from) * 0.6);
        }
    }

    /// Paints the name of the relation on an edge of the focused node.
    fn paint_relation_label(&self, painter: &Painter, edge: &Edge, at: Pos2) {
        let palette = self.display.theme.palette();
        let Some(first) = edge.relations.first() else { return };
        let mut text = relation_label(&first.predicate);
        if edge.relations.len() > 1 {
            text = format!("{text} +{}", edge.relations.len() - 1);
        }
        let font = FontId::proportional(self.display.theme.sizes().small - 1.0);
        let galley = painter.layout_no_wrap(text, font, palette.weak);
        let rect = Align2::CENTER_CENTER.anchor_size(at, galley.size());
        painter.rect_filled(rect.expand2(vec2(3.0, 0.0)), CornerRadius::same(3), palette.background);
        painter.galley(rect.min, galley, palette.weak);
    }

    /// Paints a small lock.
    fn paint_lock(&self, painter: &Painter, at: Pos2) {
        let palette = self.display.theme.palette();
        painter.circle_filled(at, 8.0, palette.background);
        let body = Rect::from_center_size(at + vec2(0.0, 2.0), vec2(8.0, 6.0));
        painter.rect_filled(body, CornerRadius::same(1), palette.secret);
        let shackle: Vec<Pos2> = (0..=8)
            .map(|step| {
                let angle = std::f32::consts::PI * (1.0 + step as f32 / 8.0);
                at + vec2(angle.cos() * 2.6, angle.sin() * 3.2 - 1.0)
            })
            .collect();
        painter.line(shackle, Stroke::new(1.4, palette.secret));
    }

    fn paint_node(&self, painter: &Painter, number: usize, is_highlighted: bool, is_focused: bool) {
        let (Some(at), node) = (self.positions[number], &self.model.nodes[number]) else { return };
        let radius = self.radius(node);
        if !self.rect.expand(radius * 2.0).contains(at) {
            return;
        }
        let palette = self.display.theme.palette();
        let colour = self.display.theme.kind(node.entity.kind.as_ref());
        let colour = if is_highlighted { colour } else { dimmed(colour, DIMMED_TRANSPARENCY) };
        // Hide the ends of edges that lie behind the node.
        painter.circle_filled(at, radius + 1.5, palette.background);
        paint_symbol(painter, node.entity.kind.as_ref(), at, radius, colour);
        if node.hub {
            painter.circle_stroke(at, radius + 4.0, Stroke::new(1.5, colour));
        }
        if is_focused {
            painter.circle_stroke(at, radius + 7.0, Stroke::new(2.5, palette.accent));
        }
    }

    /// Paints the names of the nodes, most important nodes first. A name that would cover another name is omitted until
    /// its node is focused.
    fn paint_names(&self, painter: &Painter, highlighted: &[bool], selected: Option<usize>, hovered: Option<usize>) {
        let palette = self.display.theme.palette();
        let center = self.model.center.as_ref().map(|center| &center.id);
        let has_focused_node = hovered.or(selected).is_some();
        let rank = |number: usize| {
            let node = &self.model.nodes[number];
            let is_focused = hovered == Some(number) || selected == Some(number);
            (
                !is_focused,
                Some(&node.entity.id) != center,
                has_focused_node && !highlighted[number],
                !node.hub,
                usize::MAX - node.degree,
                number,
            )
        };
        let mut order = self.drawn.nodes.clone();
        order.sort_by_key(|number| rank(*number));
        let symbol_rects: Vec<Rect> = self.drawn.nodes.iter().filter_map(|number| self.symbol_rect(*number)).collect();
        let mut label_rects: Vec<Rect> = Vec::new();
        for number in order {
            let (Some(at), node) = (self.positions[number], &self.model.nodes[number]) else { continue };
            if !self.rect.contains(at) {
                continue;
            }
            let is_focused = hovered == Some(number) || selected == Some(number);
            let is_important = is_focused || node.hub || Some(&node.entity.id) == center;
            // At a small zoom factor, only important nodes show their names.
            if !is_important && self.zoom < 0.35 && !(has_focused_node && highlighted[number]) {
                continue;
            }
            let name = visual_order(&node.entity.name);
            let name = if is_focused { name.into_owned() } else { shorten(&name, 22).into_owned() };
            let sizes = self.display.theme.sizes();
            let font = FontId::proportional(if is_important { sizes.body - 1.0 } else { sizes.small });
            let colour = if is_important { palette.strong } else { palette.text };
            let colour = if highlighted[number] { colour } else { dimmed(colour, DIMMED_TRANSPARENCY) };
            let galley = painter.layout_no_wrap(name, font, colour);
            let Some(rect) =
                self.find_label_rect(at, node, galley.size(), &label_rects, &symbol_rects, is_focused, is_important)
            else {
                continue;
            };
            label_rects.push(rect);
            painter.rect_filled(rect.expand2(vec2(2.0, -1.0)), CornerRadius::same(3), palette.background);
            painter.galley(rect.min, galley, colour);
        }
    }

    /// Returns the rectangle of a node's symbol.
    fn symbol_rect(&self, number: usize) -> Option<Rect> {
        let radius = self.radius(&self.model.nodes[number]);
        self.positions[number].map(|at| Rect::from_center_size(at, Vec2::splat(radius * 2.0)))
    }

    /// Returns a rectangle for the name of a node, or `None` if there is no space. The rectangle is below, above or
    /// beside the symbol of the node, and covers no other name or symbol. The name of an important node is allowed to
    /// cover symbols. The name of a focused node is allowed to cover everything.
    #[allow(clippy::too_many_arguments, reason = "called once, with values that only the caller has")]
    fn find_label_rect(
        &self,
        at: Pos2,
        node: &Node,
        size: Vec2,
        label_rects: &[Rect],
        symbol_rects: &[Rect],
        is_focused: bool,
        is_important: bool,
    ) -> Option<Rect> {
        let offset = self.radius(node) + if node.hub { 6.0 } else { 3.0 };
        let candidates = [
            Align2::CENTER_TOP.anchor_size(at + vec2(0.0, offset), size),
            Align2::CENTER_BOTTOM.anchor_size(at - vec2(0.0, offset), size),
            Align2::LEFT_CENTER.anchor_size(at + vec2(offset + 1.0, 0.0), size),
            Align2::RIGHT_CENTER.anchor_size(at - vec2(offset + 1.0, 0.0), size),
        ];
        // Keep the name within the canvas.
        let move_into_canvas = |rect: &Rect| {
            let (left, right) = (self.rect.left() + 2.0 - rect.left(), rect.right() - self.rect.right() + 2.0);
            rect.translate(vec2(left.max(0.0) - right.max(0.0), 0.0))
        };
        let is_clear_of = |rect: &Rect, others: &[Rect]| !others.iter().any(|other| other.intersects(rect.shrink(1.0)));
        let own_symbol = Rect::from_center_size(at, Vec2::splat(self.radius(node) * 2.0));
        let others: Vec<Rect> =
            symbol_rects.iter().filter(|symbol_rect| **symbol_rect != own_symbol).copied().collect();
        let is_free = |rect: &Rect| is_clear_of(rect, label_rects) && is_clear_of(rect, &others);
        let candidates = candidates.map(|rect| move_into_canvas(&rect));
        let rect = candidates.iter().find(|rect| is_free(rect));
        let rect = rect.or_else(|| candidates.iter().find(|rect| is_important && is_clear_of(rect, label_rects)));
        rect.or(is_focused.then_some(&candidates[0])).copied()
    }
}

/// Paints the symbol of a kind.
pub(super) fn paint_symbol(painter: &Painter, kind: Option<&Kind>, at: Pos2, radius: f32, colour: Color32) {
    let is_hollow = matches!(kind, Some(Kind::Concept | Kind::Custom(_)) | None);
    let outline = symbol_outline(kind, at, radius);
    if !is_hollow {
        painter.add(filled_outline(at, &outline, colour));
    }
    painter.add(Shape::closed_line(outline, Stroke::new(if is_hollow { 2.0 } else { 1.0 }, colour)));
}

/// Returns the outline of the symbol of a kind. Each kind has a different shape, so that kinds can be told apart
/// without colours.
fn symbol_outline(kind: Option<&Kind>, at: Pos2, radius: f32) -> Vec<Pos2> {
    let polygon = |count: usize, start_angle: f32, radius: &dyn Fn(usize) -> f32| -> Vec<Pos2> {
        let point = |number: usize| {
            let angle = start_angle + std::f32::consts::TAU * number as f32 / count as f32;
            pos2(at.x + radius(number) * angle.cos(), at.y + radius(number) * angle.sin())
        };
        (0..count).map(point).collect()
    };
    let upward = -std::f32::consts::FRAC_PI_2;
    let constant_radius = |factor: f32| move |_: usize| radius * factor;
    let star = |inner: f32| move |number: usize| if number.is_multiple_of(2) { radius * 1.25 } else { radius * inner };
    match kind {
        Some(Kind::Player) => polygon(10, upward, &star(0.55)),
        Some(Kind::Party) => polygon(16, upward, &star(0.9)),
        Some(Kind::Location) => polygon(4, upward + std::f32::consts::FRAC_PI_4, &constant_radius(1.2)),
        Some(Kind::Faction) => polygon(3, upward, &constant_radius(1.3)),
        Some(Kind::Item) => polygon(4, upward, &constant_radius(1.2)),
        Some(Kind::Document) => {
            let (w, h) = (radius * 0.8, radius * 1.1);
            vec![at + vec2(-w, -h), at + vec2(w, -h), at + vec2(w, h), at + vec2(-w, h)]
        }
        Some(Kind::Event) => polygon(8, upward, &star(0.45)),
        Some(Kind::Quest) => polygon(5, upward, &constant_radius(1.15)),
        Some(Kind::Custom(_)) | None => polygon(6, upward, &constant_radius(1.05)),
        Some(Kind::Npc | Kind::Concept) => polygon(24, upward, &constant_radius(1.0)),
    }
}

/// Fills an outline. Each point of the outline must be connected to the center by a line inside the shape.
fn filled_outline(at: Pos2, outline: &[Pos2], colour: Color32) -> Shape {
    let mut mesh = Mesh::default();
    let vertex = |pos: Pos2| Vertex { pos, uv: egui::epaint::WHITE_UV, color: colour };
    mesh.vertices.push(vertex(at));
    mesh.vertices.extend(outline.iter().copied().map(vertex));
    let count = outline.len() as u32;
    for number in 0..count {
        mesh.add_triangle(0, number + 1, (number + 1) % count + 1);
    }
    Shape::mesh(mesh)
}
