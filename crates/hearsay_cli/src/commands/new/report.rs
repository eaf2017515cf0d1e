//! Prints the content of a new campaign.

use std::{collections::BTreeSet, path::Path};

use anyhow::Result;
use hearsay_engine::SETTINGS_FILE;
use hearsay_model::{EntityId, Kind, text::shorten};
use serde_json::{Value, json};

use super::{
    CAMPAIGN_FILE,
    draft::{Draft, DraftEntity, DraftSecret, DraftText},
    next_steps,
    notes::Notes,
    page::PageDraft,
};
use crate::output::{Output, count};

/// Titles of the entities of each kind; `None` for all other kinds.
const GROUPS: [(&str, Option<Kind>); 6] = [
    ("Player characters:", Some(Kind::Player)),
    ("People:", Some(Kind::Npc)),
    ("Places:", Some(Kind::Location)),
    ("Factions:", Some(Kind::Faction)),
    ("Other entities:", None),
    ("Quests:", Some(Kind::Quest)),
];

/// Maximum number of characters of a text in a list, without the `…` after a shortened text.
const MAX_TEXT_CHARS: usize = 79;

/// Prints the files of a new campaign with their content.
pub(super) fn print_files(
    directory: &Path,
    campaign: &str,
    page: Option<[String; 2]>,
    output: &mut Output,
) -> Result<()> {
    let path = directory.display();
    let mut rows = vec![[format!("{path}/{CAMPAIGN_FILE}"), campaign.to_owned()]];
    rows.extend(page);
    rows.push([format!("{path}/{SETTINGS_FILE}"), "settings, with their defaults".to_owned()]);
    output.columns(&rows)
}

pub(super) fn print_next_steps(directory: &Path, draft: &Draft, output: &mut Output) -> Result<()> {
    next_steps::next_steps(directory, draft).into_iter().try_for_each(|line| output.line(line))
}

/// Prints the campaign that a page became, with the lines of the page.
pub(super) fn print_page(
    directory: &Path,
    copy: &Path,
    notes: &Notes,
    made: &PageDraft,
    output: &mut Output,
) -> Result<()> {
    let draft = &made.draft;
    output.data(&page_data(directory, copy, made))?;
    let content = if notes.is_joined { "your notes, joined into one page" } else { "your page, unchanged" };
    let page = [copy.display().to_string(), content.to_owned()];
    print_files(directory, &summarize(draft), Some(page), output)?;
    output.line(match notes.is_joined {
        true => format!("The numbers are lines of {}.", copy.display()),
        false => "The numbers are lines of your page.".to_owned(),
    })?;
    print_entities(draft, output)?;
    output.line(format!(
        "The characters with the same home as an entity, and the residents of a place, know all of its text above. To hide a \
         sentence from them, move it to `secrets` in {CAMPAIGN_FILE}."
    ))?;
    print_fields(draft, output)?;
    if let Some(start) = &draft.start {
        output.line(format!("The first session begins at: {start}"))?;
    }
    print_statements(draft, output)?;
    let texts = |texts: &[DraftText]| -> Vec<[String; 3]> {
        texts.iter().map(|text| row(text.line, shorten(&text.text, MAX_TEXT_CHARS).into_owned(), "")).collect()
    };
    print_rows("Not about the game world; only you see it:", texts(&made.dm_only), output)?;
    print_rows("Not understood, or about no entity; only you see it:", texts(&made.not_understood), output)?;
    if !made.unrecognized.is_empty() {
        output.line(format!(
            "Names whose kind is unclear (they are not entities yet): {}",
            made.unrecognized.join(", ")
        ))?;
    }
    let hint = match draft.of_kind(&Kind::Player).next() {
        None => "; player characters need `kind: player` and `player: NAME`",
        Some(_) => "",
    };
    output.line(format!("If a guess is wrong, correct it in {CAMPAIGN_FILE}{hint}."))?;
    print_next_steps(directory, draft, output)
}

/// Prints the secrets, lies and rumours with their knowers, and what is missing for somebody to know them.
fn print_statements(draft: &Draft, output: &mut Output) -> Result<()> {
    let names = draft.entities.iter().flat_map(|entity| entity.secret_names.iter().map(move |name| (entity, name)));
    let names = names.map(|(entity, name)| {
        let knowers: Vec<&str> = std::iter::once(&entity.id).chain(&name.known_by).map(EntityId::as_str).collect();
        row(Some(name.line), knowers.join(", "), &name.name)
    });
    print_rows("Secret names, with their knowers:", names, output)?;
    let secret_rows = secrets(draft).map(|(entity, secret)| {
        let owner = (!secret.is_unknown_to_owner).then_some(&entity.id);
        let knowers: Vec<&str> = owner.into_iter().chain(&secret.known_by).map(EntityId::as_str).collect();
        let knowers = match knowers[..] {
            [] => format!("nobody yet (about {})", entity.id),
            _ => knowers.join(", "),
        };
        row(secret.line, knowers, &secret.text)
    });
    print_rows(&format!("Secrets, with their knowers; check them in {CAMPAIGN_FILE}:"), secret_rows, output)?;
    let unknown = secrets(draft).filter(|(_, secret)| secret.is_unknown_to_owner && secret.known_by.is_empty());
    let unknown = unknown.filter_map(|(_, secret)| secret.line);
    print_incomplete("Secrets that nobody knows yet", "known_by", unknown, output)?;
    let lies = draft.lies.iter().map(|lie| {
        let hearers = if lie.told_to.is_empty() { String::new() } else { format!(" to {}", ids(&lie.told_to)) };
        row(lie.text.line, format!("{}{hearers}", lie.by), &lie.text.text)
    });
    print_rows("Lies, with their tellers:", lies, output)?;
    let unheard = draft.lies.iter().filter(|lie| lie.told_to.is_empty()).filter_map(|lie| lie.text.line);
    print_incomplete("Lies that nobody believes yet", "told_to", unheard, output)?;
    let rumours = draft.rumours.iter().map(|rumour| {
        let truth = rumour.truth.map_or("", |truth| if truth { " (true)" } else { " (false)" });
        let hearers = if rumour.heard_by.is_empty() { "nobody yet".to_owned() } else { ids(&rumour.heard_by) };
        row(rumour.text.line, hearers + truth, &rumour.text.text)
    });
    print_rows("Rumours, with the characters and places that know them:", rumours, output)
}

/// Prints the lines of the statements without knowers, and the key that names their knowers.
fn print_incomplete(title: &str, key: &str, lines: impl Iterator<Item = usize>, output: &mut Output) -> Result<()> {
    let lines: Vec<String> = lines.map(|line| line.to_string()).collect();
    if lines.is_empty() {
        return Ok(());
    }
    output.line(format!("{title} (add `{key}: [ID, ID]` in {CAMPAIGN_FILE}): line {}", lines.join(", ")))
}

/// Prints the entities with the facts about them, by kind.
fn print_entities(draft: &Draft, output: &mut Output) -> Result<()> {
    let kinds = GROUPS.map(|(_, kind)| kind);
    for (title, group) in GROUPS {
        let is_in_group = |entity: &&DraftEntity| match &group {
            Some(kind) => entity.kind == *kind,
            None => !kinds.contains(&Some(entity.kind.clone())),
        };
        print_rows(title, draft.entities.iter().filter(is_in_group).flat_map(entity_rows), output)?;
    }
    Ok(())
}

/// Prints the homes, groups, relations and other fields of the entities, and the NPCs without a home or without acquaintances.
fn print_fields(draft: &Draft, output: &mut Output) -> Result<()> {
    let rows = draft.entities.iter().filter_map(|entity| {
        let relation = |name: &str| name.to_lowercase().replace('_', " ");
        let groups = entity.groups.iter().map(|group| format!("{} {}", relation(&group.relation), group.group));
        let ties = entity.ties.iter().map(|tie| format!("{} {}", relation(&tie.relation), tie.other));
        let guest = entity.location.as_ref().filter(|_| entity.is_guest && entity.home.is_none());
        let parts = home(entity)
            .map(|home| {
                let reason = if entity.is_home_workplace { ", because of the occupation" } else { "" };
                format!("lives in {home}{reason}")
            })
            .or(guest.map(|place| format!("is at {place}, but does not live there")))
            .into_iter()
            .chain(groups)
            .chain(ties)
            .chain(entity.condition.clone());
        let parts: Vec<String> = parts.chain(entity.part_of.iter().map(|place| format!("part of {place}"))).collect();
        (!parts.is_empty()).then(|| row(entity.line, entity.id.to_string(), &parts.join(", ")))
    });
    print_rows("Homes, groups, relations and conditions:", rows, output)?;
    let names = |ids: &[&EntityId]| ids.iter().map(|id| id.as_str()).collect::<Vec<_>>().join(", ");
    let homeless = homeless(draft);
    if !homeless.is_empty() {
        output.line(format!(
            "NPCs without a home (they are nowhere, so they hear nothing at the table; add `home: ID` in {CAMPAIGN_FILE}): {}",
            names(&homeless)
        ))?;
    }
    let strangers = strangers(draft);
    if strangers.len() > 1 {
        output.line(format!(
            "NPCs who know no other NPC, because they share no home and no larger place (if they live in one town, add the \
             town as a location, and `part_of: TOWN` to their homes in {CAMPAIGN_FILE}): {}",
            names(&strangers)
        ))?;
    }
    Ok(())
}

/// Returns the living NPCs who share no home and no larger place with another NPC. Empty if everybody knows all names.
fn strangers(draft: &Draft) -> Vec<&EntityId> {
    if draft.has_common_names {
        return Vec::new();
    }
    let part_of = |place: &EntityId| draft.entities.iter().find(|entity| entity.id == *place)?.part_of.as_ref();
    let places = |npc: &DraftEntity| -> BTreeSet<EntityId> {
        let home = home(npc);
        home.into_iter().chain(home.and_then(part_of)).cloned().collect()
    };
    let npcs: Vec<&DraftEntity> = draft.of_kind(&Kind::Npc).filter(|npc| !is_absent(npc)).collect();
    let knows_another = |npc: &DraftEntity| {
        let own = places(npc);
        npcs.iter().any(|other| other.id != npc.id && !own.is_disjoint(&places(other)))
    };
    npcs.iter().filter(|npc| !knows_another(npc)).map(|npc| &npc.id).collect()
}

/// Returns whether a character is dead or missing.
fn is_absent(entity: &DraftEntity) -> bool {
    entity.condition.as_deref().is_some_and(|condition| ["dead", "missing"].contains(&condition))
}

/// Returns the home of a character. An NPC lives at its location if the page states no other home.
fn home(entity: &DraftEntity) -> Option<&EntityId> {
    entity.home.as_ref().or(entity.location.as_ref().filter(|_| entity.kind == Kind::Npc && !entity.is_guest))
}

/// Returns the living NPCs for whom the page states no home and no location.
fn homeless(draft: &Draft) -> Vec<&EntityId> {
    let is_nowhere = |npc: &&DraftEntity| home(npc).is_none() && npc.location.is_none();
    let is_homeless = |npc: &&DraftEntity| is_nowhere(npc) && !is_absent(npc);
    draft.of_kind(&Kind::Npc).filter(is_homeless).map(|npc| &npc.id).collect()
}

/// Returns the rows of an entity: one for each fact, or one with its name.
fn entity_rows(entity: &DraftEntity) -> Vec<[String; 3]> {
    let has_title = GROUPS.iter().any(|(_, kind)| kind.as_ref() == Some(&entity.kind));
    let name = if has_title { entity.id.to_string() } else { format!("{} ({})", entity.id, entity.kind) };
    let fact = |(number, fact): (usize, &DraftText)| {
        row(fact.line, if number == 0 { name.clone() } else { String::new() }, &fact.text)
    };
    let rows: Vec<_> = entity.description.iter().enumerate().map(fact).collect();
    if rows.is_empty() { vec![row(entity.line, name, "")] } else { rows }
}

fn row(line: Option<usize>, name: String, text: &str) -> [String; 3] {
    let number = line.map_or_else(|| "  ".to_owned(), |line| format!("  {line:>4}"));
    [number, name, shorten(text, MAX_TEXT_CHARS).into_owned()]
}

fn print_rows(title: &str, rows: impl IntoIterator<Item = [String; 3]>, output: &mut Output) -> Result<()> {
    let rows: Vec<_> = rows.into_iter().collect();
    if rows.is_empty() {
        return Ok(());
    }
    output.line(title)?;
    output.columns(&rows)
}

fn ids(ids: &[EntityId]) -> String {
    ids.iter().map(EntityId::as_str).collect::<Vec<_>>().join(", ")
}

fn secrets(draft: &Draft) -> impl Iterator<Item = (&DraftEntity, &DraftSecret)> {
    draft.entities.iter().flat_map(|entity| entity.secrets.iter().map(move |secret| (entity, secret)))
}

/// Returns the result of the command as JSON.
fn page_data(directory: &Path, copy: &Path, made: &PageDraft) -> Value {
    let draft = &made.draft;
    let texts = |texts: &[DraftText]| -> Vec<Value> {
        texts.iter().map(|text| json!({ "text": text.text, "line": text.line })).collect()
    };
    json!({
        "campaign": directory,
        "name": draft.name,
        "page": copy,
        "entities": draft.entities.iter().map(|entity| &entity.id).collect::<Vec<_>>(),
        "start": draft.start,
        "homes": draft.entities.iter().filter_map(|entity| Some(json!({
            "entity": entity.id, "home": home(entity)?, "line": entity.line,
        }))).collect::<Vec<_>>(),
        "without_home": homeless(draft),
        "facts": draft.entities.iter().flat_map(|entity| entity.description.iter().map(move |fact| json!({
            "entity": entity.id, "text": fact.text, "line": fact.line,
        }))).collect::<Vec<_>>(),
        "secrets": secrets(draft)
            .map(|(entity, secret)| json!({
                "entity": entity.id, "text": secret.text, "known": !secret.is_unknown_to_owner, "known_by": secret.known_by,
                "line": secret.line,
            }))
            .collect::<Vec<_>>(),
        "lies": draft.lies.iter().map(|lie| json!({
            "by": lie.by, "text": lie.text.text, "told_to": lie.told_to, "truth_is": lie.truth_is, "line": lie.text.line,
        })).collect::<Vec<_>>(),
        "rumours": draft.rumours.iter().map(|rumour| json!({
            "text": rumour.text.text, "truth": rumour.truth, "heard_by": rumour.heard_by, "line": rumour.text.line,
        })).collect::<Vec<_>>(),
        "texts": draft.texts.iter().map(|text| &text.text).collect::<Vec<_>>(),
        "not_understood": texts(&made.not_understood),
        "unrecognized": made.unrecognized,
    })
}

/// Counts the content of a campaign: `2 player characters, 2 NPCs, 1 place, 1 secret`.
pub(super) fn summarize(draft: &Draft) -> String {
    let of_kind = |kind: Kind| draft.of_kind(&kind).count();
    let (players, npcs, places) = (of_kind(Kind::Player), of_kind(Kind::Npc), of_kind(Kind::Location));
    let (factions, quests) = (of_kind(Kind::Faction), of_kind(Kind::Quest));
    let parts = [
        (players, "player character", "player characters"),
        (npcs, "NPC", "NPCs"),
        (places, "place", "places"),
        (factions, "faction", "factions"),
        (draft.entities.len() - players - npcs - places - factions - quests, "other entity", "other entities"),
        (draft.entities.iter().map(|entity| entity.description.len()).sum(), "fact", "facts"),
        (draft.entities.iter().map(|entity| entity.secrets.len()).sum(), "secret", "secrets"),
        (draft.lies.len(), "lie", "lies"),
        (draft.rumours.len(), "rumour", "rumours"),
        (quests, "quest", "quests"),
        (draft.texts.len(), "text that only you see", "texts that only you see"),
    ];
    let counts: Vec<String> =
        parts.iter().filter(|(number, ..)| *number > 0).map(|(number, one, many)| count(*number, one, many)).collect();
    counts.join(", ")
}
