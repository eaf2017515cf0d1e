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
use hearsay_engine::{Memory, Ticket};
use hearsay_model::StateVersion;

pub use layout::{Place, Places, lay_out};
pub use model::{DEEPEST, Edge, GraphModel, GraphRequest, MOST_NODES, Node, Relation, label};
pub use ui::{GraphView, graph_ui};

use crate::{
    commands::PanelKind,
    panel::{Look, Note, Panel, PanelContext, Request, Saved, restored, saved},
    panel_context::taken,
};

/// The graph panel.
#[derive(Debug, Default)]
pub struct GraphPanel {
    model: GraphModel,
    places: Places,
    view: GraphView,
    /// Request and version of the last read.
    read: Option<(GraphRequest, StateVersion)>,
    reading: Option<Ticket<GraphModel>>,
    laying: Option<Laying>,
    asks: Vec<Request>,
}

/// A graph whose layout is computed on a separate thread.
#[derive(Debug)]
struct Laying {
    model: GraphModel,
    places: Receiver<Places>,
}

impl Laying {
    fn begin(model: GraphModel, warm: Places) -> Self {
        let (sender, places) = bounded(1);
        let (graph, fallback) = (model.clone(), sender.clone());
        let lay = move || drop(sender.send(lay_out(&graph, &warm)));
        if thread::Builder::new().name("hearsay-layout".into()).spawn(lay).is_err() {
            // If the thread cannot start, put all nodes in the middle.
            let at = |node: &Node| (node.who.id.clone(), [0.0; 2]);
            drop(fallback.send(model.nodes.iter().map(at).collect()));
        }
        Self { model, places }
    }
}

impl GraphPanel {
    /// Returns the part of the graph that the panel shows.
    pub fn model(&self) -> &GraphModel {
        &self.model
    }

    /// Returns the positions of the entities in the layout.
    pub fn places(&self) -> &Places {
        &self.places
    }

    fn is_busy(&self) -> bool {
        self.reading.is_some() || self.laying.is_some()
    }
}

impl Panel for GraphPanel {
    fn title(&self) -> Cow<'_, str> {
        PanelKind::Graph.name().into()
    }

    fn update(&mut self, memory: &Memory, context: &PanelContext) {
        match taken(&mut self.reading) {
            // If the graph did not change, keep the positions.
            Some(Ok(model)) if model == self.model => self.laying = None,
            Some(Ok(model)) => self.laying = Some(Laying::begin(model, self.places.clone())),
            Some(Err(error)) => self.asks.push(Request::Tell(Note::trouble(error.to_string()))),
            None => {}
        }
        if let Some(laying) = self.laying.take() {
            match laying.places.try_recv() {
                Ok(places) => {
                    // Fit the new graph into view if it has no entity of the previous graph.
                    let strange = !places.keys().any(|id| self.places.contains_key(id));
                    self.view.fit |=
                        strange || self.view.request.center != self.model.center.as_ref().map(|c| c.id.clone());
                    self.view.fit |= laying.model.center.as_ref().map(|center| &center.id)
                        != self.model.center.as_ref().map(|center| &center.id);
                    (self.model, self.places) = (laying.model, places);
                }
                Err(TryRecvError::Empty) => self.laying = Some(laying),
                Err(TryRecvError::Disconnected) => {}
            }
        }
        let same =
            |(request, at): &(GraphRequest, StateVersion)| *request == self.view.request && *at == context.version;
        // Finish the current layout before the next read. Otherwise a game that writes all the time would prevent every
        // layout.
        if self.reading.is_none() && self.laying.is_none() && !self.read.as_ref().is_some_and(same) {
            let request = self.view.request.clone();
            if let Ok(ticket) = memory.read_in_background(move |world| GraphModel::load(world, &request)) {
                self.reading = Some(ticket);
                self.read = Some((self.view.request.clone(), context.version));
            }
        }
    }

    fn ui(&mut self, ui: &mut Ui, look: &Look) -> Vec<Request> {
        if self.is_busy() {
            ui.ctx().request_repaint();
        }
        let mut asked = std::mem::take(&mut self.asks);
        asked.extend(graph_ui(ui, look, &self.model, &self.places, &mut self.view));
        asked
    }

    fn show(&mut self, request: &Request) -> bool {
        let Request::Graph(id) = request else { return false };
        self.view.request.center = Some(id.clone());
        self.view.selected = Some(id.clone());
        true
    }

    fn save(&self) -> Option<Saved> {
        saved(&self.view)
    }

    fn restore(&mut self, kept: Saved) {
        self.view = restored(kept).unwrap_or_default();
    }
}
