//! Creates relations between entities. Relations from fields are canon. Relations from free text are proposals.

use std::collections::HashSet;

use hearsay_model::{Attitude, EntityId, Kind, Object, Predicate, PredicateRole, Validity, Value};

use super::assembly::{Assembly, FactDraft, NotePart, UsualPlace};
use crate::import::{
    Certainty, Field, FieldValue, LinkRelation, LinkResolution, LinkTarget, Note, NoteLink, Visibility,
    lexicon::{self, RelationMeaning},
    prose_list::split_list,
    resolve,
    truth::{self, Truth},
};

/// Maximum number of entities that can share a name. If more entities share a name, the name counts as a common word.
const MAX_CANDIDATES: usize = 4;

/// A field of a note that states relations of the entity `id`.
#[derive(Clone, Copy)]
struct NoteField<'s> {
    id: &'s EntityId,
    note: &'s Note,
    field: &'s Field,
    visibility: &'s Visibility,
}

impl Assembly<'_> {
    /// Adds a link that is not within a text. If the link states no relation, no fact is added.
    pub(super) fn add_link(&mut self, id: &EntityId, note: &Note, link: &NoteLink) {
        let visibility = link.visibility.within(&note.visibility);
        let part = NotePart { origin: &link.origin, key: &note.key, visibility: &visibility };
        let target = self.resolve_target(&link.target, link.label.as_deref(), note, &link.origin, &visibility);
        let Some(relation) = &link.relation else { return };
        let Some(meaning) = lexicon::relation(&relation.words, &self.vocabulary) else { return };
        let meaning = lexicon::adapt_list_relation(&relation.words, &meaning, self.kinds.get(id));
        let Some(target) = target else {
            let inferred = LinkRelation { certainty: Certainty::Inferred, ..relation.clone() };
            for candidate in self.candidates(&link.target, note) {
                self.add_relation(id, &candidate, meaning.clone(), &inferred, part);
            }
            return;
        };
        self.add_relation(id, &target, meaning, relation, part);
    }

    /// Returns the entities to which an ambiguous name can refer. The caller proposes a relation to each of them, and
    /// the DM chooses.
    fn candidates(&self, target: &LinkTarget, source_note: &Note) -> Vec<EntityId> {
        match self.index.find(target, source_note, self.notes) {
            LinkResolution::Ambiguous(indices) if indices.len() <= MAX_CANDIDATES => {
                indices.into_iter().filter_map(|index| self.entity_ids[index].clone()).collect()
            }
            _ => Vec::new(),
        }
    }

    fn add_relation(
        &mut self,
        id: &EntityId,
        target: &EntityId,
        meaning: RelationMeaning,
        relation: &LinkRelation,
        part: NotePart<'_>,
    ) {
        if id == target {
            return;
        }
        // The words of a relation describe its subject. If the relation is backwards, its subject is the link's target.
        let (subject_end, object_end) = if relation.backwards { (target, id) } else { (id, target) };
        let meaning = lexicon::fit_to_kinds(meaning, self.kinds.get(subject_end), self.kinds.get(object_end));
        let visibility = self.visibility_with(part.visibility.clone(), target);
        let backwards = meaning.backwards != relation.backwards;
        let (subject, object) = if backwards { (target, id) } else { (id, target) };
        let date = |raw: &Option<String>| raw.as_deref().map(|raw| self.parse_date(raw, None));
        let validity = Validity { from: date(&relation.since), until: date(&relation.until) };
        let attitude = relation.attitude.and_then(|attitude| Attitude::new(attitude.clamp(-100, 100)).ok());
        let rank = relation.rank.clone().or_else(|| meaning.rank.map(str::to_owned));
        let symmetric = self.vocabulary.predicate(&meaning.predicate).is_some_and(|def| def.symmetric);
        let add_both = relation.bidirectional && !symmetric;
        let (mut subject, mut object) = (subject, object);
        if symmetric {
            // If two notes state the same relation, it becomes one fact with two evidence entries, unless the attitudes
            // differ.
            let relation_key = |a: &EntityId, b: &EntityId| (meaning.predicate.clone(), a.clone(), b.clone());
            if self.symmetric_relations.get(&relation_key(object, subject)) == Some(&attitude) {
                std::mem::swap(&mut subject, &mut object);
            } else {
                self.symmetric_relations.insert(relation_key(subject, object), attitude);
            }
        }
        let directions = [(subject, object), (object, subject)];
        for (subject, object) in directions.into_iter().take(if add_both { 2 } else { 1 }) {
            let draft = FactDraft {
                subject,
                predicate: meaning.predicate.clone(),
                object: Object::Entity(object.clone()),
                statement: relation.statement.clone(),
                certainty: relation.certainty,
                truth: relation.truth,
                origin: part.origin,
                key: part.key,
                visibility: visibility.clone(),
            };
            let (validity, rank) = (validity.clone(), rank.clone());
            self.record_fact(draft, |builder| builder.attitude(attitude).rank(rank).validity(validity));
        }
    }

    /// Adds the relations that a relation field states. The objects are the links in the field, and the entities whose
    /// names are in the field. All other values become an attribute.
    pub(super) fn add_relation_field(
        &mut self,
        id: &EntityId,
        note: &Note,
        field: &Field,
        meaning: &RelationMeaning,
        visibility: &Visibility,
    ) {
        let meaning = &lexicon::adapt_list_relation(&field.name, meaning, self.kinds.get(id));
        let note_field = NoteField { id, note, field, visibility };
        let (name_truth, _) = truth::split_doubt(&field.name);
        for field_value in &field.values {
            let truth = name_truth.max(Truth::from_text(&field_value.value.to_string()));
            if let ([target], Some(relation)) = (&field_value.links[..], relation_words(field_value, meaning)) {
                let certainty = field.certainty;
                let words = lexicon::relation(&relation, &self.vocabulary).filter(|_| lexicon::is_known(&relation));
                let meaning = words.as_ref().unwrap_or(meaning);
                self.add_relation_to_target(note_field, target, meaning, (certainty, truth));
                continue;
            }
            if !field_value.links.is_empty() {
                for target in &field_value.links {
                    self.add_relation_to_target(note_field, target, meaning, (field.certainty, truth));
                }
                continue;
            }
            let Value::Text(text) = &field_value.value else { continue };
            if resolve::is_no_entity(text) {
                self.findings.nobody += 1;
                continue;
            }
            let mut has_leftover = false;
            let parts = split_list(text);
            // If a list contains only names, each name counts as a link. If it also contains other text, the relations
            // to the named entities become proposals.
            let all_names = parts.iter().all(|part| self.names_entity(&LinkTarget::Name((*part).to_owned()), note));
            for part in parts {
                let name = part.split('(').next().unwrap_or_default().trim();
                let target = LinkTarget::Name(name.trim_end_matches('?').trim().to_owned());
                let truth = name_truth.max(Truth::from_text(part));
                // A text that names no entity is not a link, so it creates no stub.
                match self.index.find(&target, note, self.notes) {
                    LinkResolution::One(_) | LinkResolution::Dangling if self.names_entity(&target, note) => {
                        let is_whole_value = all_names || part == text.trim();
                        let certainty = if is_whole_value { field.certainty } else { Certainty::Inferred };
                        self.add_relation_to_target(note_field, &target, meaning, (certainty, truth));
                        has_leftover |= !is_whole_value;
                    }
                    LinkResolution::Ambiguous(_) => {
                        self.add_relation_to_target(note_field, &target, meaning, (Certainty::Inferred, truth));
                        has_leftover = true;
                    }
                    LinkResolution::Dangling if field.certainty == Certainty::Explicit => {
                        let text = format!("{}: {part} (no entity has this name, so the field is text)", field.name);
                        let location = self.location(&field.origin, &text);
                        self.findings.not_understood.push(location);
                        has_leftover = true;
                    }
                    _ => has_leftover = true,
                }
            }
            if has_leftover && let Some(name) = attribute_name(&field.name) {
                self.add_attribute_value(id, note, field, &name, field_value, visibility);
            }
        }
    }

    /// Returns whether a text is the name of exactly one note, or else of exactly one entity of another source.
    fn names_entity(&self, target: &LinkTarget, source_note: &Note) -> bool {
        match (self.index.find(target, source_note, self.notes), target) {
            (LinkResolution::One(_), _) => true,
            (LinkResolution::Dangling, LinkTarget::Name(name)) => {
                self.earlier.namesake(self.source(), name, None).is_some()
            }
            _ => false,
        }
    }

    fn add_relation_to_target(
        &mut self,
        NoteField { id, note, field, visibility }: NoteField<'_>,
        target: &LinkTarget,
        meaning: &RelationMeaning,
        (certainty, truth): (Certainty, Truth),
    ) {
        let (certainty, targets) = match self.resolve_target(target, None, note, &field.origin, visibility) {
            Some(target) => (certainty, vec![target]),
            None => (Certainty::Inferred, self.candidates(target, note)),
        };
        if let [place] = &targets[..]
            && (certainty, truth) == (Certainty::Explicit, Truth::Plain)
            && PredicateRole::Location.is(&meaning.predicate)
            && !meaning.backwards
            && lexicon::is_usual_place(&field.name)
            && !note.fields.iter().any(|field| lexicon::is_home(&field.name, &self.vocabulary))
        {
            let (place, origin, key) = (place.clone(), field.origin.clone(), note.key.clone());
            let usual_place = UsualPlace { place, origin, key, visibility: visibility.clone() };
            self.usual_places.entry(id.clone()).or_default().push(usual_place);
        }
        let relation = LinkRelation { certainty, truth, ..LinkRelation::default() };
        let part = NotePart { origin: &field.origin, key: &note.key, visibility };
        for target in &targets {
            self.add_relation(id, target, meaning.clone(), &relation, part);
        }
    }

    /// Adds the home of each NPC whose notes state one location and no home. In campaign files, the location of such an
    /// NPC is its home too.
    pub(super) fn add_homes(&mut self) {
        let homes = self.facts.iter().filter(|fact| PredicateRole::Residence.is(fact.fact.predicate()));
        let residents: HashSet<EntityId> = homes.map(|fact| fact.fact.subject().clone()).collect();
        for (id, places) in std::mem::take(&mut self.usual_places) {
            let Some(UsualPlace { place, origin, key, visibility }) = places.first() else { continue };
            let is_npc = self.kinds.get(&id) == Some(&Kind::Npc);
            let is_place = matches!(self.kinds.get(place), None | Some(Kind::Location | Kind::Custom(_)));
            let is_only_place = places.iter().all(|other| other.place == *place);
            if residents.contains(&id) || !is_npc || !is_place || !is_only_place {
                continue;
            }
            let draft = FactDraft {
                subject: &id,
                predicate: PredicateRole::Residence.predicate().clone(),
                object: Object::Entity(place.clone()),
                statement: None,
                certainty: Certainty::Explicit,
                truth: Truth::Plain,
                origin,
                key,
                visibility: self.visibility_with(visibility.clone(), place),
            };
            self.record_fact(draft, |builder| builder);
        }
    }

    /// Adds a relation for each link in a field that is not a known relation field. The relation gets the name of the
    /// field.
    pub(super) fn add_linked_value(
        &mut self,
        id: &EntityId,
        note: &Note,
        field: &Field,
        field_value: &FieldValue,
        visibility: &Visibility,
    ) {
        let name = Predicate::relation(&field.name).unwrap_or_else(|_| PredicateRole::Related.predicate().clone());
        let meaning = RelationMeaning { predicate: name, backwards: false, rank: None };
        let note_field = NoteField { id, note, field, visibility };
        for target in &field_value.links {
            let truth = Truth::from_text(&field_value.value.to_string());
            self.add_relation_to_target(note_field, target, &meaning, (field.certainty, truth));
        }
    }
}

/// Returns the words beside the link in a field for relations of any kind, such as `brother` in `[[Bob]] (brother)` and
/// `rival` in `rival: [[Eve]]`.
fn relation_words(field_value: &FieldValue, meaning: &RelationMeaning) -> Option<String> {
    let [LinkTarget::Name(name)] = &field_value.links[..] else { return None };
    let text = field_value.value.to_string();
    let name = name.split('#').next()?.rsplit('/').next()?;
    let rest = text.replacen(name, " ", 1);
    let words = hearsay_model::text::words(&rest);
    let is_relation_phrase =
        PredicateRole::Related.is(&meaning.predicate) && rest != text && (1..=3).contains(&words.len());
    let certain_words =
        || words.iter().filter(|word| Truth::from_text(word) == Truth::Plain).cloned().collect::<Vec<_>>().join(" ");
    is_relation_phrase.then(certain_words).filter(|words| !words.is_empty())
}

/// Returns the attribute that contains the values of a relation field that name no entity.
fn attribute_name(name: &str) -> Option<Predicate> {
    let name = hearsay_model::slug(name).replace('-', "_");
    Predicate::new(&name).ok().filter(|name| !name.is_relation() && !lexicon::is_reserved(name))
}
