//! egui panels over Hearsay's NPC memory, for any bevy_egui app.
