//! Exports other than JSON Lines: graph, handbooks for the players, backup, Obsidian vault and YAML.

mod backup;
mod file_names;
mod graph;
mod handbook;
mod overwrite;
mod vault;
mod yaml;

#[cfg(feature = "import")]
pub(crate) use backup::wrap_in_backup;
pub use backup::{Backup, export_backup, read_backup};
pub use graph::{export_dot, export_graphml};
pub use handbook::{Handbook, HandbookChanges, HandbookFormat, HandbookReaders, HandbookRequest, export_handbooks};
pub use overwrite::Overwrite;
pub use vault::export_vault;
pub use yaml::export_yaml;

#[cfg(test)]
mod tests;
