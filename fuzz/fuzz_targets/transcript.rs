#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| hearsay_campaign::fuzz::run("transcript", bytes));
