//! Long lists: only what is seen is drawn.

use egui::{Rect, ScrollArea, Ui, UiBuilder, pos2};

/// The heights of a list's rows, as far as they were drawn. What the eye holds: keep it beside the selection.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Heights {
    known: Vec<Option<f32>>,
    /// The width at which they were drawn.
    width: f32,
}

impl Heights {
    fn fit(&mut self, count: usize, width: f32) {
        if (self.width - width).abs() > 0.5 {
            self.known.clear();
            self.width = width;
        }
        self.known.resize(count, None);
    }

    /// A row is gone: those after it keep their heights.
    pub fn remove(&mut self, row: usize) {
        if row < self.known.len() {
            self.known.remove(row);
        }
    }

    /// Forgets all: the rows are others now.
    pub fn clear(&mut self) {
        self.known.clear();
    }
}

/// A list of rows of uneven heights, of which only those on the screen are drawn; `guess` is the height of those that were
/// never drawn. `focus` is scrolled into view.
pub fn list(
    ui: &mut Ui,
    id: &str,
    count: usize,
    heights: &mut Heights,
    guess: f32,
    focus: Option<usize>,
    mut row: impl FnMut(&mut Ui, usize),
) {
    let gap = ui.spacing().item_spacing.y;
    ScrollArea::vertical().id_salt(id).auto_shrink([false, false]).show_viewport(ui, |ui, viewport| {
        let width = ui.available_width();
        heights.fit(count, width);
        let height = |heights: &Heights, number: usize| heights.known[number].unwrap_or(guess) + gap;
        let (top, left) = (ui.max_rect().top(), ui.max_rect().left());
        // Before the rows: after them, it would come below the last.
        ui.set_height((0..count).map(|number| height(heights, number)).sum());
        let mut y = 0.0;
        for number in 0..count {
            let end = y + height(heights, number);
            if focus == Some(number) {
                let rect = Rect::from_min_max(pos2(left, top + y), pos2(left + width, top + end));
                // At once: where it goes is known better in the next frame, when the rows before it were drawn.
                ui.scroll_to_rect_animation(rect, None, egui::style::ScrollAnimation::none());
            }
            if end >= viewport.min.y && y <= viewport.max.y {
                let rect = Rect::from_min_size(pos2(left, top + y), egui::vec2(width, height(heights, number)));
                let drawn =
                    ui.scope_builder(UiBuilder::new().max_rect(rect).id_salt((id, number)), |ui| row(ui, number));
                heights.known[number] = Some(drawn.response.rect.height());
            }
            y = end;
        }
    });
}
