//! Requests to the language model, and their status.

use anyhow::Result;
use hearsay_commands::reading::{Draft, Drafted};
use hearsay_engine::{Memory, Status};

#[cfg(feature = "llm")]
pub(crate) use with::{check, draft, read, status, write};
#[cfg(not(feature = "llm"))]
pub(crate) use without::{check, draft, read, status, write};

#[cfg(feature = "llm")]
mod with {
    use hearsay_engine::{LlmStatus, LlmStep, MemoryError};

    use super::{Draft, Drafted, Memory, Result, Status};
    use crate::{
        interrupt,
        output::{Fault, Output, WRONG_FILE, count},
        texts,
    };

    /// Returns an error if no language model is enabled, or if the enabled model cannot be used. The error names the
    /// settings to change.
    pub(crate) fn check(memory: &Memory) -> Result<()> {
        match memory.status()?.wait()?.llm {
            None => {
                let what = "the language model is disabled: set `enabled = true`, `base_url` and `model` under [extraction.llm] in hearsay.toml; texts are then sent to that server";
                Err(Fault::new(WRONG_FILE, what).into())
            }
            Some(LlmStatus { trouble: Some(why), .. }) => Err(MemoryError::NoLlm(why).into()),
            Some(_) => Ok(()),
        }
    }

    /// Extracts facts from all queued texts with the language model. After an interruption, the next run processes the
    /// remaining texts.
    pub(crate) fn read(memory: &Memory, output: &mut Output) -> Result<()> {
        interrupt::wait(&memory.llm(LlmStep::ReadAll)?)?;
        let bar = output.progress("asking the language model");
        let told = memory.wait_for_llm(|status| {
            let queue = &status.queue;
            bar.set_length(queue.done + (queue.pending + queue.running + queue.failed) as u64);
            bar.set_position(queue.done);
            !interrupt::is_asked()
        });
        bar.finish_and_clear();
        if interrupt::is_asked() {
            output.note("the remaining texts wait for the next `hearsay fact extract --llm`");
        }
        interrupt::check()?;
        let told = told?;
        output.data(&told)?;
        texts::tell_found(&told.found, output)?;
        output.line(format!("  the language model: {}", line(&told)))
    }

    pub(crate) fn draft(memory: &Memory, draft: Draft) -> Result<Drafted> {
        interrupt::wait(&memory.draft_with_llm(draft)?)
    }

    pub(crate) fn write(memory: &Memory, prompt: &str) -> Result<String> {
        check(memory)?;
        interrupt::wait(&memory.write_with_llm(prompt)?)
    }

    pub(crate) fn status(status: &Status) -> String {
        match &status.llm {
            None => "off".to_owned(),
            Some(llm) => format!("{} at {}; {}", llm.model, llm.base_url, line(llm)),
        }
    }

    /// Formats the status of the language model in one line.
    fn line(llm: &LlmStatus) -> String {
        let queue = &llm.queue;
        let jobs = queue.pending + queue.running + queue.failed;
        let mut parts =
            vec![format!("{} read", count(usize::try_from(queue.done).unwrap_or(usize::MAX), "text", "texts"))];
        let mut add = |number: usize, what: &str| {
            if number > 0 {
                parts.push(format!("{number} {what}"));
            }
        };
        add(llm.counts.entities, "new names");
        add(llm.counts.relations, "facts");
        add(llm.counts.merged, "already recorded");
        add(llm.counts.flagged.total(), "refused");
        add(queue.gathering, "lines collected, but not sent yet");
        add(jobs, "waiting (run `hearsay fact extract --llm`)");
        add(queue.given_up, "failed repeatedly");
        add(usize::try_from(llm.tokens).unwrap_or(usize::MAX), "tokens");
        parts.extend(llm.trouble.iter().chain(&llm.last_error).cloned());
        parts.join(", ")
    }
}

#[cfg(not(feature = "llm"))]
mod without {
    use super::{Draft, Drafted, Memory, Result, Status};
    use crate::output::{Fault, Output, WRONG_LINE};

    fn no<T>() -> Result<T> {
        Err(Fault::new(
            WRONG_LINE,
            "this program was built without the feature `llm`, so it cannot use a language model",
        )
        .into())
    }

    pub(crate) fn check(_: &Memory) -> Result<()> {
        no()
    }

    pub(crate) fn read(_: &Memory, _: &mut Output) -> Result<()> {
        no()
    }

    pub(crate) fn draft(_: &Memory, _: Draft) -> Result<Drafted> {
        no()
    }

    pub(crate) fn write(_: &Memory, _: &str) -> Result<String> {
        no()
    }

    pub(crate) fn status(_: &Status) -> String {
        "not supported by this build".to_owned()
    }
}
