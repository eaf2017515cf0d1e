//! Converts search results for display.

use hearsay_engine::{MemoryError, ReadSnapshot};
use hearsay_model::{EntityId, Fact, FactId, FactStatus, PassageId, Secrecy, State, attribute, text};
use hearsay_query as query;
use hearsay_query::{
    search::{EntityHit, Match, SearchHit, SearchResults},
    table::Table,
};

use super::model::{Knowers, SearchGroup, SearchModel, SearchRow, Target, who_knows};
use crate::{
    names::Named,
    panels::fact::{HolderLine, MOST_HOLDERS, table_line},
};

/// Maximum number of facts whose knowers are shown.
const MOST_KNOWN: usize = 10;

/// Minimum similarity of vectors for a result to count as found by meaning.
const MEANS: f32 = 0.3;

impl SearchModel {
    /// Converts the results of a search for display. Call this function on a background thread, because it computes the
    /// view of each player character.
    ///
    /// # Errors
    /// Currently never returns an error.
    pub fn of(world: &ReadSnapshot, asked: &str, found: &SearchResults) -> Result<Self, MemoryError> {
        let state = &*world.state;
        let rows = Rows { state, table: Table::of(state, None), asked };
        let facts: Vec<FactId> = found.facts.iter().filter_map(|hit| hit.id.parse().ok()).collect();
        let known: Vec<SearchRow> = match who_knows(asked) {
            Some(about) => rows.of_whom(&about, found, &facts),
            None => Vec::new(),
        };
        let told: Vec<&Target> = known.iter().map(|row| &row.target).collect();
        let others = found.facts.iter().filter_map(|hit| rows.fact(hit)).filter(|row| !told.contains(&&row.target));
        let groups = [
            ("Entities", found.entities.iter().map(|hit| rows.entity(hit)).collect()),
            ("Facts", others.collect::<Vec<_>>()),
            ("Said and written", found.passages.iter().filter_map(|hit| rows.passage(hit)).collect()),
        ];
        let groups = std::iter::once(("Who knows", known.clone())).chain(groups);
        let group = |(title, rows): (&str, Vec<SearchRow>)| SearchGroup { title: title.into(), rows };
        let hints = found.hints.iter().map(|hint| Named { name: hint.name.clone(), ..Named::of(state, &hint.id) });
        Ok(Self {
            asked: asked.to_owned(),
            groups: groups.filter(|(_, rows)| !rows.is_empty()).map(group).collect(),
            hints: hints.collect(),
            meaning: found.facts.iter().chain(&found.passages).any(|hit| hit.channels.meaning.is_some()),
        })
    }
}

struct Rows<'a> {
    state: &'a State,
    table: Table<'a>,
    asked: &'a str,
}

impl Rows<'_> {
    /// Returns the facts on the topic `about`, with their knowers. These are the facts found, and the secrets of the
    /// entities that the text names.
    fn of_whom(&self, about: &str, found: &SearchResults, facts: &[FactId]) -> Vec<SearchRow> {
        let named =
            found.entities.iter().filter(|hit| hit.distance == 0 && hit.by <= Match::Prefix && !about.is_empty());
        let ids: Vec<&EntityId> = named.map(|hit| &hit.id).take(2).collect();
        let of_named = |fact: &Fact| ids.iter().any(|id| fact.entities().any(|entity| entity == *id));
        let hits: Vec<&Fact> = facts.iter().filter_map(|id| self.state.fact(*id)).map(AsRef::as_ref).collect();
        // Facts whose statement equals the text come first.
        let asked = text::normal(about);
        let of_these =
            found.entities.iter().filter(|hit| hit.distance == 0).flat_map(|hit| self.state.facts_of(&hit.id));
        let same_words = |fact: &&Fact| text::normal(fact.statement().trim_end_matches('.')) == asked;
        let mut wanted: Vec<&Fact> = of_these.map(AsRef::as_ref).filter(same_words).collect();
        wanted.extend(hits.iter().copied().filter(|fact| of_named(fact)));
        let mut secrets: Vec<&Fact> = ids.iter().flat_map(|id| self.state.facts_of(id)).map(AsRef::as_ref).collect();
        secrets.retain(|fact| fact.secrecy() == Secrecy::Secret && fact.status().is_in_world());
        secrets.sort_by_key(|fact| (fact.predicate(), fact.id()));
        wanted.extend(secrets);
        wanted.extend(hits);
        let mut seen = std::collections::BTreeSet::new();
        wanted.retain(|fact| seen.insert(fact.id()));
        wanted.truncate(MOST_KNOWN);
        wanted
            .into_iter()
            .map(|fact| SearchRow { knowers: Some(self.knowers(fact.id())), ..self.row(fact, String::new()) })
            .collect()
    }

    fn knowers(&self, fact: FactId) -> Knowers {
        let held = query::portrait::held_by(self.state, fact);
        let lines = |rows: Vec<query::who_knows::HolderRow>, group: bool| {
            let line = move |row: query::who_knows::HolderRow| HolderLine {
                who: Named::of(self.state, &row.knower),
                acquisition: row.acquisition.join(", "),
                credence: row.credence,
                since: row.since,
                conceals: row.conceals,
                group,
            };
            rows.into_iter().map(line).collect::<Vec<_>>()
        };
        let mut held_by = lines(held.groups, true);
        held_by.extend(lines(held.characters, false));
        let more = held_by.len().saturating_sub(MOST_HOLDERS);
        held_by.truncate(MOST_HOLDERS);
        let table = self.table.knows(fact).map(|knows| table_line(self.state, knows).text);
        Knowers { table, everybody: held.everybody, held_by, more }
    }

    fn row(&self, fact: &Fact, why: String) -> SearchRow {
        SearchRow {
            target: Target::Fact(fact.id()),
            text: fact.statement().to_owned(),
            why,
            named: Some(Named::of(self.state, fact.subject())),
            status: Some(fact.status()),
            secret: fact.secrecy() == Secrecy::Secret,
            safe: self.table.may_see(fact),
            knowers: None,
        }
    }

    fn entity(&self, hit: &EntityHit) -> SearchRow {
        let wanted = text::normal(self.asked);
        let named = Named::of(self.state, &hit.id);
        let direct = matches!(hit.by, Match::Name | Match::Prefix | Match::Word);
        // Check whether the search matched a name other than the displayed name.
        let fits = |name: &str| {
            text::normal(name).split(' ').any(|word| word.starts_with(&wanted))
                || text::normal(name).starts_with(&wanted)
        };
        let alias = (direct && !fits(&named.name)).then(|| self.alias(&hit.id, &fits)).flatten();
        let secret_alias = alias.as_ref().is_some_and(|(_, secret)| *secret);
        let why = match (&alias, hit.by) {
            (Some((alias, true)), _) => format!("secretly called {alias}"),
            (Some((alias, false)), _) => format!("also called {alias}"),
            (None, Match::Name) => "by name".into(),
            (None, Match::Mentioned) => "named in the question".into(),
            (None, Match::Prefix) => "its name begins with this".into(),
            (None, Match::Word) => "a word of its name begins with this".into(),
            (None, Match::Spelling) => "similar spelling".into(),
            (None, Match::Everything) => String::new(),
            (None, Match::Relation) if hit.distance == 1 => "related to the results above".into(),
            (None, Match::Relation) => format!("{} steps away", hit.distance),
        };
        SearchRow {
            target: Target::Entity(hit.id.clone()),
            text: named.name.clone(),
            why,
            named: Some(named),
            status: None,
            secret: secret_alias,
            safe: self.table.may_name(&hit.id) && self.is_found_openly(hit, &wanted),
            knowers: None,
        }
    }

    /// Returns whether the search found the entity by a name that players may see. A match on any other name would
    /// reveal that name.
    fn is_found_openly(&self, hit: &EntityHit, asked: &str) -> bool {
        let naming = [attribute::NAME, attribute::ALIAS];
        let names = self.state.facts_of(&hit.id).filter(|fact| fact.subject() == &hit.id);
        let names = names.filter(|fact| naming.contains(&fact.predicate().as_str()) && fact.status().is_in_world());
        let (open, hidden): (Vec<&Fact>, Vec<&Fact>) =
            names.map(AsRef::as_ref).partition(|fact| self.table.may_see(fact));
        let fits = |fact: &&Fact| {
            let name = text::normal(fact.object().text().unwrap_or_default());
            asked.contains(&name) || name.split(' ').any(|word| asked.split(' ').any(|part| word.starts_with(part)))
        };
        hit.distance == 0 && (open.iter().any(fits) || hit.by == Match::Spelling && hidden.is_empty())
    }

    /// Returns a matching alias, and whether it is secret.
    fn alias(&self, id: &EntityId, fits: &dyn Fn(&str) -> bool) -> Option<(String, bool)> {
        let names =
            self.state.facts_of(id).filter(|fact| fact.subject() == id && *fact.predicate() == *attribute::ALIAS);
        let mut found: Vec<(bool, &str)> = names
            .filter(|fact| fact.status() == FactStatus::Canon)
            .filter_map(|fact| Some((fact.secrecy() == Secrecy::Secret, fact.object().text()?)))
            .filter(|(_, name)| fits(name))
            .collect();
        found.sort_unstable();
        found.first().map(|(secret, name)| ((*name).to_owned(), *secret))
    }

    fn fact(&self, hit: &SearchHit) -> Option<SearchRow> {
        let fact = self.state.fact(hit.id.parse().ok()?)?;
        let row = self.row(fact, why(hit));
        Some(SearchRow { safe: row.safe && is_open(hit), ..row })
    }

    fn passage(&self, hit: &SearchHit) -> Option<SearchRow> {
        let id: PassageId = hit.id.parse().ok()?;
        let passage = self.state.passage(id)?;
        let title = passage.session.as_ref().and_then(|session| query::table::session_title(self.state, session));
        let document = passage.document.as_ref().map(|document| self.state.name_or_id(document).to_owned());
        let place = title.or(document).or_else(|| passage.title.clone());
        let open = passage.speaker.as_ref().or(passage.document.as_ref()).or(passage.mentions.first());
        let open = open.or(passage.place.as_ref()).cloned();
        let parts: Vec<String> = place.into_iter().chain([why(hit)]).filter(|part| !part.is_empty()).collect();
        Some(SearchRow {
            target: Target::Passage(id, open),
            text: passage.text.clone(),
            why: parts.join(" \u{00B7} "),
            named: passage.speaker.as_ref().map(|speaker| Named::of(self.state, speaker)),
            status: None,
            secret: false,
            safe: self.table.all_heard(id) && is_open(hit),
            knowers: None,
        })
    }
}

/// Returns whether the result itself matches by words or meaning. If only the graph found the result, the path through
/// the graph may be secret.
fn is_open(hit: &SearchHit) -> bool {
    hit.channels.words > 0.0 || hit.channels.meaning.is_some_and(|meaning| meaning >= MEANS)
}

/// Formats the reason why the search found a result, from the score of each channel.
fn why(hit: &SearchHit) -> String {
    let mut parts = Vec::new();
    parts.extend((hit.channels.words > 0.0).then_some("words"));
    parts.extend(hit.channels.meaning.filter(|meaning| *meaning >= MEANS).map(|_| "meaning"));
    let mut why = parts.join(" and ");
    if why.is_empty() && !hit.path.is_empty() {
        why = format!("path: {}", hit.path.join(" \u{2192} "));
    }
    why
}
