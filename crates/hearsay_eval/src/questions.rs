//! Measures a scene in which a game asks many characters at once.

use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use hearsay_engine::{Memory, MemoryOptions, ModelStatus, Settings};
use hearsay_model::{Author, EntityId, Operation};
use hearsay_query::ask::Ask;
use serde::Serialize;

use crate::{readers::TimeQuantiles, speed::GeneratedWorld};

/// Times and ranking of the answers if a game asks many characters at once.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct QuestionTimes {
    /// Number of questions. No two questions have the same text or the same character.
    pub count: usize,
    /// Maximum time to wait for the vector of a question, in milliseconds.
    pub deadline_ms: u64,
    /// Number of answers that are ranked by meaning, because the vector of the question was computed in time.
    pub with_meaning: usize,
    /// Times from sending the first question to receiving each answer.
    #[serde(flatten)]
    pub answer: TimeQuantiles,
}

/// Asks one question to each of `count` characters in a generated world, without waiting between the questions. The
/// world is in memory, and its texts already have vectors.
///
/// # Errors
/// Returns an error if the memory cannot be opened or written, or if there is no sentence encoder.
pub fn measure(count: usize, deadline_ms: u64) -> Result<QuestionTimes> {
    let mut settings = Settings::default();
    settings.extraction.enabled = false;
    let options = MemoryOptions::in_memory();
    let queue = options.queue.max(count);
    let memory = Memory::open(MemoryOptions { settings, queue, ..options })?;
    // At least nine of ten entities of a generated world are people.
    let entities = (2 * count).max(100);
    let (people, changes) = GeneratedWorld::generate(entities, 5 * entities)?.into_parts();
    memory.write(move |_| Ok(Operation::new(Author::Dm, "found the world", changes.clone())))?.wait()?;
    if let ModelStatus::None { why } = memory.wait_for_vectors(|_, _| true)?.model {
        bail!("there is no sentence encoder: {why}");
    }
    let start = Instant::now();
    let deadline = Some(Duration::from_millis(deadline_ms));
    let ask = |(n, character): (usize, &EntityId)| {
        let question = Ask::new(character.clone(), format!("Who lit the fire on night {n}?"));
        memory.ask(Ask { deadline, ..question })
    };
    let tickets = people.iter().take(count).enumerate().map(ask).collect::<Result<Vec<_>, _>>()?;
    let (mut with_meaning, mut times) = (0, Vec::with_capacity(count));
    for ticket in tickets {
        let answer = ticket.wait()?;
        times.push(start.elapsed());
        with_meaning += usize::from(answer.context.meaning);
    }
    memory.close()?;
    Ok(QuestionTimes { count, deadline_ms, with_meaning, answer: TimeQuantiles::from_times(times) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_who_are_asked_at_once_use_the_meaning_of_their_questions() {
        let result = measure(50, 60_000).unwrap();
        assert_eq!((result.count, result.with_meaning), (50, 50), "{result:?}");
        assert!(result.answer.p50_ms > 0.0 && result.answer.p50_ms <= result.answer.p99_ms, "{result:?}");
    }
}
