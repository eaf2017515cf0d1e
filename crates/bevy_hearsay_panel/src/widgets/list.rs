//! Lists with many rows. Only the visible rows are drawn.

use egui::{Rect, ScrollArea, Ui, UiBuilder, pos2, scroll_area::ScrollBarVisibility};

/// The heights of the rows drawn so far, and the scroll position. The caller stores this value between frames.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RowHeights {
    measured: Vec<Option<f32>>,
    /// Scroll offset of the last frame.
    scroll_offset: f32,
    /// The row to which the list scrolls; `None` once the row is visible and the layout is stable.
    scroll_target: Option<usize>,
}

impl RowHeights {
    /// Removes the height of a row. The rows after this row keep their heights.
    pub fn remove(&mut self, row: usize) {
        if row < self.measured.len() {
            self.measured.remove(row);
        }
    }

    /// Removes all heights. Call this function when the rows change.
    pub fn clear(&mut self) {
        self.measured.clear();
    }

    /// Returns the scroll offset at which a row is visible in a viewport of height `viewport_height`.
    fn offset_to_show(&self, row: usize, viewport_height: f32, height: impl Fn(&Self, usize) -> f32) -> f32 {
        let start: f32 = (0..row).map(|number| height(self, number)).sum();
        let end = start + height(self, row);
        // If a row is higher than the viewport, its beginning is visible.
        self.scroll_offset.max(end - viewport_height).min(start)
    }
}

/// Draws a list of rows with different heights. Only visible rows are drawn. `default_height` is the assumed height of
/// rows that were never drawn. `focus` is the row to which the list scrolls. Pass `focus` in one frame only. The list
/// then scrolls to this row in the next frames, until the layout is stable.
pub fn list(
    ui: &mut Ui,
    id: &str,
    count: usize,
    heights: &mut RowHeights,
    default_height: f32,
    focus: Option<usize>,
    mut row: impl FnMut(&mut Ui, usize),
) {
    let gap = ui.spacing().item_spacing.y;
    let height = |heights: &RowHeights, number: usize| heights.measured[number].unwrap_or(default_height) + gap;
    heights.measured.resize(count, None);
    heights.scroll_target = focus.or(heights.scroll_target).filter(|row| *row < count);
    // Always show the scroll bar. A scroll bar that comes and goes would change the width of the rows, which would
    // change their heights, which would show or hide the scroll bar again.
    let mut area = ScrollArea::vertical().scroll_bar_visibility(ScrollBarVisibility::AlwaysVisible);
    if let Some(row) = heights.scroll_target {
        area = area.vertical_scroll_offset(heights.offset_to_show(row, ui.available_height(), height));
    }
    area.id_salt(id).auto_shrink([false, false]).show_viewport(ui, |ui, viewport| {
        heights.scroll_offset = viewport.min.y;
        let width = ui.available_width();
        let (top, left) = (ui.max_rect().top(), ui.max_rect().left());
        // Set the height before drawing the rows. Otherwise the height would be added below the last row.
        ui.set_height((0..count).map(|number| height(heights, number)).sum());
        let (mut y, mut layout_changed) = (0.0, false);
        for number in 0..count {
            let end = y + height(heights, number);
            if end >= viewport.min.y && y <= viewport.max.y {
                let rect = Rect::from_min_size(pos2(left, top + y), egui::vec2(width, height(heights, number)));
                let row_response =
                    ui.scope_builder(UiBuilder::new().max_rect(rect).id_salt((id, number)), |ui| row(ui, number));
                let row_height = row_response.response.rect.height();
                layout_changed |= (row_height + gap - height(heights, number)).abs() > 0.5;
                heights.measured[number] = Some(row_height);
            }
            y = end;
        }
        if layout_changed {
            // The rows below were placed with an outdated height and may overlap, so draw this frame again.
            ui.ctx().request_discard("the heights of rows changed");
            ui.ctx().request_repaint();
        } else {
            heights.scroll_target = None;
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
    use crate::testing::draw_harness;

    struct Rows {
        heights: RowHeights,
        count: usize,
        tall: bool,
    }

    /// Makes a list of rows that are about twenty points high. If `tall` is true, the second row is higher.
    fn rows(count: usize) -> Harness<'static, Rows> {
        draw_harness(Rows { heights: RowHeights::default(), count, tall: false }, |ui, _, rows: &mut Rows| {
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

    /// With the assumed heights the rows fit into the window. With their real heights, the rows do not fit.
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
