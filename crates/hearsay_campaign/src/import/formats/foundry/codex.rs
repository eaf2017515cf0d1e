//! The module Campaign Codex. In `flags["campaign-codex"]` of a journal, it stores the type of the journal and its
//! links.

use hearsay_model::{ExternalId, Kind, PredicateRole};

use super::{
    document::{Doc, TOOL, Written},
    library::{Access, Library},
    modules::codex_kind,
    target::Meant,
    text::{page_text, write},
};
use crate::import::{
    Note, Relation, Role, State, Sure, Visibility,
    tree::{Data, Pen, Tree},
};

/// Returns the relation that a list of links states in a journal of type `kind`, and whether the link's target is the
/// subject of this relation.
fn relation(list: &str, kind: &str) -> Option<(&'static str, bool)> {
    Some(match (list, kind) {
        ("linkedLocations" | "linkedLocation" | "linkedShops" | "linkedRegions" | "linkedRegion", "npc" | "item") => {
            (PredicateRole::Location.name(), false)
        }
        ("linkedNPCs", "location" | "region" | "shop") => (PredicateRole::Location.name(), true),
        ("linkedNPCs" | "members" | "linkedMembers", "group") => (PredicateRole::Membership.name(), true),
        ("linkedGroups" | "groups", "npc") => (PredicateRole::Membership.name(), false),
        ("linkedLocations" | "linkedLocation" | "linkedShops" | "linkedRegions" | "linkedRegion", "group") => {
            (PredicateRole::Location.name(), false)
        }
        ("linkedLocations" | "linkedRegions" | "linkedShops", "region") => (PredicateRole::Part.name(), true),
        ("linkedShops", "location") => (PredicateRole::Part.name(), true),
        ("linkedLocation" | "linkedLocations" | "parentRegion" | "parentRegions" | "linkedRegion", _)
            if ["shop", "location", "region"].contains(&kind) =>
        {
            (PredicateRole::Part.name(), false)
        }
        ("associates", _) => ("associate", false),
        ("questGiver" | "questGivers" | "questGiverUuid", "quest") => (PredicateRole::Assignment.name(), true),
        ("linkedNPCs" | "linkedParty", "quest") => (PredicateRole::Participation.name(), true),
        ("linkedLocations" | "linkedLocation" | "linkedRegions" | "linkedShops", "quest") => {
            (PredicateRole::Location.name(), false)
        }
        ("linkedQuests", "npc") => (PredicateRole::Assignment.name(), false),
        _ => return None,
    })
}

pub(super) fn notes(library: &Library, doc: &Doc, mut note: Note, access: &Access, pen: Pen) -> Vec<Written> {
    let flags = doc.tree.get("flags").get("campaign-codex");
    let kind = codex_kind(doc).unwrap_or_default();
    let is = match kind {
        "npc" => Kind::Npc,
        "location" | "region" | "shop" => Kind::Location,
        "group" => Kind::Faction,
        "quest" => Kind::Quest,
        "item" => Kind::Item,
        "tag" => Kind::Concept,
        _ => {
            note.role = Role::Text;
            Kind::Concept
        }
    };
    note.guess(is, Sure::Typed, format!("Campaign Codex: {kind}"));
    if let Some(name) = note.name.strip_suffix(" - Journal") {
        note.name = name.trim().to_owned();
    }
    let data = flags.get("data");
    for (name, list) in data.entries() {
        let Some((words, backwards)) = relation(name, kind) else { continue };
        for link in list.each() {
            let uuid = match &link.data {
                Data::Map(_) => link.get("uuid").word().or_else(|| link.get("id").word()),
                _ => link.word(),
            };
            let hides = link.get("hidden").is_marked() || link.get("isHidden").is_marked();
            let Some(target) = uuid.and_then(|uuid| library.target(&journal_uuid(&uuid), doc)) else { continue };
            let relation = Relation { backwards, ..Relation::typed(words) };
            let visibility = if hides { Visibility::SECRET.within(&access.inner) } else { access.inner.clone() };
            let place = format!("flags.campaign-codex.data.{name}");
            note.links.push(pen.link(target, relation, link, &place, &visibility));
        }
    }
    let text = |tree: &Tree, place: &str, visibility: &Visibility, note: &mut Note| {
        write(library, doc, tree, place, None, visibility, pen, note);
    };
    text(data.get("description"), "flags.campaign-codex.data.description", &access.inner, &mut note);
    // In this module, notes are for the DM only.
    text(data.get("notes"), "flags.campaign-codex.data.notes", &Visibility::SECRET, &mut note);
    for page in doc.tree.get("pages").items() {
        page_text(library, doc, page, access, pen, &mut note);
    }
    if kind == "npc" && data.get("isDead").is_true() {
        let origin = pen.origin(data.get("isDead"), "flags.campaign-codex.data.isDead");
        note.states.push(State { word: "dead".into(), origin, visibility: access.inner.clone() });
    }
    let quests = quests(library, doc, &note, data, access, pen);
    let actor = data.get("linkedActor");
    let actor = actor.word().or_else(|| actor.get("uuid").word()).filter(|_| kind == "npc");
    let actor = actor.and_then(|uuid| match library.meant(&uuid, doc) {
        Meant::Note { key, .. } => Some(key),
        _ => None,
    });
    std::iter::once((note, actor)).chain(quests.into_iter().map(|quest| (quest, None))).collect()
}

/// Completes a bare id to the UUID of a journal.
fn journal_uuid(uuid: &str) -> String {
    if uuid.contains('.') { uuid.to_owned() } else { format!("JournalEntry.{uuid}") }
}

/// Returns the quests that the module stores in the data of their giver. A quest that the module shows to players is as
/// visible as the content of the giver. Any other quest is secret.
fn quests(library: &Library, doc: &Doc, giver: &Note, data: &Tree, access: &Access, pen: Pen) -> Vec<Note> {
    let mut quests = Vec::new();
    for (number, quest) in data.get("quests").items().into_iter().enumerate() {
        let Some(title) = quest.get("title").text().or(quest.get("name").text()) else { continue };
        let id = quest.get("id").word().unwrap_or_else(|| number.to_string());
        let visibility = if quest.get("visible").is_true() {
            access.inner.clone()
        } else {
            Visibility::SECRET.within(&access.inner)
        };
        let mut note = Note {
            key: format!("{}.quest.{id}", giver.key),
            tool: TOOL,
            name: title.trim().to_owned(),
            origin: pen.origin(quest.get("title"), "flags.campaign-codex.data.quests.title"),
            visibility,
            ids: Vec::<ExternalId>::new(),
            ..Note::default()
        };
        note.guess(Kind::Quest, Sure::Typed, "Campaign Codex: quest");
        if let Some(done) = Some(quest.get("completed")).filter(|done| done.is_true()) {
            note.fields.extend(pen.field_of(
                "quest-status",
                vec!["completed".into()],
                done,
                "quests.completed",
                &note.visibility,
            ));
        }
        let place = "flags.campaign-codex.data.quests.description";
        let visibility = note.visibility.clone();
        write(library, doc, quest.get("description"), place, None, &visibility, pen, &mut note);
        if codex_kind(doc) == Some("npc") {
            let target = crate::import::Target::Key(giver.key.clone());
            let relation = Relation::typed(PredicateRole::Assignment.name()).backwards();
            note.links.push(pen.link(target, relation, quest, "flags.campaign-codex.data.quests", &visibility));
        }
        quests.push(note);
    }
    quests
}
