//! Tests that cross crates. `gullhaven.rs` asks the big example campaign the questions in `questions/`.
