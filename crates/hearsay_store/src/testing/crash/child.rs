//! The child program of a run.

use std::time::Duration;

use hearsay_model::{State, UndoRetention};

use super::{
    compare::{compare, open_campaign},
    protocol::{Request, read_request, send_message},
    run_end::RunEnd,
    workload::{UNDO_WINDOW, frame_content, open_frames, operation_group, replay},
};
use crate::{Opened, Store, faults::Faults, projection};

/// Does the work of the child program of a run. Compares the stored data with the expected data, then writes until the
/// program is killed. If the environment variable [`CHILD`](super::CHILD) is not set, returns immediately. Otherwise,
/// returns only after an error.
pub fn child() {
    let Some(request) = read_request() else { return };
    // Ends the line that the test harness has begun, so that all further messages are on lines of their own.
    send_message("started", &"");
    match open_campaign(&request.directory) {
        Ok((opened, faults)) => run_workload(opened, &faults, &request),
        Err(error) => send_message("unopened", &error),
    }
}

fn run_workload(opened: Opened, faults: &Faults, request: &Request) {
    let mut findings = compare(&opened, request.seed, &request.acknowledged);
    if let Some(reason) = opened.store.health().failure {
        send_message("stopped", &reason);
        findings.graph_differences = 0;
    }
    for (keyword, count) in
        [("lost", findings.lost), ("half", findings.half), ("different", findings.graph_differences)]
    {
        if count > 0 {
            send_message(keyword, &count);
        }
    }
    request.end.inject_storage_fault(faults);
    let Opened { store, mut state, .. } = opened;
    let (mut number, mut rotations) = (replay(request.seed, &state).0, 0);
    send_message("ready", &state.position());
    let mut remaining_commits = match request.end {
        RunEnd::Background { after } | RunEnd::Idle { after } => after,
        _ => u64::MAX,
    };
    let is_idle_end = matches!(request.end, RunEnd::Idle { .. });
    loop {
        if remaining_commits == 0 {
            if is_idle_end {
                wait_to_be_killed();
            }
            faults.fail_background("a test injected this");
        }
        remaining_commits = remaining_commits.saturating_sub(1);
        let operations = operation_group(request.seed, number, &state);
        if let Err(error) = store.commit_blocking(state.position().next(), operations.clone()) {
            return send_message("failed", &error);
        }
        send_message("saved", &(state.position().0 + operations.len() as u64));
        for operation in operations {
            let Ok(applied) = state.apply(operation) else {
                return send_message("failed", &"an operation does not apply");
            };
            store.project(projection::rows(&state, &applied.touched), applied.position, |_| {});
        }
        if number.is_multiple_of(3)
            && let Ok((mut file, _)) = open_frames(&request.directory)
            && file.append(&frame_content(number)).is_ok()
        {
            send_message("frame", &number);
        }
        if number % 11 == 4 {
            store.write_snapshot(&state, |_| {});
        }
        // Losing a compaction is not damage, but would change the state. A log that is damaged later therefore contains
        // no compaction.
        if number % 13 == 7 && !is_idle_end {
            compact(&store, &mut state);
        }
        while store.backlog() > 500 && store.health().failure.is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        if store.health().log_rewrites > rotations {
            rotations = store.health().log_rewrites;
            send_message("rotations", &rotations);
        }
        number += 1;
    }
}

/// Tells the parent program that this program is idle, until the parent program kills it. The repeated messages end
/// this program if the parent program has ended.
fn wait_to_be_killed() -> ! {
    loop {
        send_message("idle", &"");
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// Compacts the state and the journal. Does not wait until the journal is compacted.
fn compact(store: &Store, state: &mut State) {
    let retention = UndoRetention { operations: 2 * UNDO_WINDOW, sessions: 0 };
    state.advance_compaction(state.undo_horizon(&retention, store.projected()));
    let rewritten = state.compact(&mut state.plan_compaction(), usize::MAX);
    store.compact(state, rewritten.operations, |result| {
        if let Err(error) = result {
            send_message("failed", &error);
        }
    });
}
