//! Programs that write to one campaign and read it, each in its own process.

use std::{
    collections::{BTreeMap, BTreeSet},
    ffi::OsStr,
    io::{BufRead, BufReader, Write},
    ops::Range,
    path::{Path, PathBuf},
    process::{Child, ChildStdin, Command, ExitStatus, Stdio},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail, ensure};
use hearsay_engine::Memory;
use hearsay_model::{Position, State};
use hearsay_store::{Credentials, Endpoint, encode_state};

use super::{open, open_in_server, summary, write};

/// The hidden command of `hearsay_eval` that writes to a campaign of several programs or reads it.
pub const CHILD_COMMAND: &str = "sharing-child";

/// Maximum time without progress of any program.
pub(crate) const STALL_LIMIT: Duration = Duration::from_secs(60);

/// Environment variables with the user and the password of a server.
const USER: &str = "HEARSAY_STORE_USER";
const PASSWORD: &str = "HEARSAY_STORE_PASSWORD";

/// A campaign that several programs use.
#[derive(Debug, Clone)]
pub(crate) enum SharedCampaign {
    /// The campaign is in a directory on this machine. One of the programs has the database open.
    Directory(PathBuf),
    /// The campaign is in a server.
    Server(Endpoint),
}

impl SharedCampaign {
    /// Reads the argument that [`Programs`] passes to a process: a directory or the URL of a server. The user and the
    /// password of the server are in environment variables.
    fn from_argument(argument: &OsStr) -> Self {
        let Some(url) = argument.to_str().filter(|text| text.starts_with("ws://")) else {
            return Self::Directory(argument.into());
        };
        let variable = |name| std::env::var(name).unwrap_or_default();
        Self::Server(Endpoint::hosted(url, variable(USER), variable(PASSWORD)))
    }

    /// Passes the campaign to the command of a process.
    fn add_to(&self, command: &mut Command) {
        match self {
            Self::Directory(directory) => command.arg(directory),
            Self::Server(Endpoint { url, credentials, .. }) => {
                if let Some(Credentials { user, password, .. }) = credentials {
                    command.env(USER, user).env(PASSWORD, password);
                }
                command.arg(url)
            }
        };
    }

    /// Opens a memory of the campaign.
    ///
    /// # Errors
    /// Returns an error if the memory cannot be opened.
    pub(crate) fn open(&self) -> Result<Memory> {
        match self {
            Self::Directory(directory) => open(directory),
            Self::Server(endpoint) => open_in_server(endpoint),
        }
    }

    /// Writes the records of a memory to a file, so that the files of all programs can be compared. The journal in a
    /// directory can be compacted at different times by different programs, so only its content is compared.
    fn write_records(&self, memory: &Memory, path: &Path) -> Result<()> {
        match self {
            Self::Directory(_) => memory.export(path)?.wait()?,
            Self::Server(_) => {
                let state = memory.read(|world| Ok(Arc::clone(&world.state)))?.wait()?;
                std::fs::write(path, encode_state(&state)?)?;
            }
        }
        Ok(())
    }
}

/// The running process of a program. It is killed when this value is dropped.
struct Process {
    child: Child,
    input: Option<ChildStdin>,
    output: Option<JoinHandle<()>>,
}

impl Process {
    /// Starts a process that writes the given notes as a writer, or only reads.
    fn start(
        campaign: &SharedCampaign,
        writer: Option<usize>,
        notes: Range<usize>,
        acknowledged: &Arc<Mutex<BTreeSet<usize>>>,
        done: &Arc<AtomicUsize>,
    ) -> Result<Self> {
        let mut command = Command::new(std::env::current_exe()?);
        command.arg(CHILD_COMMAND).stdin(Stdio::piped()).stdout(Stdio::piped());
        campaign.add_to(&mut command);
        if let Some(writer) = writer {
            command.args([writer.to_string(), notes.start.to_string(), notes.end.to_string()]);
        }
        let mut child = command.spawn()?;
        let output = child.stdout.take().context("the standard output of the process is not connected")?;
        let (acknowledged, done) = (Arc::clone(acknowledged), Arc::clone(done));
        let output = thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if let Ok(number) = line.parse() {
                    acknowledged.lock().unwrap_or_else(PoisonError::into_inner).insert(number);
                    done.fetch_add(1, Ordering::Relaxed);
                }
            }
        });
        let input = child.stdin.take();
        Ok(Self { child, input, output: Some(output) })
    }

    /// Kills the process, and reads the rest of its output.
    fn kill(&mut self) -> Result<()> {
        self.child.kill()?;
        self.child.wait()?;
        self.output.take().map(JoinHandle::join);
        Ok(())
    }

    /// Asks the program for its records, and ends it.
    fn export(&mut self, position: Position, path: &Path) -> Result<()> {
        let mut input = self.input.take().context("the standard input of the process is not connected")?;
        writeln!(input, "{} {}", position.0, path.display())?;
        drop(input);
        let status = wait_for_end(&mut self.child)?;
        self.output.take().map(JoinHandle::join);
        ensure!(status.success(), "a program ended with {status}");
        Ok(())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // The process may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Waits for the end of a process.
///
/// # Errors
/// Returns an error if the process does not end within [`STALL_LIMIT`].
pub(crate) fn wait_for_end(child: &mut Child) -> Result<ExitStatus> {
    let started = Instant::now();
    loop {
        match child.try_wait()? {
            Some(status) => return Ok(status),
            None if started.elapsed() < STALL_LIMIT => thread::sleep(Duration::from_millis(5)),
            None => bail!("a process did not end within {} s", STALL_LIMIT.as_secs()),
        }
    }
}

/// A program, and the notes that it acknowledged.
struct Program {
    /// Number of the writer; `None` for a reader.
    writer: Option<usize>,
    process: Process,
    acknowledged: Arc<Mutex<BTreeSet<usize>>>,
}

impl Program {
    fn acknowledged(&self) -> BTreeSet<usize> {
        self.acknowledged.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Acknowledged notes, compared with the notes in the journal.
pub(crate) struct NoteCounts {
    /// Number of acknowledged notes.
    pub(crate) acknowledged: usize,
    /// Number of acknowledged notes that are not in the journal.
    pub(crate) lost: usize,
    /// Number of notes that are in the journal more than once.
    pub(crate) doubled: usize,
}

/// Programs that write to one campaign, and programs that only read it. The writers come first.
pub(crate) struct Programs {
    campaign: SharedCampaign,
    /// Number of notes that each writer writes.
    notes: usize,
    programs: Vec<Program>,
    /// Number of acknowledged notes.
    done: Arc<AtomicUsize>,
    /// The last number of acknowledged notes, and the time when it changed.
    last: (usize, Instant),
}

impl Programs {
    /// Starts the programs.
    ///
    /// # Errors
    /// Returns an error if a process cannot be started.
    pub(crate) fn start(campaign: SharedCampaign, writers: usize, readers: usize, notes: usize) -> Result<Self> {
        let done = Arc::default();
        let start = |writer| -> Result<Program> {
            let acknowledged = Arc::default();
            let process = Process::start(&campaign, writer, 0..notes, &acknowledged, &done)?;
            Ok(Program { writer, process, acknowledged })
        };
        let roles = (0..writers).map(Some).chain((0..readers).map(|_| None));
        let programs = roles.map(start).collect::<Result<Vec<_>>>()?;
        Ok(Self { campaign, notes, programs, done, last: (0, Instant::now()) })
    }

    /// Returns the number of programs.
    pub(crate) fn count(&self) -> usize {
        self.programs.len()
    }

    /// Returns the process id of a program.
    pub(crate) fn process_id(&self, number: usize) -> u32 {
        self.programs[number].process.child.id()
    }

    /// Returns whether all notes are acknowledged.
    pub(crate) fn are_done(&self) -> bool {
        let mut writers = self.programs.iter().filter(|program| program.writer.is_some());
        writers.all(|writer| writer.acknowledged().len() >= self.notes)
    }

    /// Returns the number of acknowledged notes.
    ///
    /// # Errors
    /// Returns an error if no program made progress within [`STALL_LIMIT`].
    pub(crate) fn progress(&mut self) -> Result<usize> {
        let now = self.done.load(Ordering::Relaxed);
        if now > self.last.0 {
            self.last = (now, Instant::now());
        }
        ensure!(self.last.1.elapsed() < STALL_LIMIT, "no program makes progress after {now} writes");
        Ok(now)
    }

    /// Kills a program and starts it again. It continues with the first note that it had not acknowledged.
    ///
    /// # Errors
    /// Returns an error if the process cannot be killed or started.
    pub(crate) fn restart(&mut self, number: usize) -> Result<()> {
        let program = &mut self.programs[number];
        program.process.kill()?;
        let next = program.acknowledged().last().map_or(0, |last| last + 1);
        let notes = next..self.notes;
        program.process = Process::start(&self.campaign, program.writer, notes, &program.acknowledged, &self.done)?;
        Ok(())
    }

    /// Compares the acknowledged notes with the journal of a state.
    pub(crate) fn compare(&self, state: &State) -> NoteCounts {
        let mut journal: BTreeMap<&str, usize> = BTreeMap::new();
        for (_, entry) in state.journal() {
            *journal.entry(entry.operation.summary.as_str()).or_default() += 1;
        }
        let mut counts = NoteCounts { acknowledged: 0, lost: 0, doubled: 0 };
        for program in &self.programs {
            let (Some(writer), acknowledged) = (program.writer, program.acknowledged()) else { continue };
            counts.acknowledged += acknowledged.len();
            for number in 0..self.notes {
                let count = journal.get(summary(writer, number).as_str()).copied().unwrap_or_default();
                counts.lost += usize::from(count == 0 && acknowledged.contains(&number));
                counts.doubled += usize::from(count > 1);
            }
        }
        counts
    }

    /// Asks all programs for their records at a position, and ends the programs. Returns the files with the records,
    /// which are in the given directory.
    ///
    /// # Errors
    /// Returns an error if a program fails, or does not export its records within [`STALL_LIMIT`].
    pub(crate) fn export(mut self, position: Position, directory: &Path) -> Result<Vec<PathBuf>> {
        let paths: Vec<PathBuf> =
            (0..self.programs.len()).map(|number| directory.join(format!("{number}.records"))).collect();
        for (program, path) in self.programs.iter_mut().zip(&paths) {
            program.process.export(position, path)?;
        }
        Ok(paths)
    }
}

/// Writes the notes with the numbers in `notes` as the given writer, and prints each number after its commit. Then waits
/// for a line of standard input with a position and a path, and writes the records to this path when the position is
/// reached. `campaign` is a directory or the URL of a server. The hidden command [`CHILD_COMMAND`] calls this function.
///
/// # Errors
/// Returns an error if the memory cannot be opened, written or exported.
pub fn child(campaign: &OsStr, writer: Option<usize>, notes: Range<usize>) -> Result<()> {
    let campaign = SharedCampaign::from_argument(campaign);
    let memory = campaign.open()?;
    let mut output = std::io::stdout();
    for number in notes {
        if let Some(writer) = writer {
            write(&memory, writer, number)?;
            writeln!(output, "{number}")?;
        }
    }
    let mut line = String::new();
    if std::io::stdin().read_line(&mut line)? > 0 {
        let expected = "expected a journal position and a path, separated by a space";
        let (position, path) = line.trim().split_once(' ').context(expected)?;
        let position: u64 = position.parse()?;
        while memory.read(|world| Ok(world.state.position().0))?.wait()? < position {
            thread::sleep(Duration::from_millis(5));
        }
        campaign.write_records(&memory, Path::new(path))?;
    }
    Ok(memory.close()?)
}
