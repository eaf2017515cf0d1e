//! `licences`: shows the licences of Hearsay and of its dependencies.

use anyhow::Result;
use serde::Serialize;
use serde_json::json;

use crate::{
    output::{Output, count},
    style::Line,
};

/// The dependencies, one per line: name, version and licence. `.ci/licence-table` writes this file.
const DEPENDENCIES: &str = include_str!("../../data/licences.tsv");

const LICENCE: &str = env!("CARGO_PKG_LICENSE");

/// Licence of the sentence encoder, and of the models that were trained from it.
const MODEL_LICENCE: &str = "Apache-2.0";

/// The terms of SurrealDB's licence that can limit what a user does with Hearsay.
const SURREALDB_TERMS: &str = "The Business Source License allows you to embed SurrealDB in a game or a tool. It forbids \
                               offering SurrealDB as a database service. On 1 January 2030, the licence becomes Apache-2.0.";

/// A library that the program contains.
#[derive(Debug, Serialize)]
struct Dependency {
    name: &'static str,
    version: &'static str,
    licence: &'static str,
}

/// Returns the dependencies on all platforms, in the order of their names.
fn dependencies() -> Vec<Dependency> {
    let parse = |line: &'static str| {
        let mut cells = line.split('\t');
        Some(Dependency { name: cells.next()?, version: cells.next()?, licence: cells.next()? })
    };
    // The first line contains the names of the columns.
    DEPENDENCIES.lines().skip(1).filter_map(parse).collect()
}

pub(crate) fn run(output: &mut Output) -> Result<()> {
    let dependencies = dependencies();
    let surrealdb = dependencies.iter().find(|dependency| dependency.name == "surrealdb");
    output.data(&json!({
        "version": env!("CARGO_PKG_VERSION"),
        "licence": LICENCE,
        "model_licence": MODEL_LICENCE,
        "surrealdb": surrealdb.map(|found| json!({
            "version": found.version,
            "licence": found.licence,
            "terms": SURREALDB_TERMS,
        })),
        "dependencies": dependencies,
    }))?;
    output.line(Line::heading(concat!("Hearsay ", env!("CARGO_PKG_VERSION"))).plain(format!(": {LICENCE}")))?;
    output.line(Line::heading("Sentence encoder and reading models").plain(format!(": {MODEL_LICENCE}")))?;
    if let Some(found) = surrealdb {
        output.line("")?;
        output.line(Line::heading(format!("SurrealDB {}", found.version)).plain(format!(": {}", found.licence)))?;
        output.line(SURREALDB_TERMS)?;
    }
    output.line("")?;
    let number = count(dependencies.len(), "library", "libraries");
    output.line(Line::heading("Dependencies").plain(format!(": {number} on all platforms")))?;
    output.line("The file THIRD-PARTY-NOTICES.txt of a release contains the texts of these licences.")?;
    let rows: Vec<[String; 3]> =
        dependencies.iter().map(|row| [row.name, row.version, row.licence].map(str::to_owned)).collect();
    output.columns(&rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_table_is_a_dependency() {
        let dependencies = dependencies();
        assert_eq!(dependencies.len() + 1, DEPENDENCIES.lines().count());
        let is_complete = |row: &Dependency| !row.name.is_empty() && !row.version.is_empty() && !row.licence.is_empty();
        assert!(dependencies.iter().all(is_complete));
    }
}
