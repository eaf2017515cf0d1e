//! Export as an Obsidian vault: one note per entity, and a file with the exact records beside the notes.

use std::{
    collections::{BTreeMap, HashMap},
    io,
    path::Path,
};

use hearsay_model::{EntityId, Fact, FactStatus, Key, Kind, Passage, PassageId, Secrecy, State, attribute};

use super::{
    file_names::FileNames,
    overwrite::{Overwrite, write_pages},
};
use crate::lossless::{Pages, SECRET_CALLOUT, SECRET_TEXTS_HEADING, fact_reference, one_line};

/// Writes a state as an Obsidian vault into a folder. [`read_any`](crate::read_any) reads the vault back without loss.
///
/// Each entity has a note. The front matter of the note contains the kind and the aliases of the entity. The note also
/// contains the entity's relations as links, its facts, the facts that have ended, its secrets in a callout, and its
/// passages. Notes of entities whose name is secret are in the folder `Secrets`. An entity whose facts were all rejected
/// has no note. Each session has a note with its log. You may edit, rename and move the notes. Each line of a fact ends
/// with a reference to the fact, which Obsidian does not show. If you change the line but keep the reference, the import
/// changes the fact. A new line in a secret callout of a character's note is a secret of this character. Other changed
/// lines are read as in any other vault. Data that Markdown cannot express is in the file `hearsay.records`, which
/// Obsidian does not show. On Unix, only the owner of the files can read them.
///
/// # Errors
/// Returns an error if a file cannot be written, or if the export would overwrite a file that `overwrite` protects.
pub fn export_vault(state: &State, folder: &Path, overwrite: Overwrite) -> io::Result<()> {
    let mut file_names = FileNames::default();
    let note_paths = assign_note_paths(state, &mut file_names);
    let mut vault = Vault { state, pages: Pages::default(), note_paths, file_names };
    vault.write_pages();
    write_pages(&vault.pages, state, folder, overwrite)
}

struct Vault<'a> {
    state: &'a State,
    pages: Pages,
    /// The path of each entity's note, without its extension.
    note_paths: HashMap<EntityId, String>,
    file_names: FileNames,
}

fn folder_for_kind(kind: Option<&Kind>) -> &'static str {
    match kind {
        Some(Kind::Npc) => "People",
        Some(Kind::Player) => "Player characters",
        Some(Kind::Location) => "Places",
        Some(Kind::Faction) => "Factions",
        Some(Kind::Party) => "Parties",
        Some(Kind::Item) => "Items",
        Some(Kind::Document) => "Documents",
        Some(Kind::Event) => "Events",
        Some(Kind::Quest) => "Quests",
        Some(Kind::Concept) => "Lore",
        Some(Kind::Custom(_)) | None => "Other",
    }
}

fn assign_note_paths(state: &State, file_names: &mut FileNames) -> HashMap<EntityId, String> {
    let mut note_paths = HashMap::new();
    for entity in state.entities() {
        let id = &entity.id;
        let has_secret_name = state.open_name(id).is_none() && state.name(id).is_some();
        let kind = state.kind(id);
        let folder = if has_secret_name { "Secrets" } else { folder_for_kind(kind.as_ref()) };
        note_paths.insert(id.clone(), file_names.reserve(folder, state.name_or_id(id), id.as_str()));
    }
    note_paths
}

impl Vault<'_> {
    fn write_pages(&mut self) {
        let state = self.state;
        let mut facts: BTreeMap<&EntityId, Vec<&Fact>> = BTreeMap::new();
        for fact in state.facts().filter(|fact| fact.status() != FactStatus::Rejected) {
            facts.entry(fact.subject()).or_default().push(fact);
        }
        let mut texts: BTreeMap<Option<&EntityId>, Vec<(PassageId, &Passage)>> = BTreeMap::new();
        let mut logs: BTreeMap<&str, Vec<(PassageId, &Passage)>> = BTreeMap::new();
        for (id, passage) in state.passages() {
            match &passage.session {
                Some(session) => logs.entry(session.as_str()).or_default().push((id, passage)),
                None => texts.entry(subject_of_text(state, passage)).or_default().push((id, passage)),
            }
        }
        for entity in state.entities() {
            let facts = facts.remove(&entity.id).unwrap_or_default();
            let texts = texts.remove(&Some(&entity.id)).unwrap_or_default();
            if !texts.is_empty() || !is_rejected(state, &entity.id) {
                self.write_entity(&entity.id, facts, texts);
            }
        }
        if let Some(texts) = texts.remove(&None) {
            self.write_texts("Texts.md", "", &texts);
        }
        for session in state.sessions() {
            let page_id = session.id.as_str();
            let path = format!("{}.md", self.file_names.reserve("Sessions", &session.title, page_id));
            let mut header = vec!["---".to_owned(), format!("id: {page_id}"), "type: session".to_owned()];
            header.extend(session.number.map(|number| format!("sessionnumber: {number}")));
            header.extend(session.date.as_ref().map(|date| format!("sessiondate: {}", serde_json::json!(date))));
            header.extend(["---".to_owned(), format!("# {}", one_line(&session.title)), String::new()]);
            for line in header {
                self.pages.add_line(&path, page_id, &line, []);
            }
            let mut log = logs.remove(page_id).unwrap_or_default();
            log.sort_by_key(|(id, passage)| (passage.line, *id));
            for (id, passage) in log {
                let speaker = passage.speaker.as_ref().map(|speaker| format!("**{}**: ", state.name_or_id(speaker)));
                let line = format!("- {}{}", speaker.unwrap_or_default(), one_line(&passage.text));
                self.pages.add_line(&path, page_id, &line, [Key::Passage(id)]);
            }
        }
    }

    fn write_entity(&mut self, id: &EntityId, mut facts: Vec<&Fact>, texts: Vec<(PassageId, &Passage)>) {
        let path = format!("{}.md", self.note_paths[id]);
        let page_id = id.as_str();
        facts.sort_by_key(|fact| (fact.predicate(), fact.id()));
        let has_predicate = |fact: &Fact, name: &str| fact.predicate().as_str() == name;
        let open = |fact: &Fact| fact.secrecy() != Secrecy::Secret;
        let keys = |facts: &[&Fact]| facts.iter().map(|fact| Key::Fact(fact.id())).collect::<Vec<_>>();
        let (names, rest): (Vec<&Fact>, Vec<&Fact>) =
            facts.into_iter().partition(|fact| has_predicate(fact, attribute::NAME));
        let (kinds, rest): (Vec<&Fact>, Vec<&Fact>) =
            rest.into_iter().partition(|fact| has_predicate(fact, attribute::KIND));
        let (aliases, rest): (Vec<&Fact>, Vec<&Fact>) = rest
            .into_iter()
            .partition(|fact| has_predicate(fact, attribute::ALIAS) && open(fact) && fact.object().text().is_some());
        let (open, secret): (Vec<&Fact>, Vec<&Fact>) = rest.into_iter().partition(|fact| open(fact));
        let kind = self.state.kind(id).map_or_else(|| "unknown".to_owned(), |kind| kind.to_string());
        let mut line = |line: &str, keys: Vec<Key>| self.pages.add_line(&path, page_id, line, keys);
        line("---", vec![]);
        line(&format!("id: {id}"), vec![Key::Entity(id.clone())]);
        line(&format!("type: {kind}"), keys(&kinds));
        if !aliases.is_empty() {
            line("aliases:", vec![]);
        }
        for alias in aliases {
            line(&format!("  - {}", serde_json::json!(alias.object().text())), vec![Key::Fact(alias.id())]);
        }
        line("---", vec![]);
        line(&format!("# {}", one_line(self.state.name_or_id(id))), keys(&names));
        let now = self.state.clock();
        let has_ended = |fact: &Fact| {
            let end = fact.validity().end();
            fact.validity().is_closed() && end.is_none_or(|end| now.is_none_or(|now| end <= now))
        };
        let (past, current): (Vec<&Fact>, Vec<&Fact>) = open.into_iter().partition(|fact| has_ended(fact));
        let (relations, statements): (Vec<&Fact>, Vec<&Fact>) =
            current.into_iter().partition(|fact| fact.object().entity().is_some());
        for (heading, facts) in [("Relations", relations), ("About", statements), ("Past", past)] {
            if !facts.is_empty() {
                line("", vec![]);
                line(&format!("## {heading}"), vec![]);
                line("", vec![]);
            }
            for fact in facts {
                let line_text = fact_line(self.state, &self.note_paths, fact);
                line(&format!("- {line_text}"), vec![Key::Fact(fact.id())]);
            }
        }
        if !secret.is_empty() {
            line("", vec![]);
            line("## Secrets", vec![]);
            line("", vec![]);
            line(SECRET_CALLOUT, vec![]);
        }
        for fact in secret {
            let line_text = fact_line(self.state, &self.note_paths, fact);
            line(&format!("> - {line_text}"), vec![Key::Fact(fact.id())]);
        }
        if !texts.is_empty() {
            line("", vec![]);
            self.write_texts(&path, page_id, &texts);
        }
    }

    /// Writes passages. A passage without hearers or readers goes into a separate secret callout.
    fn write_texts(&mut self, path: &str, page_id: &str, texts: &[(PassageId, &Passage)]) {
        let is_secret = |passage: &Passage| passage.heard_by.is_empty() && passage.readers.is_empty();
        let (secret_texts, open_texts): (Vec<_>, Vec<_>) = texts.iter().partition(|(_, passage)| is_secret(passage));
        for (heading, texts, quote) in [("Texts", open_texts, ""), (SECRET_TEXTS_HEADING, secret_texts, "> ")] {
            if texts.is_empty() {
                continue;
            }
            self.pages.add_line(path, page_id, &format!("## {heading}"), []);
            self.pages.add_line(path, page_id, "", []);
            if !quote.is_empty() {
                self.pages.add_line(path, page_id, SECRET_CALLOUT, []);
            }
            for (id, passage) in texts {
                let title =
                    passage.title.as_ref().map_or_else(String::new, |title| format!("**{}** ", one_line(title)));
                let line = format!("{quote}- {title}{}", one_line(&passage.text));
                self.pages.add_line(path, page_id, &line, [Key::Passage(id)]);
            }
            self.pages.add_line(path, page_id, "", []);
        }
    }
}

/// Returns the entity whose note contains a text: the document, the entity whose name is the title of the text, or else
/// the first entity that the text mentions.
fn subject_of_text<'a>(state: &'a State, passage: &'a Passage) -> Option<&'a EntityId> {
    let has_title = |id: &&EntityId| {
        let rest = passage.title.as_deref().and_then(|title| title.strip_prefix(state.name_or_id(id)));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(": "))
    };
    let mentions = || passage.mentions.iter();
    let mut subjects = passage.document.iter().chain(mentions().filter(has_title)).chain(mentions());
    subjects.find(|id| state.entity(id).is_some())
}

/// Returns whether the DM rejected an entity: its name is rejected, and so is every other fact about it.
fn is_rejected(state: &State, id: &EntityId) -> bool {
    let is_about = |fact: &Fact| fact.subject() == id || fact.object().entity() == Some(id);
    let mut facts = state.facts_of(id).filter(|fact| is_about(fact)).peekable();
    facts.peek().is_some() && facts.all(|fact| fact.status() == FactStatus::Rejected)
}

/// Returns the sentence of a fact in one line, with a link to its object, with its status if it is not canon, and with a
/// reference to the fact.
fn fact_line(state: &State, names: &HashMap<EntityId, String>, fact: &Fact) -> String {
    let mut line = one_line(fact.statement());
    if let Some(object) = fact.object().entity()
        && let Some(path) = names.get(object)
    {
        let label = one_line(state.name_or_id(object)).replace(['[', ']', '|'], " ");
        let relation = fact.predicate().as_str().to_lowercase();
        line = format!("{relation}:: [[{path}|{label}]] \u{2014} {line}");
    }
    let reference = fact_reference(fact.id());
    match fact.status() {
        FactStatus::Canon | FactStatus::Rejected => format!("{line}{reference}"),
        status => format!("{line} *({status})*{reference}"),
    }
}
