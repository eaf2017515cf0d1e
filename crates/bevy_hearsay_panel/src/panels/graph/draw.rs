//! Paints the graph.

use std::collections::HashMap;

use egui::{
    Align2, Color32, CornerRadius, FontId, Mesh, Painter, Pos2, Rect, Shape, Stroke, Ui, Vec2, epaint::Vertex, pos2,
    vec2,
};
use hearsay_model::{EntityId, Kind};

use super::model::{Edge, GraphModel, Node, label};
use crate::{direction::visual, panel::Look, text::shortened, widgets::dimmed};

/// The part of a graph that is drawn. In screen-safe mode, this is the part that players may see.
#[derive(Debug)]
pub(super) struct Drawn<'a> {
    /// Indexes of the model's nodes.
    pub(super) nodes: Vec<usize>,
    /// Indexes of the model's edges.
    pub(super) edges: Vec<usize>,
    /// Number of nodes that are hidden in screen-safe mode.
    pub(super) hidden: usize,
    by_id: HashMap<&'a EntityId, usize>,
}

impl<'a> Drawn<'a> {
    pub(super) fn of(model: &'a GraphModel, screen_safe: bool) -> Self {
        let shown = |number: usize| model.nodes.get(number).is_some_and(|node| !screen_safe || node.safe);
        let nodes: Vec<usize> = (0..model.nodes.len()).filter(|number| shown(*number)).collect();
        let joins = |edge: &Edge| {
            let seen = !screen_safe || edge.relations.iter().any(|relation| relation.safe);
            seen && shown(edge.a) && shown(edge.b)
        };
        Self {
            edges: (0..model.edges.len()).filter(|number| joins(&model.edges[*number])).collect(),
            hidden: model.nodes.len() - nodes.len(),
            by_id: nodes.iter().map(|number| (&model.nodes[*number].who.id, *number)).collect(),
            nodes,
        }
    }

    /// Returns the index of an entity's node, if it is drawn.
    pub(super) fn place_of(&self, id: &EntityId) -> Option<usize> {
        self.by_id.get(id).copied()
    }
}

/// A graph and the area of the screen in which it is painted.
pub(super) struct Canvas<'a> {
    pub(super) look: &'a Look,
    pub(super) model: &'a GraphModel,
    pub(super) drawn: &'a Drawn<'a>,
    pub(super) rect: Rect,
    pub(super) zoom: f32,
    pub(super) positions: &'a [Option<Pos2>],
}

/// Transparency of nodes and edges that are not connected to the focused node, from 0 to 1.
const DIM: f32 = 0.78;

impl Canvas<'_> {
    /// Returns the radius of a node.
    pub(super) fn radius(&self, node: &Node) -> f32 {
        let center = self.model.center.as_ref().is_some_and(|center| center.id == node.who.id);
        let size = 6.0 + (node.degree as f32).sqrt().min(7.0) * 1.5 + if center { 3.0 } else { 0.0 };
        size * self.zoom.sqrt().clamp(0.55, 1.5)
    }

    /// Paints the graph. If a node is selected or hovered, all nodes except this node and its neighbours are dimmed.
    pub(super) fn paint(&self, ui: &Ui, selected: Option<usize>, hovered: Option<usize>) {
        let painter = ui.painter_at(self.rect);
        let palette = self.look.theme.palette();
        painter.rect_filled(self.rect, CornerRadius::same(4), palette.background);
        let eye = hovered.or(selected);
        let mut near = vec![eye.is_none(); self.model.nodes.len()];
        if let Some(eye) = eye {
            near[eye] = true;
            for edge in self.drawn.edges.iter().map(|number| &self.model.edges[*number]) {
                if edge.a == eye || edge.b == eye {
                    (near[edge.a], near[edge.b]) = (true, true);
                }
            }
        }
        for edge in self.drawn.edges.iter().map(|number| &self.model.edges[*number]) {
            self.edge(&painter, edge, eye);
        }
        for &number in &self.drawn.nodes {
            let focus = selected == Some(number) || hovered == Some(number);
            self.node(&painter, number, near[number], focus);
        }
        self.names(&painter, &near, selected, hovered);
    }

    fn edge(&self, painter: &Painter, edge: &Edge, eye: Option<usize>) {
        let (Some(a), Some(b)) = (self.positions[edge.a], self.positions[edge.b]) else { return };
        if !self.rect.intersects(Rect::from_two_pos(a, b).expand(1.0)) {
            return;
        }
        let palette = self.look.theme.palette();
        let of_eye = eye.is_some_and(|eye| edge.a == eye || edge.b == eye);
        let dim = eye.is_some() && !of_eye;
        let secret = edge.is_secret() && !self.look.screen_safe;
        let colour = match (secret, of_eye) {
            (true, _) => palette.secret,
            (false, true) => palette.strong,
            (false, false) => palette.weak,
        };
        let back = match (dim, of_eye, secret) {
            (true, ..) => DIM,
            (false, true, _) => 0.1,
            (false, false, true) => 0.2,
            (false, false, false) => 0.45,
        };
        let colour = dimmed(colour, back);
        let stroke = Stroke::new(if of_eye { 2.0 } else { 1.2 }, colour);
        match secret {
            true => painter.extend(Shape::dashed_line(&[a, b], stroke, 6.0, 4.0)),
            false => _ = painter.line_segment([a, b], stroke),
        }
        if edge.has_secret() && !self.look.screen_safe && !dim && (self.zoom > 0.45 || of_eye) {
            self.lock(painter, a + (b - a) * 0.5);
        }
        if of_eye && self.zoom > 0.6 {
            // Place the label nearer to the other node, because all lines meet at the focused node.
            let (from, to) = if eye == Some(edge.a) { (a, b) } else { (b, a) };
            self.what_joins(painter, edge, from + (to - from) * 0.6);
        }
    }

    /// Paints the name of the relation on an edge of the focused node.
    fn what_joins(&self, painter: &Painter, edge: &Edge, at: Pos2) {
        let palette = self.look.theme.palette();
        let seen: Vec<_> = edge.relations.iter().filter(|relation| !self.look.screen_safe || relation.safe).collect();
        let Some(first) = seen.first() else { return };
        let mut words = label(&first.predicate);
        if seen.len() > 1 {
            words = format!("{words} +{}", seen.len() - 1);
        }
        let font = FontId::proportional(self.look.theme.sizes().small - 1.0);
        let galley = painter.layout_no_wrap(words, font, palette.weak);
        let rect = Align2::CENTER_CENTER.anchor_size(at, galley.size());
        painter.rect_filled(rect.expand2(vec2(3.0, 0.0)), CornerRadius::same(3), palette.background);
        painter.galley(rect.min, galley, palette.weak);
    }

    /// Paints a small lock.
    fn lock(&self, painter: &Painter, at: Pos2) {
        let palette = self.look.theme.palette();
        painter.circle_filled(at, 8.0, palette.background);
        let body = Rect::from_center_size(at + vec2(0.0, 2.0), vec2(8.0, 6.0));
        painter.rect_filled(body, CornerRadius::same(1), palette.secret);
        let bow: Vec<Pos2> = (0..=8)
            .map(|step| {
                let angle = std::f32::consts::PI * (1.0 + step as f32 / 8.0);
                at + vec2(angle.cos() * 2.6, angle.sin() * 3.2 - 1.0)
            })
            .collect();
        painter.line(bow, Stroke::new(1.4, palette.secret));
    }

    fn node(&self, painter: &Painter, number: usize, near: bool, focus: bool) {
        let (Some(at), node) = (self.positions[number], &self.model.nodes[number]) else { return };
        let radius = self.radius(node);
        if !self.rect.expand(radius * 2.0).contains(at) {
            return;
        }
        let palette = self.look.theme.palette();
        let colour = self.look.theme.kind(node.who.kind.as_ref());
        let colour = if near { colour } else { dimmed(colour, DIM) };
        // Hide the ends of edges that lie behind the node.
        painter.circle_filled(at, radius + 1.5, palette.background);
        form(painter, node.who.kind.as_ref(), at, radius, colour);
        if node.hub {
            painter.circle_stroke(at, radius + 4.0, Stroke::new(1.5, colour));
        }
        if focus {
            painter.circle_stroke(at, radius + 7.0, Stroke::new(2.5, palette.accent));
        }
    }

    /// Paints the names of the nodes, most important nodes first. A name that would cover another name is omitted until
    /// its node is focused.
    fn names(&self, painter: &Painter, near: &[bool], selected: Option<usize>, hovered: Option<usize>) {
        let palette = self.look.theme.palette();
        let center = self.model.center.as_ref().map(|center| &center.id);
        let eye = hovered.or(selected).is_some();
        let rank = |number: usize| {
            let node = &self.model.nodes[number];
            let looked_at = hovered == Some(number) || selected == Some(number);
            (
                !looked_at,
                Some(&node.who.id) != center,
                eye && !near[number],
                !node.hub,
                usize::MAX - node.degree,
                number,
            )
        };
        let mut order = self.drawn.nodes.clone();
        order.sort_by_key(|number| rank(*number));
        let signs: Vec<Rect> = self.drawn.nodes.iter().filter_map(|number| self.sign(*number)).collect();
        let mut taken: Vec<Rect> = Vec::new();
        for number in order {
            let (Some(at), node) = (self.positions[number], &self.model.nodes[number]) else { continue };
            if !self.rect.contains(at) {
                continue;
            }
            let looked_at = hovered == Some(number) || selected == Some(number);
            let important = looked_at || node.hub || Some(&node.who.id) == center;
            // At a small zoom factor, only important nodes show their names.
            if !important && self.zoom < 0.35 && !(eye && near[number]) {
                continue;
            }
            let name = visual(&node.who.name);
            let name = if looked_at { name.into_owned() } else { shortened(&name, 22).into_owned() };
            let sizes = self.look.theme.sizes();
            let font = FontId::proportional(if important { sizes.body - 1.0 } else { sizes.small });
            let colour = if important { palette.strong } else { palette.text };
            let colour = if near[number] { colour } else { dimmed(colour, DIM) };
            let galley = painter.layout_no_wrap(name, font, colour);
            let Some(rect) = self.room(at, node, galley.size(), &taken, &signs, looked_at, important) else { continue };
            taken.push(rect);
            painter.rect_filled(rect.expand2(vec2(2.0, -1.0)), CornerRadius::same(3), palette.background);
            painter.galley(rect.min, galley, colour);
        }
    }

    /// Returns the rectangle of a node's symbol.
    fn sign(&self, number: usize) -> Option<Rect> {
        let radius = self.radius(&self.model.nodes[number]);
        self.positions[number].map(|at| Rect::from_center_size(at, Vec2::splat(radius * 2.0)))
    }

    /// Returns a rectangle for the name of a node, or `None` if there is no space. The rectangle is below, above or
    /// beside the symbol of the node, and covers no other name or symbol. The name of an important node may cover
    /// symbols. The name of a focused node may cover everything.
    #[allow(clippy::too_many_arguments, reason = "one call, of values that only this has")]
    fn room(
        &self,
        at: Pos2,
        node: &Node,
        size: Vec2,
        taken: &[Rect],
        signs: &[Rect],
        looked_at: bool,
        important: bool,
    ) -> Option<Rect> {
        let away = self.radius(node) + if node.hub { 6.0 } else { 3.0 };
        let places = [
            Align2::CENTER_TOP.anchor_size(at + vec2(0.0, away), size),
            Align2::CENTER_BOTTOM.anchor_size(at - vec2(0.0, away), size),
            Align2::LEFT_CENTER.anchor_size(at + vec2(away + 1.0, 0.0), size),
            Align2::RIGHT_CENTER.anchor_size(at - vec2(away + 1.0, 0.0), size),
        ];
        // Keep the name within the canvas.
        let within = |rect: &Rect| {
            let (left, right) = (self.rect.left() + 2.0 - rect.left(), rect.right() - self.rect.right() + 2.0);
            rect.translate(vec2(left.max(0.0) - right.max(0.0), 0.0))
        };
        let apart = |rect: &Rect, others: &[Rect]| !others.iter().any(|other| other.intersects(rect.shrink(1.0)));
        let own = Rect::from_center_size(at, Vec2::splat(self.radius(node) * 2.0));
        let others: Vec<Rect> = signs.iter().filter(|sign| **sign != own).copied().collect();
        let free = |rect: &Rect| apart(rect, taken) && apart(rect, &others);
        let places = places.map(|rect| within(&rect));
        let found = places.iter().find(|rect| free(rect));
        let found = found.or_else(|| places.iter().find(|rect| important && apart(rect, taken)));
        found.or(looked_at.then_some(&places[0])).copied()
    }
}

/// Paints the symbol of a kind.
pub(super) fn form(painter: &Painter, kind: Option<&Kind>, at: Pos2, radius: f32, colour: Color32) {
    let hollow = matches!(kind, Some(Kind::Concept | Kind::Custom(_)) | None);
    let outline = outline(kind, at, radius);
    if !hollow {
        painter.add(fan(at, &outline, colour));
    }
    painter.add(Shape::closed_line(outline, Stroke::new(if hollow { 2.0 } else { 1.0 }, colour)));
}

/// Returns the outline of the symbol of a kind. Each kind has a different shape, so that kinds can be told apart
/// without colours.
fn outline(kind: Option<&Kind>, at: Pos2, radius: f32) -> Vec<Pos2> {
    let ring = |count: usize, turn: f32, radius: &dyn Fn(usize) -> f32| -> Vec<Pos2> {
        let point = |number: usize| {
            let angle = turn + std::f32::consts::TAU * number as f32 / count as f32;
            pos2(at.x + radius(number) * angle.cos(), at.y + radius(number) * angle.sin())
        };
        (0..count).map(point).collect()
    };
    let up = -std::f32::consts::FRAC_PI_2;
    let even = |by: f32| move |_: usize| radius * by;
    let star = |inner: f32| move |number: usize| if number.is_multiple_of(2) { radius * 1.25 } else { radius * inner };
    match kind {
        Some(Kind::Player) => ring(10, up, &star(0.55)),
        Some(Kind::Party) => ring(16, up, &star(0.9)),
        Some(Kind::Location) => ring(4, up + std::f32::consts::FRAC_PI_4, &even(1.2)),
        Some(Kind::Faction) => ring(3, up, &even(1.3)),
        Some(Kind::Item) => ring(4, up, &even(1.2)),
        Some(Kind::Document) => {
            let (w, h) = (radius * 0.8, radius * 1.1);
            vec![at + vec2(-w, -h), at + vec2(w, -h), at + vec2(w, h), at + vec2(-w, h)]
        }
        Some(Kind::Event) => ring(8, up, &star(0.45)),
        Some(Kind::Quest) => ring(5, up, &even(1.15)),
        Some(Kind::Custom(_)) | None => ring(6, up, &even(1.05)),
        Some(Kind::Npc | Kind::Concept) => ring(24, up, &even(1.0)),
    }
}

/// Fills an outline. Each point of the outline must be connected to the center by a line inside the shape.
fn fan(at: Pos2, outline: &[Pos2], colour: Color32) -> Shape {
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
