//! Facts of an entity: names, kind, fields, states, dates.

use hearsay_model::{EntityId, Kind, Object, Predicate, PredicateRole, Validity, Value, attribute};

use super::assembly::{Assembly, Saying, unknown};
use crate::import::{
    DateOf, Field, Note, Piece, Sure, Visibility,
    lexicon::{self, Meaning},
    truth::Truth,
};

impl Assembly<'_> {
    pub(super) fn entity(&mut self, id: &EntityId, note: &Note) {
        let (key, outer) = (note.key.as_str(), &note.visibility);
        self.attribute(id, attribute::NAME, &note.name, Sure::Typed, &note.origin, key, outer);
        match &note.kind {
            _ if note.player => {
                self.attribute(id, attribute::KIND, Kind::Player.as_str(), Sure::Typed, &note.origin, key, outer)
            }
            Some(guess) => {
                self.attribute(id, attribute::KIND, guess.kind.as_str(), Sure::Typed, &note.origin, key, outer)
            }
            None => {
                self.findings.kindless.push(id.clone());
                self.attribute(id, attribute::KIND, unknown().as_str(), Sure::Guessed, &note.origin, key, outer);
            }
        }
        for alias in &note.aliases {
            let seen = alias.visibility.within(outer);
            self.attribute(id, attribute::ALIAS, &alias.name, Sure::Typed, &alias.origin, key, &seen);
        }
        for field in &note.fields {
            self.field(id, note, field);
        }
        for link in &note.links {
            self.link(id, note, link);
        }
        for state in &note.states {
            let seen = state.visibility.within(outer);
            let word = lexicon::state(&state.word).unwrap_or(&state.word);
            self.attribute(id, PredicateRole::Condition.name(), word, Sure::Typed, &state.origin, key, &seen);
        }
        self.dates(id, note);
        self.texts(Some(id), note);
    }

    fn field(&mut self, id: &EntityId, note: &Note, field: &Field) {
        let visibility = field.visibility.within(&note.visibility);
        match lexicon::meaning(&field.name) {
            Meaning::Name
            | Meaning::Kind
            | Meaning::Player
            | Meaning::Session(_)
            | Meaning::Nothing
            | Meaning::Date(_) => {}
            Meaning::Alias => {
                for piece in &field.values {
                    let alias = piece.value.to_string();
                    self.attribute(id, attribute::ALIAS, &alias, field.sure, &field.origin, &note.key, &visibility);
                }
            }
            Meaning::State => {
                for piece in &field.values {
                    let written = match &piece.value {
                        Value::Flag(flag) => match lexicon::flag_state(&field.name, *flag) {
                            Some(word) => word.to_owned(),
                            None => continue,
                        },
                        value => value.to_string(),
                    };
                    let word = lexicon::state(&written).unwrap_or(written.as_str());
                    let predicate = PredicateRole::Condition.predicate().clone();
                    if word.trim().is_empty() {
                        continue;
                    }
                    let saying = Saying {
                        subject: id,
                        predicate,
                        object: Object::Value(word.trim().into()),
                        statement: None,
                        sure: field.sure,
                        truth: Truth::of_state(&written),
                        origin: &field.origin,
                        key: &note.key,
                        visibility: visibility.clone(),
                    };
                    self.say(saying, |builder| builder);
                }
            }
            Meaning::Relation(says) => self.related(id, note, field, &says, &visibility),
            Meaning::Attribute(name) => self.values(id, note, field, name, &visibility),
        }
    }

    /// Adds the values of an attribute field. A link in a value also becomes a relation, named after the field.
    fn values(&mut self, id: &EntityId, note: &Note, field: &Field, name: Predicate, visibility: &Visibility) {
        if lexicon::is_reserved(&name) {
            return;
        }
        for piece in &field.values {
            if !piece.links.is_empty() && field.sure == Sure::Typed {
                self.linked_value(id, note, field, piece, visibility);
            }
            self.value(id, note, field, &name, piece, visibility);
        }
    }

    pub(super) fn value(
        &mut self,
        id: &EntityId,
        note: &Note,
        field: &Field,
        name: &Predicate,
        piece: &Piece,
        visibility: &Visibility,
    ) {
        if matches!(&piece.value, Value::Text(text) if text.trim().is_empty()) {
            return;
        }
        let saying = Saying {
            subject: id,
            predicate: name.clone(),
            object: Object::Value(piece.value.clone()),
            statement: None,
            // An attribute is always recorded as certain. Only relations can be uncertain.
            sure: Sure::Typed,
            truth: match &piece.value {
                Value::Text(text) if text.len() <= 120 => Truth::of(text),
                _ => Truth::Plain,
            },
            origin: &field.origin,
            key: &note.key,
            visibility: visibility.clone(),
        };
        self.say(saying, |builder| builder);
    }

    /// Adds the dates of a note as attributes. A date that belongs to another event becomes a sentence of lore with the
    /// title of that event.
    fn dates(&mut self, id: &EntityId, note: &Note) {
        for dated in &note.dates {
            let visibility = dated.visibility.within(&note.visibility);
            let date = self.date(&dated.raw, dated.readable.as_deref());
            let (name, shown) = match (dated.what, &dated.title) {
                (DateOf::Mention, Some(title)) => (attribute::LORE, format!("{title}: {}.", dated.raw.trim())),
                (DateOf::End, _) => ("end_date", dated.raw.trim().to_owned()),
                _ => ("date", dated.raw.trim().to_owned()),
            };
            let Ok(predicate) = Predicate::new(name) else { continue };
            if shown.is_empty() {
                continue;
            }
            let validity = Validity { from: Some(date), until: None };
            let saying = Saying {
                subject: id,
                predicate,
                object: Object::Value(shown.as_str().into()),
                statement: None,
                sure: Sure::Typed,
                truth: Truth::Plain,
                origin: &dated.origin,
                key: &note.key,
                visibility,
            };
            self.say(saying, |builder| builder.validity(validity));
        }
    }

    /// Returns the visibility of a fact about two entities. If the other entity is secret, the result is secret.
    pub(super) fn as_secret_as(&self, visibility: Visibility, other: &EntityId) -> Visibility {
        if self.is_hidden(other) { Visibility::SECRET.within(&visibility) } else { visibility }
    }
}
