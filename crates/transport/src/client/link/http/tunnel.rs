//! Opens a tunnel through a proxy with CONNECT.

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::Origin;
use crate::client::proxies::Proxy;

/// The most bytes of a proxy's answer.
const MAX_ANSWER_BYTES: usize = 16 << 10;

/// Asks the proxy behind `stream` for a tunnel to `origin`; an error says why there is none.
pub(super) async fn open_tunnel(
    stream: &mut TcpStream,
    origin: &Origin,
    proxy: &Proxy,
) -> Result<(), String> {
    let place = format!("{}:{}", origin.host, origin.port);
    let mut request = format!("CONNECT {place} HTTP/1.1\r\nHost: {place}\r\n");
    if let Some(credentials) = proxy.authorization() {
        request.push_str(&format!("Proxy-Authorization: {credentials}\r\n"));
    }
    request.push_str("\r\n");
    let broken = |why: std::io::Error| format!("the proxy broke off: {why}");
    stream.write_all(request.as_bytes()).await.map_err(broken)?;
    let answer = read_answer(stream).await.map_err(broken)?;
    match status_of(&answer) {
        Some(status) if (200..300).contains(&status) => Ok(()),
        Some(407) => {
            Err("the proxy asks for credentials; its URL has room for them: http://USER:PASSWORD@HOST:PORT"
                .into())
        }
        Some(status) => Err(format!("the proxy refused it with HTTP {status}")),
        None => Err("the proxy did not answer in HTTP".into()),
    }
}

/// The head of the answer, and not a byte more: what follows comes from the server.
async fn read_answer(stream: &mut TcpStream) -> std::io::Result<Vec<u8>> {
    let mut answer = Vec::new();
    while !answer.ends_with(b"\r\n\r\n") && answer.len() < MAX_ANSWER_BYTES {
        answer.push(stream.read_u8().await?);
    }
    Ok(answer)
}

fn status_of(answer: &[u8]) -> Option<u16> {
    let line = String::from_utf8_lossy(answer.split(|byte| *byte == b'\n').next()?).into_owned();
    let mut words = line.split_whitespace();
    words.next().filter(|version| version.starts_with("HTTP/1."))?;
    words.next()?.parse().ok()
}
