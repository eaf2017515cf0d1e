//! Opens a campaign, and runs the tasks that write to its database.

mod background;
mod callback;
mod commits;
mod handle;
mod open;
mod options;
mod replay;
mod report;
mod shared;

pub(crate) use callback::wait_for_callback;
pub use handle::{Opened, StorageHealth, Store};
pub use options::{Location, OpenProgress, StoreOptions};
pub use replay::Reloaded;
pub use report::OpenReport;
