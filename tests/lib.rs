//! Tests that use several crates of the project. For example, `gullhaven.rs` asks the questions in `questions/` about
//! the large example campaign, and `crash.rs` kills a program at many moments.
