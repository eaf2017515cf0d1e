//! State that is saved when the desk closes: layout, theme, and typed text that was not sent.

use std::{collections::BTreeMap, sync::Arc};

use egui_tiles::Tree;
use serde::{Deserialize, Serialize};

use super::{Desk, layout, undo::Own};
use crate::{
    panel::{Panel, PanelKind, Saved},
    theme::{Shade, Theme},
};

/// The saved state of a desk, as plain data for any format.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct KeptDesk {
    /// Positions of the panels.
    layout: Tree<PanelKind>,
    /// The active panel.
    active: PanelKind,
    /// The shade.
    shade: Shade,
    /// The scale.
    scale: f32,
    /// Whether quiet mode is on.
    #[serde(default)]
    quiet: bool,
    /// Screen-safe mode stays on when the program starts again.
    #[serde(default)]
    screen_safe: bool,
    /// Saved state of the panels.
    #[serde(default)]
    panels: BTreeMap<PanelKind, Saved>,
    /// Operations of this desk under another author than the DM, so that undo also covers them after a restart.
    #[serde(default)]
    own: Vec<Own>,
    /// Text of the capture line.
    #[serde(default)]
    capture: Option<Saved>,
}

impl Desk {
    /// Returns the state to save.
    pub fn keep(&self) -> KeptDesk {
        KeptDesk {
            layout: self.tree.clone(),
            active: self.active,
            shade: self.theme.shade(),
            scale: self.theme.scale(),
            quiet: self.quiet,
            screen_safe: self.screen_safe,
            panels: self.panels.iter().filter_map(|(kind, panel)| Some((*kind, panel.save()?))).collect(),
            own: self.undo.own().to_vec(),
            capture: self.capture.save(),
        }
    }

    /// Restores saved state.
    pub fn restore(&mut self, kept: KeptDesk) {
        if layout::is_whole(&kept.layout) {
            self.tree = kept.layout;
        }
        self.active = kept.active;
        let mut theme = Theme::clone(&self.theme);
        theme.set_shade(kept.shade);
        theme.set_scale(kept.scale);
        self.theme = Arc::new(theme);
        (self.quiet, self.screen_safe) = (kept.quiet, kept.screen_safe);
        for (kind, saved) in kept.panels {
            if let Some(panel) = self.panels.get_mut(&kind) {
                panel.restore(saved);
            }
        }
        self.undo.restore(kept.own);
        if let Some(saved) = kept.capture {
            self.capture.restore(saved);
        }
    }
}
