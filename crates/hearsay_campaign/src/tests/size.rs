//! A campaign of 200,000 facts. Run by hand: `cargo test -p hearsay_campaign -- --ignored --nocapture large`.

use std::{fmt::Write, time::Instant};

use hearsay_model::{State, Timestamp};

use crate::{Limits, plan, read};

#[test]
#[ignore = "measures; takes a while"]
fn large() {
    let mut yaml = String::from("campaign: {name: Large}\nentities:\n");
    for n in 0..20_000 {
        let kind = if n % 50 == 0 { "location" } else { "npc" };
        let home = if n % 50 == 0 { String::new() } else { format!(", home: e{}", n - n % 50) };
        writeln!(yaml, "  - {{id: e{n}, name: Name {n}, kind: {kind}{home}}}").unwrap();
    }
    yaml.push_str("facts:\n");
    for n in 0..145_000u64 {
        let (a, b) = (n % 20_000, (n * 7919 + 13) % 20_000);
        match n % 3 {
            0 => writeln!(yaml, "  - {{subject: e{a}, type: LIKES, target: e{b}, since: \"{}\"}}", 1 + n / 20_000),
            1 => writeln!(yaml, "  - {{subject: e{a}, text: \"Name {a} said the thing number {n} to Name {b}.\"}}"),
            _ => writeln!(
                yaml,
                "  - {{subject: e{a}, type: OWES, target: e{b}, since: \"{}\", secret: true, known_by: [e{b}]}}",
                1 + n / 20_000
            ),
        }
        .unwrap();
    }
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.yaml"), &yaml).unwrap();
    let limits = Limits { file_bytes: 1 << 30, ..Limits::default() };
    let start = Instant::now();
    let campaign = read(folder.path(), &limits).unwrap_or_else(|errors| panic!("{errors}"));
    let (read_in, after_read) = (start.elapsed(), peak());
    let start = Instant::now();
    let mut state = State::default();
    let planned = plan(&state, &campaign, Timestamp(1));
    let planned_in = start.elapsed();
    let edges = planned.report.knowledge;
    state.apply(planned.operation.unwrap()).unwrap();
    let start = Instant::now();
    assert_eq!(plan(&state, &campaign, Timestamp(2)).operation, None);
    let again_in = start.elapsed();
    let (facts, bytes) = (campaign.facts().len(), yaml.len());
    let times = format!("read {read_in:.2?}, plan {planned_in:.2?}, plan again {again_in:.2?}");
    std::fs::write(
        "/tmp/hearsay_campaign_large.txt",
        format!(
            "{facts} facts, {edges} edges, {bytes} bytes: {times}; peak after reading {after_read}, in all {}",
            peak()
        ),
    )
    .unwrap();
    assert!(facts >= 200_000);
}

/// Returns the peak memory of the process.
fn peak() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.unwrap_or("unknown").trim().to_owned()
}
