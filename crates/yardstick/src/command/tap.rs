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
use crate::run_recording::recording_header;
use crate::signals::{FirstSignal, listen_for_signals, stop_requested};
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
    let (writer, file) = start_recording(&target, None, arguments)?;
    let streams = stdio::Streams {
        input: tokio::io::stdin(),
        output: tokio::io::stdout(),
        errors: tokio::io::stderr(),
    };
    let ended = stdio::run(program, args, streams, &writer.sender()).await;
    judge_recording(writer.finish().await, &file, arguments);
    match ended {
        Ok(status) => Ok(Exit::Program(exit_code(status))),
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
    let (writer, file) = start_recording(&target, Some(endpoint.url.path().to_owned()), arguments)?;
    let address = arguments.http.unwrap_or_else(|| SocketAddr::from((Ipv4Addr::LOCALHOST, 0)));
    let tap = HttpTap::bind(address, &endpoint, writer.sender()).await?;
    terminal::print(&format!("{}\n", tap.url()))?;
    listen_for_signals(if arguments.check { FirstSignal::StopsWithoutLimit } else { FirstSignal::Stops });
    stop_requested().await;
    tap.shut_down(GRACE).await;
    Ok(judge_recording(writer.finish().await, &file, arguments).unwrap_or(Exit::Success))
}

/// Begins the recording. If the file cannot be written, a warning says so and the session goes on unrecorded.
fn start_recording(
    target: &Target,
    endpoint: Option<String>,
    arguments: &TapArguments,
) -> anyhow::Result<(RecordWriter, PathBuf)> {
    let moment = time_for_file_name();
    let opened = match &arguments.record {
        Some(path) => SharedLog::open(path, false).map(|file| (file, path.clone())),
        None => create_new_file(&moment),
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
        about: recording_header(Some(target.describe())),
        name: format!("{moment}-{}", std::process::id()),
        endpoint,
        keep: arguments.check,
        on_failure: Box::new(|why| {
            terminal::warn(&format!("yardstick tap: the recording ends here: {why}; the session goes on"));
        }),
    });
    Ok((writer.context("no thread to record on")?, path))
}

/// Judges what was recorded, if that was asked for.
fn judge_recording(written: Written, file: &Path, arguments: &TapArguments) -> Option<Exit> {
    if !arguments.check {
        return None;
    }
    let recorded = Recorded {
        description: file.display().to_string(),
        arguments: super::wire::reproduction_arguments(&[file.to_owned()]),
        sessions: written.sessions,
    };
    let judged = suite::judge(&recorded, &[Side::Server], &Options::default());
    terminal::warn_styled(&report::human::render(&judged.report));
    Some(super::wire::explain_exit(&judged))
}

/// A file that was not there before.
fn create_new_file(moment: &str) -> io::Result<(SharedLog, PathBuf)> {
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
fn time_for_file_name() -> String {
    let now = wire::rfc3339::format_millis(SystemTime::now());
    let digits: String = now.chars().filter(char::is_ascii_digit).collect();
    digits.get(..14).map(|digits| format!("{}-{}", &digits[..8], &digits[8..])).unwrap_or(digits)
}

/// The exit code; if a signal ended the program, the one that a shell gives.
#[cfg(unix)]
fn exit_code(status: ExitStatus) -> u8 {
    use std::os::unix::process::ExitStatusExt as _;
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal));
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1)
}

#[cfg(not(unix))]
fn exit_code(status: ExitStatus) -> u8 {
    status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1)
}
