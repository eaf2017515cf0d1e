//! The panels of the DM console. You can use each panel alone. Each panel has a model, which is the data that the panel
//! displays. One function reads the model from the memory, and another function draws it. A [`Panel`] keeps the model
//! up to date.

pub mod capture;
pub mod entity;
pub mod fact;
pub mod graph;
pub mod history;
pub mod import;
pub mod review;
pub mod scene;
pub mod search;
pub mod session;
pub mod status;
pub mod threads;
pub mod time;
pub mod timeline;

use crate::{commands::PanelKind, panel::Panel};

/// Creates a panel in its initial state.
pub fn new(kind: PanelKind) -> Box<dyn Panel> {
    match kind {
        PanelKind::Review => Box::<review::ReviewPanel>::default(),
        PanelKind::Search => Box::<search::SearchPanel>::default(),
        PanelKind::Entity => Box::<entity::EntityPanel>::default(),
        PanelKind::Scene => Box::<scene::ScenePanel>::default(),
        PanelKind::Graph => Box::<graph::GraphPanel>::default(),
        PanelKind::Threads => Box::<threads::ThreadsPanel>::default(),
        PanelKind::Timeline => Box::<timeline::TimelinePanel>::default(),
        PanelKind::Time => Box::<time::TimePanel>::default(),
        PanelKind::History => Box::<history::HistoryPanel>::default(),
        PanelKind::Import => Box::<import::ImportPanel>::default(),
        PanelKind::Session => Box::<session::SessionPanel>::default(),
    }
}
