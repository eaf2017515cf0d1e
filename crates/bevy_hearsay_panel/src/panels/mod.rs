//! The panels, each usable by itself: a model of plain data, how it is read, how it is drawn, and the panel that keeps it fresh.

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

use crate::panel::{Panel, PanelKind};

/// A panel as it is at first.
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

/// Gives a field the name that screen readers say, and tests find it by.
pub(crate) fn field_name(field: &egui::Response, name: &str, value: &str) {
    field.widget_info(|| {
        let mut info = egui::WidgetInfo::text_edit(true, value, value, "");
        info.label = Some(name.to_owned());
        info
    });
}
