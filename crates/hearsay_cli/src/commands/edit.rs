//! `entity add`, `entity set`, `entity remove`, `fact add`, `fact correct`, `fact secret`: edits by hand.

use std::collections::BTreeSet;

use anyhow::Result;
use hearsay_campaign::parse_kind;
use hearsay_commands::{
    edit::{Edit, FactOptions},
    review::Keep,
};
use hearsay_engine::{Memory, ReadSnapshot, Written, real_time};
use hearsay_model::{
    Author, Change, EntityId, Fact, FactId, Kind, Knower, Predicate, PredicateRole, RelationField, Resolution, Secrecy,
    Vocabulary, attribute, entity_field_name,
};
use hearsay_query::{
    QueryError,
    duplicates::recorded_secret,
    facts::{FactRow, fact_row},
};
use serde::Serialize;

use crate::{
    args::{self, FactArgs},
    display_names::DisplayNames,
    dry_run::WriteContext,
    facts::print_fact_line,
    names::Names,
    output::Output,
    reveals::print_with_reveals,
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

fn run_edit(context: WriteContext, edit: impl FnOnce(&Names) -> Result<Edit>, output: &mut Output) -> Result<()> {
    let memory = context.open(output)?;
    let edit = edit(&Names::read(&memory, output)?)?;
    write_edit(&memory, context, edit, output)?;
    Ok(memory.close()?)
}

/// Writes an edit by the DM, prints its result, and returns the new facts. In a dry run, prints the effects of the edit
/// instead, and returns `None`.
pub(crate) fn write_edit(
    memory: &Memory,
    context: WriteContext,
    edit: Edit,
    output: &mut Output,
) -> Result<Option<Vec<FactRow>>> {
    let build_operation = move |world: &ReadSnapshot| Ok(edit.operation(&world.state, Author::Dm, real_time())?);
    let written = context.write(memory, build_operation, output)?;
    written.map(|written| print_edit(memory, written, output)).transpose()
}

/// Prints the result of an edit, and returns the new facts. The output contains the ids of the new facts, so that the
/// user can pass them to `fact show`, `fact correct` and `fact retract`.
fn print_edit(memory: &Memory, written: Written, output: &mut Output) -> Result<Vec<FactRow>> {
    let edit = print_changes(memory, written, output)?;
    // The facts that describe a new entity are many, and have the default audience.
    if edit.entities.is_empty() {
        print_knowers(memory, edit.facts.iter().map(|fact| fact.id).collect(), output)?;
    }
    print_with_reveals(memory, &edit, output)?;
    Ok(edit.facts)
}

/// Prints who knows each of some facts. Prints a note about each open fact with the content of a recorded secret.
fn print_knowers(memory: &Memory, facts: Vec<FactId>, output: &mut Output) -> Result<()> {
    let is_single = facts.len() == 1;
    let read = memory.read(move |world| {
        let state = &world.state;
        let row = |id: FactId| {
            let edges = state.known_by(id).filter(|edge| edge.acquisition.gives_knowledge());
            let knowers: BTreeSet<Knower> = edges.map(|edge| edge.knower.clone()).collect();
            let open = state.fact(id).filter(|fact| fact.secrecy() != Secrecy::Secret);
            let secret = open.and_then(|fact| recorded_secret(state, fact, id)).map(|secret| secret.id());
            (id, knowers, secret)
        };
        Ok(facts.into_iter().map(row).collect::<Vec<_>>())
    })?;
    let (rows, names) = (read.wait()?, DisplayNames::read(memory)?);
    for (id, knowers, secret) in rows {
        let of_fact = if is_single { String::new() } else { format!(" [{}]", id.short()) };
        output.line(format!("  known to: {}{of_fact}", names.list_audience(&knowers)))?;
        if let Some(secret) = secret {
            let (id, secret) = (id.short(), secret.short());
            output.note(format!(
                "this fact has the content of the secret {secret}, but it is not secret; to make it secret: hearsay fact \
                 secret {id}"
            ));
        }
    }
    Ok(())
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
        known_by: names.characters(&args.known_by)?,
        attitude,
        since: args.since.clone(),
        until: args.until.clone(),
    })
}

pub(crate) fn add(args: &args::Add, output: &mut Output) -> Result<()> {
    let kind = kind(&args.kind, output);
    let edit = |names: &Names| {
        let place = names.optional_place(args.at.as_ref())?;
        Ok(Edit::Add { name: args.name.clone(), kind, id: args.id.clone(), place })
    };
    run_edit(WriteContext::new(&args.campaign, args.dry_run), edit, output)
}

/// Returns the kind that a word means. Prints a note about a custom kind.
fn kind(word: &str, output: &Output) -> Kind {
    let kind = parse_kind(word);
    if let Kind::Custom(word) = &kind {
        let built_in_kinds: Vec<_> = Kind::BUILT_IN.iter().map(Kind::as_str).collect();
        output.note(format!("`{word}` is a custom kind; the built-in kinds are {}", built_in_kinds.join(", ")));
    }
    kind
}

pub(crate) fn set(args: &args::Set, output: &mut Output) -> Result<()> {
    let context = WriteContext::new(&args.campaign, args.dry_run);
    let memory = context.open(output)?;
    let (entity, edit) = {
        let names = Names::read(&memory, output)?;
        let entity = names.entity(&args.entity)?;
        (entity.clone(), field_edit(entity, args, &names, output)?)
    };
    let new = write_edit(&memory, context, edit, output)?;
    // If the entity is the object of the new fact, the other values describe another entity. The new value is the last
    // fact, after the facts about the end of an earlier location.
    if let Some(fact) = new.unwrap_or_default().into_iter().rfind(|fact| fact.subject == entity) {
        let others = other_values(&memory, fact)?;
        for other in &others {
            output.note(format!("another value is still recorded: {} [{}]", other.statement, other.id.short()));
        }
        if !others.is_empty() {
            let retract = args.campaign.command("fact retract FACT --until DATE");
            output.note(format!("the new value does not end the other values; to end one of them: {retract}"));
        }
    }
    Ok(memory.close()?)
}

/// Returns the edit that sets a field of an entity: an attribute, or a relation such as `home`.
fn field_edit(entity: EntityId, args: &args::Set, names: &Names, output: &Output) -> Result<Edit> {
    let options = options(&args.fact, None, names)?;
    let (vocabulary, value) = (names.state().vocabulary(), args.value.clone());
    let Some(RelationField { predicate, is_inverse }) = vocabulary.entity_field(&args.field) else {
        let attribute = attribute_name(&args.field);
        note_unknown_field(&attribute, names, output);
        return Ok(Edit::Set { entity, attribute, value, options });
    };
    if predicate == *attribute::KIND {
        let value = kind(&value, output).as_str().to_owned();
        return Ok(Edit::Set { entity, attribute: predicate.to_string(), value, options });
    }
    if !predicate.is_relation() {
        return Ok(Edit::Set { entity, attribute: predicate.to_string(), value, options });
    }
    let is_no_entity = value.eq_ignore_ascii_case("none") && names.state().resolve(&value) == Resolution::None;
    if is_no_entity && !is_inverse {
        return Ok(Edit::Clear { entity, predicate, until: options.since });
    }
    let object = match names.find_entity(&value) {
        Ok(object) => object,
        // A text such as `the dark` can be the value of `fears`, but not of `home`.
        Err(QueryError::Unknown { .. }) if !needs_entity(vocabulary, &predicate, &args.field) => {
            let field = attribute_name(&args.field);
            output.note(format!(
                "no entity is called \u{201C}{value}\u{201D}, so `{field}` is recorded as text; to record the relation \
                 {predicate}, give the name of an entity"
            ));
            return Ok(Edit::Set { entity, attribute: field, value, options });
        }
        Err(_) => names.entity(&value)?,
    };
    let (subject, object) = if is_inverse { (object, entity) } else { (entity, object) };
    Ok(Edit::Relate { subject, predicate: predicate.to_string(), object, options })
}

/// Returns the name of a new attribute. The name of a relation in capitals stays unchanged, so that the edit rejects it.
fn attribute_name(field: &str) -> String {
    if Predicate::new(field).is_ok() { field.to_owned() } else { entity_field_name(field) }
}

/// Returns whether the value of a relation must be an entity: if the user names the relation in capitals, and if the
/// relation states a place or a group.
fn needs_entity(vocabulary: &Vocabulary, relation: &Predicate, field: &str) -> bool {
    let is_name = Predicate::new(field).is_ok_and(|name| name.is_relation());
    is_name || PredicateRole::Location.is(relation) || vocabulary.behavior(relation).belonging.is_some()
}

/// Prints a note if the name of a new attribute is similar to a known field.
fn note_unknown_field(attribute: &str, names: &Names, output: &Output) {
    let state = names.state();
    if state.facts().any(|fact| *fact.predicate() == *attribute) {
        return;
    }
    if let Some(similar) = state.vocabulary().similar_entity_field(attribute) {
        output.note(format!("`{attribute}` is a new attribute; did you mean `{similar}`?"));
    }
}

/// Returns the recorded values that differ from a new value and stay valid, because many attributes can have several
/// values at a time.
fn other_values(memory: &Memory, new: FactRow) -> Result<Vec<FactRow>> {
    let read = memory.read(move |world| {
        let state = &world.state;
        let row = |fact: &Fact| fact_row(state, fact);
        let rows = state.values(&new.subject, &new.predicate).into_iter().map(row);
        Ok(rows.filter(|row| row.object != new.object).collect())
    })?;
    Ok(read.wait()?)
}

pub(crate) fn relate(args: &args::Relate, output: &mut Output) -> Result<()> {
    let context = WriteContext::new(&args.campaign, args.dry_run);
    let memory = context.open(output)?;
    let edit = {
        let names = Names::read(&memory, output)?;
        Edit::Relate {
            subject: names.entity(&args.subject)?,
            predicate: args.predicate.clone(),
            object: names.entity(&args.object)?,
            options: options(&args.fact, args.attitude, &names)?,
        }
    };
    let facts = write_edit(&memory, context, edit, output)?.unwrap_or_default();
    let custom_relations = memory.read(move |world| {
        let vocabulary = world.state.vocabulary();
        // A move also records that the character is no longer at the earlier place, which is no relation.
        let relations = facts.into_iter().map(|fact| fact.predicate).filter(Predicate::is_relation);
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
    run_edit(WriteContext::new(&args.campaign, args.dry_run), edit, output)
}

pub(crate) fn make_secret(args: &args::MakeSecret, output: &mut Output) -> Result<()> {
    let context = WriteContext::new(&args.campaign, args.dry_run);
    let memory = context.open(output)?;
    let facts = Names::read(&memory, output)?.facts(&args.facts)?;
    let keep = Keep { facts: facts.clone(), secret: !args.open, keep_from: BTreeSet::new() };
    let build_operation = move |world: &ReadSnapshot| Ok(keep.operation(&world.state, real_time())?);
    if let Some(written) = context.write(&memory, build_operation, output)? {
        let edit = print_changes(&memory, written, output)?;
        print_knowers(&memory, facts, output)?;
        print_with_reveals(&memory, &edit, output)?;
    }
    Ok(memory.close()?)
}

pub(crate) fn remove_entity(args: &args::RemoveEntity, output: &mut Output) -> Result<()> {
    let edit = |names: &Names| Ok(Edit::RemoveEntity { entity: names.entity(&args.entity)? });
    run_edit(WriteContext::new(&args.campaign, args.dry_run), edit, output)
}
