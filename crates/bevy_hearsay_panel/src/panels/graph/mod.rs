//! The graph panel: relations around one entity or in the whole campaign.

mod draw;
mod layout;
mod load;
mod model;
#[cfg(test)]
mod tests;
mod ui;

use std::{borrow::Cow, thread};

use crossbeam_channel::{Receiver, TryRecvError, bounded};
use egui::Ui;
use hearsay_engine::Ticket;
use hearsay_model::{EntityId, StateVersion};

pub use layout::{NodePosition, NodePositions, compute_layout};
pub use model::{Edge, EdgeRelation, GraphModel, GraphRequest, MAX_DEPTH, MAX_NODES, Node, relation_label};
pub use ui::{GraphView, graph_ui};

use crate::{
    commands::PanelKind,
    panel::{DisplayContext, Panel, Request, SavedState, StatusMessage, restore_state, save_state},
    panel_context::{PanelContext, poll_ticket},
    panel_source::PanelSource,
};

/// The graph panel.
#[derive(Debug, Default)]
pub struct GraphPanel {
    model: GraphModel,
    positions: NodePositions,
    view: GraphView,
    /// Request and version of the last read.
    loaded: Option<(GraphRequest, StateVersion)>,
    pending_model: Option<Ticket<GraphModel>>,
    pending_layout: Option<PendingLayout>,
    pending_requests: Vec<Request>,
}

/// A graph whose layout is computed on a separate thread.
#[derive(Debug)]
struct PendingLayout {
    model: GraphModel,
    positions: Receiver<NodePositions>,
}

impl PendingLayout {
    fn start(model: GraphModel, previous: NodePositions) -> Self {
        let (sender, positions) = bounded(1);
        let (graph, fallback) = (model.clone(), sender.clone());
        let compute = move || drop(sender.send(compute_layout(&graph, &previous)));
        if thread::Builder::new().name("hearsay-layout".into()).spawn(compute).is_err() {
            // If the thread cannot start, put all nodes in the middle.
            let at_origin = |node: &Node| (node.entity.id.clone(), [0.0; 2]);
            drop(fallback.send(model.nodes.iter().map(at_origin).collect()));
        }
        Self { model, positions }
    }
}

impl GraphPanel {
    /// Returns the part of the graph that the panel shows.
    pub fn model(&self) -> &GraphModel {
        &self.model
    }

    /// Returns the positions of the entities in the layout.
    pub fn positions(&self) -> &NodePositions {
        &self.positions
    }

    fn is_busy(&self) -> bool {
        self.pending_model.is_some() || self.pending_layout.is_some()
    }
}

impl Panel for GraphPanel {
    fn title(&self) -> Cow<'_, str> {
        PanelKind::Graph.name().into()
    }

    fn update(&mut self, source: PanelSource, context: &PanelContext) {
        match poll_ticket(&mut self.pending_model) {
            // If the graph did not change, keep the positions.
            Some(Ok(model)) if model == self.model => self.pending_layout = None,
            Some(Ok(model)) => self.pending_layout = Some(PendingLayout::start(model, self.positions.clone())),
            Some(Err(error)) => {
                self.pending_requests.push(Request::ShowMessage(StatusMessage::error(error.to_string())))
            }
            None => {}
        }
        if let Some(layout) = self.pending_layout.take() {
            match layout.positions.try_recv() {
                Ok(positions) => {
                    // Fit the new graph into view if it has no entity of the previous graph.
                    let is_new_graph = !positions.keys().any(|id| self.positions.contains_key(id));
                    self.view.fit |=
                        is_new_graph || self.view.request.center != self.model.center.as_ref().map(|c| c.id.clone());
                    self.view.fit |= layout.model.center.as_ref().map(|center| &center.id)
                        != self.model.center.as_ref().map(|center| &center.id);
                    (self.model, self.positions) = (layout.model, positions);
                }
                Err(TryRecvError::Empty) => self.pending_layout = Some(layout),
                Err(TryRecvError::Disconnected) => {}
            }
        }
        let is_same_request =
            |(request, at): &(GraphRequest, StateVersion)| *request == self.view.request && *at == context.version;
        // Finish the current layout before the next read. Otherwise a game that writes all the time would prevent every
        // layout.
        if self.pending_model.is_none()
            && self.pending_layout.is_none()
            && !self.loaded.as_ref().is_some_and(is_same_request)
        {
            let request = self.view.request.clone();
            if let Ok(ticket) = source.read_in_background(move |world| GraphModel::load(world, &request)) {
                self.pending_model = Some(ticket);
                self.loaded = Some((self.view.request.clone(), context.version));
            }
        }
    }

    fn ui(&mut self, ui: &mut Ui, display: &DisplayContext) -> Vec<Request> {
        if self.is_busy() {
            ui.ctx().request_repaint();
        }
        let mut requests = std::mem::take(&mut self.pending_requests);
        requests.extend(graph_ui(ui, display, &self.model, &self.positions, &mut self.view));
        requests
    }

    fn handle_request(&mut self, request: &Request) -> bool {
        let Request::Graph(id) = request else { return false };
        self.view.request.center = Some(id.clone());
        self.view.selected = Some(id.clone());
        true
    }

    fn entity(&self) -> Option<&EntityId> {
        self.view.request.center.as_ref()
    }

    fn save(&self) -> Option<SavedState> {
        save_state(&self.view)
    }

    fn restore(&mut self, saved: SavedState) {
        self.view = restore_state(saved).unwrap_or_default();
    }
}
