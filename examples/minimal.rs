//! The plugin in an app of twenty lines. A blacksmith sees a man leave a broken sword, and the app asks him about the
//! sword. The app prints the scene context: the facts that this character knows, as input for a language model.
//!
//! ```sh
//! cargo run -p hearsay_examples --example minimal
//! ```

#![allow(clippy::print_stdout)]

use bevy::prelude::*;
use bevy_hearsay::prelude::*;

fn main() -> AppExit {
    App::new().add_plugins((MinimalPlugins, HearsayPlugins::empty())).add_systems(Startup, setup).run()
}

fn setup(mut commands: Commands) {
    commands.spawn((MemoryId::new("the-forge"), Name::new("The Forge"), EntityKind::location()));
    let grimjaw = commands.spawn((MemoryId::new("grimjaw"), Name::new("Grimjaw"), EntityKind::npc())).id();
    commands
        .entity(grimjaw)
        .move_to("the-forge")
        .set_attribute("occupation", "blacksmith")
        .witness(Statement::lore("the-forge", "A one-eyed man left a broken sword at the forge and never came back."))
        .ask("Whose broken sword is this?")
        .observe(print);
}

fn print(answered: On<Answered>, replies: Query<&Reply<Answer>>, mut exit: MessageWriter<AppExit>) -> Result {
    println!("{}", replies.get(answered.entity)?.0.context.render(Form::Prompt, false));
    exit.write(AppExit::Success);
    Ok(())
}
