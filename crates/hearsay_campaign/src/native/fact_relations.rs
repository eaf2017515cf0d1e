//! Facts that have a relation to another fact: `distorts`, `refutes`, `ends`, or the public version of a secret. The id
//! of such a fact depends on the id of the other fact. These facts are therefore built last, after all entries are
//! read. Each of these facts is built after the fact on which it depends.

use std::{
    collections::{HashMap, hash_map},
    sync::Arc,
};

use hearsay_belief::learn;
use hearsay_model::{
    Author, Credence, EntityId, Fact, FactRelation, FactStatus, Knower, Method, Object, Predicate, Provenance, Secrecy,
    attribute,
};

use super::{
    checks::join_steps,
    drafts::{
        Context, FactContent, FactEntry, Marks, OtherFact, PendingFact, RelationConstructor, RelationDraft,
        UnparsedNode,
    },
    fields::Fields,
    reader::CampaignReader,
};
use crate::{
    campaign::{AudienceSource, CampaignFact, KnowerEntry},
    keys,
    yaml::{Node, Yaml},
};

const FACT_RELATIONS: [(&str, RelationConstructor); 3] =
    [("distorts", FactRelation::Distorts), ("refutes", FactRelation::Refutes), ("ends", FactRelation::Ends)];

impl CampaignReader {
    /// Reads the relation that an entry has to another fact.
    pub(super) fn read_fact_relation(&mut self, f: &Fields) -> Option<RelationDraft> {
        let mut found = None;
        for (key, relation) in FACT_RELATIONS {
            let Some(node) = f.get(key) else { continue };
            let path = f.child_path(key);
            let Some(handle) = self.read_text_node(node, &path) else { continue };
            let other = OtherFact::ByHandle { handle: handle.trim().to_owned(), at: node.at, path: path.clone() };
            if found.replace(RelationDraft { key, relation, other }).is_some() {
                let message = "a fact can distort, refute or end only one other fact";
                self.diagnostics.add(node.at, &path, message, "write a separate fact for each of the other facts");
            }
        }
        found
    }

    /// Reserves an index for a fact that is built later, and returns this index.
    pub(super) fn defer_fact(&mut self, mut fact_entry: FactEntry, relation_draft: RelationDraft) -> Option<usize> {
        let index = self.facts.len();
        let audience_source = fact_entry.marks.audience_source.unwrap_or(fact_entry.context.audience_source);
        let knowers = std::mem::take(&mut fact_entry.marks.knowers);
        self.facts.push(CampaignFact { fact: placeholder_fact()?, audience_source, knowers, speakers: Vec::new() });
        self.fact_positions.push(fact_entry.at);
        self.register_marks(index, &mut fact_entry);
        self.pending_facts.push(PendingFact { index, relation: relation_draft, entry: fact_entry });
        Some(index)
    }

    /// Builds the facts that wait for another fact, each after the fact that it depends on.
    pub(super) fn build_deferred_facts(&mut self) {
        let pending = std::mem::take(&mut self.pending_facts);
        let positions: HashMap<usize, usize> =
            pending.iter().enumerate().map(|(position, fact)| (fact.index, position)).collect();
        let others: Vec<Option<usize>> =
            pending.iter().map(|fact| self.find_other_fact(&fact.relation.other)).collect();
        let mut visited = vec![false; pending.len()];
        let mut order = Vec::with_capacity(pending.len());
        for start in 0..pending.len() {
            let (mut path, mut at) = (Vec::new(), Some(start));
            while let Some(position) = at.filter(|position| !visited[*position]) {
                visited[position] = true;
                path.push(position);
                at = others[position].and_then(|other| positions.get(&other).copied());
            }
            match at.and_then(|at| path.iter().position(|position| *position == at)) {
                Some(cycle_start) => self.report_cycle(&pending, &path[cycle_start..]),
                None => order.extend(path.into_iter().rev()),
            }
        }
        let mut pending: Vec<Option<PendingFact>> = pending.into_iter().map(Some).collect();
        // Maps the index of a duplicate fact to the index of the fact that is kept.
        let mut duplicates = HashMap::new();
        for position in order {
            let (Some(fact), Some(other)) = (pending[position].take(), others[position]) else { continue };
            // A fact in a cycle was already reported as an error.
            let is_built = positions.get(&other).is_none_or(|position| pending[*position].is_none());
            if is_built {
                self.build_related_fact(fact, other, &mut duplicates);
            }
        }
        self.merge_duplicates(&duplicates);
    }

    fn find_other_fact(&mut self, other: &OtherFact) -> Option<usize> {
        match other {
            OtherFact::ByIndex(index) => Some(*index),
            OtherFact::ByHandle { handle, at, path } => {
                let index = self.handles.get(handle).map(|(index, _)| *index);
                if index.is_none() {
                    self.add_unknown_handle_error(handle, *at, path);
                }
                index
            }
        }
    }

    fn report_cycle(&mut self, pending: &[PendingFact], cycle: &[usize]) {
        let mut steps: Vec<&PendingFact> = cycle.iter().map(|position| &pending[*position]).collect();
        let first = steps.iter().enumerate().min_by_key(|(_, fact)| fact.entry.at).map_or(0, |(first, _)| first);
        steps.rotate_left(first);
        let Some(first) = steps.first() else { return };
        let format_step = |fact: &&PendingFact| {
            let handle = fact.entry.marks.handle.as_ref().map_or("", |(handle, _)| handle);
            format!("`{handle}` ({})", self.diagnostics.format_position(fact.entry.at))
        };
        let message = format!("the facts refer to each other in a circle: {}", join_steps(&steps, format_step));
        let hint = "remove `distorts`, `refutes` or `ends` from one of them";
        self.diagnostics.add(first.entry.at, &first.entry.path, message, hint);
    }

    fn build_related_fact(&mut self, pending: PendingFact, other: usize, duplicates: &mut HashMap<usize, usize>) {
        let PendingFact { index, relation: relation_draft, entry: mut fact_entry } = pending;
        let other_fact = Arc::clone(&self.facts[other].fact);
        let fact_relation = (relation_draft.relation)(other_fact.id());
        let marks = &mut fact_entry.marks;
        if fact_entry.content.is_none() && marks.statement.is_none() {
            marks.statement = match fact_relation {
                FactRelation::Ends(_) => Some(learn::ending_statement(&other_fact, marks.validity.from.as_ref())),
                _ => Some(learn::refutation_statement(&other_fact)),
            };
            if marks.about.is_empty() {
                marks.about = other_fact.entities().cloned().collect();
            }
        }
        // A fact that is derived from a secret is secret too, unless it has a mark of its own.
        let is_cover = matches!(fact_relation, FactRelation::Covers(_));
        let has_default_audience = marks.unmarked && fact_entry.context.audience_source == AudienceSource::Rules;
        if !is_cover && has_default_audience && other_fact.secrecy() == Secrecy::Secret {
            marks.secrecy = Secrecy::Secret;
            self.facts[index].audience_source = AudienceSource::NamedKnowers;
        }
        let statement_value = || Some(Object::Value(marks.statement.clone()?.into()));
        let lore_content = || Some((Predicate::new(attribute::LORE).ok()?, statement_value()?));
        fact_entry.content = fact_entry.content.or_else(lore_content);
        fact_entry.subject.get_or_insert_with(|| other_fact.subject().clone());
        let Some(fact) = self.build_fact(&fact_entry, Some(fact_relation)) else { return };
        match self.fact_indices.entry(fact.id()) {
            hash_map::Entry::Vacant(entry) => {
                entry.insert(index);
            }
            hash_map::Entry::Occupied(entry) => {
                duplicates.insert(index, *entry.get());
                if fact_entry.context.speaker.is_none() {
                    let first = self.diagnostics.format_position(self.fact_positions[*entry.get()]);
                    self.diagnostics
                        .warn(fact_entry.at, format!("duplicate of {first}; both are imported as one fact"));
                }
            }
        }
        self.facts[index].fact = Arc::new(fact);
    }

    /// Merges several entries that state the same fact.
    fn merge_duplicates(&mut self, duplicates: &HashMap<usize, usize>) {
        if duplicates.is_empty() {
            return;
        }
        let mut remaining = Vec::new();
        let mut new_indices = Vec::new();
        for (index, campaign_fact) in std::mem::take(&mut self.facts).into_iter().enumerate() {
            new_indices.push(remaining.len());
            match duplicates.get(&index) {
                None => remaining.push((campaign_fact, self.fact_positions[index])),
                Some(_) => self.facts.push(campaign_fact),
            }
        }
        let new_index = |index: usize| new_indices[duplicates.get(&index).copied().unwrap_or(index)];
        let mut duplicate_facts = std::mem::take(&mut self.facts).into_iter();
        let mut duplicate_indices: Vec<usize> = duplicates.keys().copied().collect();
        duplicate_indices.sort_unstable();
        for (index, campaign_fact) in duplicate_indices.into_iter().zip(&mut duplicate_facts) {
            if let Some((original, _)) = remaining.get_mut(new_index(index)) {
                original.knowers.extend(campaign_fact.knowers);
                original.speakers.extend(campaign_fact.speakers);
            }
        }
        (self.facts, self.fact_positions) = remaining.into_iter().unzip();
        self.fact_indices.values_mut().for_each(|index| *index = new_index(*index));
        self.handles.values_mut().for_each(|(index, _)| *index = new_index(*index));
        self.pending_reveals.iter_mut().for_each(|(index, _)| *index = new_index(*index));
        self.passages
            .iter_mut()
            .flat_map(|campaign_passage| &mut campaign_passage.facts)
            .for_each(|index| *index = new_index(*index));
        self.covers.iter_mut().for_each(|(cover, secret)| (*cover, *secret) = (new_index(*cover), new_index(*secret)));
        self.contradicted_handles.iter_mut().for_each(|(index, _)| *index = new_index(*index));
    }

    /// Reads the public version of a secret fact.
    pub(super) fn read_public_version(&mut self, secret: usize, fact_entry: &FactEntry, unparsed: &UnparsedNode) {
        let UnparsedNode { node, path } = unparsed;
        let subject = fact_entry.subject.clone();
        let context = Context { status: FactStatus::Claimed, ..Context::for_subject(subject.as_ref()) };
        let (at, path) = (node.at, path.clone());
        let fact_entry = if let Yaml::Map(_) = node.value {
            let Some(f) = self.read_fields(node, &path, &keys::PUBLIC) else { return };
            let marks = self.read_marks(&f, &context);
            let Some((subject, content)) = self.read_public_content(&f, fact_entry, &marks) else { return };
            FactEntry { at, path, context, subject, content, marks }
        } else {
            let Some(text) = self.read_text_node(node, &path) else { return };
            let marks = Marks { statement: Some(text.trim().to_owned()), ..Marks::default() };
            FactEntry { at, path, context, subject, content: None, marks }
        };
        let index = self.defer_fact(fact_entry, RelationDraft::for_cover(secret));
        self.covers.extend(index.map(|index| (index, secret)));
    }

    /// Returns the subject, predicate and object of the public version. Parts that the entry omits are taken from the
    /// secret.
    fn read_public_content(
        &mut self,
        f: &Fields,
        secret: &FactEntry,
        marks: &Marks,
    ) -> Option<(Option<EntityId>, Option<FactContent>)> {
        let (subject, secret) = (secret.subject.clone(), secret.content.as_ref());
        let (type_name, value) = (self.read_text(f, "type"), f.get("value"));
        let is_relation = value.is_none() && (f.get("target").is_some() || type_name.is_some_and(is_relation_name));
        let at = f.get("type").map_or(f.at, |node| node.at);
        if type_name.is_none() && value.is_none() && !is_relation {
            if marks.statement.is_none() {
                self.diagnostics.add(f.at, &f.path, "the fact has no content", "add `text: …`, or `type` and `target`");
                return None;
            }
            return Some((subject, None));
        }
        let is_suitable = |name: &&Predicate| name.is_relation() == is_relation && **name != *attribute::LORE;
        let secret_predicate = secret.map(|(predicate, _)| predicate).filter(is_suitable);
        let (predicate, backwards) = match (type_name, secret_predicate) {
            (Some(type_name), _) if is_relation => self.resolve_relation_name(type_name, at, &f.child_path("type"))?,
            (Some(type_name), _) => (self.resolve_attribute_name(type_name, at, &f.child_path("type"))?, false),
            (None, Some(predicate)) => (predicate.clone(), false),
            (None, None) => {
                let missing_part = if is_relation { "a target" } else { "a value" };
                self.diagnostics.add(f.at, &f.path, format!("{missing_part} needs a type"), "add `type: …`");
                return None;
            }
        };
        if !is_relation {
            let value = match (value, &marks.statement) {
                (Some(node), _) => self.read_value(node, &f.child_path("value"))?,
                (None, Some(text)) => text.clone().into(),
                (None, None) => {
                    self.diagnostics.add(f.at, &f.path, format!("{predicate} has no value"), "add `value: …`");
                    return None;
                }
            };
            return Some((subject, Some((predicate, Object::Value(value)))));
        }
        let target = match f.get("target") {
            Some(node) => Some(self.resolve_reference(node, &f.child_path("target"))?),
            None => secret.and_then(|(_, object)| object.entity()).cloned(),
        };
        let Some(target) = target else {
            self.diagnostics.add(f.at, &f.path, format!("{predicate} has no target"), "add `target: …`");
            return None;
        };
        match subject {
            Some(subject) if backwards => Some((Some(target), Some((predicate, Object::Entity(subject))))),
            subject => Some((subject, Some((predicate, Object::Entity(target))))),
        }
    }

    /// Sets the credence of the public version for knowers of the secret to one minus their credence in the secret.
    /// Has no effect if the public version is canon.
    pub(super) fn set_cover_credences(&mut self) {
        for (cover, secret) in std::mem::take(&mut self.covers) {
            if self.facts[cover].fact.status() == FactStatus::Canon {
                continue;
            }
            let holders = self.facts[secret].knowers.clone();
            for KnowerEntry { knower, learned: learned_date, credence, rank, at, .. } in holders {
                let is_named =
                    self.facts[cover].knowers.iter().any(|existing| existing.knower == knower && existing.rank == rank);
                if let (false, Ok(doubt)) = (is_named, Credence::new(1.0 - credence.get())) {
                    let entry = KnowerEntry::authored(knower, doubt, false);
                    self.facts[cover].knowers.push(KnowerEntry { learned: learned_date, rank, at, ..entry });
                }
            }
        }
    }

    /// Stores in each rumour and lie the facts that it contradicts. Also limits the default credence in the rumour or
    /// lie for knowers who know such a fact: the default is at most one minus the credence in this fact. A credence in
    /// the files has no limit.
    pub(super) fn link_contradicted_facts(&mut self) {
        for (index, handle) in std::mem::take(&mut self.contradicted_handles) {
            let Some(&(truth, _)) = self.handles.get(&handle) else { continue };
            // The id of a fact does not depend on the facts that it contradicts.
            let fact = &self.facts[index].fact;
            let contradicted = fact.contradicts().iter().copied().chain([self.facts[truth].fact.id()]);
            if let Ok(linked) = fact.to_builder().contradicts(contradicted).build() {
                self.facts[index].fact = Arc::new(linked);
            }
            let credences: HashMap<Knower, Credence> =
                self.facts[truth].knowers.iter().map(|entry| (entry.knower.clone(), entry.credence)).collect();
            for entry in self.facts[index].knowers.iter_mut().filter(|entry| entry.has_default_credence) {
                let limit = credences.get(&entry.knower).map(|credence| Credence::new(1.0 - credence.get()));
                if let Some(Ok(limit)) = limit {
                    entry.credence = entry.credence.min(limit);
                }
            }
        }
    }
}

fn is_relation_name(name_text: &str) -> bool {
    !name_text.contains(char::is_lowercase)
}

/// Returns a placeholder for a fact that is not built yet.
fn placeholder_fact() -> Option<Arc<Fact>> {
    let nobody = EntityId::new("nobody").ok()?;
    let provenance = Provenance::new(Method::Imported, Author::Game);
    Some(Arc::new(Fact::attribute(&nobody, attribute::LORE, "…", provenance).ok()?.build().ok()?))
}

/// Returns whether an entry has no subject of its own, so that it takes the subject of the related fact.
pub(super) fn omits_subject(f: &Fields) -> bool {
    ["subject", "source", "about", "type"].into_iter().all(|key: &str| f.get(key).is_none())
}

/// Returns the node under `public`, if there is one.
pub(super) fn public_node(f: &Fields) -> Option<UnparsedNode> {
    let node: &Node = f.get("public")?;
    Some(UnparsedNode { node: node.clone(), path: f.child_path("public") })
}
