//! `entity add`, `entity set`, `entity remove`, `fact add`, `fact correct`, `fact remove`: edits by hand.

use anyhow::Result;
use hearsay_commands::edit::{Edit, FactOptions};
use hearsay_engine::{Memory, ReadSnapshot, Written, real_time};
use hearsay_model::{Author, Change, EntityId, Kind, Object, Predicate, Vocabulary};
use hearsay_query::facts::{FactRow, fact_row};
use serde::Serialize;

use crate::{
    args::{self, Campaign, FactArgs},
    campaign::{self, Access},
    dry_run::write_or_preview,
    facts::print_fact_line,
    names::Names,
    output::Output,
    reveals::print_with_reveals,
    texts::EncoderUse,
};

/// JSON output of an edit.
#[derive(Serialize)]
pub(crate) struct EditOutput {
    #[serde(flatten)]
    written: Written,
    /// Entities that the edit added.
    entities: Vec<EntityId>,
    /// Facts that the edit added.
    facts: Vec<FactRow>,
    /// Facts that the edit ended.
    ended: Vec<FactRow>,
}

fn open(campaign: &Campaign, dry_run: bool, output: &Output) -> Result<Memory> {
    campaign::open(campaign, Access::for_dry_run(dry_run), EncoderUse::Disabled, output)
}

fn run_edit(
    campaign: &Campaign,
    dry_run: bool,
    edit: impl FnOnce(&Names) -> Result<Edit>,
    output: &mut Output,
) -> Result<()> {
    let memory = open(campaign, dry_run, output)?;
    let edit = edit(&Names::read(&memory, output)?)?;
    write_edit(&memory, dry_run, edit, output)?;
    Ok(memory.close()?)
}

/// Writes an edit by the DM, prints its result, and returns the new facts. In a dry run, prints the effects of the edit
/// instead, and returns `None`.
pub(crate) fn write_edit(
    memory: &Memory,
    dry_run: bool,
    edit: Edit,
    output: &mut Output,
) -> Result<Option<Vec<FactRow>>> {
    let build_operation = move |world: &ReadSnapshot| Ok(edit.operation(&world.state, Author::Dm, real_time())?);
    let written = write_or_preview(memory, dry_run, build_operation, output)?;
    written.map(|written| print_edit(memory, written, output)).transpose()
}

/// Prints the result of an edit, and returns the new facts. The output contains the ids of the new facts, so that the
/// user can pass them to `fact show`, `fact correct` and `fact remove`.
fn print_edit(memory: &Memory, written: Written, output: &mut Output) -> Result<Vec<FactRow>> {
    let edit = print_changes(memory, written, output)?;
    print_with_reveals(memory, &edit, output)?;
    Ok(edit.facts)
}

/// Prints the entities and facts that an edit changed, and returns them.
pub(crate) fn print_changes(memory: &Memory, written: Written, output: &mut Output) -> Result<EditOutput> {
    let position = written.position;
    let read = memory.read(move |world| {
        let state = &world.state;
        let changes = state.entry(position).map_or(&[][..], |entry| &entry.operation.changes);
        let (mut entities, mut facts, mut ended) = (Vec::new(), Vec::new(), Vec::new());
        for change in changes {
            match change {
                Change::AddEntity(entity) => entities.push(entity.id.clone()),
                Change::AssertFact(fact) => facts.push(fact_row(state, fact)),
                Change::EndFact { fact, .. } => ended.extend(state.fact(*fact).map(|fact| fact_row(state, fact))),
                _ => {}
            }
        }
        Ok((entities, facts, ended))
    })?;
    let (entities, facts, ended) = read.wait()?;
    output.line(format!("{} (operation {position})", written.summary))?;
    for id in &entities {
        output.line(format!("  new entity: {id}"))?;
    }
    for fact in &facts {
        print_fact_line("  ", fact, output)?;
    }
    for fact in &ended {
        print_fact_line("  ended: ", fact, output)?;
    }
    Ok(EditOutput { written, entities, facts, ended })
}

fn options(args: &FactArgs, attitude: Option<i64>, names: &Names) -> Result<FactOptions> {
    Ok(FactOptions {
        statement: args.statement.clone(),
        secret: args.secret,
        common: args.common,
        known_by: names.entities(&args.known_by)?,
        attitude,
        since: args.since.clone(),
        until: args.until.clone(),
    })
}

pub(crate) fn add(args: &args::Add, output: &mut Output) -> Result<()> {
    let kind = Kind::from(args.kind.as_str());
    if let Kind::Custom(word) = &kind {
        let built_in_kinds: Vec<_> = Kind::BUILT_IN.iter().map(Kind::as_str).collect();
        output.note(format!("`{word}` is a custom kind; the built-in kinds are {}", built_in_kinds.join(", ")));
    }
    let edit = |names: &Names| {
        let place = names.optional_entity(args.at.as_ref())?;
        Ok(Edit::Add { name: args.name.clone(), kind, id: args.id.clone(), place })
    };
    run_edit(&args.campaign, args.dry_run, edit, output)
}

pub(crate) fn set(args: &args::Set, output: &mut Output) -> Result<()> {
    let memory = open(&args.campaign, args.dry_run, output)?;
    let (entity, options) = {
        let names = Names::read(&memory, output)?;
        (names.entity(&args.entity)?, options(&args.fact, None, &names)?)
    };
    let (attribute, value) = (args.attribute.clone(), args.value.clone());
    let edit = Edit::Set { entity: entity.clone(), attribute, value, options };
    if write_edit(&memory, args.dry_run, edit, output)?.is_some() {
        for other in other_values(&memory, entity, args)? {
            output.note(format!("another value is still recorded: {} [{}]", other.statement, other.id.short()));
        }
    }
    Ok(memory.close()?)
}

/// Returns the recorded values of the attribute that differ from the new value and stay valid, because many attributes
/// can have several values at a time.
fn other_values(memory: &Memory, entity: EntityId, args: &args::Set) -> Result<Vec<FactRow>> {
    let (name, value) = (args.attribute.clone(), args.value.clone());
    let read = memory.read(move |world| {
        let (state, name) = (&world.state, Predicate::new(&name)?);
        let facts = state.values(&entity, &name);
        let new = Object::Value(value.as_str().into());
        Ok(facts.into_iter().filter(|fact| *fact.object() != new).map(|fact| fact_row(state, fact)).collect())
    })?;
    Ok(read.wait()?)
}

pub(crate) fn relate(args: &args::Relate, output: &mut Output) -> Result<()> {
    let memory = open(&args.campaign, args.dry_run, output)?;
    let edit = {
        let names = Names::read(&memory, output)?;
        Edit::Relate {
            subject: names.entity(&args.subject)?,
            predicate: args.predicate.clone(),
            object: names.entity(&args.object)?,
            options: options(&args.fact, args.attitude, &names)?,
        }
    };
    let facts = write_edit(&memory, args.dry_run, edit, output)?.unwrap_or_default();
    let custom_relations = memory.read(move |world| {
        let vocabulary = world.state.vocabulary();
        let relations = facts.into_iter().map(|fact| fact.predicate);
        let unknown = relations.filter(|relation| vocabulary.predicate(relation).is_none());
        Ok(unknown.map(|name| (did_you_mean(vocabulary, name.as_str()), name)).collect::<Vec<_>>())
    })?;
    for (remark, relation) in custom_relations.wait()? {
        output.note(format!(
            "{relation} is not in the vocabulary{remark}; by default, only the subject and the object of its facts know \
             them; to choose another default, add {relation} to `predicates` in the campaign's files (`hearsay vocabulary` \
             lists all relations)"
        ));
    }
    Ok(memory.close()?)
}

/// Returns a remark that names the relation that an unknown relation probably means: ` (did you mean SAVED?)`. Returns an
/// empty text if no relation is similar.
pub(super) fn did_you_mean(vocabulary: &Vocabulary, relation: &str) -> String {
    let similar_relation = vocabulary.similar_relation(relation);
    similar_relation.map_or_else(String::new, |similar_relation| format!(" (did you mean {similar_relation}?)"))
}

pub(crate) fn correct(args: &args::Correct, output: &mut Output) -> Result<()> {
    let edit = |names: &Names| {
        let fact = names.fact(&args.fact)?;
        let object = args.object.as_ref().map(|object| names.replacement(fact, object)).transpose()?;
        Ok(Edit::Correct { fact, object, statement: args.statement.clone() })
    };
    run_edit(&args.campaign, args.dry_run, edit, output)
}

pub(crate) fn remove_fact(args: &args::RemoveFact, output: &mut Output) -> Result<()> {
    let edit = |names: &Names| Ok(Edit::RemoveFact { fact: names.fact(&args.fact)? });
    run_edit(&args.campaign, args.dry_run, edit, output)
}

pub(crate) fn remove_entity(args: &args::RemoveEntity, output: &mut Output) -> Result<()> {
    let edit = |names: &Names| Ok(Edit::RemoveEntity { entity: names.entity(&args.entity)? });
    run_edit(&args.campaign, args.dry_run, edit, output)
}
