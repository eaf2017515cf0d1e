//! A thread that wakes the app after a time.

use std::{
    thread,
    time::{Duration, Instant},
};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, unbounded};
use hearsay_engine::Waker;

/// Wakes an app after a time. egui asks for a frame after a time, for example to show a tooltip, but the window system
/// only wakes the app for input.
#[derive(Debug, Clone)]
pub(crate) struct Alarm {
    waker: Waker,
    times: Sender<Instant>,
}

/// Longest time after which the alarm wakes the app. egui uses a very long time for "never".
const MAX_DELAY: Duration = Duration::from_secs(3600);

impl Alarm {
    /// Starts the thread of the alarm. The thread ends when the alarm is dropped.
    pub(crate) fn start(waker: Waker) -> Self {
        let (times, receiver) = unbounded();
        let thread_waker = waker.clone();
        let wait = move || wake_at_each_time(&receiver, &thread_waker);
        let thread = thread::Builder::new().name("hearsay-alarm".into()).spawn(wait);
        if let Err(error) = thread {
            tracing::warn!("cannot start a thread, so tooltips appear late: {error}");
        }
        Self { waker, times }
    }

    /// Wakes the app after a time.
    pub(crate) fn wake_after(&self, delay: Duration) {
        if delay.is_zero() {
            self.waker.wake();
        } else if delay <= MAX_DELAY {
            let _ = self.times.send(Instant::now() + delay);
        }
    }
}

/// Wakes the app at the earliest of the received times, then waits for further times.
fn wake_at_each_time(times: &Receiver<Instant>, waker: &Waker) {
    let mut next: Option<Instant> = None;
    loop {
        let received = match next {
            None => times.recv().map_err(|_| RecvTimeoutError::Disconnected),
            Some(next) => times.recv_deadline(next),
        };
        match received {
            Ok(time) => next = Some(next.map_or(time, |next| next.min(time))),
            Err(RecvTimeoutError::Timeout) => {
                next = None;
                waker.wake();
            }
            Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_app_is_woken_once_at_the_earliest_time() {
        let (sender, woken) = unbounded();
        let alarm = Alarm::start(Waker::new(move || sender.send(Instant::now()).unwrap_or_default()));
        let started_at = Instant::now();
        for milliseconds in [60_000, 30, 40] {
            alarm.wake_after(Duration::from_millis(milliseconds));
        }
        let woken_at = woken.recv_timeout(Duration::from_secs(30)).unwrap();
        assert!(woken_at - started_at >= Duration::from_millis(30));
        assert!(woken.recv_timeout(Duration::from_millis(100)).is_err(), "the app wakes once for all times");
        alarm.wake_after(Duration::ZERO);
        assert!(woken.recv_timeout(Duration::from_secs(30)).is_ok());
    }
}
