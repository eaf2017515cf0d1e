//! Reads the data of the Foundry module Campaign Codex. The module stores the type and the links of a journal in
//! `flags["campaign-codex"]`.

use hearsay_model::{ExternalId, Kind, PredicateRole};

use super::{
    document::{ConvertedNote, Doc, TOOL},
    library::{Access, Library},
    modules::codex_kind,
    target::LinkDestination,
    text::{add_html, add_page_text},
};
use crate::import::{
    Certainty, EntityState, LinkRelation, Note, Role, Visibility,
    tree::{Data, Tree, TreeConverter},
};

/// Returns the relation that a list of links states in a journal of type `kind`, and whether the link's target is the
/// subject of this relation.
fn list_relation(list: &str, kind: &str) -> Option<(&'static str, bool)> {
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

pub(super) fn convert_journal(
    library: &Library,
    doc: &Doc,
    mut note: Note,
    access: &Access,
    converter: TreeConverter,
) -> Vec<ConvertedNote> {
    let flags = doc.tree.get("flags").get("campaign-codex");
    let kind = codex_kind(doc).unwrap_or_default();
    let entity_kind = match kind {
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
    note.set_kind(entity_kind, Certainty::Explicit, format!("Campaign Codex: {kind}"));
    if let Some(name) = note.name.strip_suffix(" - Journal") {
        note.name = name.trim().to_owned();
    }
    let data = flags.get("data");
    for (name, list) in data.entries() {
        let Some((words, backwards)) = list_relation(name, kind) else { continue };
        for link in list.as_list() {
            let uuid = match &link.data {
                Data::Map(_) => link.get("uuid").to_text().or_else(|| link.get("id").to_text()),
                _ => link.to_text(),
            };
            let is_secret_part = link.get("hidden").is_marked() || link.get("isHidden").is_marked();
            let Some(target) = uuid.and_then(|uuid| library.link_target(&journal_uuid(&uuid), doc)) else { continue };
            let relation = LinkRelation { backwards, ..LinkRelation::explicit(words) };
            let visibility =
                if is_secret_part { Visibility::SECRET.within(&access.content) } else { access.content.clone() };
            let field_path = format!("flags.campaign-codex.data.{name}");
            note.links.push(converter.link(target, relation, link, &field_path, &visibility));
        }
    }
    let add_text = |tree: &Tree, field_path: &str, visibility: &Visibility, note: &mut Note| {
        add_html(library, doc, tree, field_path, None, visibility, note);
    };
    add_text(data.get("description"), "flags.campaign-codex.data.description", &access.content, &mut note);
    // In this module, notes are for the DM only.
    add_text(data.get("notes"), "flags.campaign-codex.data.notes", &Visibility::SECRET, &mut note);
    for page in doc.tree.get("pages").items() {
        add_page_text(library, doc, page, access, converter, &mut note);
    }
    if kind == "npc" && data.get("isDead").is_true() {
        let origin = converter.origin(data.get("isDead"), "flags.campaign-codex.data.isDead");
        note.states.push(EntityState { word: "dead".into(), origin, visibility: access.content.clone() });
    }
    let quests = read_quests(library, doc, &note, data, access, converter);
    let actor = data.get("linkedActor");
    let actor = actor.to_text().or_else(|| actor.get("uuid").to_text()).filter(|_| kind == "npc");
    let actor = actor.and_then(|uuid| match library.resolve(&uuid, doc) {
        LinkDestination::Note { key, .. } => Some(key),
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
fn read_quests(
    library: &Library,
    doc: &Doc,
    giver: &Note,
    data: &Tree,
    access: &Access,
    converter: TreeConverter,
) -> Vec<Note> {
    let mut quests = Vec::new();
    for (index, quest) in data.get("quests").items().into_iter().enumerate() {
        let Some(title) = quest.get("title").text().or(quest.get("name").text()) else { continue };
        let id = quest.get("id").to_text().unwrap_or_else(|| index.to_string());
        let visibility = if quest.get("visible").is_true() {
            access.content.clone()
        } else {
            Visibility::SECRET.within(&access.content)
        };
        let mut note = Note {
            key: format!("{}.quest.{id}", giver.key),
            tool: TOOL,
            name: title.trim().to_owned(),
            origin: converter.origin(quest.get("title"), "flags.campaign-codex.data.quests.title"),
            visibility,
            ids: Vec::<ExternalId>::new(),
            ..Note::default()
        };
        note.set_kind(Kind::Quest, Certainty::Explicit, "Campaign Codex: quest");
        if let Some(completed) = Some(quest.get("completed")).filter(|completed| completed.is_true()) {
            note.fields.extend(converter.field_with_values(
                "quest-status",
                vec!["completed".into()],
                completed,
                "quests.completed",
                &note.visibility,
            ));
        }
        let field_path = "flags.campaign-codex.data.quests.description";
        let visibility = note.visibility.clone();
        add_html(library, doc, quest.get("description"), field_path, None, &visibility, &mut note);
        if codex_kind(doc) == Some("npc") {
            let target = crate::import::LinkTarget::Key(giver.key.clone());
            let relation = LinkRelation::explicit(PredicateRole::Assignment.name()).backwards();
            note.links.push(converter.link(target, relation, quest, "flags.campaign-codex.data.quests", &visibility));
        }
        quests.push(note);
    }
    quests
}
