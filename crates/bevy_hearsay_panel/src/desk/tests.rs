//! The desk with all its panels.

use super::*;

#[test]
fn a_new_desk_has_every_panel_once() {
    assert!(layout::is_whole(&layout::first()));
}
