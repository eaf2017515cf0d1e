//! Pages in which the modules Campaign Builder and Monk's Enhanced Journal store entities.

use hearsay_model::{Kind, PredicateRole};

use super::{
    document::Doc,
    library::{Access, Library},
    modules::{MONK, is_builder, is_session, monk_kind},
    target::Meant,
    text::write,
};
use crate::import::{
    Note, Relation, Role, SessionHead, Sure, Target, Visibility, lexicon,
    tree::{Data, Pen, Tree},
};

/// Returns the kind of the entity in an entry of Campaign Builder.
fn topic(tree: &Tree) -> Option<Kind> {
    let word = tree.word()?.to_lowercase();
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
pub(super) fn fill(
    library: &Library,
    doc: &Doc,
    page: &Tree,
    access: &Access,
    pen: Pen,
    note: &mut Note,
) -> Option<String> {
    if let Some(kind) = monk_kind(page) {
        note.guess(kind, Sure::Typed, "Monk's Enhanced Journal");
        monk(library, doc, page, access, pen, note);
        return None;
    }
    if !is_builder(page) {
        return None;
    }
    let system = page.get("system");
    if is_session(page) {
        session(library, doc, system, access, pen, note);
        return None;
    }
    let is = topic(system.get("topic"))
        .or_else(|| page.get("type").text().filter(|kind| kind.ends_with(".pc")).map(|_| Kind::Player));
    let Some(is) = is else {
        note.role = Role::Text;
        return None;
    };
    note.player = is == Kind::Player;
    note.guess(is.clone(), Sure::Typed, "Campaign Builder");
    if let Some(field) = pen.field("subtype", system.get("type"), "system.type", &access.inner) {
        note.fields.push(field);
    }
    tags(system.get("tags"), access, pen, note);
    for (name, value) in system.get("customFields").entries() {
        note.fields.extend(pen.field(name, value, &format!("system.customFields.{name}"), &access.inner));
    }
    for name in ["description", "background", "plotPoints", "gmNotes", "notes"] {
        let visibility =
            if ["plotPoints", "gmNotes", "notes"].contains(&name) { Visibility::SECRET } else { access.inner.clone() };
        let place = format!("system.{name}");
        write(library, doc, system.get(name), &place, None, &visibility, pen, note);
    }
    for (about, related) in system.get("relationships").entries() {
        for (id, entry) in related.entries() {
            relation(library, doc, &is, about, id, entry, access, pen, note);
        }
    }
    let actor =
        system.get("actorId").word().or_else(|| system.get("actors").items().first().and_then(|one| one.word()));
    let actor = actor.filter(|_| is.is_character())?;
    match library.meant(&actor, doc) {
        Meant::Note { key, .. } => Some(key),
        _ => None,
    }
}

fn tags(tags: &Tree, access: &Access, pen: Pen, note: &mut Note) {
    for tag in tags.items() {
        let value = if matches!(tag.data, Data::Map(_)) { tag.get("value") } else { tag };
        note.fields.extend(pen.field("tag", value, "system.tags", &access.inner));
    }
}

#[allow(clippy::too_many_arguments)]
fn relation(
    library: &Library,
    doc: &Doc,
    is: &Kind,
    about: &str,
    id: &str,
    entry: &Tree,
    access: &Access,
    pen: Pen,
    note: &mut Note,
) {
    let uuid = entry.get("uuid").word().unwrap_or_else(|| id.replace("#&#", "."));
    let uuid = if uuid.contains('.') { uuid } else { format!("JournalEntry.{uuid}") };
    let Some(target) = library.target(&uuid, doc) else { return };
    let extra = entry.get("extraFields");
    let said = ["relationship", "role", "relation"].iter().find_map(|name| extra.get(name).text());
    let other =
        topic(entry.get("topic")).or_else(|| topic(&Tree { at: 0..0, line: 0, data: Data::Text(about.into()) }));
    // Between two people, the words of the relationship may name a known relation. Between a person and a group, the
    // words are a rank.
    let people = is.is_character() && other.as_ref().is_some_and(Kind::is_character);
    let known = |words: &&str| matches!(lexicon::meaning(words), lexicon::Meaning::Relation(says) if says.rank.is_none() && people);
    let relation = match said.filter(known) {
        Some(words) => Relation::typed(words),
        None => {
            let (words, backwards) = match (is.is_character(), is, other) {
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
            let rank = said.filter(|_| words == PredicateRole::Membership.name()).map(str::to_owned);
            Relation { backwards, rank, ..Relation::typed(words) }
        }
    };
    let mut link = pen.link(target, relation, entry, "system.relationships", &access.inner);
    link.label = entry.get("name").word();
    note.links.push(link);
}

/// Adds a session. Parts of the session that the DM has not yet delivered to the players are secret.
fn session(library: &Library, doc: &Doc, system: &Tree, access: &Access, pen: Pen, note: &mut Note) {
    note.role = Role::Session;
    let number = system.get("number").integer().and_then(|number| u32::try_from(number).ok());
    note.session = Some(SessionHead { number, date: system.get("date").word(), ..SessionHead::default() });
    for name in ["description", "notes", "strongStart"] {
        let visibility = if name == "description" { access.inner.clone() } else { Visibility::SECRET };
        write(library, doc, system.get(name), &format!("system.{name}"), None, &visibility, pen, note);
    }
    for lore in system.get("lore").items() {
        let visibility = if lore.get("delivered").is_true() { access.inner.clone() } else { Visibility::SECRET };
        write(library, doc, lore.get("description"), "system.lore", None, &visibility, pen, note);
    }
    for name in ["npcs", "locations"] {
        for one in system.get(name).items() {
            let uuid = one.get("uuid").word().or_else(|| one.word());
            let delivered = one.get("delivered");
            let hides = !delivered.is_null() && !delivered.is_true();
            let Some(target) = uuid.and_then(|uuid| library.target(&uuid, doc)) else { continue };
            if let (Target::Key(_), false) = (&target, hides)
                && let Some(block) = note.texts.first_mut()
            {
                let mut link = pen.link(target, Relation::default(), one, &format!("system.{name}"), &block.visibility);
                link.relation = None;
                block.links.push(link);
            }
        }
    }
}

/// Adds the relations that Monk's Enhanced Journal stores in its flags.
fn monk(library: &Library, doc: &Doc, page: &Tree, access: &Access, pen: Pen, note: &mut Note) {
    let flags = page.get("flags").get(MONK);
    let role = flags.get("role");
    note.fields
        .extend(pen.field("occupation", role, "flags.role", &access.inner).filter(|_| note.role == Role::Entity));
    for (name, attribute) in flags.get("attributes").entries() {
        let hides = attribute.get("hidden").is_marked();
        let value = if matches!(attribute.data, Data::Map(_)) { attribute.get("value") } else { attribute };
        let visibility = if hides { Visibility::SECRET } else { access.inner.clone() };
        note.fields.extend(pen.field(name, value, &format!("flags.attributes.{name}"), &visibility));
    }
    for entry in flags.get("relationships").items() {
        let Some(uuid) = entry.get("uuid").word().or_else(|| entry.get("id").word()) else { continue };
        let uuid = if uuid.contains('.') { uuid } else { format!("JournalEntry.{uuid}") };
        let Some(target) = library.target(&uuid, doc) else { continue };
        let words = entry.get("relationship").text().unwrap_or(PredicateRole::Related.name());
        let visibility = if entry.get("hidden").is_marked() { Visibility::SECRET } else { access.inner.clone() };
        note.links.push(pen.link(target, Relation::typed(words), entry, "flags.relationships", &visibility));
    }
}
