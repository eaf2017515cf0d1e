//! Lossless exports. An export consists of readable pages, and of a file with the exact records.
//!
//! A page cannot contain everything that a record contains. Therefore an export also writes the file `hearsay.records`
//! into the folder of the pages. This file contains every record. It also contains a hash of each line of a page, with
//! the keys of the records that the line represents. On import, an unchanged line represents exactly these records. A
//! removed or changed line represents no record. The new text of a changed line is read like the text of any other file
//! of its format.

mod line;
mod pages;
mod records;

pub(crate) use pages::Pages;
pub use pages::is_export_folder;
pub(crate) use records::Records;
