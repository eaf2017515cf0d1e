//! Lossless exports. An export consists of readable pages, and of a file with the exact records.
//!
//! A page cannot contain everything that a record contains. Therefore an export also writes the file `hearsay.records`
//! into the folder of the pages. This file contains every record. The file also contains a hash of each line of a page,
//! with the keys of the records that the line represents. On import, an unchanged line represents exactly these
//! records. A removed line represents no record.
//!
//! In a note, a changed line of a fact represents the changed fact. The reference at the end of the line identifies the
//! exported fact. If the reference was lost, the fact with the most similar sentence is the exported fact. Any other
//! changed line represents no record. The new text of such a line is read like the text of any other file of the same
//! format. There is one exception: a new line in a secret callout of a character's note is a secret of this character,
//! like the exported lines of such a callout.
//!
//! The file also contains the id of the campaign and a hash of each page. With these values, the next export into the
//! same folder finds pages that a person edited.

mod edits;
mod fact_line;
mod line;
mod pages;
mod records;

pub(crate) use fact_line::{fact_reference, is_fact_reference, one_line};
pub(crate) use line::{SECRET_CALLOUT, SECRET_TEXTS_HEADING};
pub use pages::is_export_folder;
pub(crate) use pages::{Pages, other_campaign};
pub(crate) use records::Records;
