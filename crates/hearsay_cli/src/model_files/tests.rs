//! Tests with small files, a web server in the same process, and directories.

use std::{
    io::{BufRead, BufReader, Write},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
};

use tempfile::TempDir;

use super::{manifest::checksum, *};

const SMALL: &str = "encoder/parts/config.json";
const LARGE: &str = "encoder/weights";

/// What the server does that a good server does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    None,
    /// Closes the connection of the first request after this number of bytes.
    CutAfter(usize),
    /// Sends whole files only.
    NoRanges,
    /// Sends no length, so that the end of the connection is the end of the file.
    NoLength,
}

/// A web server with a few files in the directory `models`.
struct TestServer {
    address: String,
    /// The first line of each request, and the value of its header `Range`.
    requests: Arc<Mutex<Vec<String>>>,
}

impl TestServer {
    fn start(files: Vec<(&'static str, Vec<u8>)>, fault: Fault) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}/models/", listener.local_addr().unwrap());
        let requests = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&requests);
        thread::spawn(move || {
            for (n, stream) in listener.incoming().enumerate() {
                let fault = if n > 0 && matches!(fault, Fault::CutAfter(_)) { Fault::None } else { fault };
                // The client may close the connection at any time.
                let _ = answer(stream.unwrap(), &files, fault, &log);
            }
        });
        Self { address, requests }
    }

    fn source(&self) -> ModelSource {
        ModelSource::new(Path::new(&self.address)).unwrap()
    }

    fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

/// Reads a request, and sends the answer.
fn answer(
    mut stream: TcpStream,
    files: &[(&'static str, Vec<u8>)],
    fault: Fault,
    log: &Mutex<Vec<String>>,
) -> io::Result<()> {
    let lines: Vec<String> =
        BufReader::new(&stream).lines().map_while(Result::ok).take_while(|line| !line.is_empty()).collect();
    let path = lines[0].split(' ').nth(1).unwrap().strip_prefix("/models/").unwrap().to_owned();
    let range = lines.iter().find_map(|line| line.to_lowercase().strip_prefix("range: bytes=").map(str::to_owned));
    log.lock().unwrap().push(format!("{path} {}", range.clone().unwrap_or_default()).trim_end().to_owned());
    let Some((_, content)) = files.iter().find(|(name, _)| *name == path) else {
        return stream.write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    };
    let range = range.filter(|_| fault != Fault::NoRanges);
    let start = range.map(|range| range.trim_end_matches('-').parse::<usize>().unwrap());
    let (status, body) = match start {
        None => ("200 OK", content.as_slice()),
        Some(start) if start < content.len() => ("206 Partial Content", &content[start..]),
        Some(_) => ("416 Range Not Satisfiable", &content[..0]),
    };
    let mut head = format!("HTTP/1.1 {status}\r\nConnection: close\r\n");
    if fault != Fault::NoLength {
        head += &format!("Content-Length: {}\r\n", body.len());
    }
    if let Some(start) = start {
        head += &format!("Content-Range: bytes {start}-{}/{}\r\n", content.len().saturating_sub(1), content.len());
    }
    let sent = match fault {
        Fault::CutAfter(length) => &body[..length],
        _ => body,
    };
    stream.write_all(head.as_bytes())?;
    stream.write_all(b"\r\n")?;
    stream.write_all(sent)
}

fn model_file(path: &str, content: &[u8]) -> ModelFile {
    ModelFile { path: path.to_owned(), bytes: content.len() as u64, blake3: checksum(content).unwrap() }
}

/// Returns 3 MB of data.
fn weights() -> Vec<u8> {
    (0..3_000_000_u32).map(|n| (n / 7 % 251) as u8).collect()
}

/// A directory to which files are fetched.
struct Target(TempDir);

impl Target {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn fetch(&self, source: &ModelSource, file: &ModelFile) -> Result<()> {
        source.fetch(file, self.0.path(), &ProgressBar::hidden())
    }

    /// Returns the error of a fetch, with its causes.
    fn error(&self, source: &ModelSource, file: &ModelFile) -> String {
        format!("{:#}", self.fetch(source, file).unwrap_err())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, content: &[u8]) {
        fs::create_dir_all(self.path(name).parent().unwrap()).unwrap();
        fs::write(self.path(name), content).unwrap();
    }

    fn read(&self, name: &str) -> Option<Vec<u8>> {
        fs::read(self.path(name)).ok()
    }
}

#[test]
fn the_list_is_that_of_the_repository() {
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets/models");
    let files = listed_files().unwrap();
    for file in &files {
        let content = fs::read(file.path_in(&models)).unwrap();
        let found = (content.len() as u64, checksum(content.as_slice()).unwrap());
        assert_eq!((file.bytes, &file.blake3), (found.0, &found.1), "correct {} in data/models.json", file.path);
    }
    // Every file of the models is in the list.
    let mut directories: Vec<PathBuf> =
        fs::read_dir(&models).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()).collect();
    let mut found = 0;
    while let Some(directory) = directories.pop() {
        for path in fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                directories.push(path);
                continue;
            }
            found += 1;
            assert!(
                files.iter().any(|file| file.path_in(&models) == path),
                "add {} to data/models.json",
                path.display()
            );
        }
    }
    assert_eq!(files.len(), found);
    // The weights of a model come last.
    let model_of = |file: &ModelFile| file.segments().next().unwrap().to_owned();
    for pair in files.windows(2).filter(|pair| pair[0].path.ends_with("model.safetensors")) {
        assert_ne!(model_of(&pair[0]), model_of(&pair[1]));
    }
}

#[test]
fn files_are_downloaded() {
    let (config, weights) = (b"{}".to_vec(), weights());
    let server = TestServer::start(vec![(SMALL, config.clone()), (LARGE, weights.clone())], Fault::None);
    let (target, source) = (Target::new(), server.source());
    let progress = ProgressBar::hidden();
    for (path, content) in [(SMALL, &config), (LARGE, &weights)] {
        let file = model_file(path, content);
        assert!(!file.is_in(target.0.path()).unwrap());
        source.fetch(&file, target.0.path(), &progress).unwrap();
        assert!(file.is_in(target.0.path()).unwrap());
        assert_eq!((target.read(path).as_ref(), target.read(&format!("{path}.part"))), (Some(content), None));
    }
    assert_eq!(progress.position(), (config.len() + weights.len()) as u64);
    assert_eq!(server.requests(), [SMALL, LARGE]);
}

#[test]
fn an_interrupted_download_is_continued() {
    let weights = weights();
    let file = model_file(LARGE, &weights);
    let server = TestServer::start(vec![(LARGE, weights.clone())], Fault::CutAfter(1_000_000));
    let (target, source) = (Target::new(), server.source());
    let error = target.error(&source, &file);
    assert!(error.contains("of 3000000 bytes; run the command again to continue"), "{error}");
    assert_eq!(target.read(LARGE), None);
    // The end of the data that was sent can be lost when a connection is cut.
    let part = target.read("encoder/weights.part").unwrap();
    assert!(!part.is_empty() && weights.starts_with(&part), "{}", part.len());
    target.fetch(&source, &file).unwrap();
    assert_eq!(server.requests(), [LARGE.to_owned(), format!("{LARGE} {}-", part.len())]);
    assert_eq!(target.read(LARGE), Some(weights));
}

#[test]
fn a_download_starts_again_if_it_cannot_be_continued() {
    let file = model_file(LARGE, b"0123456789");
    let files = || vec![(LARGE, b"0123456789".to_vec())];
    // The temporary file can be of another version, too long, or complete.
    for (fault, part, requests) in [
        (Fault::NoRanges, "01234", vec!["5-"]),
        (Fault::None, "abcde", vec!["5-", ""]),
        (Fault::None, "0123456789abc", vec![""]),
        (Fault::None, "abcdefghij", vec![""]),
        (Fault::None, "0123456789", vec![]),
        (Fault::NoLength, "", vec![""]),
    ] {
        let server = TestServer::start(files(), fault);
        let target = Target::new();
        target.write("encoder/weights.part", part.as_bytes());
        target.fetch(&server.source(), &file).unwrap();
        assert_eq!(target.read(LARGE).unwrap(), b"0123456789", "{fault:?} {part}");
        let expected: Vec<String> =
            requests.iter().map(|range| format!("{LARGE} {range}").trim_end().to_owned()).collect();
        assert_eq!(server.requests(), expected, "{fault:?} {part}");
    }
}

#[test]
fn a_wrong_file_replaces_nothing() {
    let file = model_file(LARGE, b"right");
    for (content, fault, found) in [
        ("wrong", Fault::None, checksum(b"wrong".as_slice()).unwrap()),
        ("too long", Fault::None, "found 8 bytes".to_owned()),
        ("too long", Fault::NoLength, "found more than 5 bytes".to_owned()),
        ("abc", Fault::None, "found 3 bytes".to_owned()),
        ("abc", Fault::NoLength, "ended after 3 of 5 bytes".to_owned()),
    ] {
        let server = TestServer::start(vec![(LARGE, content.into())], fault);
        let target = Target::new();
        target.write(LARGE, b"old");
        let error = target.error(&server.source(), &file);
        assert!(error.contains(&found) && error.contains(&format!("{}{LARGE}", server.address)), "{content}: {error}");
        if !found.contains("ended") {
            assert!(error.contains("expected 5 bytes") && error.contains(&file.blake3), "{content}: {error}");
            assert_eq!(target.read("encoder/weights.part"), None, "{content}");
        }
        assert_eq!(target.read(LARGE).unwrap(), b"old", "{content}");
    }
}

#[test]
fn errors_of_a_mirror_name_the_address() {
    let file = model_file(LARGE, b"right");
    let target = Target::new();
    target.write("encoder/weights.part", b"ri");
    let server = TestServer::start(Vec::new(), Fault::None);
    let error = target.error(&server.source(), &file);
    assert!(error.contains(&format!("{}{LARGE}: the server answered 404 Not Found", server.address)), "{error}");
    // No server uses this port any more.
    let unused = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let source = ModelSource::new(Path::new(&format!("http://anna:secret@{unused}/models?key=secret"))).unwrap();
    let error = target.error(&source, &file);
    assert!(error.contains(&format!("cannot fetch http://{unused}/models/{LARGE}; check the address")), "{error}");
    assert!(!error.contains("secret") && !source.to_string().contains("secret"), "{error}");
    assert_eq!(target.read("encoder/weights.part").unwrap(), b"ri", "the next run continues the file");
    for address in ["ftp://models.example.org", "http://", "https://a b"] {
        let error = ModelSource::new(Path::new(address)).err().unwrap().to_string();
        assert!(error.contains(address) && error.contains("expected an address such as"), "{error}");
    }
}

#[test]
fn files_are_copied_from_a_directory() {
    let (source, target) = (Target::new(), Target::new());
    let directory = ModelSource::new(source.0.path()).unwrap();
    let weights = weights();
    let file = model_file(LARGE, &weights);
    let error = target.error(&directory, &file);
    assert!(error.contains("there is no file") && error.contains("weights; pass the directory"), "{error}");
    assert!(!target.path("encoder").exists(), "an error creates nothing");
    source.write(LARGE, &weights[1..]);
    assert!(target.error(&directory, &file).contains("found 2999999 bytes, expected 3000000 bytes"));
    source.write(LARGE, &[&weights[1..], &[0]].concat());
    assert!(target.error(&directory, &file).contains("found the checksum"));
    assert_eq!((target.read(LARGE), target.read("encoder/weights.part")), (None, None));
    source.write(LARGE, &weights);
    target.write("encoder/weights.part", b"of another run");
    target.fetch(&directory, &file).unwrap();
    assert_eq!((target.read(LARGE), target.read("encoder/weights.part")), (Some(weights), None));
}
