//! Real campaigns, if they are available. The tests do not change these campaigns, and no part of the campaigns is in
//! the project.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use hearsay_model::{EntityId, Kind, PredicateRole, State, Timestamp};

use crate::{Campaign, Format, Limits, ReadOptions, plan, read_any};

/// Returns the directory of a real campaign: `shared/data/campaigns` beside one of the parent directories.
fn real(name: &str) -> Option<PathBuf> {
    let above = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    above.map(|folder| folder.join("shared/data/campaigns").join(name)).find(|folder| folder.is_dir())
}

fn read(name: &str) -> Option<Campaign> {
    let folder = real(name)?;
    Some(read_any(&folder, &ReadOptions::default(), &Limits::default()).unwrap_or_else(|errors| panic!("{errors}")))
}

/// Checks that the result can be imported, and that a second import changes nothing.
fn imports_once(campaign: &Campaign) {
    let mut state = State::default();
    state.apply(plan(&state, campaign, Timestamp(1)).operation.unwrap()).unwrap();
    assert_eq!(plan(&state, campaign, Timestamp(2)).operation, None);
}

#[test]
fn torys_links_by_title() {
    let Some(campaign) = read("torys") else { return };
    let findings = campaign.findings();
    assert_eq!((findings.format, findings.skipped.len(), findings.ambiguous.len()), (Some(Format::Markdown), 0, 0));
    assert!(findings.resolved >= 286, "{}", findings.resolved);
    imports_once(&campaign);
}

#[test]
fn heirs_of_their_ways_has_its_sessions_actors_and_dead() {
    let Some(campaign) = read("heirs-of-their-ways") else { return };
    assert_eq!(campaign.sessions().len(), 26);
    let numbers: Vec<_> = campaign.sessions().iter().filter_map(|session| session.number).collect();
    assert_eq!(numbers, (0..26).collect::<Vec<_>>());
    let of_file = |start: &str, part: &str, kind: Kind| {
        let is_from_file = |id: &&EntityId| {
            let external = campaign.external_ids(id).iter().map(|external| external.id.as_str());
            let file =
                external.clone().any(|path| path.starts_with(start) && path.contains(part) && !path.contains('#'));
            file && campaign.entities().get(*id) == Some(&kind)
        };
        campaign.entities().keys().filter(is_from_file).count()
    };
    assert_eq!(of_file("src/adventures/", "/actors/", Kind::Npc), 23);
    assert_eq!(of_file("src/module/", "/PCs/", Kind::Player), 4);
    let headed = [
        "alara-npcs",
        "the-hands-of-kasprus",
        "brundy-tallaxe",
        "sterlyn",
        "the-skeleton-in-the-grotto",
        "the-ascendency-guild",
        "temple-of-the-harvest",
        "wulfric-hallowbane",
        "vargr-bloodfang",
        "liora-hren-serin",
        "rajan-shadowclaw",
        "kael-darkfang",
        "skar-bloodhowl",
        "luminara",
        "cornelius",
        "the-fey-bandits",
        "aveline-rosewood",
        "elise",
        "zzyzx",
        "aether-orbs",
        "the-cursed-rose",
        "lord-varrick-npcs",
        "lucien-darkwood",
        "selene",
        "malrik-veynor-npcs",
        "terrak",
        "mara-stonefist",
    ];
    for id in headed {
        assert!(campaign.entities().contains_key(&EntityId::new(id).unwrap()), "{id}");
    }
    let dead = campaign
        .facts()
        .filter(|fact| PredicateRole::Condition.is(fact.predicate()) && fact.object().text() == Some("dead"));
    let dead: BTreeSet<&str> = dead.map(|fact| fact.subject().as_str()).collect();
    assert_eq!(
        dead.into_iter().collect::<Vec<_>>(),
        ["malrik-veynor", "malrik-veynor-npcs", "mara-stonefist", "terrak", "wulfric-hallowbane"]
    );
    assert!(
        !campaign.entities().keys().any(|id| id.as_str().starts_with("check-") || id.as_str().starts_with("save-"))
    );
    imports_once(&campaign);
}
