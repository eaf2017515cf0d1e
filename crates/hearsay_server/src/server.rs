//! A running server.

use std::{
    net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener},
    path::{Path, PathBuf},
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use axum::{
    Router,
    extract::Request,
    http::header::CONTENT_TYPE,
    response::{IntoResponse, Response},
    routing::get,
};
use axum_server::tls_rustls::RustlsConfig;
use hearsay_engine::{Memory, MemoryError, MemoryOptions, Settings};
use hearsay_mcp::HttpOptions;
use hearsay_store::{Endpoint, HostedDatabase, ServerFile, ServerFileGuard, StoreError, StoreOptions, running_server};
use tokio::runtime::Runtime;
use tokio_util::sync::CancellationToken;

use crate::{api, error::ServeError, identities::Identities, index, listener::Listener, mcp, rpc::RpcConnections};

/// Address of a server without other settings. Only programs on the same machine can connect to this address.
pub const DEFAULT_ADDRESS: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 4801);

/// Any free port for programs on the same machine.
const LOCAL_ADDRESS: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0);

/// Number of threads that read requests and write answers. The database and the memory have their own threads.
const THREADS: usize = 2;

/// Maximum time to wait for the requests that still use the memory when the server stops.
const MEMORY_TIMEOUT: Duration = Duration::from_secs(5);

/// Maximum time to wait for tasks that still run when the server stops.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(1);

/// Interval at which the start of the server checks whether the journal is compacted.
const COMPACTION_CHECK: Duration = Duration::from_millis(10);

/// Time between two checks of whether the server should stop.
const STOP_CHECK: Duration = Duration::from_millis(100);

/// Answer of `/health`.
const HEALTH: &str = concat!(r#"{"status":"ok","version":""#, env!("CARGO_PKG_VERSION"), r#""}"#);

/// Options of a server.
#[derive(Debug, Clone)]
pub struct ServeOptions {
    /// Directory of the campaign.
    pub campaign: PathBuf,
    /// Address on which the server listens. The port 0 stands for any free port. Default: [`DEFAULT_ADDRESS`].
    pub address: SocketAddr,
    /// Certificate for encrypted connections (TLS). Default: no encryption.
    pub certificate: Option<CertificateFiles>,
    /// Whether other machines may connect without encryption. Default: `false`.
    pub allow_unencrypted: bool,
    /// Names of the server in the addresses that MCP clients use, besides `localhost`. Default: none.
    pub host_names: Vec<String>,
}

impl ServeOptions {
    /// Returns the default options for a campaign directory.
    pub fn new(campaign: impl Into<PathBuf>) -> Self {
        Self {
            campaign: campaign.into(),
            address: DEFAULT_ADDRESS,
            certificate: None,
            allow_unencrypted: false,
            host_names: Vec::new(),
        }
    }
}

/// Files of a certificate, in the PEM format.
#[derive(Debug, Clone)]
pub struct CertificateFiles {
    /// Path of the file with the certificate, and with the certificates of its issuers.
    pub certificate: PathBuf,
    /// Path of the file with the private key.
    pub key: PathBuf,
}

impl CertificateFiles {
    async fn read(self) -> Result<RustlsConfig, ServeError> {
        // An error means that this program has already selected a library for encryption.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let Self { certificate, key } = self;
        let config = RustlsConfig::from_pem_file(&certificate, &key).await;
        config.map_err(|source| ServeError::Certificate { certificate, key, source })
    }
}

/// A running server of a campaign. Dropping this value stops the server.
///
/// The functions block the calling thread. Do not call them in asynchronous code.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    is_encrypted: bool,
    running: Option<Running>,
}

/// The parts of a running server.
#[derive(Debug)]
struct Running {
    /// The listener for all clients.
    public: Listener,
    /// The listener for programs on this machine, and for the memory of the server. It is never encrypted, because a
    /// certificate does not contain a loopback address.
    local: Listener,
    /// Tells programs on this machine the address and the password of the local listener.
    file: ServerFileGuard,
    /// The memory that answers MCP clients and HTTP clients.
    memory: Arc<Memory>,
    /// Ends the MCP sessions.
    sessions: CancellationToken,
    connections: RpcConnections,
    database: Arc<HostedDatabase>,
    runtime: Runtime,
}

impl Server {
    /// Opens a campaign and starts to answer requests.
    ///
    /// # Errors
    /// Returns an error if the settings of the campaign or the options are invalid, if the address is in use, or if the
    /// campaign cannot be opened, for example because another program has it open.
    pub fn start(options: ServeOptions) -> Result<Self, ServeError> {
        let ServeOptions { campaign, address, certificate, allow_unencrypted, host_names } = options;
        let is_encrypted = certificate.is_some();
        if !is_encrypted && !allow_unencrypted && !address.ip().is_loopback() {
            return Err(ServeError::Unencrypted { address });
        }
        let settings = Settings::read(&campaign)?;
        if let Some(endpoint) = &settings.store.endpoint {
            return Err(ServeError::OtherServer { endpoint: endpoint.clone() });
        }
        let directory = campaign.join(&settings.store.directory);
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(THREADS)
            .thread_name("hearsay-server")
            .enable_all()
            .build()
            .map_err(|source| ServeError::Runtime { source })?;
        let tls = certificate.map(|files| runtime.block_on(files.read())).transpose()?;
        let options = MemoryOptions::with_settings(&campaign, settings);
        compact(options.clone(), &directory)?;
        let database = open_database(&directory)?;
        let host = Host { runtime, database: Arc::clone(&database), directory, options, host_names };
        match bind(address).and_then(|socket| host.start(socket, tls)) {
            Ok(running) => {
                let address = running.public.address();
                Ok(Self { address, is_encrypted, running: Some(running) })
            }
            Err(error) => {
                if let Err(error) = database.close() {
                    tracing::error!("closing the database failed: {error}");
                }
                Err(error)
            }
        }
    }

    /// Returns the address on which the server listens, with the number of the port that the system chose.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns whether the server accepts only encrypted connections.
    pub fn is_encrypted(&self) -> bool {
        self.is_encrypted
    }

    /// Returns the address for the setting `endpoint`.
    pub fn url(&self) -> String {
        url(self.address, self.is_encrypted)
    }

    /// Waits until `is_stopped` returns `true`.
    ///
    /// # Errors
    /// Returns an error if the storage of the database fails, or if the server no longer answers requests.
    pub fn wait(&self, is_stopped: impl Fn() -> bool) -> Result<(), ServeError> {
        while !is_stopped() {
            let Some(running) = &self.running else { return Ok(()) };
            if let Some(reason) = running.database.failure() {
                return Err(ServeError::Failed { reason: reason.to_owned() });
            }
            if running.public.has_ended() {
                return Err(ServeError::Failed { reason: "it no longer accepts connections".to_owned() });
            }
            thread::sleep(STOP_CHECK);
        }
        Ok(())
    }

    /// Ends all connections, and closes the campaign.
    ///
    /// # Errors
    /// Returns an error if the campaign cannot be closed. Acknowledged changes are safe.
    pub fn stop(mut self) -> Result<(), ServeError> {
        self.running.take().map_or(Ok(()), Running::stop)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(Err(error)) = self.running.take().map(Running::stop) {
            tracing::error!("stopping the server failed: {error}");
        }
    }
}

fn url(address: SocketAddr, is_encrypted: bool) -> String {
    let scheme = if is_encrypted { "wss" } else { "ws" };
    format!("{scheme}://{address}")
}

/// Opens the campaign without a server until the old changes that can no longer be undone are removed from the journal.
/// While a server has the campaign, no program removes them.
fn compact(options: MemoryOptions, directory: &Path) -> Result<(), ServeError> {
    let memory = Memory::open(MemoryOptions { share: false, ..options }).map_err(|error| match error {
        MemoryError::Store(error) => opening_error(error, directory),
        error => error.into(),
    })?;
    while memory.status()?.wait()?.compacting {
        thread::sleep(COMPACTION_CHECK);
    }
    Ok(memory.close()?)
}

fn open_database(directory: &Path) -> Result<Arc<HostedDatabase>, ServeError> {
    let opened = HostedDatabase::open(directory, &StoreOptions::default());
    opened.map(Arc::new).map_err(|error| opening_error(error, directory))
}

fn opening_error(error: StoreError, directory: &Path) -> ServeError {
    match error {
        StoreError::InUse { holder, .. } => match running_server(directory, &holder) {
            Some(server) => ServeError::ServerRuns { server: holder.to_string(), url: server.public_url },
            None => ServeError::ProgramRuns { program: holder.to_string() },
        },
        error => error.into(),
    }
}

fn bind(address: SocketAddr) -> Result<TcpListener, ServeError> {
    TcpListener::bind(address).map_err(|source| ServeError::Listen { address, source })
}

/// An opened campaign that no client can reach yet.
struct Host {
    runtime: Runtime,
    database: Arc<HostedDatabase>,
    directory: PathBuf,
    options: MemoryOptions,
    host_names: Vec<String>,
}

impl Host {
    /// Starts to answer requests: first of the memory of the server, and then of all clients.
    fn start(self, socket: TcpListener, tls: Option<RustlsConfig>) -> Result<Running, ServeError> {
        let Self { runtime, database, directory, options, host_names } = self;
        let connections = RpcConnections::new(Arc::clone(&database));
        let local_socket = bind(LOCAL_ADDRESS)?;
        let local = Listener::start(&runtime, local_socket, database_router(connections.clone()), None)
            .map_err(|source| ServeError::Listen { address: LOCAL_ADDRESS, source })?;
        let endpoint = database.owner_endpoint(format!("ws://{}", local.address()));
        let address = socket.local_addr().unwrap_or(LOCAL_ADDRESS);
        // The file comes first: it shows the memory that its program may store data in the directory.
        let file = write_server_file(&directory, url(address, tls.is_some()), endpoint.clone())?;
        let memory = Arc::new(Memory::open(MemoryOptions { endpoint: Some(endpoint), ..options })?);
        let sessions = CancellationToken::new();
        // The memory itself extracts facts from texts.
        let options = HttpOptions { extracts_texts: false, host_names, stop: sessions.clone() };
        let identities = Arc::new(Identities::new(Arc::clone(&memory), directory.clone()));
        let router = database_router(connections.clone())
            .merge(api::router(Arc::clone(&identities)))
            .merge(mcp::router(identities, options))
            .merge(index::router());
        let public =
            Listener::start(&runtime, socket, router, tls).map_err(|source| ServeError::Listen { address, source })?;
        Ok(Running { public, local, file, memory, sessions, connections, database, runtime })
    }
}

fn write_server_file(directory: &Path, public_url: String, endpoint: Endpoint) -> Result<ServerFileGuard, ServeError> {
    let file = ServerFile { pid: std::process::id(), public_url, endpoint };
    ServerFile::write(directory, &file).map_err(|source| ServeError::File { path: directory.join("server"), source })
}

/// Returns the routes of SurrealDB clients.
fn database_router(connections: RpcConnections) -> Router {
    Router::new()
        .route("/health", get(health))
        .route("/rpc", get(move |request: Request| async move { connections.accept(request) }))
}

async fn health() -> Response {
    ([(CONTENT_TYPE, "application/json")], HEALTH).into_response()
}

impl Running {
    fn stop(self) -> Result<(), ServeError> {
        let Self { public, local, file, memory, sessions, connections, database, runtime } = self;
        sessions.cancel();
        runtime.block_on(public.stop());
        // From now on, programs on this machine do not find the server any more.
        drop(file);
        let memory_closed = close_memory(memory);
        runtime.block_on(async {
            local.stop().await;
            connections.close().await;
        });
        drop(connections);
        runtime.shutdown_timeout(SHUTDOWN_TIMEOUT);
        database.close()?;
        Ok(memory_closed?)
    }
}

/// Closes the memory after the last request that uses it.
fn close_memory(mut memory: Arc<Memory>) -> Result<(), MemoryError> {
    let deadline = Instant::now() + MEMORY_TIMEOUT;
    loop {
        memory = match Arc::try_unwrap(memory) {
            Ok(memory) => return memory.close(),
            Err(shared) => shared,
        };
        if Instant::now() > deadline {
            // The memory closes when the request ends. Everything acknowledged is on the disk.
            tracing::warn!("a request still runs while the server stops");
            return Ok(());
        }
        thread::sleep(Duration::from_millis(5));
    }
}
