//! Thread priorities: background threads run at a lower priority than the threads of a game.

/// Reduced priority of a thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ThreadPriority {
    /// Lower than the priority of normal threads, such as those of a game. On Linux, a niceness of 10.
    Low,
    /// Lower than [`ThreadPriority::Low`]. On Linux, a niceness of 15.
    Lowest,
}

/// Lowers the priority of the current thread and of the threads that it starts later. If the system refuses, the
/// priority stays unchanged.
pub fn lower_priority(priority: ThreadPriority) {
    #[cfg(any(target_os = "linux", target_os = "android", windows))]
    {
        use thread_priority::{ThreadPriority as PortablePriority, ThreadPriorityValue, set_current_thread_priority};
        // The scale is 0 to 99. Normal threads have 50.
        let value: u8 = match priority {
            ThreadPriority::Low => 25,
            ThreadPriority::Lowest => 12,
        };
        let value = ThreadPriorityValue::try_from(value).map(PortablePriority::Crossplatform);
        let lowered = value.and_then(|value| set_current_thread_priority(value).map_err(|error| format!("{error:?}")));
        if let Err(error) = lowered {
            tracing::debug!("the priority of a thread could not be lowered: {error}");
        }
    }
    #[cfg(not(any(target_os = "linux", target_os = "android", windows)))]
    let _ = priority;
}
