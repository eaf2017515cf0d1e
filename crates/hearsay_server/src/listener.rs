//! A TCP port on which the server answers HTTP requests and WebSockets.

use std::{
    io,
    net::{SocketAddr, TcpListener},
    time::Duration,
};

use axum::Router;
use axum_server::{
    Handle,
    accept::NoDelayAcceptor,
    tls_rustls::{RustlsAcceptor, RustlsConfig},
};
use hyper_util::rt::TokioTimer;
use tokio::{runtime::Runtime, task::JoinHandle};

/// Maximum time to receive the headers of a request.
const HEADER_TIMEOUT: Duration = Duration::from_secs(30);

/// Maximum time that running HTTP requests get to finish when the server stops.
const GRACE: Duration = Duration::from_secs(2);

/// A port that answers requests in the background.
#[derive(Debug)]
pub(crate) struct Listener {
    address: SocketAddr,
    handle: Handle<SocketAddr>,
    task: JoinHandle<io::Result<()>>,
}

impl Listener {
    /// Starts to answer the requests on a bound socket, encrypted if `tls` is set.
    pub(crate) fn start(
        runtime: &Runtime,
        socket: TcpListener,
        router: Router,
        tls: Option<RustlsConfig>,
    ) -> io::Result<Self> {
        socket.set_nonblocking(true)?;
        let address = socket.local_addr()?;
        let handle = Handle::new();
        // The socket registers itself in the runtime.
        let _entered = runtime.enter();
        let mut server = axum_server::from_tcp(socket)?.handle(handle.clone());
        server.http_builder().http1().timer(TokioTimer::new()).header_read_timeout(HEADER_TIMEOUT);
        let service = router.into_make_service();
        // The answers are small, and a client waits for each of them.
        let acceptor = NoDelayAcceptor::new();
        let task = match tls {
            Some(tls) => {
                let acceptor = RustlsAcceptor::new(tls).acceptor(acceptor);
                runtime.spawn(server.acceptor(acceptor).serve(service))
            }
            None => runtime.spawn(server.acceptor(acceptor).serve(service)),
        };
        Ok(Self { address, handle, task })
    }

    /// Returns the address, with the number of the port that the system chose.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns whether the port no longer answers requests.
    pub(crate) fn has_ended(&self) -> bool {
        self.task.is_finished()
    }

    /// Stops to accept connections, and waits for the running requests. WebSockets continue.
    pub(crate) async fn stop(self) {
        self.handle.graceful_shutdown(Some(GRACE));
        match self.task.await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::error!("the server stopped to answer requests: {error}"),
            Err(error) => tracing::error!("the server stopped to answer requests: {error}"),
        }
    }
}
