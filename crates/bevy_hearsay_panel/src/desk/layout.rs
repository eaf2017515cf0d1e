//! The layout of the panels. Each panel is a tab, which the user can drag to another position.

use std::collections::BTreeMap;

use egui::{Color32, RichText, ScrollArea, Stroke, Ui, Visuals, WidgetText};
use egui_tiles::{
    Behavior, Container, Linear, LinearDir, SimplificationOptions, TabState, Tile, TileId, Tiles, Tree, UiResponse,
};

use super::player_screen::hidden_sentence;
use crate::{
    commands::{Command, CommandScope, DefaultPosition, PanelKind},
    panel::{DisplayContext, Panel, Request},
    widgets::empty_state,
};

/// Minimum height of a panel's content, in points. If less height is available, the panel scrolls. Without scrolling,
/// the controls of the panel would leave no space for its list.
const MIN_PANEL_HEIGHT: f32 = 360.0;

/// Returns the layout of a new DM console: panels for decisions and search on the left, panels for reading on the
/// right.
pub(super) fn default_layout() -> Tree<PanelKind> {
    let mut kinds = PanelKind::ALL.to_vec();
    kinds.sort_by_key(|kind| kind.default_position());
    let (left, right) = kinds.into_iter().partition(|kind| matches!(kind.default_position(), DefaultPosition::Left(_)));
    let mut tiles = Tiles::default();
    let mut tabs = |kinds: Vec<PanelKind>| {
        let panes = kinds.into_iter().map(|kind| tiles.insert_pane(kind)).collect();
        tiles.insert_tab_tile(panes)
    };
    let (left, right) = (tabs(left), tabs(right));
    let root =
        tiles.insert_container(Container::Linear(Linear::new_binary(LinearDir::Horizontal, [left, right], 0.56)));
    Tree::new("hearsay desk", root, tiles)
}

/// Returns whether a layout contains every panel exactly once. A layout that was saved by another version may lack
/// panels.
pub(super) fn is_complete(tree: &Tree<PanelKind>) -> bool {
    let mut kinds: Vec<PanelKind> = panes(tree).map(|(_, kind)| kind).collect();
    kinds.sort();
    kinds == {
        let mut all = PanelKind::ALL.to_vec();
        all.sort();
        all
    } && tree.root().is_some()
}

fn panes(tree: &Tree<PanelKind>) -> impl Iterator<Item = (TileId, PanelKind)> + '_ {
    tree.tiles.iter().filter_map(|(id, tile)| match tile {
        Tile::Pane(kind) => Some((*id, *kind)),
        Tile::Container(_) => None,
    })
}

/// Returns the visible panels.
pub(super) fn visible_panels(tree: &Tree<PanelKind>) -> Vec<PanelKind> {
    tree.active_tiles().into_iter().filter_map(|id| tree.tiles.get_pane(&id).copied()).collect()
}

/// Brings a panel to the front.
pub(super) fn activate_panel(tree: &mut Tree<PanelKind>, kind: PanelKind) {
    tree.make_active(|_, tile| matches!(tile, Tile::Pane(pane) if *pane == kind));
}

/// Minimum width of the DM console, in points, for two panels side by side. A narrower console, for example with large
/// text on a small screen, shows one panel.
pub(super) const MIN_TWO_PANEL_WIDTH: f32 = 960.0;

/// Draws only the active panel. If `with_tab_row` is true, also draws a row with all tabs above the panel.
pub(super) fn single_panel_ui(
    tree: &mut Tree<PanelKind>,
    behavior: &mut PanelBehavior<'_>,
    ui: &mut Ui,
    with_tab_row: bool,
) {
    if with_tab_row {
        ui.horizontal_wrapped(|ui| {
            for kind in PanelKind::ALL {
                let is_active = *behavior.active == kind;
                let name = behavior.tab_title_for_pane(&kind);
                let tab = crate::widgets::set_button_name(ui.selectable_label(is_active, name), true, kind.name());
                if tab.clicked() {
                    *behavior.active = kind;
                    activate_panel(tree, kind);
                }
            }
        });
    }
    let mut kind = *behavior.active;
    if let Some((id, _)) = panes(tree).find(|(_, pane)| *pane == kind) {
        let _ = behavior.pane_ui(ui, id, &mut kind);
    }
}

/// Draws the panels in their tiles.
pub(super) struct PanelBehavior<'a> {
    pub(super) panels: &'a mut BTreeMap<PanelKind, Box<dyn Panel>>,
    pub(super) display: &'a DisplayContext,
    pub(super) active: &'a mut PanelKind,
    pub(super) accepts_keys: bool,
    pub(super) chosen_command: Option<&'static Command>,
    pub(super) requests: &'a mut Vec<Request>,
}

impl Behavior<PanelKind> for PanelBehavior<'_> {
    fn pane_ui(&mut self, ui: &mut Ui, _: TileId, kind: &mut PanelKind) -> UiResponse {
        let rect = ui.max_rect();
        let is_pressed = ui.input(|input| {
            input.pointer.any_pressed() && input.pointer.interact_pos().is_some_and(|at| rect.contains(at))
        });
        if is_pressed && ui.ctx().rect_contains_pointer(ui.layer_id(), rect) {
            *self.active = *kind;
        }
        let is_active = *self.active == *kind;
        let chosen_command = self.chosen_command.filter(|command| command.scope == CommandScope::Panel(*kind));
        let display = DisplayContext {
            accepts_keys: is_active && self.accepts_keys,
            chosen_command: chosen_command.map(|command| command.name),
            ..self.display.clone()
        };
        let margin = self.display.theme.spacing().normal as i8;
        let frame = egui::Frame::new().fill(self.display.theme.palette().surface).inner_margin(margin);
        frame.show(ui, |ui| {
            ui.set_min_size(ui.available_size());
            let Some(panel) = self.panels.get_mut(kind) else {
                empty_state(ui, &display, kind.name(), hidden_sentence(*kind).unwrap_or_default(), None);
                return;
            };
            let mut draw = |ui: &mut Ui| ui.push_id(*kind, |ui| self.requests.extend(panel.ui(ui, &display)));
            if ui.available_height() >= MIN_PANEL_HEIGHT {
                draw(ui);
                return;
            }
            ScrollArea::vertical().id_salt("short").auto_shrink([false, false]).show(ui, |ui| {
                ui.set_height(MIN_PANEL_HEIGHT);
                draw(ui);
            });
        });
        UiResponse::None
    }

    fn tab_title_for_pane(&mut self, kind: &PanelKind) -> WidgetText {
        let panel = self.panels.get(kind);
        let title = panel.map_or_else(|| kind.name().into(), |panel| panel.title().into_owned());
        let title = crate::text::shorten(&title, 28).into_owned();
        match panel.map_or(0, |panel| panel.badge()) {
            0 => title.into(),
            count => RichText::new(format!("{title} ({count})")).into(),
        }
    }

    fn on_tab_button(&mut self, tiles: &mut Tiles<PanelKind>, tile: TileId, button: egui::Response) -> egui::Response {
        if button.clicked()
            && let Some(kind) = tiles.get_pane(&tile)
        {
            *self.active = *kind;
        }
        button
    }

    fn tab_bar_height(&self, _: &egui::Style) -> f32 {
        self.display.theme.sizes().target + 4.0
    }

    fn gap_width(&self, _: &egui::Style) -> f32 {
        3.0
    }

    fn tab_bar_color(&self, _: &Visuals) -> Color32 {
        self.display.theme.palette().background
    }

    fn tab_bg_color(&self, _: &Visuals, _: &Tiles<PanelKind>, _: TileId, state: &TabState) -> Color32 {
        let palette = self.display.theme.palette();
        if state.active { palette.surface } else { palette.background }
    }

    fn tab_text_color(&self, _: &Visuals, tiles: &Tiles<PanelKind>, tile: TileId, state: &TabState) -> Color32 {
        let palette = self.display.theme.palette();
        let focused = tiles.get_pane(&tile) == Some(&*self.active);
        match (state.active, focused) {
            (true, true) => palette.accent,
            (true, false) => palette.strong,
            (false, _) => palette.weak,
        }
    }

    fn tab_outline_stroke(&self, _: &Visuals, _: &Tiles<PanelKind>, _: TileId, state: &TabState) -> Stroke {
        let palette = self.display.theme.palette();
        if state.active { Stroke::new(1.0, palette.line) } else { Stroke::NONE }
    }

    fn simplification_options(&self) -> SimplificationOptions {
        SimplificationOptions { all_panes_must_have_tabs: true, ..SimplificationOptions::default() }
    }
}
