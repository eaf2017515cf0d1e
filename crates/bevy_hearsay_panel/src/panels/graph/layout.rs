//! Computes positions for the entities of a graph. The layout is deterministic. A small change of the graph changes the
//! positions only a little.

use std::collections::BTreeMap;

use hearsay_model::EntityId;

use super::model::GraphModel;

/// A position on the plane.
pub type Place = [f32; 2];

/// The position of each entity.
pub type Places = BTreeMap<EntityId, Place>;

/// Distance at which the attraction and repulsion of two connected entities are about equal.
const LENGTH: f32 = 110.0;

/// Minimum distance between two entities.
const NEAREST: f32 = 46.0;

/// Number of steps, and initial maximum movement per step, for three cases: few entities have a known position, most
/// have one, all have one.
const STEPS: [(usize, f32); 3] = [(500, LENGTH * 1.5), (90, LENGTH * 0.1), (30, LENGTH * 0.03)];

/// Maximum distance at which two entities repel each other. Without a limit, unconnected parts of the graph would drift
/// apart.
const REACH: f32 = LENGTH * 6.0;

/// Computes a force-directed layout (Fruchterman and Reingold): connected entities attract each other, and all entities
/// repel each other. `warm` contains known positions from an earlier layout. Entities with a known position start there
/// and move only a little. Other entities start beside a neighbour.
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

/// Returns the start positions. An entity starts at its known position, or beside a neighbour that is already placed, or
/// else on a spiral.
fn begin(model: &GraphModel, known: &[Option<Place>]) -> Vec<Place> {
    let mut places: Vec<Option<Place>> = known.to_vec();
    // A spiral with the golden angle spreads any number of points evenly.
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

/// Runs one step of the layout. Each entity moves by a fraction of the force on it, and at most by `heat`. The fraction
/// is smaller for entities with many relations, which prevents oscillation.
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
        // A weak force pulls all entities to the middle. The vertical force is stronger, because screens are wider than
        // high.
        let (fx, fy) = ((force[0] - place[0] * 0.35) * part, (force[1] - place[1] * 0.55) * part);
        let length = (fx * fx + fy * fy).sqrt();
        let far = if length > heat { heat / length } else { 1.0 };
        place[0] += fx * far;
        place[1] += fy * far;
    }
}

/// Moves apart entities that are too near to each other.
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

/// Rotates and moves the whole layout so that entities are as near as possible to their known positions.
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

    /// Makes a graph of several hubs with neighbours.
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
    fn existing_nodes_hardly_move() {
        let before = lay_out(&graph(60), &Places::new());
        let after = lay_out(&graph(63), &before);
        let moved: Vec<f32> = before.iter().map(|(id, place)| distance(*place, after[id])).collect();
        let mean = moved.iter().sum::<f32>() / moved.len() as f32;
        assert!(mean < LENGTH * 0.4, "{mean}");
        // Without new entities, positions change very little.
        let still = lay_out(&graph(63), &after);
        let most = after.iter().map(|(id, place)| distance(*place, still[id])).fold(0.0, f32::max);
        assert!(most < LENGTH * 0.4, "{most}");
    }

    #[test]
    fn empty_graphs_and_single_nodes_have_a_layout() {
        assert!(lay_out(&GraphModel::default(), &Places::new()).is_empty());
        assert_eq!(lay_out(&graph(1), &Places::new()).len(), 1);
    }
}
