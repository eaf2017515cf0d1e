//! Where the entities of a graph are drawn: the same graph at the same places, and a graph that changed a little at
//! places that changed a little.

use std::collections::BTreeMap;

use hearsay_model::EntityId;

use super::model::GraphModel;

/// A place on the plane.
pub type Place = [f32; 2];

/// Where each entity is drawn.
pub type Places = BTreeMap<EntityId, Place>;

/// How long a relation is drawn, if nothing pulls at it.
const LENGTH: f32 = 110.0;

/// How near two entities come at most.
const NEAREST: f32 = 46.0;

/// Steps from nothing, from a layout in which most have a place, and from one in which all have; and how far each moves in a
/// step at first.
const STEPS: [(usize, f32); 3] = [(500, LENGTH * 1.5), (90, LENGTH * 0.1), (30, LENGTH * 0.03)];

/// Beyond this nobody pushes another: parts that nothing joins would fly apart.
const REACH: f32 = LENGTH * 6.0;

/// Lays a graph out: those that are joined pull each other near, all others push each other away (Fruchterman and
/// Reingold). What has a place already starts there and moves little; what is new starts beside those it is joined to.
pub fn lay_out(model: &GraphModel, warm: &Places) -> Places {
    let count = model.nodes.len();
    let known: Vec<Option<Place>> = model.nodes.iter().map(|node| warm.get(&node.who.id).copied()).collect();
    let mut places = begin(model, &known);
    let (steps, heat) = match known.iter().flatten().count() {
        all if all == count => STEPS[2],
        most if most * 2 > count => STEPS[1],
        _ => STEPS[0],
    };
    let edges: Vec<(usize, usize)> = model.edges.iter().map(|edge| (edge.a, edge.b)).collect();
    let mut joined = vec![0.0_f32; count];
    for &(a, b) in &edges {
        joined[a] += 1.0;
        joined[b] += 1.0;
    }
    for step in 0..steps {
        let left = 1.0 - step as f32 / steps as f32;
        relax(&mut places, &edges, &joined, heat * left * left + 0.2);
    }
    for _ in 0..24 {
        part(&mut places);
    }
    align(&mut places, &known);
    model.nodes.iter().zip(places).map(|(node, place)| (node.who.id.clone(), place)).collect()
}

/// Where everybody starts: at its place; or beside one it is joined to; or in a spiral, by its number.
fn begin(model: &GraphModel, known: &[Option<Place>]) -> Vec<Place> {
    let mut places: Vec<Option<Place>> = known.to_vec();
    // A spiral by the golden angle spreads any number evenly.
    let spiral = |number: usize| {
        let (angle, radius) = (number as f32 * 2.399_963, LENGTH * 0.6 * (number as f32).sqrt());
        [radius * angle.cos(), radius * angle.sin()]
    };
    if known.iter().all(Option::is_none) {
        return (0..known.len()).map(spiral).collect();
    }
    for edge in &model.edges {
        for (from, to) in [(edge.a, edge.b), (edge.b, edge.a)] {
            if let (Some(place), None) = (places[from], places[to]) {
                let angle = to as f32 * 2.399_963;
                places[to] = Some([place[0] + LENGTH * 0.7 * angle.cos(), place[1] + LENGTH * 0.7 * angle.sin()]);
            }
        }
    }
    places.iter().enumerate().map(|(number, place)| place.unwrap_or_else(|| spiral(number + 4))).collect()
}

/// One step: everybody goes a part of where it is pushed and pulled, the smaller the more it is joined to, so that nobody
/// swings to and fro; and no further than the heat allows.
fn relax(places: &mut [Place], edges: &[(usize, usize)], joined: &[f32], heat: f32) {
    let mut forces = vec![[0.0_f32; 2]; places.len()];
    for a in 0..places.len() {
        for b in a + 1..places.len() {
            let (dx, dy) = (places[a][0] - places[b][0], places[a][1] - places[b][1]);
            let square = (dx * dx + dy * dy).max(1.0);
            if square > REACH * REACH {
                continue;
            }
            let push = LENGTH * LENGTH / square * (1.0 - square / (REACH * REACH));
            forces[a][0] += dx * push;
            forces[a][1] += dy * push;
            forces[b][0] -= dx * push;
            forces[b][1] -= dy * push;
        }
    }
    for &(a, b) in edges {
        let (dx, dy) = (places[a][0] - places[b][0], places[a][1] - places[b][1]);
        let pull = (dx * dx + dy * dy).sqrt() / LENGTH;
        forces[a][0] -= dx * pull;
        forces[a][1] -= dy * pull;
        forces[b][0] += dx * pull;
        forces[b][1] += dy * pull;
    }
    for ((place, force), joined) in places.iter_mut().zip(&forces).zip(joined) {
        let part = 0.25 / (1.0 + joined);
        // All are drawn to the middle a little. Screens are wider than high.
        let (fx, fy) = ((force[0] - place[0] * 0.35) * part, (force[1] - place[1] * 0.55) * part);
        let length = (fx * fx + fy * fy).sqrt();
        let far = if length > heat { heat / length } else { 1.0 };
        place[0] += fx * far;
        place[1] += fy * far;
    }
}

/// Parts those that are too near.
fn part(places: &mut [Place]) {
    for a in 0..places.len() {
        for b in a + 1..places.len() {
            let (mut dx, mut dy) = (places[a][0] - places[b][0], places[a][1] - places[b][1]);
            let mut distance = (dx * dx + dy * dy).sqrt();
            if distance >= NEAREST {
                continue;
            }
            if distance < 0.01 {
                let angle = (a + b) as f32;
                (dx, dy, distance) = (angle.cos(), angle.sin(), 1.0);
            }
            let by = (NEAREST - distance) * 0.5 / distance;
            places[a][0] += dx * by;
            places[a][1] += dy * by;
            places[b][0] -= dx * by;
            places[b][1] -= dy * by;
        }
    }
}

/// Turns and moves all as one, so that those who had a place are as near to it as can be.
fn align(places: &mut [Place], known: &[Option<Place>]) {
    let pairs: Vec<(Place, Place)> =
        places.iter().zip(known).filter_map(|(now, then)| Some((*now, (*then)?))).collect();
    if pairs.is_empty() {
        return;
    }
    let middle = |of: fn(&(Place, Place)) -> Place| {
        let sum = pairs.iter().map(of).fold([0.0, 0.0], |sum, place| [sum[0] + place[0], sum[1] + place[1]]);
        [sum[0] / pairs.len() as f32, sum[1] / pairs.len() as f32]
    };
    let (now, then) = (middle(|pair| pair.0), middle(|pair| pair.1));
    let (mut cos, mut sin) = (0.0, 0.0);
    for (a, b) in &pairs {
        let (ax, ay, bx, by) = (a[0] - now[0], a[1] - now[1], b[0] - then[0], b[1] - then[1]);
        cos += ax * bx + ay * by;
        sin += ax * by - ay * bx;
    }
    let length = (cos * cos + sin * sin).sqrt();
    let (cos, sin) = if length > 0.0 { (cos / length, sin / length) } else { (1.0, 0.0) };
    for place in places {
        let (x, y) = (place[0] - now[0], place[1] - now[1]);
        *place = [then[0] + x * cos - y * sin, then[1] + x * sin + y * cos];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        names::Named,
        panels::graph::model::{Edge, Node},
    };

    /// Some hubs, each with others around it.
    fn graph(count: usize) -> GraphModel {
        let node = |number: usize| Node {
            who: Named { id: EntityId::new(format!("e{number}")).unwrap(), name: format!("E {number}"), kind: None },
            degree: 1,
            hub: false,
            distance: 0,
            safe: true,
        };
        let edge = |number: usize| Edge { a: number / 7, b: number, relations: Vec::new() };
        GraphModel {
            nodes: (0..count).map(node).collect(),
            edges: (1..count).map(edge).collect(),
            ..GraphModel::default()
        }
    }

    fn distance(a: Place, b: Place) -> f32 {
        ((a[0] - b[0]).powi(2) + (a[1] - b[1]).powi(2)).sqrt()
    }

    #[test]
    fn the_same_graph_lies_at_the_same_places_and_nobody_covers_another() {
        let graph = graph(200);
        let places = lay_out(&graph, &Places::new());
        assert_eq!(places, lay_out(&graph, &Places::new()));
        let all: Vec<Place> = places.values().copied().collect();
        for (number, a) in all.iter().enumerate() {
            assert!(a.iter().all(|x| x.is_finite() && x.abs() < 5000.0), "{a:?}");
            for b in &all[number + 1..] {
                assert!(distance(*a, *b) > NEAREST * 0.8, "{a:?} {b:?}");
            }
        }
    }

    #[test]
    fn what_was_there_stays_nearly_where_it_was() {
        let before = lay_out(&graph(60), &Places::new());
        let after = lay_out(&graph(63), &before);
        let moved: Vec<f32> = before.iter().map(|(id, place)| distance(*place, after[id])).collect();
        let mean = moved.iter().sum::<f32>() / moved.len() as f32;
        assert!(mean < LENGTH * 0.4, "{mean}");
        // Where nobody is new, nearly nothing moves.
        let still = lay_out(&graph(63), &after);
        let most = after.iter().map(|(id, place)| distance(*place, still[id])).fold(0.0, f32::max);
        assert!(most < LENGTH * 0.4, "{most}");
    }

    #[test]
    fn nothing_and_one_alone_have_a_layout_too() {
        assert!(lay_out(&GraphModel::default(), &Places::new()).is_empty());
        assert_eq!(lay_out(&graph(1), &Places::new()).len(), 1);
    }
}
