//! The language model: what is asked of it, and how that goes.

use anyhow::Result;
use hearsay_memory::{Draft, Drafted, Memory, Status};

#[cfg(feature = "llm")]
pub(crate) use with::{check, draft, read, status, write};
#[cfg(not(feature = "llm"))]
pub(crate) use without::{check, draft, read, status, write};

#[cfg(feature = "llm")]
mod with {
    use hearsay_memory::{LlmStatus, LlmStep, MemoryError};

    use super::{Draft, Drafted, Memory, Result, Status};
    use crate::{
        campaign, interrupt,
        output::{Fault, Output, WRONG_FILE, count},
    };

    /// Says what to set, when none is switched on or none can be asked.
    pub(crate) fn check(memory: &Memory) -> Result<()> {
        match memory.status()?.wait()?.llm {
            None => {
                let what = "no language model is asked: set `enabled = true` under [extraction.llm] in hearsay.toml, and \
                            `base_url` and `model`; what is said and written is then sent there";
                Err(Fault::new(WRONG_FILE, what).into())
            }
            Some(LlmStatus { trouble: Some(why), .. }) => Err(MemoryError::NoLlm(why).into()),
            Some(_) => Ok(()),
        }
    }

    /// Has all read that waits. Stopping leaves the rest for the next time.
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
            output.note("what was not read yet waits for the next `extract --llm`");
        }
        interrupt::check()?;
        let told = told?;
        output.data(&told)?;
        campaign::tell_found(&told.found, output)?;
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
            None => "none is switched on".to_owned(),
            Some(llm) => format!("{} at {}; {}", llm.model, llm.base_url, line(llm)),
        }
    }

    /// How it stands, in a few words.
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
        add(llm.counts.merged, "found again");
        add(llm.counts.flagged.total(), "refused");
        add(queue.gathering, "lines gather");
        add(jobs, "wait (`extract --llm`)");
        add(queue.given_up, "given up");
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
        Err(Fault::new(WRONG_LINE, "this program was built without the feature `llm`, and can ask no language model")
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
        "this program can ask none".to_owned()
    }
}
