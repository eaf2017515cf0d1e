//! Measures several programs that use one campaign in a server.
//!
//! [`speed`] measures the time of writes and the time until other programs see them. [`faults`] starts a server, and
//! programs that write and read through a proxy. It kills the writers and cuts the connections again and again, and
//! then compares what the programs acknowledged and what they have. The server is a separate [`process`].

pub mod faults;
pub mod process;
mod proxy;
pub mod speed;
