//! Real campaigns, where they are at hand. They are read as they are, and nothing of them is part of the project.

use std::path::{Path, PathBuf};

use hearsay_model::{Kind, State, Timestamp, attribute};

use crate::{
    Campaign, Limits,
    notes::{Options, read_any},
    plan,
};

/// The folder of a real campaign: `shared/data/campaigns` beside one of the folders above.
fn real(name: &str) -> Option<PathBuf> {
    let above = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    above.map(|folder| folder.join("shared/data/campaigns").join(name)).find(|folder| folder.is_dir())
}

fn read(name: &str) -> Option<Campaign> {
    let folder = real(name)?;
    Some(read_any(&folder, &Options::default(), &Limits::default()).unwrap_or_else(|errors| panic!("{errors}")))
}

#[test]
fn shown() {
    for name in ["torys", "heirs-of-their-ways"] {
        let Some(campaign) = read(name) else { return };
        let findings = campaign.findings();
        eprintln!("=== {name} {:?}", findings.format);
        eprintln!(
            "resolved {} nobody {} ambiguous {} dangling {} stubs {} kindless {} unclear {} skipped {:?}",
            findings.resolved,
            findings.nobody,
            findings.ambiguous.len(),
            findings.dangling.len(),
            findings.stubs.len(),
            findings.kindless.len(),
            findings.unclear.len(),
            findings.skipped
        );
        for (place, ids) in &findings.ambiguous {
            eprintln!("  ambiguous {place:?} {ids:?}");
        }
        let mut by_kind = std::collections::BTreeMap::<String, Vec<String>>::new();
        for (id, kind) in campaign.entities() {
            by_kind.entry(kind.to_string()).or_default().push(id.to_string());
        }
        for (kind, ids) in by_kind {
            eprintln!("  {kind} {}: {}", ids.len(), ids.join(" "));
        }
        eprintln!("  sessions {}", campaign.sessions().len());
        let mut by = std::collections::BTreeMap::<String, usize>::new();
        for fact in campaign.facts() {
            *by.entry(format!("{} {} {}", fact.predicate(), fact.standing(), fact.secrecy().as_str())).or_default() +=
                1;
        }
        for (what, n) in by {
            eprintln!("  {n:5} {what}");
        }
        for fact in campaign
            .facts()
            .filter(|fact| fact.object().entity().is_some() || *fact.predicate() == *attribute::CONDITION)
        {
            eprintln!("    {} [{}] {}", fact.statement(), fact.standing(), fact.secrecy().as_str());
        }
        eprintln!("  passages {} warnings {:?}", campaign.passages().len(), campaign.warnings());
        let mut state = State::default();
        let planned = plan(&state, &campaign, Timestamp(1));
        state.apply(planned.operation.unwrap()).unwrap();
        assert_eq!(plan(&state, &campaign, Timestamp(2)).operation, None);
        let _ = Kind::Npc;
    }
}
