//! Removes the tags from a short piece of HTML.

use scraper::Html;

/// Returns the text between the tags of a short piece of HTML, without positions and links.
pub(super) fn without_tags(source: &str) -> String {
    if !source.contains(['<', '&']) {
        return source.to_owned();
    }
    let fragment = Html::parse_fragment(source);
    fragment.tree.values().filter_map(|node| node.as_text()).map(|text| &**text).collect::<Vec<&str>>().join(" ")
}
