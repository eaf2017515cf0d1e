//! The child program of a run.

use std::time::Duration;

use hearsay_model::{State, UndoRetention};

use super::{
    compare::{compare, open},
    end::End,
    protocol::{Request, request, say},
    workload::{NEAR, frame, frames, group, replay},
};
use crate::{Opened, Store, faults::Faults, projection};

/// Does the work of the child program of a run. Compares the stored data with the expected data, then writes until the
/// program is killed. If the environment variable [`CHILD`](super::CHILD) is not set, returns immediately. Otherwise,
/// returns only after an error.
pub fn child() {
    let Some(request) = request() else { return };
    // Ends the line that the test harness has begun, so that all further messages are on lines of their own.
    say("started", &"");
    match open(&request.directory) {
        Ok((opened, faults)) => work(opened, &faults, &request),
        Err(error) => say("unopened", &error),
    }
}

fn work(opened: Opened, faults: &Faults, request: &Request) {
    let mut found = compare(&opened, request.seed, &request.acknowledged);
    if let Some(reason) = opened.store.health().failure {
        say("stopped", &reason);
        found.graph_differences = 0;
    }
    for (word, count) in [("lost", found.lost), ("half", found.half), ("different", found.graph_differences)] {
        if count > 0 {
            say(word, &count);
        }
    }
    request.end.set(faults);
    let Opened { store, mut state, .. } = opened;
    let (mut number, mut rotations) = (replay(request.seed, &state).0, 0);
    say("ready", &state.position());
    let mut left = if let End::Background { after } = request.end { after } else { u64::MAX };
    loop {
        left -= 1;
        if left == 0 {
            faults.fail_background("a test injected this");
        }
        let operations = group(request.seed, number, &state);
        if let Err(error) = store.commit_blocking(state.position().next(), operations.clone()) {
            return say("failed", &error);
        }
        say("saved", &(state.position().0 + operations.len() as u64));
        for operation in operations {
            let Ok(applied) = state.apply(operation) else { return say("failed", &"an operation does not apply") };
            store.project(projection::rows(&state, &applied.touched), applied.position, |_| {});
        }
        if number.is_multiple_of(3)
            && let Ok((mut file, _)) = frames(&request.directory)
            && file.append(&frame(number)).is_ok()
        {
            say("frame", &number);
        }
        if number % 11 == 4 {
            store.write_snapshot(&state, |_| {});
        }
        if number % 13 == 7 {
            compact(&store, &mut state);
        }
        while store.backlog() > 500 && store.health().failure.is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        if store.health().log_rewrites > rotations {
            rotations = store.health().log_rewrites;
            say("rotations", &rotations);
        }
        number += 1;
    }
}

/// Compacts the state and the journal. Does not wait until the journal is compacted.
fn compact(store: &Store, state: &mut State) {
    let retention = UndoRetention { operations: 2 * NEAR, sessions: 0 };
    state.advance_compaction(state.undo_horizon(&retention, store.projected()));
    let rewritten = state.compact(&mut state.plan_compaction(), usize::MAX);
    store.compact(state, rewritten.operations, |result| {
        if let Err(error) = result {
            say("failed", &error);
        }
    });
}
