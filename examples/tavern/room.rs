//! The room, the people in it, and walking.

use bevy::{prelude::*, sprite::Anchor};
use bevy_hearsay::prelude::*;

use crate::{
    conversation::not_typing,
    style::{self, at, block},
};

/// Walkable area of the room: left, top, right, bottom.
const FLOOR: [f32; 4] = [32.0, 48.0, 808.0, 488.0];

/// Maximum distance for a conversation.
const TALK_DISTANCE: f32 = 110.0;

/// Speed of the player, in units per second.
const SPEED: f32 = 240.0;

/// Characters by id, with position and coat colour.
const PEOPLE: [(&str, Vec2, Color); 4] = [
    ("mara", Vec2::new(300.0, 168.0), Color::srgb(0.72, 0.30, 0.32)),
    ("odo", Vec2::new(170.0, 395.0), Color::srgb(0.30, 0.47, 0.66)),
    ("pell", Vec2::new(660.0, 300.0), Color::srgb(0.42, 0.56, 0.33)),
    ("traveller", Vec2::new(430.0, 420.0), Color::srgb(0.86, 0.66, 0.32)),
];

/// Obstacles: left, top, width, height, colour.
const FURNITURE: [(f32, f32, f32, f32, Color); 5] = [
    (200.0, 190.0, 260.0, 34.0, Color::srgb(0.42, 0.26, 0.15)),
    (84.0, 330.0, 64.0, 96.0, Color::srgb(0.38, 0.24, 0.14)),
    (560.0, 396.0, 110.0, 60.0, Color::srgb(0.38, 0.24, 0.14)),
    (700.0, 48.0, 90.0, 36.0, Color::srgb(0.30, 0.29, 0.31)),
    (716.0, 60.0, 58.0, 24.0, Color::srgb(0.90, 0.45, 0.16)),
];

/// Decoration without collision: a rug, the door, shelves, windows, stools, candles.
const DECOR: [(f32, f32, f32, f32, Color); 22] = [
    (330.0, 316.0, 230.0, 116.0, Color::srgb(0.45, 0.19, 0.20)),
    (340.0, 326.0, 210.0, 96.0, Color::srgb(0.55, 0.26, 0.24)),
    (360.0, 346.0, 170.0, 56.0, Color::srgb(0.45, 0.19, 0.20)),
    (390.0, 480.0, 90.0, 20.0, Color::srgb(0.16, 0.10, 0.07)),
    (398.0, 484.0, 74.0, 16.0, Color::srgb(0.50, 0.33, 0.18)),
    (200.0, 62.0, 260.0, 8.0, Color::srgb(0.30, 0.19, 0.11)),
    (212.0, 50.0, 12.0, 14.0, Color::srgb(0.35, 0.52, 0.35)),
    (232.0, 46.0, 10.0, 18.0, Color::srgb(0.62, 0.40, 0.22)),
    (252.0, 50.0, 12.0, 14.0, Color::srgb(0.60, 0.28, 0.25)),
    (290.0, 52.0, 20.0, 12.0, Color::srgb(0.70, 0.66, 0.55)),
    (330.0, 46.0, 10.0, 18.0, Color::srgb(0.35, 0.45, 0.55)),
    (352.0, 50.0, 12.0, 14.0, Color::srgb(0.62, 0.40, 0.22)),
    (400.0, 50.0, 30.0, 14.0, Color::srgb(0.45, 0.33, 0.20)),
    (40.0, 120.0, 8.0, 90.0, Color::srgb(0.20, 0.28, 0.42)),
    (792.0, 180.0, 8.0, 90.0, Color::srgb(0.20, 0.28, 0.42)),
    (98.0, 300.0, 34.0, 24.0, Color::srgb(0.48, 0.31, 0.18)),
    (600.0, 462.0, 30.0, 20.0, Color::srgb(0.48, 0.31, 0.18)),
    (528.0, 414.0, 24.0, 26.0, Color::srgb(0.48, 0.31, 0.18)),
    (112.0, 362.0, 8.0, 16.0, Color::srgb(0.95, 0.90, 0.75)),
    (611.0, 410.0, 8.0, 16.0, Color::srgb(0.95, 0.90, 0.75)),
    (113.0, 356.0, 6.0, 7.0, Color::srgb(0.99, 0.72, 0.25)),
    (612.0, 404.0, 6.0, 7.0, Color::srgb(0.99, 0.72, 0.25)),
];

/// Marks a character that is drawn.
#[derive(Component)]
pub(crate) struct Person;

/// Marks the character that the player moves.
#[derive(Component)]
pub(crate) struct Player;

/// The nearest character within talking distance, if any.
#[derive(Resource, Default, PartialEq)]
pub(crate) struct NearestCharacter(pub(crate) Option<Entity>);

pub(crate) fn plugin(app: &mut App) {
    app.insert_resource(ClearColor(style::BACKGROUND))
        .init_resource::<NearestCharacter>()
        .add_observer(add_sprites)
        .add_systems(Startup, setup)
        .add_systems(Update, (walk.run_if(not_typing), find_nearest).chain());
}

fn setup(mut commands: Commands) {
    let scaling_mode = bevy::camera::ScalingMode::AutoMin { min_width: style::WIDTH, min_height: style::HEIGHT };
    let projection = OrthographicProjection { scaling_mode, ..OrthographicProjection::default_2d() };
    commands.spawn((Camera2d, Projection::Orthographic(projection)));
    let [left, top, right, bottom] = FLOOR;
    let (width, height) = (right - left, bottom - top);
    commands.spawn(block(Color::srgb(0.26, 0.18, 0.13), width + 32.0, height + 48.0, at(left - 16.0, top - 32.0, 0.0)));
    commands.spawn(block(Color::srgb(0.47, 0.34, 0.22), width, height, at(left, top, 1.0)));
    for plank in 1..11 {
        let y = top + height * plank as f32 / 11.0;
        commands.spawn(block(Color::srgb(0.42, 0.30, 0.19), width, 2.0, at(left, y, 2.0)));
    }
    for (x, y, width, height, color) in FURNITURE {
        commands.spawn(block(Color::srgba(0.0, 0.0, 0.0, 0.25), width, height, at(x + 4.0, y + 5.0, 3.0)));
        commands.spawn(block(color, width, height, at(x, y, 4.0)));
    }
    for (index, (x, y, width, height, color)) in DECOR.into_iter().enumerate() {
        // The first three items are drawn under the furniture, the others above the furniture. Each item covers the
        // earlier items in the list.
        let z = if index < 3 { 2.1 } else { 5.0 } + index as f32 / 100.0;
        commands.spawn(block(color, width, height, at(x, y, z)));
    }
    let title = "The Broken Oar: the chapel bell has been gone for three days";
    commands.spawn(style::text(title, 15.0, style::MUTED, Anchor::CENTER_LEFT, at(left, 32.0, 6.0)));
}

/// Adds a body and a name tag to each character of the campaign that the plugin spawns.
fn add_sprites(added: On<Add, EntityKind>, characters: Query<(&MemoryId, &EntityKind, &Name)>, mut commands: Commands) {
    // Some entities of a campaign have no name.
    let Ok((id, kind, name)) = characters.get(added.entity) else { return };
    let Some((_, place, coat)) = PEOPLE.iter().find(|(at, ..)| *at == id.as_str()).filter(|_| kind.0.is_character())
    else {
        return;
    };
    let mut person = commands.entity(added.entity);
    person.insert((Person, Transform::from_translation(at(place.x, place.y, 10.0)), Visibility::default()));
    if *kind == EntityKind::player() {
        person.insert(Player);
    }
    let part = |color: Color, width, height, x, y, z| {
        (Sprite::from_color(color, Vec2::new(width, height)), Transform::from_xyz(x, y, z))
    };
    let (skin, hair) = (Color::srgb(0.93, 0.76, 0.60), Color::srgb(0.25, 0.16, 0.11));
    person.with_children(|body| {
        body.spawn(part(Color::srgba(0.0, 0.0, 0.0, 0.3), 34.0, 10.0, 0.0, -22.0, 0.0));
        body.spawn(part(*coat, 30.0, 34.0, 0.0, -4.0, 0.1));
        body.spawn(part(skin, 22.0, 20.0, 0.0, 20.0, 0.2));
        body.spawn(part(hair, 24.0, 8.0, 0.0, 31.0, 0.3));
        for x in [-5.0, 5.0] {
            body.spawn(part(style::BACKGROUND, 3.0, 4.0, x, 20.0, 0.3));
        }
        body.spawn(style::text(name.as_str(), 14.0, style::TEXT, Anchor::TOP_CENTER, Vec3::new(0.0, -30.0, 0.4)));
    });
}

/// Returns whether a character can be at a point.
fn is_free(place: Vec2) -> bool {
    let [left, top, right, bottom] = FLOOR;
    let (x, y) = (place.x + style::WIDTH / 2.0, style::HEIGHT / 2.0 - place.y);
    let inside = (left + 18.0..right - 18.0).contains(&x) && (top + 40.0..bottom - 48.0).contains(&y);
    let blocked = |&(fx, fy, width, height, _): &(f32, f32, f32, f32, Color)| {
        (fx - 16.0..fx + width + 16.0).contains(&x) && (fy - 20.0..fy + height).contains(&y)
    };
    inside && !FURNITURE.iter().any(blocked)
}

fn walk(keys: Res<ButtonInput<KeyCode>>, time: Res<Time>, mut player: Query<&mut Transform, With<Player>>) {
    let key_state = |codes: [KeyCode; 2]| f32::from(u8::from(keys.any_pressed(codes)));
    let x = key_state([KeyCode::ArrowRight, KeyCode::KeyD]) - key_state([KeyCode::ArrowLeft, KeyCode::KeyA]);
    let y = key_state([KeyCode::ArrowUp, KeyCode::KeyW]) - key_state([KeyCode::ArrowDown, KeyCode::KeyS]);
    let step = Vec2::new(x, y).normalize_or_zero() * SPEED * time.delta_secs();
    for mut place in &mut player {
        // If the way is blocked, the player can still move along one axis, for example along a wall.
        for step in [Vec2::new(step.x, 0.0), Vec2::new(0.0, step.y)] {
            let target = place.translation.truncate() + step;
            if step != Vec2::ZERO && is_free(target) {
                place.translation = target.extend(place.translation.z);
            }
        }
    }
}

/// All characters except the player.
type Others = (With<Person>, Without<Player>);

fn find_nearest(
    player: Query<&Transform, With<Player>>,
    others: Query<(Entity, &Transform), Others>,
    mut nearest_character: ResMut<NearestCharacter>,
) {
    let Ok(player) = player.single() else { return };
    let distance = |(entity, at): (Entity, &Transform)| (at.translation.distance(player.translation), entity);
    let nearest = others.iter().map(distance).min_by(|a, b| a.0.total_cmp(&b.0));
    nearest_character.set_if_neq(NearestCharacter(
        nearest.filter(|(distance, _)| *distance < TALK_DISTANCE).map(|(_, entity)| entity),
    ));
}
