//! Lossless exports: readable pages, and a file with the exact records.
//!
//! A page cannot contain everything that a record contains. So an export also writes the file `hearsay.records` into
//! the folder of the pages. The file contains every record. For each line of a page, it contains a hash, and the keys
//! of the records that the line represents. On import, an unchanged line represents these records exactly. A removed or
//! changed line represents no record. The new text of a changed line is read like any file of its format.

mod line;
mod pages;
mod records;

pub(crate) use pages::Pages;
pub use pages::is_export;
pub(crate) use records::Records;
