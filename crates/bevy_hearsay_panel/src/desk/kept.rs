//! What is kept when the desk closes: layout, theme, and what was typed and not sent.

use std::{collections::BTreeMap, sync::Arc};

use egui_tiles::Tree;
use serde::{Deserialize, Serialize};

use super::{Desk, layout, undo::Own};
use crate::{
    panel::{Panel, PanelKind, Saved},
    theme::{Shade, Theme},
};

/// A desk as it is kept: plain data, for any format.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct KeptDesk {
    /// Where the panels are.
    layout: Tree<PanelKind>,
    /// Which panel the keys are for.
    active: PanelKind,
    /// Dark or light.
    shade: Shade,
    /// How large everything is.
    scale: f32,
    /// Whether only little is shown.
    #[serde(default)]
    quiet: bool,
    /// What players look at stays safe when the program starts again.
    #[serde(default)]
    screen_safe: bool,
    /// What the panels hold.
    #[serde(default)]
    panels: BTreeMap<PanelKind, Saved>,
    /// What was done here under another name than the DM's: undo reaches it after a restart, too.
    #[serde(default)]
    own: Vec<Own>,
    /// What was typed into the capture line.
    #[serde(default)]
    capture: Option<Saved>,
}

impl Desk {
    /// What is to be kept of it.
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

    /// Makes it as it was kept.
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
