//! `yardstick tap`

use std::io::{self, Write};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::time::{Duration, SystemTime};

use anyhow::Context as _;
use protocol::method::Side;
use suite::{Options, Recorded};
use transport::client::Target;
use transport::tap::http::HttpTap;
use transport::tap::{RecordOptions, RecordWriter, Redactor, Written, stdio};

use crate::address::read_endpoint;
use crate::args::TapArguments;
use crate::exit::{Exit, Usage};
use crate::files::SharedLog;
use crate::record::about;
use crate::signals::{First, listen, told_to_stop};
use crate::{target, terminal};

/// How long connections may take to close once the tap is told to stop.
const GRACE: Duration = Duration::from_millis(500);

pub(crate) async fn run(arguments: TapArguments) -> anyhow::Result<Exit> {
    match (&arguments.url, target::read_program(&arguments.command, &[], None)?) {
        (Some(url), _) => over_http(url, &arguments).await,
        (None, Some(program)) => over_stdio(&program.program, &program.args, &arguments).await,
        (None, None) => Err(Usage("nothing to tap; yardstick tap -- COMMAND, or a URL".to_owned()).into()),
    }
}

async fn over_stdio(program: &str, args: &[String], arguments: &TapArguments) -> anyhow::Result<Exit> {
    let target = Target::command(program, args.to_vec()).with_secrets(arguments.with_secrets);
    let (writer, file) = begin(&target, None, arguments)?;
    let streams = stdio::Streams {
        input: tokio::io::stdin(),
        output: tokio::io::stdout(),
        errors: tokio::io::stderr(),
    };
    let ended = stdio::run(program, args, streams, &writer.pen()).await;
    end(writer.finish().await, &file, arguments);
    match ended {
        Ok(status) => Ok(Exit::Program(code(status))),
        // The exit code that a shell gives.
        Err(why) => {
            terminal::warn(&format!("yardstick tap: `{program}` cannot be started: {why}"));
            Ok(Exit::Program(if why.kind() == io::ErrorKind::NotFound { 127 } else { 126 }))
        }
    }
}

async fn over_http(url: &str, arguments: &TapArguments) -> anyhow::Result<Exit> {
    let mut endpoint = read_endpoint(url, "tap")?;
    arguments.connection.apply_to(&mut endpoint)?;
    let target = Target::Url(endpoint.clone()).with_secrets(arguments.with_secrets);
    let (writer, file) = begin(&target, Some(endpoint.url.path().to_owned()), arguments)?;
    let address = arguments.http.unwrap_or_else(|| SocketAddr::from((Ipv4Addr::LOCALHOST, 0)));
    let tap = HttpTap::bind(address, &endpoint, writer.pen()).await?;
    terminal::print(&format!("{}\n", tap.url()))?;
    listen(if arguments.check { First::Finishes } else { First::Asks });
    told_to_stop().await;
    tap.shut_down(GRACE).await;
    Ok(end(writer.finish().await, &file, arguments).unwrap_or(Exit::Success))
}

/// Begins the recording. If the file cannot be written, a warning says so and the session goes on unrecorded.
fn begin(
    target: &Target,
    endpoint: Option<String>,
    arguments: &TapArguments,
) -> anyhow::Result<(RecordWriter, PathBuf)> {
    let moment = stamp();
    let opened = match &arguments.record {
        Some(path) => SharedLog::open(path, false).map(|file| (file, path.clone())),
        None => fresh(&moment),
    };
    let (sink, path): (Box<dyn Write + Send>, PathBuf) = match opened {
        Ok((file, path)) => {
            let secrets = if arguments.with_secrets { ", with secrets" } else { "" };
            terminal::warn(&format!("yardstick tap: recording to {}{secrets}", path.display()));
            (Box::new(file), path)
        }
        Err(why) => {
            let path = arguments.record.clone().unwrap_or_else(|| PathBuf::from("."));
            terminal::warn(&format!("yardstick tap: nothing is recorded: `{}`: {why}", path.display()));
            (Box::new(io::sink()), path)
        }
    };
    let writer = RecordWriter::start(RecordOptions {
        sink,
        redactor: Redactor::for_foreign_requests(target),
        about: about(Some(target.describe())),
        name: format!("{moment}-{}", std::process::id()),
        endpoint,
        keep: arguments.check,
        trouble: Box::new(|why| {
            terminal::warn(&format!("yardstick tap: the recording ends here: {why}; the session goes on"));
        }),
    });
    Ok((writer.context("no thread to record on")?, path))
}

/// Judges what was recorded, if that was asked for.
fn end(written: Written, file: &Path, arguments: &TapArguments) -> Option<Exit> {
    if !arguments.check {
        return None;
    }
    let recorded = Recorded {
        description: file.display().to_string(),
        arguments: super::wire::again(&[file.to_owned()]),
        tapes: written.tapes,
    };
    let judged = suite::judge(&recorded, &[Side::Server], &Options::default());
    terminal::warn_styled(&report::human::render(&judged.report));
    Some(super::wire::exit(&judged))
}

/// A file that was not there before.
fn fresh(moment: &str) -> io::Result<(SharedLog, PathBuf)> {
    for number in 1.. {
        let suffix = if number == 1 { String::new() } else { format!("-{number}") };
        let path = PathBuf::from(format!("yardstick-{moment}{suffix}.ndjson"));
        match SharedLog::open(&path, true) {
            Err(why) if why.kind() == io::ErrorKind::AlreadyExists && number < 100 => {}
            opened => return opened.map(|file| (file, path)),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// The time, as it stands in a file name.
fn stamp() -> String {
    let now = wire::rfc3339::format_millis(SystemTime::now());
    let digits: String = now.chars().filter(char::is_ascii_digit).collect();
    digits.get(..14).map(|digits| format!("{}-{}", &digits[..8], &digits[8..])).unwrap_or(digits)
}

/// The exit code; if a signal ended the program, the one that a shell gives.
#[cfg(unix)]
fn code(status: ExitStatus) -> u8 {
    use std::os::unix::process::ExitStatusExt as _;
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal));
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1)
}

#[cfg(not(unix))]
fn code(status: ExitStatus) -> u8 {
    status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1)
}
