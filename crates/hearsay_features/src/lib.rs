//! This crate has no code. Its `Cargo.toml` selects one set of features for the dependencies that Hearsay's crates
//! share. SurrealDB and candle are therefore compiled only once, whether you build one package or all packages. The
//! comment in `Cargo.toml` explains the reason.
