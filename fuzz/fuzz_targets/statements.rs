#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| hearsay_extract::fuzz::run("statements", bytes));
