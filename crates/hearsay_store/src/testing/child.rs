//! Child programs that a test kills.

use std::{
    io::{self, BufRead, BufReader},
    process::{Command, Stdio},
    sync::mpsc::{self, Receiver, RecvTimeoutError},
    time::{Duration, Instant},
};

/// A running program that a test can kill. The program writes lines to its standard output.
#[derive(Debug)]
pub struct Child {
    process: std::process::Child,
    lines: Receiver<String>,
}

/// How a program ended, and what it wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChildOutcome {
    /// All lines that the program wrote.
    pub lines: Vec<String>,
    /// Whether the program wrote all lines that [`Child::kill_after`] waited for.
    pub was_ready: bool,
    /// Whether the program ended before it was killed.
    pub ended_by_itself: bool,
}

impl Child {
    /// Starts a program.
    ///
    /// # Errors
    /// Returns an error if the program cannot be started.
    pub fn start(command: &mut Command) -> io::Result<Self> {
        let mut process = command.stdout(Stdio::piped()).spawn()?;
        let output = process.stdout.take().ok_or_else(|| {
            io::Error::other(
                "the standard output of the process is \
                                                                           not connected",
            )
        })?;
        let (sender, lines) = mpsc::channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Ok(Self { process, lines })
    }

    /// Waits until the program has written `count` lines that start with `prefix`, waits for a further `delay`, and
    /// then kills the program (SIGKILL on Unix). If the program has not written these lines when `timeout` expires,
    /// kills the program at that time.
    ///
    /// # Errors
    /// Returns an error if the system cannot kill the program.
    pub fn kill_after(
        mut self,
        prefix: &str,
        mut count: u64,
        delay: Duration,
        timeout: Duration,
    ) -> io::Result<ChildOutcome> {
        let (mut lines, started) = (Vec::new(), Instant::now());
        let mut kill_at = None::<Instant>;
        loop {
            let wait = match kill_at {
                Some(at) => at.saturating_duration_since(Instant::now()),
                None => timeout.saturating_sub(started.elapsed()),
            };
            match self.lines.recv_timeout(wait) {
                Ok(line) => {
                    if kill_at.is_none() && line.starts_with(prefix) {
                        count = count.saturating_sub(1);
                        if count == 0 {
                            kill_at = Some(Instant::now() + delay);
                        }
                    }
                    lines.push(line);
                }
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => break,
            }
        }
        let ended_by_itself = self.process.try_wait()?.is_some();
        self.process.kill()?;
        self.process.wait()?;
        // Collects the lines that the program wrote before it ended and that have not arrived yet.
        lines.extend(self.lines.iter());
        Ok(ChildOutcome { lines, was_ready: kill_at.is_some(), ended_by_itself })
    }
}
