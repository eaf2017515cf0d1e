//! `vocabulary`: the relations and attributes of a campaign.

use anyhow::Result;
use hearsay_model::{Audience, AudienceRules, Predicate, Vocabulary};
use hearsay_query::entities::spoken_names;
use serde::Serialize;

use crate::{
    args,
    campaign::{self, Access},
    output::{CliError, Output, USAGE_ERROR},
    style::Style,
    texts::EncoderUse,
};

/// A relation or attribute, in the JSON output.
#[derive(Serialize)]
struct Definition {
    name: Predicate,
    /// Phrase with placeholders for subject and object.
    meaning: String,
    /// Audience of facts that do not name their knowers.
    audience: Audience,
    /// Sentence that states the relation, or a command that sets the attribute.
    example: String,
}

pub(crate) fn run(args: &args::Vocabulary, output: &mut Output) -> Result<()> {
    if args.speech {
        return print_spoken_names(args, output);
    }
    let mut rows = match &args.campaign.0 {
        Some(campaign) => {
            let memory = campaign::open(campaign, Access::Read, EncoderUse::Disabled, output)?;
            let read = memory.read(|world| Ok(definitions(world.state.vocabulary(), &world.state.audience_rules())))?;
            let rows = read.wait()?;
            memory.close()?;
            rows
        }
        None => definitions(&Vocabulary::default(), &AudienceRules::default()),
    };
    if let Some(words) = args.words.as_ref().map(|words| words.to_lowercase()) {
        let texts = |row: &Definition| format!("{}\n{}\n{}", row.name, row.meaning, row.example).to_lowercase();
        rows.retain(|row| texts(row).contains(&words));
    }
    output.data(&rows)?;
    if rows.is_empty() {
        output.line("No relation or attribute matches.")?;
    }
    let cells = |row: Definition| [row.name.to_string(), row.audience.as_str().to_owned(), row.meaning, row.example];
    let rows: Vec<_> = rows.into_iter().map(cells).collect();
    output.table([Style::Plain; 4], &rows)
}

/// Prints the names for the prompt of a program for speech recognition.
fn print_spoken_names(args: &args::Vocabulary, output: &mut Output) -> Result<()> {
    let Some(campaign) = &args.campaign.0 else {
        let message = "--speech prints the names of a campaign, but this directory contains no campaign; pass the \
                       campaign directory with -C DIR";
        return Err(CliError::new(USAGE_ERROR, message).into());
    };
    let memory = campaign::open(campaign, Access::Read, EncoderUse::Disabled, output)?;
    let limit = args.limit;
    let names = memory.read_in_background(move |world| Ok(spoken_names(&world.state, limit)))?.wait()?;
    output.data(&names)?;
    output.line(names.join(", "))?;
    Ok(memory.close()?)
}

/// Returns the definitions of a vocabulary: relations first, each group sorted by name.
fn definitions(vocabulary: &Vocabulary, rules: &AudienceRules) -> Vec<Definition> {
    let relations = vocabulary.predicates().map(|def| Definition {
        name: def.name.clone(),
        meaning: def.phrase.clone(),
        audience: vocabulary.predicate_audience(rules, &def.name),
        example: def.examples.first().cloned().unwrap_or_else(|| vocabulary.sentence(&def.name, "Ann", "Bo")),
    });
    let attributes = vocabulary.attributes().map(|def| Definition {
        name: def.name.clone(),
        meaning: def.phrase.clone().unwrap_or_else(|| vocabulary.sentence(&def.name, "{subject}", "{object}")),
        audience: vocabulary.predicate_audience(rules, &def.name),
        example: format!("hearsay entity set ann {} \u{2026}", def.name),
    });
    relations.chain(attributes).collect()
}
