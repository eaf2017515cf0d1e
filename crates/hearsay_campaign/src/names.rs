//! Normalizes names for comparison.

use hearsay_model::text;

/// Normalizes a name for comparison. Hyphens and underscores become spaces, and `the` at the beginning is removed.
pub(crate) fn name_key(name: &str) -> String {
    let normal = text::normalize(name).replace(['-', '_'], " ");
    let spaced = normal.split_whitespace().collect::<Vec<_>>().join(" ");
    spaced.strip_prefix("the ").filter(|rest| !rest.is_empty()).map_or(spaced.clone(), str::to_owned)
}
