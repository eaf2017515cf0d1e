//! A handbook for the players. It contains only what their characters know.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write,
};

use hearsay_belief::{Known, View};
use hearsay_model::{EntityId, FactId, GameTime, Kind, Knower, PassageId, State, attribute, escape::markdown, text};

/// Credence below which a fact is presented as a rumour.
const RUMOUR_THRESHOLD: f64 = 0.5;

/// Returns, as Markdown, everything that the characters and parties in `players` know at the game time `as_of`. `None`
/// means the end of all recorded time. Entities are grouped by kind, each with the facts that the characters know about
/// it. Facts that the characters doubt are presented as rumours. A fact that a character conceals is left out unless
/// another of the characters knows it without concealing it, because all players read the handbook.
///
/// The text is built only from the views of `players`, so it cannot reveal facts that they do not know.
pub fn export_handbook(state: &State, title: &str, players: &[EntityId], as_of: Option<GameTime>) -> String {
    let views: Vec<View> = players.iter().map(|id| View::new(state, &Knower::Entity(id.clone()), as_of)).collect();
    let mut book = Handbook::default();
    for view in &views {
        book.add_view(view);
    }
    book.to_markdown(title)
}

#[derive(Default)]
struct Handbook {
    names: BTreeMap<EntityId, BTreeMap<FactId, String>>,
    kinds: BTreeMap<EntityId, BTreeMap<FactId, Kind>>,
    /// The sentences by subject and fact, each with its highest credence among the characters.
    statements: BTreeMap<EntityId, BTreeMap<FactId, (String, f64)>>,
    texts: BTreeMap<PassageId, (Option<String>, String)>,
}

impl Handbook {
    fn add_view(&mut self, view: &View) {
        for known in view.facts().filter(|known| !known.conceals()) {
            let (id, subject) = (known.id(), known.subject().clone());
            match (known.predicate().as_str(), known.object().text()) {
                (attribute::NAME, Some(name)) => {
                    self.names.entry(subject).or_default().insert(id, name.to_owned());
                }
                (attribute::KIND, Some(kind)) => {
                    self.kinds.entry(subject).or_default().insert(id, Kind::from(kind));
                }
                _ => self.add_statement(view, known),
            }
        }
        let concealed = view.concealed_passages();
        for (id, heard) in view.passages().filter(|(id, _)| !concealed.contains(id)) {
            self.texts.insert(id, (heard.passage.title.clone(), heard.passage.text.clone()));
        }
    }

    fn add_statement(&mut self, view: &View, known: &Known) {
        let belief = view.belief(known).credence.get();
        let statements = self.statements.entry(known.subject().clone()).or_default();
        let entry = statements.entry(known.id()).or_insert_with(|| (known.statement().to_owned(), belief));
        entry.1 = entry.1.max(belief);
    }

    fn name<'a>(&'a self, id: &'a EntityId) -> &'a str {
        let names = self.names.get(id).and_then(|names| names.values().next());
        names.map_or(id.as_str(), String::as_str)
    }

    fn to_markdown(&self, title: &str) -> String {
        let mut page = format!("# {}\n\nWhat the party knows.\n", markdown(title));
        let mut chapters: BTreeMap<(usize, String), Vec<(String, &EntityId)>> = BTreeMap::new();
        for (id, statements) in &self.statements {
            // An entity without a known name gets no section.
            if statements.is_empty() || !self.names.contains_key(id) {
                continue;
            }
            let kind = self.kinds.get(id).and_then(|kinds| kinds.values().next());
            let index = kind.and_then(|kind| CHAPTERS.iter().position(|(listed_kind, _)| listed_kind == kind));
            let chapter = index.map_or("Other things", |index| CHAPTERS[index].1);
            let key = (index.unwrap_or(CHAPTERS.len()), chapter.to_owned());
            chapters.entry(key).or_default().push((text::normalize(self.name(id)), id));
        }
        for ((_, chapter), mut entries) in chapters {
            entries.sort();
            let _ = writeln!(page, "\n## {chapter}");
            for (_, id) in entries {
                let _ = writeln!(page, "\n### {}\n", markdown(self.name(id)));
                let mut written_statements = BTreeSet::new();
                for (statement, belief) in self.statements.get(id).into_iter().flat_map(BTreeMap::values) {
                    if written_statements.insert(statement) {
                        let rumour = if *belief < RUMOUR_THRESHOLD { " *(a rumour)*" } else { "" };
                        let _ = writeln!(page, "- {}{rumour}", markdown(statement));
                    }
                }
            }
        }
        if !self.texts.is_empty() {
            page.push_str("\n## Texts\n");
        }
        let mut texts: Vec<_> = self.texts.values().collect();
        texts.sort();
        for (title, body) in texts {
            if let Some(title) = title {
                let _ = writeln!(page, "\n**{}**", markdown(title));
            }
            page.push('\n');
            for line in body.lines() {
                let _ = writeln!(page, "> {}", markdown(line));
            }
        }
        page
    }
}

const CHAPTERS: [(Kind, &str); 10] = [
    (Kind::Player, "The party"),
    (Kind::Party, "Parties"),
    (Kind::Npc, "People"),
    (Kind::Location, "Places"),
    (Kind::Faction, "Groups"),
    (Kind::Quest, "Quests"),
    (Kind::Event, "Events"),
    (Kind::Item, "Things"),
    (Kind::Document, "Documents"),
    (Kind::Concept, "Lore"),
];
