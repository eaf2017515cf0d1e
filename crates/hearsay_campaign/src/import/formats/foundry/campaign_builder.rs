//! Reads pages in which the Foundry modules Campaign Builder and Monk's Enhanced Journal store entities.

use hearsay_model::{Kind, PredicateRole};

use super::{
    document::Doc,
    library::{Access, Library},
    modules::{MONKS_JOURNAL, is_builder, is_session, monk_kind},
    target::LinkDestination,
    text::add_html,
};
use crate::import::{
    Certainty, LinkRelation, LinkTarget, Note, Role, SessionInfo, Visibility, lexicon,
    tree::{Data, Tree, TreeConverter},
};

/// Returns the kind of the entity in an entry of Campaign Builder.
fn topic_kind(tree: &Tree) -> Option<Kind> {
    let word = tree.to_text()?.to_lowercase();
    Some(match word.as_str() {
        "1" | "character" | "characters" => Kind::Npc,
        "2" | "location" | "locations" => Kind::Location,
        "3" | "organization" | "organizations" | "organisation" => Kind::Faction,
        "4" | "pc" | "pcs" => Kind::Player,
        _ => return None,
    })
}

/// Copies the data that a module stores in a page into the note. If the page names the actor of the same person,
/// returns the key of that actor.
pub(super) fn fill_note(
    library: &Library,
    doc: &Doc,
    page: &Tree,
    access: &Access,
    converter: TreeConverter,
    note: &mut Note,
) -> Option<String> {
    if let Some(kind) = monk_kind(page) {
        note.set_kind(kind, Certainty::Explicit, "Monk's Enhanced Journal");
        add_monk_data(library, doc, page, access, converter, note);
        return None;
    }
    if !is_builder(page) {
        return None;
    }
    let system = page.get("system");
    if is_session(page) {
        add_session(library, doc, system, access, converter, note);
        return None;
    }
    let entity_kind = topic_kind(system.get("topic"))
        .or_else(|| page.get("type").text().filter(|kind| kind.ends_with(".pc")).map(|_| Kind::Player));
    let Some(entity_kind) = entity_kind else {
        note.role = Role::Text;
        return None;
    };
    note.is_player = entity_kind == Kind::Player;
    note.set_kind(entity_kind.clone(), Certainty::Explicit, "Campaign Builder");
    if let Some(field) = converter.field("subtype", system.get("type"), "system.type", &access.content) {
        note.fields.push(field);
    }
    add_tags(system.get("tags"), access, converter, note);
    for (name, value) in system.get("customFields").entries() {
        note.fields.extend(converter.field(name, value, &format!("system.customFields.{name}"), &access.content));
    }
    for name in ["description", "background", "plotPoints", "gmNotes", "notes"] {
        let visibility = if ["plotPoints", "gmNotes", "notes"].contains(&name) {
            Visibility::SECRET
        } else {
            access.content.clone()
        };
        let field_path = format!("system.{name}");
        add_html(library, doc, system.get(name), &field_path, None, &visibility, note);
    }
    for (topic, related) in system.get("relationships").entries() {
        for (id, entry) in related.entries() {
            let uuid = entry.get("uuid").to_text().unwrap_or_else(|| id.replace("#&#", "."));
            let uuid = if uuid.contains('.') { uuid } else { format!("JournalEntry.{uuid}") };
            let Some(target) = library.link_target(&uuid, doc) else { continue };
            let relation = entry_relation(&entity_kind, topic, entry);
            let mut link = converter.link(target, relation, entry, "system.relationships", &access.content);
            link.label = entry.get("name").to_text();
            note.links.push(link);
        }
    }
    let actor = system
        .get("actorId")
        .to_text()
        .or_else(|| system.get("actors").items().first().and_then(|actor_entry| actor_entry.to_text()));
    let actor = actor.filter(|_| entity_kind.is_character())?;
    match library.resolve(&actor, doc) {
        LinkDestination::Note { key, .. } => Some(key),
        _ => None,
    }
}

fn add_tags(tags: &Tree, access: &Access, converter: TreeConverter, note: &mut Note) {
    for tag in tags.items() {
        let value = if matches!(tag.data, Data::Map(_)) { tag.get("value") } else { tag };
        note.fields.extend(converter.field("tag", value, "system.tags", &access.content));
    }
}

/// Returns how an entity is related to the entity that an entry of its page links to. `kind` is the kind of the entity, and
/// `topic` is the heading of the entry.
fn entry_relation(kind: &Kind, topic: &str, entry: &Tree) -> LinkRelation {
    let extra = entry.get("extraFields");
    let relationship = ["relationship", "role", "relation"].iter().find_map(|name| extra.get(name).text());
    let other_kind = topic_kind(entry.get("topic"))
        .or_else(|| topic_kind(&Tree { span: 0..0, line: 0, data: Data::Text(topic.into()) }));
    // Between two people, the words of the relationship may name a known relation. Between a person and a group, the
    // words are a rank.
    let are_both_people = kind.is_character() && other_kind.as_ref().is_some_and(Kind::is_character);
    let is_known_relation = |words: &&str| matches!(lexicon::meaning(words), lexicon::Meaning::Relation(says) if says.rank.is_none() && are_both_people);
    match relationship.filter(is_known_relation) {
        Some(words) => LinkRelation::explicit(words),
        None => {
            let (words, backwards) = match (kind.is_character(), kind, other_kind) {
                (true, _, Some(Kind::Faction)) => (PredicateRole::Membership.name(), false),
                (_, Kind::Faction, Some(Kind::Npc | Kind::Player)) => (PredicateRole::Membership.name(), true),
                (true, _, Some(Kind::Location)) | (_, Kind::Faction, Some(Kind::Location)) => {
                    (PredicateRole::Location.name(), false)
                }
                (_, Kind::Location, Some(Kind::Npc | Kind::Player | Kind::Faction)) => {
                    (PredicateRole::Location.name(), true)
                }
                _ => (PredicateRole::Related.name(), false),
            };
            let rank = relationship.filter(|_| words == PredicateRole::Membership.name()).map(str::to_owned);
            LinkRelation { backwards, rank, ..LinkRelation::explicit(words) }
        }
    }
}

/// Adds a session. Parts of the session that the DM has not yet delivered to the players are secret.
fn add_session(
    library: &Library,
    doc: &Doc,
    system: &Tree,
    access: &Access,
    converter: TreeConverter,
    note: &mut Note,
) {
    note.role = Role::Session;
    let number = system.get("number").integer().and_then(|number| u32::try_from(number).ok());
    note.session = Some(SessionInfo { number, date: system.get("date").to_text(), ..SessionInfo::default() });
    for name in ["description", "notes", "strongStart"] {
        let visibility = if name == "description" { access.content.clone() } else { Visibility::SECRET };
        add_html(library, doc, system.get(name), &format!("system.{name}"), None, &visibility, note);
    }
    for lore in system.get("lore").items() {
        let visibility = if lore.get("delivered").is_true() { access.content.clone() } else { Visibility::SECRET };
        add_html(library, doc, lore.get("description"), "system.lore", None, &visibility, note);
    }
    for name in ["npcs", "locations"] {
        for entry in system.get(name).items() {
            let uuid = entry.get("uuid").to_text().or_else(|| entry.to_text());
            let delivered = entry.get("delivered");
            let is_secret_part = !delivered.is_null() && !delivered.is_true();
            let Some(target) = uuid.and_then(|uuid| library.link_target(&uuid, doc)) else { continue };
            if let (LinkTarget::Key(_), false) = (&target, is_secret_part)
                && let Some(block) = note.texts.first_mut()
            {
                let mut link = converter.link(
                    target,
                    LinkRelation::default(),
                    entry,
                    &format!("system.{name}"),
                    &block.visibility,
                );
                link.relation = None;
                block.links.push(link);
            }
        }
    }
}

/// Adds the relations that Monk's Enhanced Journal stores in its flags.
fn add_monk_data(
    library: &Library,
    doc: &Doc,
    page: &Tree,
    access: &Access,
    converter: TreeConverter,
    note: &mut Note,
) {
    let flags = page.get("flags").get(MONKS_JOURNAL);
    let role = flags.get("role");
    note.fields.extend(
        converter.field("occupation", role, "flags.role", &access.content).filter(|_| note.role == Role::Entity),
    );
    for (name, attribute) in flags.get("attributes").entries() {
        let is_secret_part = attribute.get("hidden").is_marked();
        let value = if matches!(attribute.data, Data::Map(_)) { attribute.get("value") } else { attribute };
        let visibility = if is_secret_part { Visibility::SECRET } else { access.content.clone() };
        note.fields.extend(converter.field(name, value, &format!("flags.attributes.{name}"), &visibility));
    }
    for entry in flags.get("relationships").items() {
        let Some(uuid) = entry.get("uuid").to_text().or_else(|| entry.get("id").to_text()) else { continue };
        let uuid = if uuid.contains('.') { uuid } else { format!("JournalEntry.{uuid}") };
        let Some(target) = library.link_target(&uuid, doc) else { continue };
        let words = entry.get("relationship").text().unwrap_or(PredicateRole::Related.name());
        let visibility = if entry.get("hidden").is_marked() { Visibility::SECRET } else { access.content.clone() };
        note.links.push(converter.link(
            target,
            LinkRelation::explicit(words),
            entry,
            "flags.relationships",
            &visibility,
        ));
    }
}
