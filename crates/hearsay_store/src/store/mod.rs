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
#[cfg(feature = "remote")]
pub(crate) use callback::{DoneCallback, invoke};
pub use handle::{Opened, StorageHealth, Store};
#[cfg(feature = "host")]
pub(crate) use open::{LockedDirectory, OpenedDatabase, open};
pub use options::{Location, OpenProgress, StoreOptions};
pub use replay::Reloaded;
#[cfg(feature = "remote")]
pub(crate) use replay::{JournalEnd, replay_shared};
pub use report::OpenReport;
