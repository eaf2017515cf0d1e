//! Selects the parser for a file.

use super::{csv, json, value::Tree, yaml};
use crate::{Limits, alias::AliasBytes, import::SourceText};

impl Tree {
    /// Parses a file according to its extension. Several YAML documents in a file become a list. `aliases` counts the
    /// bytes that aliases have copied in all files of the campaign.
    pub(crate) fn parse(text: &SourceText, path: &str, limits: &Limits, aliases: &AliasBytes) -> Result<Self, String> {
        let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension).to_ascii_lowercase();
        match extension.as_str() {
            "yaml" | "yml" => yaml::parse(text, limits, aliases),
            "csv" => csv::parse(text, b','),
            "tsv" => csv::parse(text, b'\t'),
            _ => json::parse(text, limits),
        }
    }

    /// Parses one JSON document per line. A broken line becomes an error with the line number, and parsing continues.
    pub(crate) fn lines<'a>(
        text: &'a SourceText,
        limits: &'a Limits,
    ) -> impl Iterator<Item = Result<Self, (u32, String)>> + use<'a> {
        json::lines(text, limits)
    }
}
