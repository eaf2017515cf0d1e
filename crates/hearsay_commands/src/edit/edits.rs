//! Edits of a campaign, and the operation that records each edit.

use std::collections::BTreeMap;

use hearsay_model::{
    ApplyError, Author, Change, EntityId, FactId, FactStatus, GameSetting, Kind, Number, Object, Operation, Predicate,
    Setting, State, Timestamp, Value, text,
};
use hearsay_query::ids::{require_entity, require_fact};
use serde::{Deserialize, Serialize};

use super::editor::{Correction, EditResult, Editor};
use crate::{CommandError, edit::FactOptions};

/// An edit of a campaign by the DM or a tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Edit {
    /// Adds an entity.
    Add {
        /// Name of the entity.
        name: String,
        /// Kind of the entity.
        kind: Kind,
        /// Id of the entity. If `None`, the id is generated from the name.
        id: Option<EntityId>,
        /// Home and current place of the entity; `None` if the place is unknown.
        place: Option<EntityId>,
    },
    /// Adds an entity that already knows facts, such as a character that the DM invents during a scene.
    Introduce {
        /// Name of the entity.
        name: String,
        /// Kind of the entity.
        kind: Kind,
        /// Home and current place of the entity; `None` if the place is unknown. The entity also learns the facts that
        /// this place knows.
        place: Option<EntityId>,
        /// Attributes, such as `occupation`, and their values.
        attributes: BTreeMap<String, String>,
    },
    /// Sets an attribute of an entity. For example, sets the `occupation` of Mirela Voss to `innkeeper`.
    Set {
        /// Entity that the attribute describes.
        entity: EntityId,
        /// Name of the attribute, such as `occupation`.
        attribute: String,
        /// Value of the attribute.
        value: String,
        /// Knowers, dates and other options of the fact.
        options: FactOptions,
    },
    /// Ends the current values of a predicate, without a new value. For example, ends the home of Pell.
    Clear {
        /// Subject of the values.
        entity: EntityId,
        /// Predicate of the values, such as `RESIDENT_OF`.
        predicate: Predicate,
        /// Date on the campaign's calendar at which the values ceased to be true; `None` for the current game time.
        until: Option<String>,
    },
    /// Adds a relation between two entities. For example, adds that Mirela Voss `OWES` Aldous Crane.
    Relate {
        /// Subject of the relation.
        subject: EntityId,
        /// Predicate, such as `OWES`, or words, such as `works for`.
        predicate: String,
        /// Object of the relation.
        object: EntityId,
        /// Knowers, dates and other options of the fact.
        options: FactOptions,
    },
    /// Corrects a wrong fact. The edit retracts the old fact and adds the new fact. The knowers of the old fact then
    /// know the new fact. A rejected fact cannot be corrected.
    Correct {
        /// Fact to correct.
        fact: FactId,
        /// New object of the fact: an entity for a relation, or a value for an attribute. `None` if the object does not
        /// change.
        object: Option<Object>,
        /// New sentence that states the fact. If `None`, the sentence is generated from the corrected fact.
        statement: Option<String>,
    },
    /// Removes an entity and all facts about it.
    RemoveEntity {
        /// Entity to remove.
        entity: EntityId,
    },
    /// Declares a flag: a named value of the game. The conditions of reveals can refer to flags.
    DeclareFlag {
        /// Name of the flag: a slug, such as `fire-reported`.
        name: String,
        /// Initial value of the flag: `yes` or `no`, a number, or any text. Later values must have the same type.
        value: String,
    },
    /// Sets a declared flag of the game to another value.
    SetFlag {
        /// Name of the flag to set.
        name: String,
        /// New value of the flag. The new value must have the same type as the declared value.
        value: String,
    },
}

impl Edit {
    /// Returns the operation that records the edit.
    ///
    /// # Errors
    /// Returns an error if an entity or a fact does not exist, or if a date or a value is invalid.
    pub fn operation(&self, state: &State, author: Author, now: Timestamp) -> Result<Operation, CommandError> {
        let editor = Editor { state, author: author.clone(), now };
        let correct_fact = |fact: FactId, object: Option<&Object>, statement: Option<&str>| -> EditResult {
            let old = require_fact(state, fact)?;
            if old.status() == FactStatus::Rejected {
                return Err(CommandError::Rejected { fact, statement: old.statement().to_owned() });
            }
            let status = if old.status().is_knowable() { old.status() } else { FactStatus::Canon };
            let (new, mut changes) =
                editor.corrected(old, &Correction { object, statement, ..Correction::default() }, status)?;
            if new.id() != old.id() {
                changes.push(Change::RetractFact(old.id()));
            }
            Ok((format!("correct to \u{201C}{}\u{201D}", new.statement()), changes))
        };
        let (summary, changes) = match self {
            Self::Add { name, kind, id, place } => {
                editor.add(name, kind, id.as_ref(), place.as_ref(), &BTreeMap::new())?
            }
            Self::Introduce { name, kind, place, attributes } => {
                editor.add(name, kind, None, place.as_ref(), attributes)?
            }
            Self::Set { entity, attribute, value, options } => editor.set(entity, attribute, value, options)?,
            Self::Clear { entity, predicate, until } => editor.clear(entity, predicate, until.as_deref())?,
            Self::Relate { subject, predicate, object, options } => {
                editor.relate(subject, predicate, object, options)?
            }
            Self::Correct { fact, object, statement } => correct_fact(*fact, object.as_ref(), statement.as_deref())?,
            Self::DeclareFlag { name, value } => {
                if state.flag(name).is_some() {
                    return Err(CommandError::FlagExists(name.clone()));
                }
                let value = parse_flag(value).or_else(|| parse_number(value)).unwrap_or_else(|| value.trim().into());
                let summary = format!("declare flag {name}: {value}");
                (summary, vec![Change::Set(Setting::Game(GameSetting::Flag { name: name.clone(), value }))])
            }
            Self::SetFlag { name, value } => {
                let declared_value = state.declared_flag(name)?;
                let parsed = match declared_value {
                    Value::Text(_) => Some(value.trim().into()),
                    Value::Number(_) => parse_number(value),
                    Value::Flag(_) => parse_flag(value),
                };
                let (expected, given) = (declared_value.kind(), value.clone());
                let value = parsed.ok_or_else(|| ApplyError::FlagKind { name: name.clone(), expected, given })?;
                (format!("set flag {name} to {value}"), vec![Change::SetFlag { name: name.clone(), value }])
            }
            Self::RemoveEntity { entity } => {
                require_entity(state, entity)?;
                (format!("remove {}", state.name_or_id(entity)), vec![Change::RemoveEntity(entity.clone())])
            }
        };
        Ok(Operation { author, recorded: now, summary, changes })
    }
}

fn parse_flag(text: &str) -> Option<Value> {
    match text::normalize(text).as_str() {
        "yes" | "true" | "on" => Some(Value::Flag(true)),
        "no" | "false" | "off" => Some(Value::Flag(false)),
        _ => None,
    }
}

fn parse_number(text: &str) -> Option<Value> {
    Number::new(text.trim().parse().ok()?).ok().map(Value::Number)
}
