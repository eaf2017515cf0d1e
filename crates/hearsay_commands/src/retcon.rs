//! Retroactive changes: the retraction of a fact, or the end of its validity.

use hearsay_model::{Author, Change, FactId, FactStatus, Operation, State, Timestamp};
use hearsay_query::{dates::parse_date, ids::require_fact};
use serde::{Deserialize, Serialize};

use crate::CommandError;

/// A retroactive change by the DM.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Retcon {
    /// Retracts a fact and all knowledge of it, as if the fact had never been true.
    Retract {
        /// Fact to retract.
        fact: FactId,
    },
    /// Ends the validity of a fact at a date. Knowers of the fact continue to believe the fact until they learn that it
    /// has ended.
    Until {
        /// Fact to end.
        fact: FactId,
        /// Date on the campaign's calendar at which the fact ceased to be true.
        until: String,
    },
}

impl Retcon {
    /// Returns the operation that records the change.
    ///
    /// # Errors
    /// Returns an error if the fact does not exist or is not true. Also returns an error if the date is invalid, or if
    /// the fact would end before it begins.
    pub fn operation(&self, state: &State, author: Author, now: Timestamp) -> Result<Operation, CommandError> {
        let (summary, change) = match self {
            Self::Retract { fact } => {
                let fact = require_fact(state, *fact)?;
                (format!("never true: \u{201C}{}\u{201D}", fact.statement()), Change::RetractFact(fact.id()))
            }
            Self::Until { fact, until } => {
                let fact = require_fact(state, *fact)?;
                if !matches!(fact.status(), FactStatus::Canon | FactStatus::Claimed) {
                    let (statement, status) = (fact.statement().to_owned(), fact.status());
                    return Err(CommandError::NotTrue { statement, status });
                }
                let until = parse_date(state, until)?;
                if let (Some(from), Some(end)) = (fact.validity().start(), until.time)
                    && end < from
                {
                    let from = state.calendar().format(from);
                    return Err(CommandError::EndsTooEarly {
                        statement: fact.statement().to_owned(),
                        from,
                        until: until.raw,
                    });
                }
                (
                    format!("true until {}: \u{201C}{}\u{201D}", until.raw, fact.statement()),
                    Change::EndFact { fact: fact.id(), until },
                )
            }
        };
        Ok(Operation { author, recorded: now, summary, changes: vec![change] })
    }
}
