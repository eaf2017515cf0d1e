//! JSON, YAML and CSV as one type of tree. Every value has its position in the file.

mod converter;
mod csv;
mod document;
mod json;
mod parse;
#[cfg(test)]
mod tests;
mod value;
mod yaml;

pub(super) use converter::{Markup, TextConversion, TreeConverter, field_value};
pub(super) use document::{Document, load};
pub(super) use value::{Data, Tree};
