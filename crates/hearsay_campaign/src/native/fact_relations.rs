//! Facts that have a relation to another fact: `distorts`, `refutes`, `ends`, or the public version of a secret. The id
//! of such a fact depends on the id of the other fact. Therefore these facts are built last, after all entries are
//! read, each after the fact that it depends on.

use std::{
    collections::{HashMap, hash_map},
    sync::Arc,
};

use hearsay_belief::learn;
use hearsay_model::{
    Author, Credence, EntityId, Fact, FactRelation, FactStatus, Method, Object, Predicate, Provenance, Secrecy,
    attribute,
};

use super::{
    checks::in_short,
    drafts::{Bears, Context, Marks, Other, Said, Says, ToRelation, Unbuilt, Written},
    fields::Fields,
    reader::CampaignReader,
};
use crate::{
    campaign::{Learned, Reach, Stated},
    keys,
    yaml::{Node, Yaml},
};

const FACT_RELATIONS: [(&str, ToRelation); 3] =
    [("distorts", FactRelation::Distorts), ("refutes", FactRelation::Refutes), ("ends", FactRelation::Ends)];

impl CampaignReader {
    /// Reads the relation that an entry has to another fact.
    pub(super) fn bears(&mut self, f: &Fields) -> Option<Bears> {
        let mut found = None;
        for (key, relation) in FACT_RELATIONS {
            let Some(node) = f.get(key) else { continue };
            let path = f.below(key);
            let Some(handle) = self.text_of(node, &path) else { continue };
            let of = Other::Named { handle: handle.trim().to_owned(), at: node.at, path: path.clone() };
            if found.replace(Bears { key, relation, of }).is_some() {
                let message = "a fact can distort, refute or end only one other fact";
                self.faults.add(node.at, &path, message, "write a separate fact for each of them");
            }
        }
        found
    }

    /// Reserves an index for a fact that is built later, and returns this index.
    pub(super) fn wait(&mut self, mut said: Said, bears: Bears) -> Option<usize> {
        let number = self.facts.len();
        let reach = said.marks.reach.unwrap_or(said.context.reach);
        let learned = std::mem::take(&mut said.marks.learned);
        self.facts.push(Stated { fact: unknown()?, reach, learned, speakers: Vec::new() });
        self.spots.push(said.at);
        self.follow(number, &mut said);
        self.unbuilt.push(Unbuilt { number, bears, said });
        Some(number)
    }

    /// Builds the facts that wait for another fact, each after the fact that it depends on.
    pub(super) fn build_waiting(&mut self) {
        let unbuilt = std::mem::take(&mut self.unbuilt);
        let waiting: HashMap<usize, usize> =
            unbuilt.iter().enumerate().map(|(place, fact)| (fact.number, place)).collect();
        let others: Vec<Option<usize>> = unbuilt.iter().map(|fact| self.other(&fact.bears.of)).collect();
        let mut entered = vec![false; unbuilt.len()];
        let mut order = Vec::with_capacity(unbuilt.len());
        for start in 0..unbuilt.len() {
            let (mut path, mut at) = (Vec::new(), Some(start));
            while let Some(place) = at.filter(|place| !entered[*place]) {
                entered[place] = true;
                path.push(place);
                at = others[place].and_then(|other| waiting.get(&other).copied());
            }
            match at.and_then(|at| path.iter().position(|place| *place == at)) {
                Some(begin) => self.circle(&unbuilt, &path[begin..]),
                None => order.extend(path.into_iter().rev()),
            }
        }
        let mut unbuilt: Vec<Option<Unbuilt>> = unbuilt.into_iter().map(Some).collect();
        // Maps the index of a duplicate fact to the index of the fact that is kept.
        let mut same = HashMap::new();
        for place in order {
            let (Some(fact), Some(other)) = (unbuilt[place].take(), others[place]) else { continue };
            // A fact in a cycle was already reported as an error.
            let is_built = waiting.get(&other).is_none_or(|place| unbuilt[*place].is_none());
            if is_built {
                self.build_on(fact, other, &mut same);
            }
        }
        self.unite(&same);
    }

    fn other(&mut self, of: &Other) -> Option<usize> {
        match of {
            Other::Read(number) => Some(*number),
            Other::Named { handle, at, path } => {
                let number = self.handles.get(handle).map(|(number, _)| *number);
                if number.is_none() {
                    self.no_handle(handle, *at, path);
                }
                number
            }
        }
    }

    fn circle(&mut self, unbuilt: &[Unbuilt], circle: &[usize]) {
        let mut steps: Vec<&Unbuilt> = circle.iter().map(|place| &unbuilt[*place]).collect();
        let first = steps.iter().enumerate().min_by_key(|(_, fact)| fact.said.at).map_or(0, |(first, _)| first);
        steps.rotate_left(first);
        let Some(first) = steps.first() else { return };
        let named = |fact: &&Unbuilt| {
            let handle = fact.said.marks.handle.as_ref().map_or("", |(handle, _)| handle);
            format!("`{handle}` ({})", self.faults.spot(fact.said.at))
        };
        let message = format!("the facts refer to each other in a circle: {}", in_short(&steps, named));
        let hint = "remove `distorts`, `refutes` or `ends` from one of them";
        self.faults.add(first.said.at, &first.said.path, message, hint);
    }

    fn build_on(&mut self, unbuilt: Unbuilt, other: usize, same: &mut HashMap<usize, usize>) {
        let Unbuilt { number, bears, mut said } = unbuilt;
        let of = Arc::clone(&self.facts[other].fact);
        let fact_relation = (bears.relation)(of.id());
        let marks = &mut said.marks;
        if said.says.is_none() && marks.statement.is_none() {
            marks.statement = match fact_relation {
                FactRelation::Ends(_) => Some(learn::ending_statement(&of, marks.validity.from.as_ref())),
                _ => Some(learn::refutation_statement(&of)),
            };
            if marks.about.is_empty() {
                marks.about = of.entities().cloned().collect();
            }
        }
        // A fact that is derived from a secret is secret too, unless it has a mark of its own.
        let is_cover = matches!(fact_relation, FactRelation::Covers(_));
        let by_rule = marks.unmarked && said.context.reach == Reach::Rules;
        if !is_cover && by_rule && of.secrecy() == Secrecy::Secret {
            marks.secrecy = Secrecy::Secret;
            self.facts[number].reach = Reach::Named;
        }
        let text = || Some(Object::Value(marks.statement.clone()?.into()));
        let lore = || Some((Predicate::new(attribute::LORE).ok()?, text()?));
        said.says = said.says.or_else(lore);
        said.subject.get_or_insert_with(|| of.subject().clone());
        let Some(fact) = self.built(&said, Some(fact_relation)) else { return };
        match self.by_id.entry(fact.id()) {
            hash_map::Entry::Vacant(entry) => {
                entry.insert(number);
            }
            hash_map::Entry::Occupied(entry) => {
                same.insert(number, *entry.get());
                if said.context.speaker.is_none() {
                    let first = self.faults.spot(self.spots[*entry.get()]);
                    self.faults.warn(said.at, format!("duplicate of {first}; both are imported as one fact"));
                }
            }
        }
        self.facts[number].fact = Arc::new(fact);
    }

    /// Merges several entries that state the same fact.
    fn unite(&mut self, same: &HashMap<usize, usize>) {
        if same.is_empty() {
            return;
        }
        let mut stays = Vec::new();
        let mut numbers = Vec::new();
        for (number, stated) in std::mem::take(&mut self.facts).into_iter().enumerate() {
            numbers.push(stays.len());
            match same.get(&number) {
                None => stays.push((stated, self.spots[number])),
                Some(_) => self.facts.push(stated),
            }
        }
        let now = |number: usize| numbers[same.get(&number).copied().unwrap_or(number)];
        let mut united = std::mem::take(&mut self.facts).into_iter();
        let mut left: Vec<usize> = same.keys().copied().collect();
        left.sort_unstable();
        for (number, stated) in left.into_iter().zip(&mut united) {
            if let Some((into, _)) = stays.get_mut(now(number)) {
                into.learned.extend(stated.learned);
                into.speakers.extend(stated.speakers);
            }
        }
        (self.facts, self.spots) = stays.into_iter().unzip();
        self.by_id.values_mut().for_each(|number| *number = now(*number));
        self.handles.values_mut().for_each(|(number, _)| *number = now(*number));
        self.unread_reveals.iter_mut().for_each(|(number, _)| *number = now(*number));
        self.passages.iter_mut().flat_map(|text| &mut text.facts).for_each(|number| *number = now(*number));
        self.covers.iter_mut().for_each(|(cover, secret)| (*cover, *secret) = (now(*cover), now(*secret)));
    }

    /// Reads the public version of a secret fact.
    pub(super) fn public(&mut self, secret: usize, said: &Said, written: &Written) {
        let Written { node, path } = written;
        let subject = said.subject.clone();
        let context = Context { status: FactStatus::Claimed, ..Context::about(subject.as_ref()) };
        let (at, path) = (node.at, path.clone());
        let said = if let Yaml::Map(_) = node.value {
            let Some(f) = self.fields(node, &path, &keys::PUBLIC) else { return };
            let marks = self.marks(&f, &context);
            let Some((subject, says)) = self.said_in_public(&f, said, &marks) else { return };
            Said { at, path, context, subject, says, marks }
        } else {
            let Some(text) = self.text_of(node, &path) else { return };
            let marks = Marks { statement: Some(text.trim().to_owned()), ..Marks::default() };
            Said { at, path, context, subject, says: None, marks }
        };
        let number = self.wait(said, Bears::covers(secret));
        self.covers.extend(number.map(|number| (number, secret)));
    }

    /// Returns the subject, predicate and object of the public version. Parts that the entry omits are taken from the
    /// secret.
    fn said_in_public(&mut self, f: &Fields, secret: &Said, marks: &Marks) -> Option<(Option<EntityId>, Option<Says>)> {
        let (subject, secret) = (secret.subject.clone(), secret.says.as_ref());
        let (written, value) = (self.text(f, "type"), f.get("value"));
        let is_relation = value.is_none() && (f.get("target").is_some() || written.is_some_and(is_relation));
        let at = f.get("type").map_or(f.at, |node| node.at);
        if written.is_none() && value.is_none() && !is_relation {
            if marks.statement.is_none() {
                self.faults.add(f.at, &f.path, "the fact has no content", "add `text: …`, or `type` and `target`");
                return None;
            }
            return Some((subject, None));
        }
        let fits = |name: &&Predicate| name.is_relation() == is_relation && **name != *attribute::LORE;
        let named = secret.map(|(predicate, _)| predicate).filter(fits);
        let (predicate, backwards) = match (written, named) {
            (Some(written), _) if is_relation => self.relation_name(written, at, &f.below("type"))?,
            (Some(written), _) => (self.attribute_name(written, at, &f.below("type"))?, false),
            (None, Some(predicate)) => (predicate.clone(), false),
            (None, None) => {
                let what = if is_relation { "a target" } else { "a value" };
                self.faults.add(f.at, &f.path, format!("{what} needs a type"), "add `type: …`");
                return None;
            }
        };
        if !is_relation {
            let value = match (value, &marks.statement) {
                (Some(node), _) => self.value(node, &f.below("value"))?,
                (None, Some(text)) => text.clone().into(),
                (None, None) => {
                    self.faults.add(f.at, &f.path, format!("{predicate} has no value"), "add `value: …`");
                    return None;
                }
            };
            return Some((subject, Some((predicate, Object::Value(value)))));
        }
        let target = match f.get("target") {
            Some(node) => Some(self.reference(node, &f.below("target"))?),
            None => secret.and_then(|(_, object)| object.entity()).cloned(),
        };
        let Some(target) = target else {
            self.faults.add(f.at, &f.path, format!("{predicate} has no target"), "add `target: …`");
            return None;
        };
        match subject {
            Some(subject) if backwards => Some((Some(target), Some((predicate, Object::Entity(subject))))),
            subject => Some((subject, Some((predicate, Object::Entity(target))))),
        }
    }

    /// Sets the credence of the public version for knowers of the secret to one minus their credence in the secret.
    /// Has no effect if the public version is canon.
    pub(super) fn know_better(&mut self) {
        for (cover, secret) in std::mem::take(&mut self.covers) {
            if self.facts[cover].fact.status() == FactStatus::Canon {
                continue;
            }
            let holders = self.facts[secret].learned.clone();
            for Learned { knower, learned, credence, rank, at, .. } in holders {
                let named = self.facts[cover].learned.iter().any(|named| named.knower == knower && named.rank == rank);
                if let (false, Ok(doubt)) = (named, Credence::new(1.0 - credence.get())) {
                    let better = Learned::authored(knower, doubt, false);
                    self.facts[cover].learned.push(Learned { learned, rank, at, ..better });
                }
            }
        }
    }
}

fn is_relation(written: &str) -> bool {
    !written.contains(char::is_lowercase)
}

/// Returns a placeholder for a fact that is not built yet.
fn unknown() -> Option<Arc<Fact>> {
    let nobody = EntityId::new("nobody").ok()?;
    let provenance = Provenance::new(Method::Imported, Author::Game);
    Some(Arc::new(Fact::attribute(&nobody, attribute::LORE, "…", provenance).ok()?.build().ok()?))
}

/// Returns whether an entry has no subject of its own, so that it takes the subject of the related fact.
pub(super) fn leaves_subject(f: &Fields) -> bool {
    ["subject", "source", "about", "type"].into_iter().all(|key: &str| f.get(key).is_none())
}

/// Returns the node under `public`, if there is one.
pub(super) fn written_public(f: &Fields) -> Option<Written> {
    let node: &Node = f.get("public")?;
    Some(Written { node: node.clone(), path: f.below("public") })
}
