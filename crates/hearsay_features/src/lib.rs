//! Nothing but dependencies: one set of features for those that Hearsay's crates share, so that building one package
//! or all of them compiles SurrealDB and candle once. `Cargo.toml` beside this file says why.
