//! Asks two characters of the campaign `tiny-tavern` the same question. Prints the scene context of each character,
//! which is the input for a language model.
//!
//! ```sh
//! cargo run -p hearsay_examples --example ask
//! ```

#![allow(clippy::print_stdout)]

use std::path::Path;

use hearsay_engine::{Memory, MemoryOptions};
use hearsay_model::EntityId;
use hearsay_query::ask::Ask;
use hearsay_recall::Form;

fn main() -> anyhow::Result<()> {
    let campaign = Path::new(env!("CARGO_MANIFEST_DIR")).join("../campaigns/tiny-tavern");
    // This memory is not saved. `MemoryOptions::for_campaign` opens a memory that is saved in the campaign's directory.
    let memory = Memory::open(MemoryOptions::in_memory())?;
    let imported = memory.import(campaign)?.wait()?;
    println!("{}\n", imported.written.map_or_else(String::new, |written| written.summary));
    memory.wait_for_vectors(|_, _| true)?;
    for speaker in ["gaffer-moss", "rook"] {
        let answer = memory.ask(Ask::new(EntityId::new(speaker)?, "Who took the silver spoon?"))?.wait()?;
        println!("{}", answer.context.render(Form::Prompt, false));
    }
    Ok(memory.close()?)
}
