//! `add`, `set`, `relate`, `correct`, `remove`: authoring by hand.

use anyhow::Result;
use hearsay_memory::{Edit, FactOptions};
use hearsay_model::{EntityId, Kind};

use crate::{
    args::{self, Campaign, FactArgs},
    campaign::{self, Meaning},
    output::Output,
};

fn write(campaign: &Campaign, edit: Edit, output: &mut Output) -> Result<()> {
    let memory = campaign::open(campaign, Meaning::Without, output)?;
    let written = memory.edit(edit)?.wait()?;
    output.data(&written)?;
    output.line(format!("{} (operation {})", written.summary, written.position))?;
    Ok(memory.close()?)
}

fn options(args: &FactArgs, attitude: Option<i64>) -> FactOptions {
    FactOptions {
        statement: args.statement.clone(),
        secret: args.secret,
        common: args.common,
        known_by: args.known_by.clone(),
        attitude,
        since: args.since.clone(),
        until: args.until.clone(),
    }
}

pub(crate) fn add(args: &args::Add, output: &mut Output) -> Result<()> {
    let id = args.id.as_ref().map(EntityId::new).transpose()?;
    let edit = Edit::Add { name: args.name.clone(), kind: Kind::from(args.kind.as_str()), id, place: args.at.clone() };
    write(&args.campaign, edit, output)
}

pub(crate) fn set(args: &args::Set, output: &mut Output) -> Result<()> {
    let edit = Edit::Set {
        entity: args.entity.clone(),
        attribute: args.attribute.clone(),
        value: args.value.clone(),
        options: options(&args.fact, None),
    };
    write(&args.campaign, edit, output)
}

pub(crate) fn relate(args: &args::Relate, output: &mut Output) -> Result<()> {
    let edit = Edit::Relate {
        subject: args.subject.clone(),
        predicate: args.predicate.clone(),
        object: args.object.clone(),
        options: options(&args.fact, args.attitude),
    };
    write(&args.campaign, edit, output)
}

pub(crate) fn correct(args: &args::Correct, output: &mut Output) -> Result<()> {
    let edit =
        Edit::Correct { fact: args.fact.clone(), object: args.object.clone(), statement: args.statement.clone() };
    write(&args.campaign, edit, output)
}

pub(crate) fn remove(args: &args::Remove, output: &mut Output) -> Result<()> {
    let edit = match (&args.what.fact, &args.what.entity) {
        (Some(fact), _) => Edit::RemoveFact { fact: fact.clone() },
        (_, entity) => Edit::RemoveEntity { entity: entity.clone().unwrap_or_default() },
    };
    write(&args.campaign, edit, output)
}
