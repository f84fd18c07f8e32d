//! Accepts connections, and outlives the errors of the kernel.

use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};

/// How long to wait after an error of the kernel.
const PAUSE_AFTER_ERROR: Duration = Duration::from_millis(10);

/// Waits for the next connection. No connection is lost when the future is dropped.
pub async fn accept(listener: &TcpListener) -> TcpStream {
    loop {
        if let Ok((stream, _)) = listener.accept().await {
            // Without this an event that follows the response head waits for the client's delayed ACK.
            let _ = stream.set_nodelay(true);
            return stream;
        }
        // Such an error passes: the kernel is out of descriptors, or the client has gone.
        tokio::time::sleep(PAUSE_AFTER_ERROR).await;
    }
}
