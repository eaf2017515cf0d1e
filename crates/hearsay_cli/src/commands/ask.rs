//! `ask` and `search`.

use std::time::Duration;

use anyhow::Result;
use hearsay_engine::MemoryError;
use hearsay_model::{Kind, Position, Predicate};
use hearsay_query::{
    as_of::AsOf,
    ask::Answer,
    search::{Match, SearchResults},
};
use hearsay_recall::{Detail, Form, score_explanation};
use serde_json::json;

use crate::{
    args,
    campaign::{self, Access},
    facts::require_knower,
    names::Names,
    output::{Output, count},
    style::Line,
    texts::{self, EncoderUse},
};

/// Maximum time that a command waits for the encoder. A command can afford to wait much longer than a game.
const MAX_WAIT: Duration = Duration::from_secs(60);

/// Note for an answer from an earlier journal position.
const NO_MEANING_NOTE: &str = "a search in an earlier state of the campaign uses words and relations only, not meaning";

fn encoder_use(is_disabled: bool) -> EncoderUse {
    if is_disabled { EncoderUse::Disabled } else { EncoderUse::Enabled }
}

pub(crate) fn ask(args: &args::Ask, output: &mut Output) -> Result<()> {
    let encoder_use = encoder_use(args.no_meaning || args.point_in_time.recorded.is_some());
    let memory = campaign::open(&args.campaign, Access::Read, encoder_use, output)?;
    let (form, has_citations) = match args.form {
        args::Form::Text => (Form::Text, !args.no_citations),
        args::Form::Markdown => (Form::Markdown, !args.no_citations),
        args::Form::Prompt => (Form::Prompt, args.citations),
    };
    let detail = if args.explain { Detail::Explained } else { Detail::from(has_citations) };
    // Resolves names before the wait for vectors, so that a misspelled name is reported immediately.
    let (names, as_of) = Names::read_at(&memory, &args.point_in_time, output)?;
    let speaker = names.character(&args.speaker)?;
    let names = names.in_view_of(&speaker, as_of);
    let (present, strangers) = names.listeners(&args.with)?;
    for unknown in &strangers {
        output.note(format!("the answer treats this listener as a person whom the character does not know: {unknown}"));
    }
    let ask = hearsay_query::ask::Ask {
        place: names.optional_place(args.at.as_ref())?,
        present,
        strangers: strangers.len(),
        about: names.entities(&args.about)?,
        session: names.optional_session(args.session.as_ref())?,
        as_of,
        budget: args.budget,
        limit: args.limit,
        deadline: Some(MAX_WAIT),
        // Details count towards the token budget, so they are requested only if they are printed in the prompt.
        detail: if form == Form::Prompt { detail } else { Detail::Plain },
        ..hearsay_query::ask::Ask::new(speaker, &args.question)
    };
    let answer = match args.point_in_time.recorded {
        Some(recorded) => {
            let context = ask.context_in_state(names.state(), &memory.settings().recall)?;
            output.note(NO_MEANING_NOTE);
            Answer { context, pending_vectors: 0, cut: vec!["meaning"], position: Position(recorded) }
        }
        None => {
            drop(names);
            texts::embed_if_few(&memory, encoder_use, output)?;
            memory.ask(ask)?.wait()?
        }
    };
    // The position and the number of texts without a vector belong to the whole campaign, not to the view.
    output.data(&json!({ "context": answer.context, "cut": answer.cut }))?;
    let text = answer.context.render(form, detail);
    match form {
        Form::Text => print_answer(&text, output)?,
        Form::Json | Form::Markdown | Form::Prompt => output.page(text)?,
    }
    Ok(memory.close()?)
}

/// Prints an answer in the text format. Headings are not indented; citations are indented by six spaces.
fn print_answer(text: &str, output: &mut Output) -> Result<()> {
    let lines: Vec<&str> = text.trim_end().lines().collect();
    for (index, line) in lines.iter().enumerate() {
        let is_indented = |line: &&str| line.starts_with(' ');
        let has_entries = lines.get(index + 1).is_some_and(is_indented);
        let styled = match *line {
            line if line.starts_with("      ") => Line::default().id(line),
            line if line.starts_with(' ') => Line::from(line),
            line if has_entries => Line::heading(line),
            line => Line::default().id(line),
        };
        output.line(styled)?;
    }
    Ok(())
}

pub(crate) fn search(args: &args::Search, output: &mut Output) -> Result<()> {
    require_knower(&args.point_in_time, args.knower.as_ref())?;
    let encoder_use = encoder_use(args.no_meaning || args.point_in_time.recorded.is_some());
    let memory = campaign::open(&args.campaign, Access::Read, encoder_use, output)?;
    let (names, as_of) = Names::read_at(&memory, &args.point_in_time, output)?;
    let names = names.in_view_of_optional(args.knower.as_ref(), as_of)?;
    let search = hearsay_query::search::Search {
        text: args.text.clone(),
        knower: names.knower(),
        as_of,
        about: names.entities(&args.about)?,
        kind: args.kind.as_deref().map(Kind::from),
        predicate: args.predicate.as_deref().map(Predicate::new).transpose().map_err(MemoryError::from)?,
        session: names.optional_session(args.session.as_ref())?,
        status: args.status.map(Into::into),
        holds_at: AsOf { time: args.holds_at.clone(), recorded: None }.moment(names.state())?,
        depth: args.depth.into(),
        limit: args.limit,
        deadline: Some(MAX_WAIT),
    };
    let results = match args.point_in_time.recorded {
        Some(_) => {
            output.note(NO_MEANING_NOTE);
            search.results_in_state(names.state())?
        }
        None => {
            drop(names);
            texts::embed_if_few(&memory, encoder_use, output)?;
            memory.search(search)?.wait()?
        }
    };
    output.data(&results)?;
    print_results(&results, args.explain, output)?;
    Ok(memory.close()?)
}

fn print_results(results: &SearchResults, explain: bool, output: &mut Output) -> Result<()> {
    if results.entities.is_empty() && results.facts.is_empty() && results.passages.is_empty() {
        output.line("Nothing was found.")?;
        if !results.hints.is_empty() {
            let names: Vec<_> = results.hints.iter().map(|hint| format!("{} ({})", hint.name, hint.id)).collect();
            output.line(format!("Similar names: {}", names.join(", ")))?;
        }
    }
    for hit in &results.entities {
        let kind = hit.kind.as_ref().map_or("of unknown kind", |kind| kind.as_str());
        let match_note = match hit.by {
            Match::Relation => format!(", {} away", count(hit.distance, "relation", "relations")),
            Match::Spelling => ", spelled differently".to_owned(),
            _ => String::new(),
        };
        output.line(Line::heading(&hit.name).id(format!(" ({kind}, {}{match_note})", hit.id)))?;
        // Shows relations only for entities at distance 0, which were found by name, because the user probably meant
        // one of them.
        for relation in hit.relations.iter().filter(|_| hit.distance == 0) {
            output.line(format!("      {relation}"))?;
        }
    }
    for hit in results.facts.iter().chain(&results.passages) {
        let id = hit.id.get(..8).unwrap_or(&hit.id);
        let remark = texts::talk_remark(hit.talk_kind);
        let text = format!("{:.2}  {}{remark}", hit.score, hit.text);
        output.line(Line::from(text).id(format!("  [{} {id}]", hit.kind)))?;
        if explain {
            output.line(format!("      {}", score_explanation(hit.score, &hit.channels, &hit.path)))?;
            output.line(format!("      {}", hit.citation.line()))?;
        }
    }
    Ok(())
}
