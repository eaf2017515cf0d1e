//! How long a program that has a campaign open waits for answers.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use anyhow::{Context, Result};
use hearsay_memory::{Ask, Memory, MemoryOptions, Search};
use serde::Serialize;

use crate::readers::Waits;

/// How long opening, searching and asking took.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Latency {
    /// Operations in the journal.
    pub operations: usize,
    /// Facts and passages that can be recalled.
    pub texts: usize,
    /// From the start until the campaign had answered its first request, in milliseconds.
    pub open_ms: f64,
    /// The first search after opening, in milliseconds: it makes what later ones use.
    pub first_search_ms: f64,
    /// Searches after that.
    pub search: Waits,
    /// Questions to the character.
    pub ask: Waits,
}

/// Opens a campaign that is there, and searches and asks so many times. Nothing is written to it.
///
/// # Errors
/// When it cannot be opened, or nobody is called like the knower.
pub fn measure(campaign: &Path, knower: &str, question: &str, times: usize) -> Result<Latency> {
    let mut options = MemoryOptions::for_campaign(campaign)?;
    options.settings.model.enabled = false;
    let begun = Instant::now();
    let memory = Memory::open(options).with_context(|| format!("{} cannot be opened", campaign.display()))?;
    let status = memory.status()?.wait()?;
    let open = begun.elapsed();
    let search = || -> Result<Duration> {
        let begun = Instant::now();
        memory.search(Search::new(question))?.wait()?;
        Ok(begun.elapsed())
    };
    let ask = || -> Result<Duration> {
        let begun = Instant::now();
        memory.ask(Ask::new(knower, question))?.wait()?;
        Ok(begun.elapsed())
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
        search: Waits::of(searches),
        ask: Waits::of(asks),
    })
}
