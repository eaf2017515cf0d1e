//! Tests of a save that several programs have open at the same time.

use std::time::{Duration, Instant};

use bevy::app::AppExit;
use hearsay_commands::edit::{Edit, FactOptions};
use hearsay_engine::{MemoryOptions, Settings, SharingStatus};

use super::*;

fn shared(save: &std::path::Path) -> HearsayPlugins {
    let mut plugins = HearsayPlugins::empty();
    let mut settings = Settings::default();
    settings.model.enabled = false;
    plugins.memory.settings = Some(settings);
    plugins.memory.save = Some(save.to_owned());
    plugins.memory.share = true;
    plugins
}

/// Advances all apps until a condition holds, for at most 20 seconds.
fn step_until(apps: &mut [SteppingApp], condition: impl Fn(&mut [SteppingApp]) -> bool) {
    let started = Instant::now();
    while !condition(apps) {
        assert!(started.elapsed() < Duration::from_secs(20), "the condition never holds");
        apps.iter_mut().for_each(|app| app.step());
    }
}

fn attribute(app: &mut SteppingApp, id: &str, name: &str) -> Option<String> {
    let entity = entity(app, id)?;
    Some(app.world().get::<Attributes>(entity)?.get(name)?.to_string())
}

#[test]
fn two_games_and_another_program_see_the_changes_of_each_other() {
    let directory = tempfile::tempdir().unwrap();
    let mut apps = [SteppingApp::new(shared(directory.path())), SteppingApp::new(shared(directory.path()))];
    apps[0].world_mut().spawn((MemoryId::new("ann"), Name::new("Ann"), EntityKind::npc()));
    apps.iter_mut().for_each(SteppingApp::settle);
    // The second game attached to the first one, or received the entity later. It spawns an entity for each record.
    step_until(&mut apps, |apps| apps.iter_mut().all(|app| entity(app, "ann").is_some()));
    let roles: Vec<bool> = apps
        .iter()
        .map(|app| {
            let status = memory(app).status().unwrap().wait().unwrap();
            matches!(status.sharing, SharingStatus::Owner { .. })
        })
        .collect();
    assert_eq!(roles.iter().filter(|is_owner| **is_owner).count(), 1, "{roles:?}");

    for (number, writer) in [(1, 0), (2, 1)] {
        let ann = entity(&mut apps[writer], "ann").unwrap();
        let value = format!("trade {number}");
        apps[writer].world_mut().commands().entity(ann).set_attribute("occupation", value.as_str());
        step_until(&mut apps, |apps| {
            apps.iter_mut().all(|app| attribute(app, "ann", "occupation").as_deref() == Some(&value))
        });
    }

    // A program without Bevy, such as the command line, changes the campaign too.
    let options = MemoryOptions {
        location: hearsay_engine::Location::Directory(directory.path().to_owned()),
        share: true,
        ..MemoryOptions::in_memory()
    };
    let mut settings = Settings::default();
    settings.model.enabled = false;
    let other = Memory::open(MemoryOptions { settings, ..options }).unwrap();
    let set = |value: &str| Edit::Set {
        entity: EntityId::new("ann").unwrap(),
        attribute: "mood".into(),
        value: value.into(),
        options: FactOptions::default(),
    };
    other.edit(set("cheerful")).unwrap().wait().unwrap();
    step_until(&mut apps, |apps| {
        apps.iter_mut().all(|app| attribute(app, "ann", "mood").as_deref() == Some("cheerful"))
    });
    // One game exits, whether it is the owner or not, and the others continue.
    let [mut first, second] = apps;
    first.world_mut().write_message(AppExit::Success);
    first.step();
    drop(first);
    other.edit(set("gloomy")).unwrap().wait().unwrap();
    let mut apps = [second];
    step_until(&mut apps, |apps| attribute(&mut apps[0], "ann", "mood").as_deref() == Some("gloomy"));
    assert_eq!(apps[0].take_errors(), [""; 0]);
}

#[test]
fn a_game_does_not_share_its_save_unless_it_asks_for_it() {
    let directory = tempfile::tempdir().unwrap();
    let mut plugins = shared(directory.path());
    plugins.memory.share = false;
    let mut app = SteppingApp::new(plugins);
    app.settle();
    let status = memory(&app).status().unwrap().wait().unwrap();
    assert_eq!(status.sharing, SharingStatus::NotShared);
}
