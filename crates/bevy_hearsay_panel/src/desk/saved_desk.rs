//! The saved state of a DM console: the layout, the theme, and text that the user typed but did not send.

use std::{collections::BTreeMap, fs, path::Path};

use egui_tiles::Tree;
use serde::{Deserialize, Serialize};

use super::undo::OwnOperation;
use crate::{commands::PanelKind, panel::SavedState, theme::Shade};

/// Size and place of a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct WindowPlacement {
    /// Width and height of the window, in logical pixels.
    pub size: [u32; 2],
    /// Position of the window's top left corner on the desktop, in physical pixels; `None` if it is not known.
    pub position: Option<[i32; 2]>,
}

/// The saved state of a DM console. Any `serde` format can store this state.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SavedDesk {
    /// Layout of the panels.
    pub(super) layout: Tree<PanelKind>,
    /// The active panel.
    pub(super) active: PanelKind,
    /// Shade of the theme: dark or light.
    pub(super) shade: Shade,
    /// Scale of the interface.
    pub(super) scale: f32,
    /// Whether quiet mode is on.
    #[serde(default)]
    pub(super) quiet: bool,
    /// Whether screen-safe mode is on. The mode is kept when the program restarts.
    #[serde(default)]
    pub(super) screen_safe: bool,
    /// Saved state of the panels.
    #[serde(default)]
    pub(super) panels: BTreeMap<PanelKind, SavedState>,
    /// Operations of this DM console whose author is not the DM. These operations are saved so that undo can revert
    /// them after a restart.
    #[serde(default)]
    pub(super) own_operations: Vec<OwnOperation>,
    /// Saved state of the capture line.
    #[serde(default)]
    pub(super) capture: Option<SavedState>,
    /// Size and place of the window, if the DM console fills it.
    #[serde(default)]
    pub window: Option<WindowPlacement>,
}

impl SavedDesk {
    /// Reads a file in which [`HearsayPanelPlugin`](crate::HearsayPanelPlugin) saved a DM console. Returns `None` if
    /// the file does not exist or cannot be read.
    pub fn read(file: &Path) -> Option<Self> {
        let text = fs::read_to_string(file).ok().filter(|text| !text.is_empty())?;
        let read = serde_json::from_str(&text);
        read.inspect_err(|error| {
            tracing::warn!(
                "cannot read the saved layout of the panels in {}: {error}; using the default layout",
                file.display()
            );
        })
        .ok()
    }
}
