//! Converts search results for display.

use hearsay_engine::{MemoryError, ReadSnapshot};
use hearsay_model::{EntityId, Fact, FactId, FactStatus, PassageId, Secrecy, State, attribute, text};
use hearsay_query as query;
use hearsay_query::{
    search::{EntityHit, Match, SearchHit, SearchResults},
    table::PlayersView,
};

use super::model::{Knowers, SearchGroup, SearchModel, SearchRow, SearchTarget, who_knows};
use crate::{
    names::NamedEntity,
    panels::fact::{KnowerLine, MAX_KNOWERS, party_knowledge},
};

/// Maximum number of facts whose knowers are shown.
const MAX_KNOWER_FACTS: usize = 10;

/// Minimum similarity of vectors for a result to count as found by meaning.
const MIN_MEANING_SIMILARITY: f32 = 0.3;

impl SearchModel {
    /// Converts the results of a search for display. Call this function on a background thread, because it computes the
    /// view of each player character.
    ///
    /// # Errors
    /// Currently never returns an error.
    pub fn from_results(world: &ReadSnapshot, query: &str, results: &SearchResults) -> Result<Self, MemoryError> {
        let state = &*world.state;
        let row_builder = RowBuilder { state, players_view: PlayersView::new(state, None), query };
        let facts: Vec<FactId> = results.facts.iter().filter_map(|hit| hit.id.parse().ok()).collect();
        let knower_rows: Vec<SearchRow> = match who_knows(query) {
            Some(topic) => row_builder.knower_rows(&topic, results, &facts),
            None => Vec::new(),
        };
        let listed_targets: Vec<&SearchTarget> = knower_rows.iter().map(|row| &row.target).collect();
        let others = results
            .facts
            .iter()
            .filter_map(|hit| row_builder.fact(hit))
            .filter(|row| !listed_targets.contains(&&row.target));
        let groups = [
            ("Entities", results.entities.iter().map(|hit| row_builder.entity(hit)).collect()),
            ("Facts", others.collect::<Vec<_>>()),
            ("Said and written", results.passages.iter().filter_map(|hit| row_builder.passage(hit)).collect()),
        ];
        let groups = std::iter::once(("Who knows", knower_rows.clone())).chain(groups);
        let to_group = |(title, rows): (&str, Vec<SearchRow>)| SearchGroup { title: title.into(), rows };
        let hints = results
            .hints
            .iter()
            .map(|hint| NamedEntity { name: hint.name.clone(), ..NamedEntity::new(state, &hint.id) });
        Ok(Self {
            query: query.to_owned(),
            groups: groups.filter(|(_, rows)| !rows.is_empty()).map(to_group).collect(),
            hints: hints.collect(),
            meaning: results.facts.iter().chain(&results.passages).any(|hit| hit.channels.meaning.is_some()),
        })
    }
}

struct RowBuilder<'a> {
    state: &'a State,
    players_view: PlayersView<'a>,
    query: &'a str,
}

impl RowBuilder<'_> {
    /// Returns the facts on a topic, with their knowers: the facts that the search found, and the secrets of the
    /// entities that the topic names.
    fn knower_rows(&self, topic: &str, results: &SearchResults, facts: &[FactId]) -> Vec<SearchRow> {
        let named_entities =
            results.entities.iter().filter(|hit| hit.distance == 0 && hit.by <= Match::Prefix && !topic.is_empty());
        let ids: Vec<&EntityId> = named_entities.map(|hit| &hit.id).take(2).collect();
        let is_about_named = |fact: &Fact| ids.iter().any(|id| fact.entities().any(|entity| entity == *id));
        let hits: Vec<&Fact> = facts.iter().filter_map(|id| self.state.fact(*id)).map(AsRef::as_ref).collect();
        // Facts whose statement equals the text come first.
        let query = text::normalize(topic);
        let facts_of_named =
            results.entities.iter().filter(|hit| hit.distance == 0).flat_map(|hit| self.state.facts_of(&hit.id));
        let matches_topic = |fact: &&Fact| text::normalize(fact.statement().trim_end_matches('.')) == query;
        let mut facts_to_list: Vec<&Fact> = facts_of_named.map(AsRef::as_ref).filter(matches_topic).collect();
        facts_to_list.extend(hits.iter().copied().filter(|fact| is_about_named(fact)));
        let mut secrets: Vec<&Fact> = ids.iter().flat_map(|id| self.state.facts_of(id)).map(AsRef::as_ref).collect();
        secrets.retain(|fact| fact.secrecy() == Secrecy::Secret && fact.status().is_knowable());
        secrets.sort_by_key(|fact| (fact.predicate(), fact.id()));
        facts_to_list.extend(secrets);
        facts_to_list.extend(hits);
        let mut listed_ids = std::collections::BTreeSet::new();
        facts_to_list.retain(|fact| listed_ids.insert(fact.id()));
        facts_to_list.truncate(MAX_KNOWER_FACTS);
        facts_to_list
            .into_iter()
            .map(|fact| SearchRow { knowers: Some(self.knowers(fact.id())), ..self.row(fact, String::new()) })
            .collect()
    }

    fn knowers(&self, fact: FactId) -> Knowers {
        let knower_rows = query::portrait::direct_knowers(self.state, fact);
        let lines = |rows: Vec<query::who_knows::HolderRow>, group: bool| {
            let to_line = move |row: query::who_knows::HolderRow| KnowerLine {
                knower: NamedEntity::new(self.state, &row.knower),
                acquisition: row.acquisition.join(", "),
                credence: row.credence,
                since: row.since,
                conceals: row.conceals,
                group,
            };
            rows.into_iter().map(to_line).collect::<Vec<_>>()
        };
        let mut knower_lines = lines(knower_rows.groups, true);
        knower_lines.extend(lines(knower_rows.characters, false));
        let more = knower_lines.len().saturating_sub(MAX_KNOWERS);
        knower_lines.truncate(MAX_KNOWERS);
        let party_knowledge =
            self.players_view.knows(fact).map(|party_knows| party_knowledge(self.state, party_knows).text);
        Knowers { party_knowledge, known_to_everybody: knower_rows.everybody, lines: knower_lines, more }
    }

    fn row(&self, fact: &Fact, match_reason: String) -> SearchRow {
        SearchRow {
            target: SearchTarget::Fact(fact.id()),
            text: fact.statement().to_owned(),
            match_reason,
            entity: Some(NamedEntity::new(self.state, fact.subject())),
            status: Some(fact.status()),
            secret: fact.secrecy() == Secrecy::Secret,
            knowers: None,
        }
    }

    fn entity(&self, hit: &EntityHit) -> SearchRow {
        let query = text::normalize(self.query);
        let entity = NamedEntity::new(self.state, &hit.id);
        let is_name_match = matches!(hit.by, Match::Name | Match::Prefix | Match::Word);
        // Check whether the search matched a name other than the displayed name.
        let matches_query = |name: &str| {
            text::normalize(name).split(' ').any(|word| word.starts_with(&query))
                || text::normalize(name).starts_with(&query)
        };
        let alias = (is_name_match && !matches_query(&entity.name))
            .then(|| self.matching_alias(&hit.id, &matches_query))
            .flatten();
        let secret_alias = alias.as_ref().is_some_and(|(_, secret)| *secret);
        let match_reason = match (&alias, hit.by) {
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
            target: SearchTarget::Entity(hit.id.clone()),
            text: entity.name.clone(),
            match_reason,
            entity: Some(entity),
            status: None,
            secret: secret_alias,
            knowers: None,
        }
    }

    /// Returns a matching alias, and whether it is secret.
    fn matching_alias(&self, id: &EntityId, matches_query: &dyn Fn(&str) -> bool) -> Option<(String, bool)> {
        let names =
            self.state.facts_of(id).filter(|fact| fact.subject() == id && *fact.predicate() == *attribute::ALIAS);
        let mut aliases: Vec<(bool, &str)> = names
            .filter(|fact| fact.status() == FactStatus::Canon)
            .filter_map(|fact| Some((fact.secrecy() == Secrecy::Secret, fact.object().text()?)))
            .filter(|(_, name)| matches_query(name))
            .collect();
        aliases.sort_unstable();
        aliases.first().map(|(secret, name)| ((*name).to_owned(), *secret))
    }

    fn fact(&self, hit: &SearchHit) -> Option<SearchRow> {
        let fact = self.state.fact(hit.id.parse().ok()?)?;
        Some(self.row(fact, match_reason(hit)))
    }

    fn passage(&self, hit: &SearchHit) -> Option<SearchRow> {
        let id: PassageId = hit.id.parse().ok()?;
        let passage = self.state.passage(id)?;
        let title = passage.session.as_ref().and_then(|session| query::table::session_title(self.state, session));
        let document = passage.document.as_ref().map(|document| self.state.name_or_id(document).to_owned());
        let place = title.or(document).or_else(|| passage.title.clone());
        let target = passage.speaker.as_ref().or(passage.document.as_ref()).or(passage.mentions.first());
        let target = target.or(passage.place.as_ref()).cloned();
        let remark = passage.talk_kind.filter(|kind| !kind.is_heard()).map(|kind| kind.to_string());
        let parts = place.into_iter().chain(remark).chain([match_reason(hit)]);
        let parts: Vec<String> = parts.filter(|part| !part.is_empty()).collect();
        Some(SearchRow {
            target: SearchTarget::Passage(id, target),
            text: passage.text.clone(),
            match_reason: parts.join(" \u{00B7} "),
            entity: passage.speaker.as_ref().map(|speaker| NamedEntity::new(self.state, speaker)),
            status: None,
            secret: false,
            knowers: None,
        })
    }
}

/// Formats the reason why the search found a result, from the score of each channel.
fn match_reason(hit: &SearchHit) -> String {
    let mut parts = Vec::new();
    parts.extend((hit.channels.words > 0.0).then_some("words"));
    parts.extend(hit.channels.meaning.filter(|meaning| *meaning >= MIN_MEANING_SIMILARITY).map(|_| "meaning"));
    let mut reason = parts.join(" and ");
    if reason.is_empty() && !hit.path.is_empty() {
        reason = format!("path: {}", hit.path.join(" \u{2192} "));
    }
    reason
}
