//! Priorities of threads: work that can wait leaves the processor to work that cannot.

/// How far a thread steps back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ThreadPriority {
    /// Below threads of the usual priority, such as those of a game. On Linux a niceness of 10.
    Low,
    /// Below [`ThreadPriority::Low`]. On Linux a niceness of 15.
    Lowest,
}

/// Lowers the priority of the current thread, and of those that it starts later. Where the system does not allow it, the
/// thread keeps its priority.
pub fn lower_priority(to: ThreadPriority) {
    #[cfg(any(target_os = "linux", target_os = "android", windows))]
    {
        use thread_priority::{ThreadPriority as Of, ThreadPriorityValue, set_current_thread_priority};
        // Of 0 to 99, of which a thread has 50.
        let value: u8 = match to {
            ThreadPriority::Low => 25,
            ThreadPriority::Lowest => 12,
        };
        let value = ThreadPriorityValue::try_from(value).map(Of::Crossplatform);
        let lowered = value.and_then(|value| set_current_thread_priority(value).map_err(|error| format!("{error:?}")));
        if let Err(error) = lowered {
            tracing::debug!("a thread keeps its priority: {error}");
        }
    }
    #[cfg(not(any(target_os = "linux", target_os = "android", windows)))]
    let _ = to;
}
