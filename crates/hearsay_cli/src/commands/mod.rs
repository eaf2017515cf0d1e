//! The commands, one module per topic.

pub(crate) mod ask;
pub(crate) mod db;
pub(crate) mod edit;
pub(crate) mod event;
pub(crate) mod extract;
pub(crate) mod files;
pub(crate) mod history;
pub(crate) mod inspect;
pub(crate) mod know;
pub(crate) mod maintenance;
pub(crate) mod model;
pub(crate) mod new;
pub(crate) mod review;
pub(crate) mod session;
pub(crate) mod shell;
pub(crate) mod simulate;
