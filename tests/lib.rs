//! Tests that cross crates: `gullhaven.rs` asks the big example campaign the questions in `questions/`, `crash.rs` kills
//! a program at many moments.
