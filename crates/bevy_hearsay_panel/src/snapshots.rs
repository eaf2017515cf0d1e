//! Tests that compare the panels' models for a small campaign with saved snapshots. To rewrite the snapshots, run
//! `UPDATE_SNAPSHOTS=1 cargo test -p bevy_hearsay_panel snapshots`. Check the differences before you commit them.

use std::{fs, path::PathBuf};

use hearsay_engine::ReadSnapshot;
use hearsay_model::EntityId;
use serde::Serialize;

use crate::{
    panels::{
        entity::{EntityModel, EntityRequest},
        graph::{GraphModel, GraphRequest},
        import::ReportModel,
        review::{ReviewModel, ReviewTriage},
        scene::{SceneSettingModel, SceneSettingRequest},
        threads::ThreadsModel,
    },
    testing::{empty_memory, read_snapshot},
};

const CAMPAIGN: &str = "campaign: {id: inn, name: The Inn}\n";

const PEOPLE: &str = "entities:
  - {id: the-gull, name: The Gull, kind: location, description: A low house with a good stove.}
  - {id: lyra, name: Lyra, kind: player, location: the-gull}
  - id: bram
    name: Bram
    kind: npc
    location: the-gull
    attributes: {occupation: ferryman}
    relationships:
      - {type: OWES, target: ann, text: Bram owes Ann ten crowns.}
    secrets:
      - {id: bram-rows-at-night, text: Bram rows at night., conceals: [bram], known_by: [ann]}
  - {id: ann, name: Ann, kind: npc, location: the-gull}
";

/// Compares a model with the snapshot of this name.
fn check(name: &str, model: &impl Serialize) {
    let current = serde_json::to_string_pretty(model).unwrap() + "\n";
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("src/snapshots/{name}.json"));
    if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, current).unwrap();
        return;
    }
    let saved = fs::read_to_string(&file).unwrap_or_default();
    let different_line = saved.lines().zip(current.lines()).position(|(saved, current)| saved != current);
    let line = different_line.unwrap_or_else(|| saved.lines().count().min(current.lines().count()));
    let at = |text: &str| text.lines().nth(line).unwrap_or_default().trim().to_owned();
    assert!(saved == current, "{name}, line {}: it was {:?} and is {:?}", line + 1, at(&saved), at(&current));
}

#[test]
fn what_panels_show_of_a_small_campaign() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("campaign.yaml"), CAMPAIGN).unwrap();
    fs::write(directory.path().join("people.yaml"), PEOPLE).unwrap();
    let memory = empty_memory();
    let outcome = memory.import_dry_run(directory.path()).unwrap().wait().unwrap();
    check("import", &ReportModel::from_report(&outcome.report));
    memory.import(directory.path()).unwrap().wait().unwrap();
    let id = |text: &str| EntityId::new(text).unwrap();
    let read = move |world: &ReadSnapshot| {
        let request = SceneSettingRequest { speaker: Some(id("bram")), ..SceneSettingRequest::default() };
        check("scene", &SceneSettingModel::load(world, &request)?);
        check("entity", &EntityModel::load(world, &EntityRequest { id: id("bram") })?);
        check(
            "graph",
            &GraphModel::load(world, &GraphRequest { center: Some(id("bram")), ..GraphRequest::default() })?,
        );
        check("threads", &ThreadsModel::load(world)?);
        let mut review = ReviewModel::load(world, &[], ReviewTriage::default());
        review.cards.iter_mut().for_each(|card| card.recorded = 0);
        check("review", &review);
        Ok(())
    };
    let state = memory.read(|world| Ok(std::sync::Arc::clone(&world.state))).unwrap().wait().unwrap();
    read(&read_snapshot(state)).map_err(|error: hearsay_engine::MemoryError| error.to_string()).unwrap();
}
