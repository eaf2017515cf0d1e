//! Detects data of Foundry modules that store entities in pages and flags.

use hearsay_model::Kind;

use super::document::Doc;
use crate::import::tree::Tree;

/// The key of the flags of Monk's Enhanced Journal.
pub(super) const MONKS_JOURNAL: &str = "monks-enhanced-journal";

/// Returns whether a page contains an entity or a session of a module.
pub(super) fn is_module_page(page: &Tree) -> bool {
    is_builder(page) || monk_kind(page).is_some()
}

pub(super) fn is_builder(page: &Tree) -> bool {
    let kind = page.get("type").text().unwrap_or_default();
    kind.contains("campaign-builder") || !page.path("system.topic").is_null() || is_session(page)
}

pub(super) fn is_session(page: &Tree) -> bool {
    let kind = page.get("type").text().unwrap_or_default();
    let system = page.get("system");
    kind.ends_with(".session") || !system.get("number").is_null() && !system.get("lore").is_null()
}

pub(super) fn monk_kind(page: &Tree) -> Option<Kind> {
    Some(match page.get("flags").get(MONKS_JOURNAL).get("type").text()? {
        "person" => Kind::Npc,
        "place" | "shop" | "poi" => Kind::Location,
        "organization" => Kind::Faction,
        "quest" => Kind::Quest,
        "event" => Kind::Event,
        _ => return None,
    })
}

/// Returns the type of a journal according to Campaign Codex.
pub(super) fn codex_kind(doc: &Doc) -> Option<&str> {
    doc.tree.get("flags").get("campaign-codex").get("type").text()
}
