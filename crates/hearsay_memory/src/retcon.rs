//! Taking back: what never was so, or is so no longer.

use hearsay_model::{Author, Change, Operation, Standing, State, Timestamp};
use serde::{Deserialize, Serialize};

use crate::{
    MemoryError,
    edit::{date_of, find_fact},
};

/// What the DM takes back of the world.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Retcon {
    /// It never was so, and nobody ever knew it.
    NeverSo {
        /// The fact: its id, the beginning of its id, or its handle.
        fact: String,
    },
    /// It was so until then. Those who know it go on believing it, until they learn of the end.
    Until {
        /// The fact: its id, the beginning of its id, or its handle.
        fact: String,
        /// Until when, on the campaign's calendar.
        until: String,
    },
}

impl Retcon {
    /// The operation that takes it back.
    ///
    /// # Errors
    /// When the fact or the date cannot be understood, it would end before it begins, or it is not so.
    pub fn operation(&self, state: &State, author: Author, now: Timestamp) -> Result<Operation, MemoryError> {
        let (summary, change) = match self {
            Self::NeverSo { fact } => {
                let fact = find_fact(state, fact)?;
                (format!("never so: \u{201C}{}\u{201D}", fact.statement()), Change::RetractFact(fact.id()))
            }
            Self::Until { fact, until } => {
                let fact = find_fact(state, fact)?;
                if !matches!(fact.standing(), Standing::Canon | Standing::Claimed) {
                    let (statement, standing) = (fact.statement().to_owned(), fact.standing());
                    return Err(MemoryError::NotSo { statement, standing });
                }
                let until = date_of(state, until)?;
                if let (Some(from), Some(end)) = (fact.validity().start(), until.time)
                    && end < from
                {
                    let from = state.calendar().print(from);
                    return Err(MemoryError::EndsTooEarly {
                        statement: fact.statement().to_owned(),
                        from,
                        until: until.raw,
                    });
                }
                (
                    format!("so until {}: \u{201C}{}\u{201D}", until.raw, fact.statement()),
                    Change::EndFact { fact: fact.id(), until },
                )
            }
        };
        Ok(Operation { author, recorded: now, summary, changes: vec![change] })
    }
}
