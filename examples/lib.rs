//! Runnable examples: `cargo run -p hearsay_examples --example ask`.
