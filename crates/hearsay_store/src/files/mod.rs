//! The files in a campaign directory, apart from the database.

pub(crate) mod acknowledged;
pub(crate) mod database_swap;
pub(crate) mod directory;
pub(crate) mod frame_file;
pub(crate) mod lock;
pub(crate) mod snapshot;
