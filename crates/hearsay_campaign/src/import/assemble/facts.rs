//! Creates facts from the names, the kind, the fields, the states and the dates of a note.

use hearsay_model::{EntityId, Kind, Object, Predicate, PredicateRole, Validity, Value, attribute};

use super::assembly::{Assembly, FactDraft, NotePart, unknown_kind};
use crate::import::{
    Certainty, DateRole, Field, FieldValue, Note, Visibility,
    lexicon::{self, Meaning},
    resolve,
    truth::Truth,
};

impl Assembly<'_> {
    pub(super) fn add_entity(&mut self, id: &EntityId, note: &Note) {
        let whole = NotePart { origin: &note.origin, key: &note.key, visibility: &note.visibility };
        self.record_attribute(id, attribute::NAME, &note.name, Certainty::Explicit, whole);
        let (kind, certainty) = match &note.kind {
            _ if note.is_player => (Kind::Player, Certainty::Explicit),
            Some(guess) => (guess.kind.clone(), Certainty::Explicit),
            None => {
                self.findings.without_kind.push(id.clone());
                (unknown_kind(), Certainty::Inferred)
            }
        };
        self.record_attribute(id, attribute::KIND, kind.as_str(), certainty, whole);
        for alias in &note.aliases {
            let visibility = alias.visibility.within(&note.visibility);
            let part = NotePart { origin: &alias.origin, visibility: &visibility, ..whole };
            self.record_attribute(id, attribute::ALIAS, &alias.name, Certainty::Explicit, part);
        }
        for field in &note.fields {
            self.add_field(id, note, field);
        }
        for link in &note.links {
            self.add_link(id, note, link);
        }
        for state in &note.states {
            let visibility = state.visibility.within(&note.visibility);
            let word = lexicon::state(&state.word).unwrap_or(&state.word);
            let part = NotePart { origin: &state.origin, visibility: &visibility, ..whole };
            self.record_attribute(id, PredicateRole::Condition.name(), word, Certainty::Explicit, part);
        }
        self.add_dates(id, note);
        self.add_texts(Some(id), note);
    }

    fn add_field(&mut self, id: &EntityId, note: &Note, field: &Field) {
        let visibility = field.visibility.within(&note.visibility);
        match lexicon::meaning_in(&field.name, &self.vocabulary) {
            Meaning::Name | Meaning::Kind | Meaning::Session(_) | Meaning::Ignored | Meaning::Date(_) => {}
            Meaning::Alias => {
                let part = NotePart { origin: &field.origin, key: &note.key, visibility: &visibility };
                for field_value in &field.values {
                    let alias = field_value.value.to_string();
                    self.record_attribute(id, attribute::ALIAS, &alias, field.certainty, part);
                }
            }
            Meaning::Player => self.add_player(id, note, field, &visibility),
            Meaning::State => {
                for field_value in &field.values {
                    let state_text = match &field_value.value {
                        Value::Flag(flag) => match lexicon::flag_state(&field.name, *flag) {
                            Some(word) => word.to_owned(),
                            None => continue,
                        },
                        value => value.to_string(),
                    };
                    let word = lexicon::state(&state_text).unwrap_or(state_text.as_str());
                    let predicate = PredicateRole::Condition.predicate().clone();
                    if word.trim().is_empty() {
                        continue;
                    }
                    let draft = FactDraft {
                        subject: id,
                        predicate,
                        object: Object::Value(word.trim().into()),
                        statement: None,
                        certainty: field.certainty,
                        truth: Truth::from_state_text(&state_text),
                        origin: &field.origin,
                        key: &note.key,
                        visibility: visibility.clone(),
                    };
                    self.record_fact(draft, |builder| builder);
                }
            }
            Meaning::Relation(meaning) => self.add_relation_field(id, note, field, &meaning, &visibility),
            Meaning::Attribute(name) => self.add_attribute_values(id, note, field, name, &visibility),
        }
    }

    /// Adds the name of the person who plays a player character.
    fn add_player(&mut self, id: &EntityId, note: &Note, field: &Field, visibility: &Visibility) {
        let mut names = field.values.iter().map(|field_value| field_value.value.to_string());
        let Some(name) = names.find(|name| !resolve::is_no_entity(name)) else { return };
        if self.kinds.get(id) == Some(&Kind::Player) {
            let part = NotePart { origin: &field.origin, key: &note.key, visibility };
            self.record_attribute(id, attribute::PLAYER, &name, field.certainty, part);
        }
    }

    /// Adds the values of an attribute field. Each link in a value also becomes a relation with the name of the field.
    fn add_attribute_values(
        &mut self,
        id: &EntityId,
        note: &Note,
        field: &Field,
        name: Predicate,
        visibility: &Visibility,
    ) {
        if lexicon::is_reserved(&name) {
            return;
        }
        for field_value in &field.values {
            if !field_value.links.is_empty() && field.certainty == Certainty::Explicit {
                self.add_linked_value(id, note, field, field_value, visibility);
            }
            self.add_attribute_value(id, note, field, &name, field_value, visibility);
        }
    }

    pub(super) fn add_attribute_value(
        &mut self,
        id: &EntityId,
        note: &Note,
        field: &Field,
        name: &Predicate,
        field_value: &FieldValue,
        visibility: &Visibility,
    ) {
        if matches!(&field_value.value, Value::Text(text) if text.trim().is_empty()) {
            return;
        }
        let draft = FactDraft {
            subject: id,
            predicate: name.clone(),
            object: Object::Value(field_value.value.clone()),
            statement: None,
            // An attribute is always recorded as certain. Only relations can be uncertain.
            certainty: Certainty::Explicit,
            truth: match &field_value.value {
                Value::Text(text) if text.len() <= 120 => Truth::from_text(text),
                _ => Truth::Plain,
            },
            origin: &field.origin,
            key: &note.key,
            visibility: visibility.clone(),
        };
        self.record_fact(draft, |builder| builder);
    }

    /// Adds the dates of a note as attributes. The date of another event becomes an attribute `lore` with the title of
    /// that event and the date.
    fn add_dates(&mut self, id: &EntityId, note: &Note) {
        for note_date in &note.dates {
            let visibility = note_date.visibility.within(&note.visibility);
            let date = self.parse_date(&note_date.raw, note_date.readable.as_deref());
            let (name, text) = match (note_date.role, &note_date.title) {
                (DateRole::Mention, Some(title)) => (attribute::LORE, format!("{title}: {}.", note_date.raw.trim())),
                (DateRole::End, _) => ("end_date", note_date.raw.trim().to_owned()),
                _ => ("date", note_date.raw.trim().to_owned()),
            };
            let Ok(predicate) = Predicate::new(name) else { continue };
            if text.is_empty() {
                continue;
            }
            let validity = Validity { from: Some(date), until: None };
            let draft = FactDraft {
                subject: id,
                predicate,
                object: Object::Value(text.as_str().into()),
                statement: None,
                certainty: Certainty::Explicit,
                truth: Truth::Plain,
                origin: &note_date.origin,
                key: &note.key,
                visibility,
            };
            self.record_fact(draft, |builder| builder.validity(validity));
        }
    }

    /// Returns the visibility of a fact about two entities. If the other entity is secret, the result is secret.
    pub(super) fn visibility_with(&self, visibility: Visibility, other: &EntityId) -> Visibility {
        if self.is_hidden(other) { Visibility::SECRET.within(&visibility) } else { visibility }
    }
}
