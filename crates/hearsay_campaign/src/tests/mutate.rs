//! Random changes of the fuzzer's corpus for a limited time. This kind of fuzzing works on stable Rust, and does not
//! measure coverage.

use std::{
    env, fs,
    panic::catch_unwind,
    path::Path,
    time::{Duration, Instant, SystemTime},
};

use crate::fuzz::{TARGETS, run};

/// Random numbers (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end.max(1) as u64) as usize
    }

    /// Returns a random range of a text with this length.
    fn stretch(&mut self, length: usize) -> std::ops::Range<usize> {
        let start = self.below(length + 1);
        let max_length = if self.below(4) == 0 { length } else { 12 };
        start..(start + self.below(max_length + 1)).min(length)
    }
}

const PIECES: [&str; 36] = [
    "[[",
    "]]",
    "|",
    "%%",
    "<!--",
    "-->",
    "> [!secret]\n",
    "```\n",
    "<div class=\"secret\">",
    "</div>",
    "\n# ",
    "::",
    "**",
    "[secret]",
    "[/secret]",
    "||",
    "{",
    "}",
    "[",
    "]",
    "\"",
    "\\",
    ",",
    ": ",
    "&a ",
    "*a",
    "\n- ",
    "\u{0}",
    "\u{FEFF}",
    "\u{1D11E}",
    "I\u{307}",
    "null",
    "-1",
    "1e999",
    "\n>>> b.yaml\n",
    "\r\n",
];

fn mutated(seeds: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let mut bytes = seeds[random.below(seeds.len())].clone();
    for _ in 0..=random.below(6) {
        let range = random.stretch(bytes.len());
        match random.below(6) {
            0 => drop(bytes.drain(range)),
            1 => {
                let copy = bytes[range.clone()].repeat(1 + random.below(8));
                bytes.splice(range.start..range.start, copy);
            }
            2 => {
                let other = &seeds[random.below(seeds.len())];
                let part = random.stretch(other.len());
                bytes.splice(range, other[part].iter().copied());
            }
            3 => bytes.iter_mut().skip(range.start).take(1).for_each(|byte| *byte ^= 1 << random.below(8)),
            _ => {
                let fragment = PIECES[random.below(PIECES.len())];
                bytes.splice(range.start..range.start, fragment.bytes());
            }
        }
    }
    bytes.truncate(20_000);
    bytes
}

#[test]
#[ignore = "runs for HEARSAY_FUZZ_SECONDS, on the targets of HEARSAY_FUZZ_TARGETS"]
#[allow(clippy::print_stderr)]
fn the_corpus_is_mutated() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus");
    let seconds = env::var("HEARSAY_FUZZ_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(60);
    let chosen = env::var("HEARSAY_FUZZ_TARGETS").unwrap_or_default();
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_nanos() as u64;
    for target in
        TARGETS.into_iter().filter(|target| chosen.is_empty() || chosen.split(',').any(|name| name == *target))
    {
        let files = fs::read_dir(corpus.join(target)).unwrap().map(|entry| entry.unwrap().path());
        let seeds: Vec<Vec<u8>> = files.map(|file| fs::read(file).unwrap()).collect();
        let (mut random, started_at, mut runs, mut slowest) = (Random(now | 1), Instant::now(), 0, Duration::ZERO);
        while started_at.elapsed().as_secs() < seconds {
            let input = mutated(&seeds, &mut random);
            let start = Instant::now();
            if catch_unwind(|| run(target, &input)).is_err() {
                let input_path = env::temp_dir().join(format!("hearsay-fuzz-{target}-{now}"));
                fs::write(&input_path, &input).unwrap();
                panic!("{target}: {}", input_path.display());
            }
            if start.elapsed() > slowest {
                slowest = start.elapsed();
                fs::write(env::temp_dir().join(format!("hearsay-fuzz-{target}-slowest")), &input).unwrap();
            }
            runs += 1;
        }
        eprintln!("{target}: {runs} runs in {seconds} s, the slowest {slowest:.2?}");
    }
}
