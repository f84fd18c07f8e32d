//! TLS and proxies.

use std::io::{BufRead as _, BufReader, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::process::{Command, Output};
use std::sync::{Arc, Mutex};
use std::thread;

use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

use crate::running::Running;
use crate::{SELF, stderr, stdout};

const ONE: [&str; 4] = ["--only", "server/tools/unknown-tool-refused", "--protocol", "2025-11-25"];
const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../transport/tests/it/client_tls");

fn authority() -> String {
    format!("{FOLDER}/ca.pem")
}

/// Listens, and gives every connection to `serve` on a thread of its own.
fn listen(serve: impl Fn(TcpStream) + Send + Sync + 'static) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let serve = Arc::new(serve);
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let serve = Arc::clone(&serve);
            thread::spawn(move || serve(stream));
        }
    });
    port
}

fn copy(mut from: impl Read, mut to: impl Write) {
    let mut buffer = [0; 16 << 10];
    while let Ok(length @ 1..) = from.read(&mut buffer) {
        if to.write_all(&buffer[..length]).and_then(|()| to.flush()).is_err() {
            break;
        }
    }
}

/// Copies bytes both ways until one side has enough.
fn join(one: &TcpStream, other: &TcpStream) {
    thread::scope(|scope| {
        scope.spawn(|| {
            copy(one, other);
            let _ = other.shutdown(Shutdown::Write);
        });
        copy(other, one);
        let _ = one.shutdown(Shutdown::Both);
        let _ = other.shutdown(Shutdown::Both);
    });
}

/// TLS in front of `upstream`, with a certificate of a private authority.
fn tls_before(upstream: String) -> u16 {
    let chain =
        CertificateDer::pem_file_iter(format!("{FOLDER}/leaf.pem")).unwrap().map(Result::unwrap).collect();
    let key = PrivateKeyDer::from_pem_file(format!("{FOLDER}/leaf.key")).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .unwrap();
    let config = Arc::new(config);
    listen(move |stream| {
        let plain = TcpStream::connect(&upstream).unwrap();
        let _ = (stream.set_nodelay(true), plain.set_nodelay(true));
        let session = rustls::ServerConnection::new(Arc::clone(&config)).unwrap();
        pump_tls(session, &stream, &plain);
    })
}

/// Decrypts one way and encrypts the other, in turns.
fn pump_tls(mut session: rustls::ServerConnection, mut secure: &TcpStream, mut plain: &TcpStream) {
    let moment = Some(std::time::Duration::from_millis(5));
    let _ = (secure.set_read_timeout(moment), plain.set_read_timeout(moment));
    let mut buffer = [0; 16 << 10];
    let waits = |error: &std::io::Error| {
        matches!(error.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut)
    };
    loop {
        match session.read_tls(&mut secure) {
            Ok(0) => return,
            Ok(_) => {
                if session.process_new_packets().is_err() {
                    let _ = session.write_tls(&mut secure);
                    return;
                }
            }
            Err(error) if waits(&error) => {}
            Err(_) => return,
        }
        while let Ok(length @ 1..) = session.reader().read(&mut buffer) {
            plain.write_all(&buffer[..length]).unwrap();
        }
        match plain.read(&mut buffer) {
            Ok(0) => {
                session.send_close_notify();
                let _ = session.write_tls(&mut secure);
                return;
            }
            Ok(length) => session.writer().write_all(&buffer[..length]).unwrap(),
            Err(error) if waits(&error) => {}
            Err(_) => return,
        }
        while session.wants_write() {
            if session.write_tls(&mut secure).is_err() {
                return;
            }
        }
    }
}

fn check(arguments: &[&str], variables: &[(&str, &str)]) -> Output {
    let mut command = Command::new(SELF);
    for name in ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR"] {
        command.env_remove(name).env_remove(name.to_ascii_lowercase());
    }
    command.arg("check").args(ONE).args(arguments).envs(variables.iter().copied()).output().unwrap()
}

fn is_conformant(output: &Output) {
    assert_eq!(output.status.code(), Some(0), "{}{}", stdout(output), stderr(output));
}

#[test]
fn a_private_authority_is_trusted_when_it_is_named() {
    let server = Running::serve(&[]);
    let url = format!("https://127.0.0.1:{}/mcp", tls_before(server.address().to_owned()));
    let unknown = check(&[&url], &[]);
    assert_eq!(unknown.status.code(), Some(3), "{}", stdout(&unknown));
    assert!(stderr(&unknown).contains("--cacert FILE"), "{}", stderr(&unknown));
    is_conformant(&check(&[&url, "--cacert", &authority()], &[]));
    is_conformant(&check(&[&url], &[("SSL_CERT_FILE", &authority())]));
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("no-such-authority.pem");
    for (file, told) in [
        (folder.to_str().unwrap(), "no-such-authority.pem"),
        (&format!("{FOLDER}/leaf.key"), "no certificate"),
    ] {
        let refused = check(&[&url, "--cacert", file], &[]);
        assert_eq!(refused.status.code(), Some(2), "{}", stderr(&refused));
        assert!(stderr(&refused).contains(told), "{}", stderr(&refused));
    }
}

#[test]
fn a_report_says_that_the_certificate_was_not_verified() {
    let server = Running::serve(&["--fault", "unknown-tool-succeeds"]);
    let url = format!("https://127.0.0.1:{}/mcp", tls_before(server.address().to_owned()));
    for format in ["human", "json", "ndjson", "junit", "sarif", "markdown", "html"] {
        let output = check(&[&url, "--insecure", "--format", format], &[]);
        assert_eq!(output.status.code(), Some(1), "{}{}", stdout(&output), stderr(&output));
        assert!(stdout(&output).contains("certificate was not verified"), "{format}: {}", stdout(&output));
    }
    let told = stdout(&check(&[&url, "--insecure"], &[]));
    let again = told.lines().find_map(|line| line.trim().strip_prefix("again     ")).unwrap();
    assert!(again.ends_with(&format!("--insecure {url}")), "{again}");
}

#[test]
fn a_tap_verifies_certificates_in_the_same_way() {
    let server = Running::serve(&[]);
    let url = format!("https://127.0.0.1:{}/mcp", tls_before(server.address().to_owned()));
    for (options, works) in [(vec!["--cacert".to_owned(), authority()], true), (Vec::new(), false)] {
        let record = crate::Scratch::new(if works { "tap-trusts.ndjson" } else { "tap-distrusts.ndjson" });
        let mut command = Command::new(SELF);
        command.args(["tap", &url, "--record", record.path()]).args(options);
        let mut tap =
            command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::null()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(tap.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let code = check(&[line.trim()], &[]).status.code();
        tap.kill().unwrap();
        tap.wait().unwrap();
        assert_eq!(code == Some(0), works, "{code:?} through {line}");
    }
}

/// A proxy that leads everything to `upstream`; gives its port, and the first line and credentials of every connection.
fn proxy_to(upstream: String) -> (u16, Arc<Mutex<Vec<String>>>) {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let noted = Arc::clone(&seen);
    let port = listen(move |stream| {
        let mut reader = BufReader::new(stream.try_clone().unwrap());
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if reader.read_line(&mut head).unwrap_or(0) == 0 {
                return;
            }
        }
        let lower = head.to_ascii_lowercase();
        let credentials =
            lower.lines().find(|line| line.starts_with("proxy-authorization:")).unwrap_or_default();
        noted.lock().unwrap().push(format!("{} {credentials}", head.lines().next().unwrap()));
        let mut server = TcpStream::connect(&upstream).unwrap();
        if head.starts_with("CONNECT ") {
            (&stream).write_all(b"HTTP/1.1 200 Connection established\r\n\r\n").unwrap();
        } else {
            server.write_all(head.as_bytes()).unwrap();
        }
        server.write_all(reader.buffer()).unwrap();
        join(&stream, &server);
    });
    (port, seen)
}

#[test]
fn a_proxy_is_told_where_a_plain_request_goes() {
    let server = Running::serve(&["--allow-host", "mcp.test", "--fault", "unknown-tool-succeeds"]);
    let (port, seen) = proxy_to(server.address().to_owned());
    let proxy = format!("http://me:pr0xy-secret@127.0.0.1:{port}");
    let output = check(&["http://mcp.test/mcp", "--verbose", "--format", "json"], &[("http_proxy", &proxy)]);
    assert_eq!(output.status.code(), Some(1), "{}{}", stdout(&output), stderr(&output));
    let all = format!("{}{}", stdout(&output), stderr(&output));
    assert!(!all.contains("pr0xy-secret") && !all.contains("bWU6cHIweHktc2VjcmV0"), "{all}");
    let seen = seen.lock().unwrap();
    let expected = " http://mcp.test/mcp HTTP/1.1 proxy-authorization: basic bwu6chiwehktc2vjcmv0";
    assert!(!seen.is_empty() && seen.iter().all(|line| line.ends_with(expected)), "{seen:?}");
}

#[test]
fn a_proxy_opens_a_tunnel_for_tls() {
    let server = Running::serve(&["--allow-host", "localhost.localdomain"]);
    let secure = tls_before(server.address().to_owned());
    let (port, seen) = proxy_to(format!("127.0.0.1:{secure}"));
    let proxy = format!("127.0.0.1:{port}");
    let url = "https://localhost.localdomain/mcp";
    is_conformant(&check(&[url, "--insecure"], &[("HTTPS_PROXY", &proxy)]));
    let seen = seen.lock().unwrap();
    assert!(
        seen.iter().all(|line| line.starts_with("CONNECT localhost.localdomain:443 HTTP/1.1")),
        "{seen:?}"
    );
    assert!(!seen.is_empty());
}

#[test]
fn this_machine_needs_no_proxy_and_a_proxy_that_is_gone_is_named() {
    let server = Running::serve(&[]);
    let gone = "http://127.0.0.1:9";
    is_conformant(&check(&[&server.url], &[("ALL_PROXY", gone)]));
    let output = check(&["http://mcp.test/mcp"], &[("ALL_PROXY", gone)]);
    assert_eq!(output.status.code(), Some(3));
    let told = stderr(&output);
    assert!(told.contains("the proxy http://127.0.0.1:9 (from ALL_PROXY)"), "{told}");
}
