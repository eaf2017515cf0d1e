//! Requests to the language model, and their status.

use anyhow::Result;
use hearsay_commands::reading::{Draft, DraftExtraction};
use hearsay_engine::{Memory, Status};

#[cfg(not(feature = "llm"))]
pub(crate) use disabled::{check, draft, read, status, write};
#[cfg(feature = "llm")]
pub(crate) use enabled::{check, draft, read, status, write};

#[cfg(feature = "llm")]
mod enabled {
    use hearsay_engine::{LlmStatus, LlmStep, MemoryError, SharingStatus};

    use super::{Draft, DraftExtraction, Memory, Result, Status};
    use crate::{
        interrupt,
        output::{CliError, FILE_ERROR, Output, count},
        texts,
    };

    /// Returns an error if no language model is enabled, or if the enabled model cannot be used. The error names the
    /// settings to change.
    pub(crate) fn check(memory: &Memory) -> Result<()> {
        let status = memory.status()?.wait()?;
        match status.llm {
            None if matches!(status.sharing, SharingStatus::Attached { .. } | SharingStatus::Server { .. }) => {
                let message = "only the program that has the database of the campaign open uses the language model: \
                               close that program, or let it read the texts";
                Err(CliError::new(FILE_ERROR, message).into())
            }
            None => {
                let message = "the language model is disabled; to enable it, set `enabled = true`, `base_url` and \
                               `model` under [extraction.llm] in hearsay.toml (Hearsay then sends texts to the \
                               server at `base_url`)";
                Err(CliError::new(FILE_ERROR, message).into())
            }
            Some(LlmStatus { trouble: Some(reason), .. }) => Err(MemoryError::NoLlm(reason).into()),
            Some(_) => Ok(()),
        }
    }

    /// Extracts facts from all queued texts with the language model. After an interruption, the next run processes the
    /// remaining texts.
    pub(crate) fn read(memory: &Memory, output: &mut Output) -> Result<()> {
        interrupt::wait(&memory.llm(LlmStep::ReadAll)?)?;
        let bar = output.progress("asking the language model");
        let final_status = memory.wait_for_llm(|status| {
            let queue = &status.queue;
            bar.set_length(queue.done + (queue.pending + queue.running + queue.failed) as u64);
            bar.set_position(queue.done);
            !interrupt::is_requested()
        });
        bar.finish_and_clear();
        if interrupt::is_requested() {
            output.note("the remaining texts wait for the next `hearsay fact extract --llm`");
        }
        interrupt::check()?;
        let final_status = final_status?;
        output.data(&final_status)?;
        texts::print_extraction_counts(&final_status.found, output)?;
        output.line(format!("  the language model: {}", format_status(&final_status)))
    }

    pub(crate) fn draft(memory: &Memory, draft: Draft) -> Result<DraftExtraction> {
        interrupt::wait(&memory.draft_with_llm(draft)?)
    }

    pub(crate) fn write(memory: &Memory, prompt: &str) -> Result<String> {
        check(memory)?;
        interrupt::wait(&memory.write_with_llm(prompt)?)
    }

    pub(crate) fn status(status: &Status) -> String {
        match &status.llm {
            None => "off".to_owned(),
            Some(llm) => format!("{} at {}; {}", llm.model, llm.base_url, format_status(llm)),
        }
    }

    /// Formats the status of the language model in one line.
    fn format_status(llm: &LlmStatus) -> String {
        let queue = &llm.queue;
        let jobs = queue.pending + queue.running + queue.failed;
        let mut parts =
            vec![format!("{} read", count(usize::try_from(queue.done).unwrap_or(usize::MAX), "text", "texts"))];
        let mut add = |number: usize, label: &str| {
            if number > 0 {
                parts.push(format!("{number} {label}"));
            }
        };
        add(llm.counts.entities, "new names");
        add(llm.counts.relations, "facts");
        add(llm.counts.merged, "already recorded");
        add(llm.counts.flagged.total(), "refused");
        add(queue.gathering, "lines collected, but not sent yet");
        add(jobs, "texts waiting (run `hearsay fact extract --llm`)");
        add(queue.given_up, "failed repeatedly");
        add(usize::try_from(llm.tokens).unwrap_or(usize::MAX), "tokens");
        parts.extend(llm.trouble.iter().chain(&llm.last_error).cloned());
        parts.join(", ")
    }
}

#[cfg(not(feature = "llm"))]
mod disabled {
    use super::{Draft, DraftExtraction, Memory, Result, Status};
    use crate::output::{CliError, Output, USAGE_ERROR};

    fn unsupported<T>() -> Result<T> {
        Err(CliError::new(
            USAGE_ERROR,
            "this program was built without the feature `llm`, so it cannot use a language model",
        )
        .into())
    }

    pub(crate) fn check(_: &Memory) -> Result<()> {
        unsupported()
    }

    pub(crate) fn read(_: &Memory, _: &mut Output) -> Result<()> {
        unsupported()
    }

    pub(crate) fn draft(_: &Memory, _: Draft) -> Result<DraftExtraction> {
        unsupported()
    }

    pub(crate) fn write(_: &Memory, _: &str) -> Result<String> {
        unsupported()
    }

    pub(crate) fn status(_: &Status) -> String {
        "not supported by this build".to_owned()
    }
}
