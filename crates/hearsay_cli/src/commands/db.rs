//! `db`: maintains the memory's derived data.

use anyhow::Result;
use hearsay_memory::ModelStatus;
use serde_json::json;

use crate::{
    args::{self, Db},
    campaign::{self, Meaning},
    interrupt,
    output::{Fault, Output, WRONG_FILE, count},
};

pub(crate) fn db(command: &Db, output: &mut Output) -> Result<()> {
    match command {
        Db::Embed(args) => embed(args, output),
    }
}

fn embed(args: &args::Campaign, output: &mut Output) -> Result<()> {
    let memory = campaign::open(args, Meaning::With, output)?;
    let before = campaign::settle(&memory)?;
    if let ModelStatus::None { why } = &before.model {
        return Err(Fault::new(WRONG_FILE, format!("no vectors can be made: {why}")).into());
    }
    let status = match campaign::embed(&memory, output) {
        Ok(status) => status,
        Err(_) if interrupt::is_asked() => {
            let left = memory.status()?.wait()?.pending_vectors;
            memory.close()?;
            let texts = count(left, "text has", "texts have");
            let what = format!("stopped; {texts} no vector yet: `hearsay db embed` goes on from here");
            return Err(Fault::new(interrupt::CODE, what).into());
        }
        Err(error) => return Err(error),
    };
    let made = before.pending_vectors - status.pending_vectors.min(before.pending_vectors);
    output.data(&json!({ "texts": status.texts, "embedded": made, "pending_vectors": status.pending_vectors }))?;
    output.line(format!("{} embedded, {} in all", count(made, "text", "texts"), status.texts))?;
    Ok(memory.close()?)
}
