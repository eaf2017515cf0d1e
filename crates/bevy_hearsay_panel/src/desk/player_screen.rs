//! The panels in screen-safe mode. These panels are separate from the DM's panels, so they contain no data that was
//! read for the DM. They read only the common view: the facts that every player character knows.

use std::{collections::BTreeMap, sync::Arc};

use hearsay_engine::Memory;
use hearsay_model::EntityId;

use crate::{
    async_model::AsyncModel,
    commands::PanelKind,
    names::NameIndex,
    panel::{CommandOutcome, CommandReport, Panel, Request, StatusMessage},
    panel_context::PanelContext,
    panel_source::{CommonView, PanelSource},
    panels::{self, capture::CapturePanel},
};

/// Message for an operation that succeeded. Replaces the summary of the operation, because the summary can contain a
/// secret.
const DONE: &str = "Done";
/// Message for an operation that failed. Replaces the error of the operation, because the error can contain a secret.
const FAILED: &str = "That did not work. Turn screen-safe mode off to try again and to read the reason.";

/// The panels that players can see, with their data.
pub(super) struct PlayerScreen {
    pub(super) panels: BTreeMap<PanelKind, Box<dyn Panel>>,
    pub(super) capture: CapturePanel,
    common: AsyncModel<(), CommonView>,
    context: PanelContext,
    /// The entities that the DM's panels showed when the DM turned screen-safe mode on. These entities are shown as
    /// soon as it is known that the players are allowed to see them.
    entities_to_show: Vec<(PanelKind, EntityId)>,
}

impl PlayerScreen {
    pub(super) fn new(dm_panels: &BTreeMap<PanelKind, Box<dyn Panel>>) -> Self {
        let shown = PanelKind::ALL.into_iter().filter(|kind| hidden_sentence(*kind).is_none());
        Self {
            panels: shown.map(|kind| (kind, panels::new(kind))).collect(),
            capture: CapturePanel::default(),
            common: AsyncModel::default(),
            context: PanelContext::default(),
            entities_to_show: dm_panels
                .iter()
                .filter_map(|(kind, panel)| Some((*kind, panel.entity()?.clone())))
                .collect(),
        }
    }

    /// Returns the panels, the capture line, and the context. The context is empty until the common view has been
    /// computed.
    pub(super) fn parts(&mut self) -> (&mut BTreeMap<PanelKind, Box<dyn Panel>>, &mut CapturePanel, &PanelContext) {
        (&mut self.panels, &mut self.capture, &self.context)
    }

    pub(super) fn names(&self) -> Arc<NameIndex> {
        Arc::clone(&self.context.names)
    }

    /// Returns whether the common view is being computed for the first time.
    pub(super) fn is_busy(&self) -> bool {
        self.common.model().is_none()
    }

    pub(super) fn update(&mut self, memory: &Memory, dm_context: &PanelContext, visible: &[PanelKind]) {
        self.common.update(PanelSource::dm(memory), dm_context.version, &(), |world| CommonView::new(&world.state));
        let Some(common) = self.common.model() else { return };
        self.context = PanelContext {
            pending_commands: dm_context.pending_commands,
            storage_failed: dm_context.storage_failed,
            ..common.context().clone()
        };
        for (kind, id) in self.entities_to_show.drain(..).filter(|(_, id)| common.context().names.get(id).is_some()) {
            let Some(panel) = self.panels.get_mut(&kind) else { continue };
            let request = if kind == PanelKind::Graph { Request::Graph(id) } else { Request::ShowEntity(id) };
            panel.handle_request(&request);
        }
        let source = PanelSource::players(memory, common);
        for (_, panel) in self.panels.iter_mut().filter(|(kind, _)| visible.contains(kind)) {
            panel.update(source, &self.context);
        }
        self.capture.update(source, &self.context);
    }

    pub(super) fn on_outcome(&mut self, outcome: &CommandOutcome) {
        let report = CommandReport { position: None, summary: String::new(), import: None, proposed: None };
        let result = match &outcome.result {
            Ok(_) => Ok(report),
            Err(_) => Err(FAILED.to_owned()),
        };
        let outcome = CommandOutcome { desk_command: outcome.desk_command.clone(), result };
        self.panels.values_mut().for_each(|panel| panel.on_outcome(&outcome));
        self.capture.on_outcome(&outcome);
    }
}

/// Returns the message that players see in place of the message about an operation.
pub(super) fn without_details(message: &StatusMessage) -> StatusMessage {
    if message.is_error { StatusMessage::error(FAILED) } else { StatusMessage::new(DONE) }
}

/// Returns the sentence that a panel shows to players in place of its contents; `None` if the panel has contents for
/// players.
pub(super) fn hidden_sentence(kind: PanelKind) -> Option<&'static str> {
    match kind {
        PanelKind::Review => Some("Only the DM sees facts that wait for review."),
        PanelKind::Time => Some("Only the DM sees what characters tell each other while time passes."),
        PanelKind::History => Some("Only the DM sees the history of changes."),
        PanelKind::Import => Some("Only the DM sees imports."),
        PanelKind::Search
        | PanelKind::Entity
        | PanelKind::Scene
        | PanelKind::Graph
        | PanelKind::Threads
        | PanelKind::Timeline
        | PanelKind::Session => None,
    }
}
