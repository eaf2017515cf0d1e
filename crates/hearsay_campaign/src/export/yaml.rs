//! Export in Hearsay's own YAML format, with one entry per line. A second file contains the exact records.

use std::{
    collections::{BTreeMap, BTreeSet},
    io,
    path::Path,
};

use hearsay_model::{Fact, FactStatus, Key, Knower, Object, Passage, Secrecy, State, Value, attribute};
use serde_json::{Map, Value as Json, json};

use super::overwrite::{Overwrite, write_pages};
use crate::{Limits, files::File, lossless::Pages, native::read_files};

const PAGE_NAME: &str = "campaign.yaml";

/// Maximum number of attempts to write the page. After each attempt, the page is read back, and the lines that the
/// reader rejects are removed.
const MAX_ATTEMPTS: usize = 24;

/// Writes a state as campaign files into a folder. [`read_any`](crate::read_any) reads the files back without loss. You
/// may edit lines. The import restores the exact records of all unchanged lines. Data that the format cannot express,
/// such as tellings, decisions and recording times, is in the file `hearsay.records` in the same folder. On Unix, only
/// the owner of the files can read them.
///
/// # Errors
/// Returns an error if a file cannot be written, or if the export would overwrite a file that `overwrite` protects.
pub fn export_yaml(state: &State, folder: &Path, overwrite: Overwrite) -> io::Result<()> {
    let mut pages = Pages::default();
    write_page(state, &mut pages);
    // The format cannot express every record, so the reader rejects some lines, which are then removed.
    for _ in 0..MAX_ATTEMPTS {
        let page = File { path: PAGE_NAME.to_owned(), bytes: pages.page(PAGE_NAME).as_bytes().to_vec() };
        match read_files(vec![page], &Limits { errors: 100_000, ..Limits::default() }) {
            Ok(_) => break,
            Err(errors) => {
                let lines: BTreeSet<u32> = errors.errors.iter().map(|error| error.line).collect();
                pages.remove_lines(PAGE_NAME, &lines);
            }
        }
    }
    write_pages(&pages, state, folder, overwrite)
}

fn write_page(state: &State, pages: &mut Pages) {
    let mut line = |line: &str, keys: Vec<Key>| pages.add_line(PAGE_NAME, "", line, keys);
    let info = state.campaign().cloned().unwrap_or_default();
    let id = if info.id.is_empty() { "campaign".to_owned() } else { info.id.clone() };
    let name = if info.name.is_empty() { id.clone() } else { info.name.clone() };
    line("# One entry per line. `hearsay import` applies your changes and keeps all other records.", vec![]);
    let mut campaign_entry = json!({ "id": id, "name": name });
    if !info.system.is_empty() {
        campaign_entry["system"] = json!(info.system);
    }
    line(&format!("campaign: {campaign_entry}"), vec![]);
    if !state.calendar().months.is_empty()
        && state.settings().any(|setting| {
            matches!(setting.as_ref(), hearsay_model::Setting::World(hearsay_model::WorldSetting::Calendar(_)))
        })
        && let Ok(mut calendar) = serde_json::to_value(state.calendar())
    {
        remove_empty_values(&mut calendar);
        line(&format!("calendar: {calendar}"), vec![]);
    }
    let mut name_facts: BTreeMap<&str, Vec<&Fact>> = BTreeMap::new();
    let mut facts = Vec::new();
    for fact in state.facts() {
        let is_name_or_kind = [attribute::NAME, attribute::KIND].contains(&fact.predicate().as_str());
        match is_name_or_kind && fact.status() == FactStatus::Canon {
            true => name_facts.entry(fact.subject().as_str()).or_default().push(fact),
            false if fact.status() == FactStatus::Rejected || fact.fact_relation().is_some() => {}
            false => facts.push(fact),
        }
    }
    line("entities:", vec![]);
    for entity in state.entities() {
        let mut entry = Map::new();
        entry.insert("id".into(), json!(entity.id));
        entry.insert("name".into(), json!(state.name_or_id(&entity.id)));
        entry.insert("kind".into(), json!(state.kind(&entity.id).map_or("concept".into(), |kind| kind.to_string())));
        if state.is_character(&entity.id) {
            entry.insert("home".into(), json!("none"));
        }
        let facts = name_facts.get(entity.id.as_str()).into_iter().flatten().map(|fact| Key::Fact(fact.id()));
        line(&entry_line(entry), std::iter::once(Key::Entity(entity.id.clone())).chain(facts).collect());
    }
    facts.sort_by(|a, b| (a.subject(), a.predicate(), a.id()).cmp(&(b.subject(), b.predicate(), b.id())));
    if !facts.is_empty() {
        line("facts:", vec![]);
    }
    for fact in facts {
        line(&entry_line(fact_entry(state, fact)), vec![Key::Fact(fact.id())]);
    }
    let texts: Vec<_> = state.passages().filter(|(_, passage)| passage.session.is_none()).collect();
    if !texts.is_empty() {
        line("passages:", vec![]);
    }
    for (id, passage) in texts {
        line(&entry_line(passage_entry(passage)), vec![Key::Passage(id)]);
    }
}

/// Removes empty values.
fn remove_empty_values(value: &mut Json) {
    match value {
        Json::Object(map) => {
            map.values_mut().for_each(remove_empty_values);
            map.retain(|_, value| {
                !(value.is_null() || *value == json!("") || value.as_array().is_some_and(Vec::is_empty))
            });
        }
        Json::Array(items) => items.iter_mut().for_each(remove_empty_values),
        _ => {}
    }
}

/// Writes an entry as JSON on one line, which is also valid YAML.
fn entry_line(entry: Map<String, Json>) -> String {
    let json = Json::Object(entry).to_string();
    // In YAML, some characters are line breaks that JSON does not escape.
    let json = json.replace('\u{85}', "\\u0085").replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029");
    format!("  - {}", json.replace('\u{7f}', "\\u007f").replace('\u{feff}', "\\ufeff"))
}

fn fact_entry(state: &State, fact: &Fact) -> Map<String, Json> {
    let mut entry = Map::new();
    if let Some(handle) = fact.handle() {
        entry.insert("id".into(), json!(handle));
    }
    entry.insert("subject".into(), json!(fact.subject()));
    entry.insert("type".into(), json!(fact.predicate()));
    match fact.object() {
        Object::Entity(id) => entry.insert("target".into(), json!(id)),
        Object::Value(Value::Text(text)) => entry.insert("value".into(), json!(text)),
        Object::Value(Value::Number(number)) => entry.insert("value".into(), json!(number.get())),
        Object::Value(Value::Flag(flag)) => entry.insert("value".into(), json!(flag)),
    };
    entry.insert("text".into(), json!(fact.statement()));
    if !fact.mentions().is_empty() {
        entry.insert("about".into(), json!(fact.mentions()));
    }
    if fact.status() != FactStatus::Canon {
        entry.insert("status".into(), json!(fact.status()));
    }
    if fact.provenance().confidence.get() < 1.0 {
        entry.insert("confidence".into(), json!(fact.provenance().confidence.get()));
    }
    for (key, date) in [("since", &fact.validity().from), ("until", &fact.validity().until)] {
        if let Some(date) = date {
            entry.insert(key.into(), json!(date.raw));
        }
    }
    if let Some(attitude) = fact.attitude() {
        entry.insert("attitude".into(), json!(attitude));
    }
    for (key, text) in [("rank", fact.rank()), ("conditions", fact.conditions())] {
        if let Some(text) = text {
            entry.insert(key.into(), json!(text));
        }
    }
    match fact.secrecy() {
        Secrecy::Secret => entry.insert("secret".into(), json!(true)),
        Secrecy::Common => entry.insert("common".into(), json!(true)),
        Secrecy::Open => None,
    };
    let mut knowers: Vec<Json> = Vec::new();
    for (_, edge) in state.recorded_edges(fact.id()).filter(|(_, edge)| edge.acquisition.gives_knowledge()) {
        let Knower::Entity(knower) = &edge.knower else { continue };
        let is_default = edge.acquisition.is_authored() && edge.credence.get() >= 1.0 && !edge.conceals;
        knowers.push(match is_default {
            true => json!(knower),
            false => json!({ "who": knower, "credence": edge.credence.get(), "conceals": edge.conceals }),
        });
    }
    if !knowers.is_empty() && fact.secrecy() != Secrecy::Common {
        knowers.sort_by_key(Json::to_string);
        knowers.dedup();
        entry.insert("known_by".into(), Json::Array(knowers));
    }
    if fact.secrecy() == Secrecy::Secret {
        // The entry names all knowers, and states which of them conceal the secret.
        entry.insert("bearer".into(), json!(false));
        entry.insert("conceals".into(), json!(false));
    }
    entry
}

fn passage_entry(passage: &Passage) -> Map<String, Json> {
    let mut entry = Map::new();
    if let Some(title) = &passage.title {
        entry.insert("title".into(), json!(title));
    }
    entry.insert("text".into(), json!(passage.text));
    if !passage.mentions.is_empty() {
        entry.insert("about".into(), json!(passage.mentions));
    }
    if let Some(document) = &passage.document {
        entry.insert("document".into(), json!(document));
    }
    if let Some(place) = &passage.place {
        entry.insert("place".into(), json!(place));
    }
    if passage.heard_by.contains(&Knower::World) {
        entry.insert("common".into(), json!(true));
    } else {
        // Name all readers, so that the audience rules add none to an edited passage.
        let knowers: Vec<_> = passage.heard_by.iter().filter_map(Knower::entity).collect();
        entry.insert("secret".into(), json!(true));
        entry.insert("known_by".into(), json!(knowers));
    }
    entry
}
