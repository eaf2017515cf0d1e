//! The window: each character is a dot in the square of its place.

use bevy::{diagnostic::DiagnosticsStore, prelude::*, sprite::Anchor};
use bevy_hearsay::prelude::*;

use crate::{CharacterNumber, PLACES, format_diagnostics};

/// Number of places per row.
const PLACES_PER_ROW: usize = 10;

/// Size of a place in the window, in pixels.
const CELL_SIZE: Vec2 = Vec2::new(120.0, 64.0);

#[derive(Component)]
struct DiagnosticsText;

pub(crate) fn plugin(app: &mut App) {
    app.add_systems(Startup, setup).add_systems(Update, (add_dots, move_dots, update_text));
}

fn setup(mut commands: Commands) {
    commands.insert_resource(ClearColor(Color::srgb(0.06, 0.07, 0.09)));
    let scaling_mode = bevy::camera::ScalingMode::AutoMin { min_width: 1280.0, min_height: 720.0 };
    let projection = OrthographicProjection { scaling_mode, ..OrthographicProjection::default_2d() };
    commands.spawn((Camera2d, Projection::Orthographic(projection)));
    let place = Transform::from_xyz(-600.0, 344.0, 10.0);
    commands.spawn((
        DiagnosticsText,
        Text2d::default(),
        TextFont::from_font_size(FontSize::Px(16.0)),
        Anchor::CENTER_LEFT,
        place,
    ));
}

/// Returns the position of a character in the window.
fn dot_position(number: usize, place: usize) -> Vec3 {
    let (column, row) = ((place % PLACES_PER_ROW) as f32, (place / PLACES_PER_ROW) as f32);
    let corner = Vec2::new(-600.0 + column * CELL_SIZE.x, 310.0 - row * CELL_SIZE.y);
    // Multiples of irrational numbers spread the dots evenly over the square.
    let part = |factor: f64| ((number as f64 * factor).fract() as f32).clamp(0.0, 1.0);
    let inside = Vec2::new(part(0.618_034), -part(0.754_878)) * (CELL_SIZE - Vec2::splat(10.0));
    (corner + inside).extend(0.0)
}

fn add_dots(added: Query<Entity, Added<CharacterNumber>>, mut commands: Commands) {
    for entity in &added {
        let dot = Sprite::from_color(Color::WHITE, Vec2::splat(3.0));
        commands.entity(entity).insert((dot, Transform::default()));
    }
}

/// Characters that moved or have just received a sprite.
type Moved = Or<(Changed<PlaceId>, Added<Sprite>)>;

fn move_dots(mut moved: Query<(&CharacterNumber, &PlaceId, &mut Sprite, &mut Transform), Moved>) {
    for (number, at, mut sprite, mut transform) in &mut moved {
        let place = at.0.as_str().trim_start_matches("place-").parse().unwrap_or(0);
        transform.translation = dot_position(number.0, place);
        sprite.color = Color::hsl(360.0 * (place * 37 % PLACES) as f32 / PLACES as f32, 0.65, 0.65);
    }
}

fn update_text(mut text: Single<&mut Text2d, With<DiagnosticsText>>, diagnostics: Res<DiagnosticsStore>) {
    // Bevy's built-in font has ASCII letters only.
    text.0 = format_diagnostics(&diagnostics).replace('µ', "u");
}
