//! Long lists: only what is seen is drawn.

use egui::{Rect, ScrollArea, Ui, UiBuilder, pos2, scroll_area::ScrollBarVisibility};

/// The heights of a list's rows, as far as they were drawn. What the eye holds: keep it beside the selection.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Heights {
    known: Vec<Option<f32>>,
    /// How far it was scrolled when it was drawn last.
    top: f32,
    /// The row that is being scrolled to, until nothing moves any more.
    follow: Option<usize>,
}

impl Heights {
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

    /// How far to scroll, so that a row is seen in a window of this height.
    fn to_see(&self, row: usize, window: f32, height: impl Fn(&Self, usize) -> f32) -> f32 {
        let start: f32 = (0..row).map(|number| height(self, number)).sum();
        let end = start + height(self, row);
        // Of a row that is higher than the window its beginning is seen.
        self.top.max(end - window).min(start)
    }
}

/// A list of rows of uneven heights, of which only those on the screen are drawn; `guess` is the height of those that were
/// never drawn. `focus` is scrolled into view: it is named once, and followed until nothing moves any more.
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
    let height = |heights: &Heights, number: usize| heights.known[number].unwrap_or(guess) + gap;
    heights.known.resize(count, None);
    heights.follow = focus.or(heights.follow).filter(|row| *row < count);
    // Always with its bar: were it to come and go with the heights, the width would, and with it the heights.
    let mut area = ScrollArea::vertical().scroll_bar_visibility(ScrollBarVisibility::AlwaysVisible);
    if let Some(row) = heights.follow {
        area = area.vertical_scroll_offset(heights.to_see(row, ui.available_height(), height));
    }
    area.id_salt(id).auto_shrink([false, false]).show_viewport(ui, |ui, viewport| {
        heights.top = viewport.min.y;
        let width = ui.available_width();
        let (top, left) = (ui.max_rect().top(), ui.max_rect().left());
        // Before the rows: after them, it would come below the last.
        ui.set_height((0..count).map(|number| height(heights, number)).sum());
        let (mut y, mut moved) = (0.0, false);
        for number in 0..count {
            let end = y + height(heights, number);
            if end >= viewport.min.y && y <= viewport.max.y {
                let rect = Rect::from_min_size(pos2(left, top + y), egui::vec2(width, height(heights, number)));
                let drawn =
                    ui.scope_builder(UiBuilder::new().max_rect(rect).id_salt((id, number)), |ui| row(ui, number));
                let drawn = drawn.response.rect.height();
                moved |= (drawn + gap - height(heights, number)).abs() > 0.5;
                heights.known[number] = Some(drawn);
            }
            y = end;
        }
        if moved {
            // What comes after it stands where it stood for what it was before.
            ui.ctx().request_repaint();
        } else {
            heights.follow = None;
        }
    });
}

#[cfg(test)]
mod tests {
    use egui_kittest::{
        Harness,
        kittest::{NodeT, Queryable},
    };

    use super::*;
    use crate::testing::drawn;

    struct Rows {
        heights: Heights,
        count: usize,
        tall: bool,
    }

    /// Twenty points a row, and the second may be tall.
    fn rows(count: usize) -> Harness<'static, Rows> {
        drawn(Rows { heights: Heights::default(), count, tall: false }, |ui, _, rows: &mut Rows| {
            let tall = rows.tall;
            list(ui, "rows", rows.count, &mut rows.heights, 20.0, None, |ui, number| {
                ui.label(format!("row {number}"));
                if number == 1 && tall {
                    ui.add_space(400.0);
                }
            });
        })
    }

    fn top(harness: &Harness<'_, Rows>, name: &str) -> f64 {
        harness.get_by_label(name).accesskit_node().raw_bounds().unwrap().y0
    }

    #[test]
    fn rows_make_room_for_one_that_grows_without_being_asked_to_draw_again() {
        let mut harness = rows(3);
        let before = top(&harness, "row 2");
        harness.state_mut().tall = true;
        harness.run();
        assert!(top(&harness, "row 2") >= before + 400.0);
    }

    /// With what was guessed the rows find room in the window, with what they are they do not.
    #[test]
    fn rows_come_to_rest_where_they_just_find_no_room() {
        for count in 2..30 {
            let mut harness = rows(count);
            harness.state_mut().tall = true;
            harness.run();
            let heights = harness.state().heights.clone();
            for _ in 0..3 {
                harness.step();
                assert_eq!(harness.state().heights, heights, "{count} rows");
            }
        }
    }
}
