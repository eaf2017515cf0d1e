//! `db history`.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::Result;
use hearsay_query as query;

use crate::{
    args,
    campaign::{self, Access},
    output::{Output, count},
    style::Style,
    texts::EncoderUse,
};

pub(crate) fn history(args: &args::History, output: &mut Output) -> Result<()> {
    let memory = campaign::open(&args.campaign, Access::Read, EncoderUse::Disabled, output)?;
    let (limit, verbose) = (args.limit, args.verbose);
    let rows = memory
        .read(move |world| {
            Ok(if verbose {
                query::journal::history(&world.state, limit)
            } else {
                query::journal::visible_history(&world.state, limit)
            })
        })?
        .wait()?;
    output.data(&rows)?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let lines: Vec<_> = rows
        .iter()
        .map(|row| {
            let recorded = Duration::from_millis(u64::try_from(row.recorded.0).unwrap_or(0));
            let undone = if row.live { "" } else { "  (undone)" };
            let position = format!("{:>4}", row.position.0);
            let summary = format!("{}{undone}", row.summary);
            [position, format_age(now.saturating_sub(recorded)), row.author.clone(), summary]
        })
        .collect();
    output.table([Style::Id, Style::Id, Style::Plain, Style::Plain], &lines)?;
    if lines.is_empty() {
        output.line("The journal is empty.")?;
    }
    Ok(memory.close()?)
}

/// Formats an elapsed time in one word.
fn format_age(age: Duration) -> String {
    let minutes = age.as_secs() / 60;
    match minutes {
        0 => "just now".into(),
        1..60 => format!("{minutes} min ago"),
        60..1440 => format!("{} h ago", minutes / 60),
        _ => count(usize::try_from(minutes / 1440).unwrap_or(usize::MAX), "day ago", "days ago"),
    }
}
