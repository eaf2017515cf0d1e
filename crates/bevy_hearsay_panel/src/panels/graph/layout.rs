//! Computes positions for the entities of a graph. Equal inputs give equal positions, and a small change of the graph
//! moves entities only a little.

use std::collections::BTreeMap;

use hearsay_model::EntityId;

use super::model::GraphModel;

/// The position of an entity in a layout: x and y.
pub type NodePosition = [f32; 2];

/// The position of each entity in a layout.
pub type NodePositions = BTreeMap<EntityId, NodePosition>;

/// Distance at which the attraction and repulsion of two connected entities are about equal.
const EDGE_LENGTH: f32 = 110.0;

/// Minimum distance between two entities.
const MIN_DISTANCE: f32 = 46.0;

/// Number of steps, and initial maximum movement per step, for three cases: few, most or all entities have a known
/// position.
const STEPS: [(usize, f32); 3] = [(500, EDGE_LENGTH * 1.5), (90, EDGE_LENGTH * 0.1), (30, EDGE_LENGTH * 0.03)];

/// Maximum distance at which two entities repel each other. Without a limit, unconnected parts of the graph would drift
/// apart.
const MAX_REPULSION_DISTANCE: f32 = EDGE_LENGTH * 6.0;

/// Computes a force-directed layout (Fruchterman and Reingold): connected entities attract each other, and all entities
/// repel each other. `previous` contains known positions from an earlier layout. An entity with a known position starts
/// at this position and moves only a little. Other entities start beside a neighbour.
pub fn compute_layout(model: &GraphModel, previous: &NodePositions) -> NodePositions {
    let count = model.nodes.len();
    let known_positions: Vec<Option<NodePosition>> =
        model.nodes.iter().map(|node| previous.get(&node.entity.id).copied()).collect();
    let mut positions = initial_positions(model, &known_positions);
    let (steps, temperature) = match known_positions.iter().flatten().count() {
        known_count if known_count == count => STEPS[2],
        known_count if known_count * 2 > count => STEPS[1],
        _ => STEPS[0],
    };
    let edges: Vec<(usize, usize)> = model.edges.iter().map(|edge| (edge.a, edge.b)).collect();
    let mut degrees = vec![0.0_f32; count];
    for &(a, b) in &edges {
        degrees[a] += 1.0;
        degrees[b] += 1.0;
    }
    for step in 0..steps {
        let remaining = 1.0 - step as f32 / steps as f32;
        apply_forces(&mut positions, &edges, &degrees, temperature * remaining * remaining + 0.2);
    }
    for _ in 0..24 {
        separate_nodes(&mut positions);
    }
    align(&mut positions, &known_positions);
    model.nodes.iter().zip(positions).map(|(node, position)| (node.entity.id.clone(), position)).collect()
}

/// Returns the start positions. An entity starts at its known position, or beside a neighbour that is already placed,
/// or else on a spiral.
fn initial_positions(model: &GraphModel, known_positions: &[Option<NodePosition>]) -> Vec<NodePosition> {
    let mut positions: Vec<Option<NodePosition>> = known_positions.to_vec();
    // A spiral with the golden angle spreads any number of points evenly.
    let spiral = |number: usize| {
        let (angle, radius) = (number as f32 * 2.399_963, EDGE_LENGTH * 0.6 * (number as f32).sqrt());
        [radius * angle.cos(), radius * angle.sin()]
    };
    if known_positions.iter().all(Option::is_none) {
        return (0..known_positions.len()).map(spiral).collect();
    }
    for edge in &model.edges {
        for (from, to) in [(edge.a, edge.b), (edge.b, edge.a)] {
            if let (Some(position), None) = (positions[from], positions[to]) {
                let angle = to as f32 * 2.399_963;
                positions[to] = Some([
                    position[0] + EDGE_LENGTH * 0.7 * angle.cos(),
                    position[1] + EDGE_LENGTH * 0.7 * angle.sin(),
                ]);
            }
        }
    }
    positions.iter().enumerate().map(|(number, position)| position.unwrap_or_else(|| spiral(number + 4))).collect()
}

/// Runs one step of the layout. Each entity moves by a fraction of the force on it, and at most by `temperature`. The
/// fraction is smaller for entities with many relations, which prevents oscillation.
fn apply_forces(positions: &mut [NodePosition], edges: &[(usize, usize)], degrees: &[f32], temperature: f32) {
    let mut forces = vec![[0.0_f32; 2]; positions.len()];
    for a in 0..positions.len() {
        for b in a + 1..positions.len() {
            let (dx, dy) = (positions[a][0] - positions[b][0], positions[a][1] - positions[b][1]);
            let squared_distance = (dx * dx + dy * dy).max(1.0);
            if squared_distance > MAX_REPULSION_DISTANCE * MAX_REPULSION_DISTANCE {
                continue;
            }
            let repulsion = EDGE_LENGTH * EDGE_LENGTH / squared_distance
                * (1.0 - squared_distance / (MAX_REPULSION_DISTANCE * MAX_REPULSION_DISTANCE));
            forces[a][0] += dx * repulsion;
            forces[a][1] += dy * repulsion;
            forces[b][0] -= dx * repulsion;
            forces[b][1] -= dy * repulsion;
        }
    }
    for &(a, b) in edges {
        let (dx, dy) = (positions[a][0] - positions[b][0], positions[a][1] - positions[b][1]);
        let attraction = (dx * dx + dy * dy).sqrt() / EDGE_LENGTH;
        forces[a][0] -= dx * attraction;
        forces[a][1] -= dy * attraction;
        forces[b][0] += dx * attraction;
        forces[b][1] += dy * attraction;
    }
    for ((position, force), degree) in positions.iter_mut().zip(&forces).zip(degrees) {
        let mobility = 0.25 / (1.0 + degree);
        // A weak force pulls all entities to the middle. The vertical force is stronger, because screens are wider than
        // high.
        let (fx, fy) = ((force[0] - position[0] * 0.35) * mobility, (force[1] - position[1] * 0.55) * mobility);
        let length = (fx * fx + fy * fy).sqrt();
        let scale = if length > temperature { temperature / length } else { 1.0 };
        position[0] += fx * scale;
        position[1] += fy * scale;
    }
}

/// Moves apart entities that are too near to each other.
fn separate_nodes(positions: &mut [NodePosition]) {
    for a in 0..positions.len() {
        for b in a + 1..positions.len() {
            let (mut dx, mut dy) = (positions[a][0] - positions[b][0], positions[a][1] - positions[b][1]);
            let mut distance = (dx * dx + dy * dy).sqrt();
            if distance >= MIN_DISTANCE {
                continue;
            }
            if distance < 0.01 {
                let angle = (a + b) as f32;
                (dx, dy, distance) = (angle.cos(), angle.sin(), 1.0);
            }
            let shift = (MIN_DISTANCE - distance) * 0.5 / distance;
            positions[a][0] += dx * shift;
            positions[a][1] += dy * shift;
            positions[b][0] -= dx * shift;
            positions[b][1] -= dy * shift;
        }
    }
}

/// Rotates and moves the whole layout so that entities are as near as possible to their known positions.
fn align(positions: &mut [NodePosition], known_positions: &[Option<NodePosition>]) {
    let pairs: Vec<(NodePosition, NodePosition)> =
        positions.iter().zip(known_positions).filter_map(|(current, target)| Some((*current, (*target)?))).collect();
    if pairs.is_empty() {
        return;
    }
    let centroid = |select: fn(&(NodePosition, NodePosition)) -> NodePosition| {
        let sum =
            pairs.iter().map(select).fold([0.0, 0.0], |sum, position| [sum[0] + position[0], sum[1] + position[1]]);
        [sum[0] / pairs.len() as f32, sum[1] / pairs.len() as f32]
    };
    let (current, target) = (centroid(|pair| pair.0), centroid(|pair| pair.1));
    let (mut cos, mut sin) = (0.0, 0.0);
    for (a, b) in &pairs {
        let (ax, ay, bx, by) = (a[0] - current[0], a[1] - current[1], b[0] - target[0], b[1] - target[1]);
        cos += ax * bx + ay * by;
        sin += ax * by - ay * bx;
    }
    let length = (cos * cos + sin * sin).sqrt();
    let (cos, sin) = if length > 0.0 { (cos / length, sin / length) } else { (1.0, 0.0) };
    for position in positions {
        let (x, y) = (position[0] - current[0], position[1] - current[1]);
        *position = [target[0] + x * cos - y * sin, target[1] + x * sin + y * cos];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        names::NamedEntity,
        panels::graph::model::{Edge, Node},
    };

    /// Makes a graph of several hubs with neighbours.
    fn graph(count: usize) -> GraphModel {
        let node = |number: usize| Node {
            entity: NamedEntity {
                id: EntityId::new(format!("e{number}")).unwrap(),
                name: format!("E {number}"),
                kind: None,
            },
            degree: 1,
            hub: false,
            distance: 0,
        };
        let edge = |number: usize| Edge { a: number / 7, b: number, relations: Vec::new() };
        GraphModel {
            nodes: (0..count).map(node).collect(),
            edges: (1..count).map(edge).collect(),
            ..GraphModel::default()
        }
    }

    fn distance(a: NodePosition, b: NodePosition) -> f32 {
        ((a[0] - b[0]).powi(2) + (a[1] - b[1]).powi(2)).sqrt()
    }

    #[test]
    fn the_same_graph_lies_at_the_same_places_and_nobody_covers_another() {
        let graph = graph(200);
        let positions = compute_layout(&graph, &NodePositions::new());
        assert_eq!(positions, compute_layout(&graph, &NodePositions::new()));
        let all_positions: Vec<NodePosition> = positions.values().copied().collect();
        for (number, a) in all_positions.iter().enumerate() {
            assert!(a.iter().all(|x| x.is_finite() && x.abs() < 5000.0), "{a:?}");
            for b in &all_positions[number + 1..] {
                assert!(distance(*a, *b) > MIN_DISTANCE * 0.8, "{a:?} {b:?}");
            }
        }
    }

    #[test]
    fn existing_nodes_hardly_move() {
        let before = compute_layout(&graph(60), &NodePositions::new());
        let after = compute_layout(&graph(63), &before);
        let movements: Vec<f32> = before.iter().map(|(id, position)| distance(*position, after[id])).collect();
        let mean = movements.iter().sum::<f32>() / movements.len() as f32;
        assert!(mean < EDGE_LENGTH * 0.4, "{mean}");
        // Without new entities, positions change very little.
        let recomputed = compute_layout(&graph(63), &after);
        let max_movement = after.iter().map(|(id, position)| distance(*position, recomputed[id])).fold(0.0, f32::max);
        assert!(max_movement < EDGE_LENGTH * 0.4, "{max_movement}");
    }

    #[test]
    fn empty_graphs_and_single_nodes_have_a_layout() {
        assert!(compute_layout(&GraphModel::default(), &NodePositions::new()).is_empty());
        assert_eq!(compute_layout(&graph(1), &NodePositions::new()).len(), 1);
    }
}
