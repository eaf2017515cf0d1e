//! Measures response times of a program with an open campaign.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use anyhow::{Context, Result};
use hearsay_engine::{Memory, MemoryOptions};
use hearsay_query::{ask::Ask, resolve::resolve, search::Search};
use serde::Serialize;

use crate::readers::TimeQuantiles;

/// Times of opening a campaign, searching it and asking a character.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Latency {
    /// Number of operations in the journal of the campaign.
    pub operations: usize,
    /// Number of facts and passages in the index.
    pub texts: usize,
    /// Time from the start of opening to the answer of the first request, in milliseconds.
    pub open_ms: f64,
    /// Time of the first search after opening, in milliseconds. This search fills the caches for later searches.
    pub first_search_ms: f64,
    /// Times of the searches after the first search.
    pub search: TimeQuantiles,
    /// Times of the character's answers to the question.
    pub ask: TimeQuantiles,
}

/// Opens an existing campaign, searches it for `question`, and asks the character `knower` this question. Measures the
/// search `times` times, and the question `times` times. Writes nothing to the campaign.
///
/// # Errors
/// Returns an error if the campaign cannot be opened, or if `knower` is not the id or name of an entity.
pub fn measure(campaign: &Path, knower: &str, question: &str, times: usize) -> Result<Latency> {
    let mut options = MemoryOptions::for_campaign(campaign)?;
    options.settings.model.enabled = false;
    let start = Instant::now();
    let memory = Memory::open(options).with_context(|| format!("{} cannot be opened", campaign.display()))?;
    let status = memory.status()?.wait()?;
    let open = start.elapsed();
    let search = || -> Result<Duration> {
        let start = Instant::now();
        memory.search(Search::new(question))?.wait()?;
        Ok(start.elapsed())
    };
    let knower = knower.to_owned();
    let knower = memory.read(move |world| Ok(resolve(&world.state, &knower)?))?.wait()?;
    let ask = || -> Result<Duration> {
        let start = Instant::now();
        memory.ask(Ask::new(knower.clone(), question))?.wait()?;
        Ok(start.elapsed())
    };
    let first_search = search()?;
    let searches = (0..times).map(|_| search()).collect::<Result<Vec<_>>>()?;
    let asks = (0..times).map(|_| ask()).collect::<Result<Vec<_>>>()?;
    memory.close()?;
    let ms = |time: Duration| time.as_secs_f64() * 1e3;
    Ok(Latency {
        operations: status.operations,
        texts: status.texts,
        open_ms: ms(open),
        first_search_ms: ms(first_search),
        search: TimeQuantiles::from_times(searches),
        ask: TimeQuantiles::from_times(asks),
    })
}
