//! The graph tables and their rows.

use hearsay_model::Position;
use surrealdb::types::{Array, Object, Value};

use crate::engine::values::record;

/// The graph tables, in the order in which rows are written. Rows are deleted in the opposite order, so that an edge is
/// deleted before the records that it connects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Table {
    Entity,
    Session,
    Passage,
    Fact,
    Attribute,
    Knows,
}

impl Table {
    pub(crate) const ALL: [Self; 6] =
        [Self::Entity, Self::Session, Self::Passage, Self::Fact, Self::Attribute, Self::Knows];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Entity => "entity",
            Self::Session => "session",
            Self::Passage => "passage",
            Self::Fact => "fact",
            Self::Attribute => "attribute",
            Self::Knows => "knows",
        }
    }

    /// Returns whether the rows of this table are edges.
    pub(crate) fn is_relation(self) -> bool {
        matches!(self, Self::Fact | Self::Knows)
    }
}

/// Watermark of the graph tables. The tables contain all operations and all batches of transient values up to the
/// watermark.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Watermark {
    /// Position of the newest operation that the tables contain.
    pub position: Position,
    /// Number of the newest batch of transient values that the tables contain. Each commit with transient values
    /// (current values without stored past values) stores one batch.
    pub batch: u64,
}

impl Watermark {
    /// Watermark of tables that are being cleared.
    pub(crate) const CLEARING: Self = Self { position: Position(0), batch: i64::MAX as u64 };
}

/// Creates a watermark with batch 0. With this watermark, the next opening of the campaign writes the transient values
/// to the tables again.
impl From<Position> for Watermark {
    fn from(position: Position) -> Self {
        Self { position, batch: 0 }
    }
}

/// A write to one record of the graph tables. The write replaces the contents of the record or deletes the record.
#[derive(Debug, Clone, PartialEq)]
pub struct ProjectionRow {
    pub(crate) table: Table,
    pub(crate) id: String,
    /// New contents of the record, or `None` to delete the record.
    pub(crate) content: Option<Object>,
}

impl ProjectionRow {
    /// Returns the name of the table.
    pub fn table(&self) -> &'static str {
        self.table.name()
    }

    /// Returns the id of the record within the table.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns whether this write deletes the record.
    pub fn is_deletion(&self) -> bool {
        self.content.is_none()
    }

    pub(crate) fn record(&self) -> Value {
        record(self.table.name(), self.id.as_str())
    }

    /// Returns the approximate size of the row in bytes.
    pub(crate) fn approximate_bytes(&self) -> usize {
        fn approximate_bytes(value: &Value) -> usize {
            16 + match value {
                Value::String(text) => text.len(),
                Value::Array(values) => values.iter().map(approximate_bytes).sum(),
                Value::Object(fields) => fields.iter().map(|(name, value)| name.len() + approximate_bytes(value)).sum(),
                Value::RecordId(_) => 48,
                _ => 0,
            }
        }
        64 + self
            .content
            .iter()
            .flat_map(|fields| fields.iter())
            .map(|(n, v)| n.len() + approximate_bytes(v))
            .sum::<usize>()
    }
}

/// Returns the record ids of rows as an array.
pub(crate) fn record_ids<'a>(rows: impl Iterator<Item = &'a ProjectionRow>) -> Value {
    Value::Array(Array::from(rows.map(ProjectionRow::record).collect::<Vec<_>>()))
}
