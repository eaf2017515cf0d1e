//! NPC memory for Bevy.
