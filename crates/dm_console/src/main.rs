//! The console that a dungeon master leaves open at the table.

fn main() {}
