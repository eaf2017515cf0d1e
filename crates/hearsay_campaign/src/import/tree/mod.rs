//! JSON, YAML and CSV as one type of tree. Every value has its position in the file.

mod csv;
mod document;
mod json;
mod parse;
mod pen;
#[cfg(test)]
mod tests;
mod value;
mod yaml;

pub(super) use document::{Document, load};
pub(super) use pen::{Markup, Pen, Writing, piece};
pub(super) use value::{Data, Tree};
