//! The graph tables.
