#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| hearsay_llm::fuzz::run("answer", bytes));
