//! What the desk knows of the memory without being told: it asks now and then, and never waits.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use hearsay_memory::{Memory, MemoryError, Status, Ticket, World};
use hearsay_model::{Position, StateVersion};

use crate::{names::Names, panel::News};

/// How often the memory is asked how it stands, while nothing happens here.
const OFTEN: Duration = Duration::from_millis(100);

/// How often the names are read anew at most: it takes some milliseconds in a large campaign, beside the worker.
const NAMES: Duration = Duration::from_millis(400);

/// Keeps [`News`] up to date.
#[derive(Debug, Default)]
pub struct Watch {
    news: News,
    status: Option<Ticket<Status>>,
    asked: Option<Instant>,
    scene: Option<Ticket<News>>,
    scene_at: Option<StateVersion>,
    /// The names, where they are others than before.
    names: Option<Ticket<Option<Names>>>,
    /// The names before: they go with the next reading, beside the worker, for many take a while to be freed.
    old_names: Option<Arc<Names>>,
    names_at: Option<(StateVersion, Instant)>,
}

impl Watch {
    /// The news as it is known.
    pub fn news(&self) -> &News {
        &self.news
    }

    /// Something was written here: everything that was read before is stale.
    pub fn wrote(&mut self, position: Position) {
        self.news.version = self.news.version.max(StateVersion { position, ..self.news.version });
        self.asked = None;
    }

    /// Whether something is still being read.
    pub fn is_busy(&self) -> bool {
        self.scene.is_some() || self.names.is_some() || self.scene_at != Some(self.news.version)
    }

    /// Looks at what came back, and asks anew where it is time.
    pub fn update(&mut self, memory: &Memory, under_way: usize) {
        self.news.under_way = under_way;
        if let Some(Ok(status)) = taken(&mut self.status) {
            self.news.version = self.news.version.max(status.version);
            self.news.status = Some(Arc::new(status));
        }
        if self.status.is_none() && self.asked.is_none_or(|asked| asked.elapsed() >= OFTEN) {
            self.status = memory.status().ok();
            self.asked = Some(Instant::now());
        }
        if let Some(Ok(read)) = taken(&mut self.scene) {
            self.scene_at = Some(read.version);
            let News { version, status, names, under_way, .. } = &self.news;
            let (version, status) = ((*version).max(read.version), status.clone());
            self.news = News { version, status, names: Arc::clone(names), under_way: *under_way, ..read };
        }
        if self.scene.is_none() && self.scene_at != Some(self.news.version) {
            self.scene = memory.read(|world| Ok(scene(world))).ok();
        }
        if let Some(Ok(Some(names))) = taken(&mut self.names) {
            self.old_names = Some(std::mem::replace(&mut self.news.names, Arc::new(names)));
        }
        let stale = self.names_at.is_none_or(|(at, when)| at != self.news.version && when.elapsed() >= NAMES);
        if self.names.is_none() && stale {
            let (old, now) = (self.old_names.take(), Arc::clone(&self.news.names));
            let read = move |world: &World| {
                drop(old);
                let names = Names::of(&world.state);
                Ok((names != *now).then_some(names))
            };
            self.names = memory.read_aside(read).ok();
            self.names_at = Some((self.news.version, Instant::now()));
        }
    }
}

/// What a ticket has; the ticket is gone then.
pub fn taken<T>(ticket: &mut Option<Ticket<T>>) -> Option<Result<T, MemoryError>> {
    let answer = ticket.as_ref()?.try_take()?;
    *ticket = None;
    Some(answer)
}

fn scene(world: &World) -> News {
    let state = &world.state;
    let playing = state.playing();
    let session = playing.and_then(|playing| state.session(&playing.session));
    News {
        version: state.version(),
        campaign: state.campaign().map(|campaign| campaign.name.clone()),
        session: playing.map(|playing| playing.session.clone()),
        session_title: session.map(|session| session.title.clone()),
        clock: state.clock().map(|time| state.calendar().print(time)),
        clock_time: state.clock(),
        place: playing.and_then(|playing| playing.place.clone()),
        here: playing.map(|playing| playing.here.clone()).unwrap_or_default(),
        ..News::default()
    }
}
