//! Each plugin works alone: every subset of the plugins starts, plays and exits. A request that needs a missing plugin
//! fails with an error that names the plugin.

use std::{
    collections::BTreeSet,
    thread,
    time::{Duration, Instant},
};

use bevy::app::AppExit;
use bevy_hearsay::{
    GameEventsPlugin, HearsayDiagnosticsPlugin, MemoryPlugin, MindsPlugin, PluginName, QuestionsPlugin, SavesPlugin,
    SpeechPlugin, SyncPlugin, testing::describe_pending_work,
};
use hearsay_engine::Settings;

use super::*;

const PLUGINS: [PluginName; 6] = [
    PluginName::Memory,
    PluginName::Sync,
    PluginName::GameEvents,
    PluginName::Questions,
    PluginName::Saves,
    PluginName::Speech,
];

/// Number of questions that [`play`] asks.
const QUESTION_COUNT: usize = 6;

#[derive(Resource, Default)]
struct Outcomes {
    missing: BTreeSet<PluginName>,
    answered: usize,
    unanswered: usize,
}

impl Outcomes {
    fn record(&mut self, error: &HearsayError) {
        if let HearsayError::PluginMissing(plugin) = error {
            self.missing.insert(*plugin);
        }
    }
}

fn record_errors(mut errors: MessageReader<MemoryErrorMessage>, mut outcomes: ResMut<Outcomes>) {
    errors.read().for_each(|message| outcomes.record(&message.error));
}

fn record_answer(_: On<Answered>, mut outcomes: ResMut<Outcomes>) {
    outcomes.answered += 1;
}

fn record_failure(on: On<Unanswered>, mut outcomes: ResMut<Outcomes>) {
    outcomes.unanswered += 1;
    outcomes.record(&on.error);
}

fn app(installed: &[PluginName], has_observing_plugins: bool) -> App {
    let mut settings = Settings::default();
    (settings.model.enabled, settings.extraction.enabled) = (false, false);
    let mut app = App::new();
    app.add_plugins(MinimalPlugins)
        .add_message::<MemoryErrorMessage>()
        .init_resource::<Outcomes>()
        .add_observer(record_answer)
        .add_observer(record_failure)
        .add_systems(Last, record_errors);
    // The order of the plugins does not matter, so the memory comes last.
    if has_observing_plugins {
        app.add_plugins((HearsayDiagnosticsPlugin, MindsPlugin));
    }
    for plugin in installed.iter().rev() {
        _ = match plugin {
            PluginName::Memory => {
                app.add_plugins(MemoryPlugin { settings: Some(settings.clone()), ..MemoryPlugin::default() })
            }
            PluginName::Sync => app.add_plugins(SyncPlugin::default()),
            PluginName::GameEvents => app.add_plugins(GameEventsPlugin::default()),
            PluginName::Questions => app.add_plugins(QuestionsPlugin),
            PluginName::Saves => app.add_plugins(SavesPlugin::default()),
            PluginName::Speech => app.add_plugins(SpeechPlugin),
        };
    }
    app.finish();
    app.cleanup();
    app
}

/// Makes a request of every kind.
fn play(commands: &mut Commands) {
    commands.spawn((MemoryId::new("inn"), Name::new("The Inn"), EntityKind::location()));
    commands.spawn((MemoryId::new("watch"), Name::new("The Watch"), EntityKind::faction()));
    let bob = commands.spawn((MemoryId::new("bob"), Name::new("Bob"), EntityKind::npc())).id();
    let ann = (MemoryId::new("ann"), Name::new("Ann"), EntityKind::npc(), WatchMind::default());
    let ann = commands.spawn(ann).id();
    let lore = || Statement::lore("inn", "The inn is old.");
    commands
        .entity(ann)
        .move_to("inn")
        .join("watch")
        .relate("OWES", bob)
        .unrelate("OWES", bob)
        .set_attitude("TRUSTS", bob, 10)
        .lie_to(bob, lore())
        .leave("watch")
        .set_attribute("occupation", "cook")
        .remove_attribute("occupation")
        .say("Good evening.")
        .say_that("The inn is old.", [lore()])
        .tell(bob, lore())
        .witness(lore())
        .show(lore())
        .read_document("inn")
        .reveal("no-such-fact", bob)
        .forget("no-such-fact");
    commands.start_session(NewSession::default());
    commands.log_line("Rain beats on the shutters.");
    commands.end_session();
    commands.set_flag("no-such-flag", true);
    commands.gossip(1);
    commands.save_slot("slot");
    commands.drop_slot("slot");
    commands.quick_save();
    commands.entity(ann).ask("Who are you?").observe(|_: On<Answered>| {});
    commands.entity(ann).converse_with(bob).say("Who are you?");
    commands.entity(ann).knowledge(10);
    commands.entity(ann).beliefs_about(bob);
    commands.search_memory(Search::new("inn"));
    commands.read_memory(|world| Ok(world.state.fact_count())).observe(|_: On<Unanswered>| {});
    commands.entity(bob).die().erase();
}

fn step_until_idle(app: &mut App) {
    let start = Instant::now();
    let mut frames = 0;
    while frames < 30 || !describe_pending_work(app.world()).is_empty() {
        app.update();
        frames += 1;
        thread::sleep(Duration::from_micros(200));
        let pending_work = describe_pending_work(app.world());
        assert!(start.elapsed() < SteppingApp::SETTLE_TIMEOUT, "the app still has pending work: {pending_work}");
    }
}

#[test]
fn every_subset_of_the_plugins_starts_plays_and_exits() {
    for subset in 0..1_usize << PLUGINS.len() {
        let is_in_subset = |index: &usize| subset & (1 << index) != 0;
        let installed: Vec<PluginName> = (0..PLUGINS.len()).filter(is_in_subset).map(|index| PLUGINS[index]).collect();
        for has_observing_plugins in [false, true] {
            let mut app = app(&installed, has_observing_plugins);
            play(&mut app.world_mut().commands());
            step_until_idle(&mut app);
            // A request needs its own plugin and the memory.
            let missing_for = |plugin| [plugin, PluginName::Memory].into_iter().find(|name| !installed.contains(name));
            let expected: BTreeSet<PluginName> = PLUGINS.into_iter().skip(1).filter_map(missing_for).collect();
            let outcomes = app.world().resource::<Outcomes>();
            assert_eq!(outcomes.missing, expected, "{installed:?}");
            assert_eq!(outcomes.answered + outcomes.unanswered, QUESTION_COUNT, "{installed:?}");
            app.world_mut().write_message(AppExit::Success);
            app.update();
            if installed.contains(&PluginName::Memory) {
                assert!(is_closed(app.world()), "{installed:?}");
            }
        }
    }
}
