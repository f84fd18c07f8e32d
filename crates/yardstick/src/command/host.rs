//! `yardstick host`

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use host::{HostedServer, Options};
use serde_json::{Value, json};
use transport::client::Target;
use url::Url;

use crate::address::read_endpoint;
use crate::args::HostArguments;
use crate::configuration::{NamedTarget, read_servers};
use crate::connection::add_headers;
use crate::exit::{Exit, Usage};
use crate::suggest::did_you_mean;
use crate::{target, terminal};

/// How long to wait for the servers before the warnings about them are printed. The page works before that.
const CONNECT_LIMIT: Duration = Duration::from_secs(20);

pub(crate) async fn run(arguments: HostArguments) -> anyhow::Result<Exit> {
    let options = Options {
        address: SocketAddr::from((Ipv4Addr::LOCALHOST, arguments.port)),
        targets: read_targets(&arguments)?,
        profile: arguments.profile.clone(),
        watch: read_watched(&arguments)?,
        sampling: arguments.sampling,
        roots: read_roots(&arguments)?,
        ..Options::default()
    };
    let host = host::Host::start(options).await.map_err(|error| match error {
        host::Error::NoProfile { ref name, ref known } => {
            let near = did_you_mean(name, known.split(", "));
            anyhow::Error::new(Usage(format!("{error}{near}")))
        }
        other => other.into(),
    })?;
    terminal::print(&format!("{}\n", host.url()))?;
    if !arguments.no_open && terminal::is_stdout_terminal() {
        open_browser(&host.url());
    }
    let told = async {
        for line in host.settled(CONNECT_LIMIT).await {
            terminal::warn(&line);
        }
        std::future::pending::<()>().await;
    };
    tokio::select! {
        () = crate::signals::stop_requested() => {}
        () = told => {}
    }
    host.shut_down().await;
    Ok(Exit::Success)
}

/// The servers that the user names; the built-in server if there are none.
fn read_targets(arguments: &HostArguments) -> anyhow::Result<Vec<HostedServer>> {
    let mut targets: Vec<HostedServer> = Vec::new();
    for url in &arguments.urls {
        let mut endpoint = read_endpoint(url, "host")?;
        arguments.connection.apply_to(&mut endpoint)?;
        add_headers(&mut endpoint, &arguments.header)?;
        targets.push(Target::Url(endpoint).into());
    }
    let program = target::read_program(&arguments.command, &arguments.env, None)?;
    targets.extend(program.map(|program| Target::Command(program).into()));
    for path in &arguments.config {
        let servers = read_servers(path, &[], &arguments.connection)?;
        let named = |server: NamedTarget| HostedServer { name: Some(server.name), target: server.target };
        targets.extend(servers.into_iter().map(named));
    }
    if targets.is_empty() {
        targets.push(target::reference().into());
    }
    for hosted in &mut targets {
        hosted.target = hosted.target.clone().with_secrets(arguments.with_secrets);
        terminal::hide_secrets(&hosted.target.secrets());
    }
    Ok(targets)
}

fn read_watched(arguments: &HostArguments) -> anyhow::Result<Vec<PathBuf>> {
    for path in &arguments.watch {
        if !path.exists() {
            return Err(Usage(format!("--watch {}: there is no such file", path.display())).into());
        }
    }
    Ok(arguments.watch.clone())
}

/// The folders that servers are told of.
fn read_roots(arguments: &HostArguments) -> anyhow::Result<Vec<Value>> {
    let root = |path: &PathBuf| {
        let unfit = |why: String| Usage(format!("--root {}: {why}", path.display()));
        let folder = path.canonicalize().map_err(|why| unfit(why.to_string()))?;
        if !folder.is_dir() {
            return Err(unfit("it is not a folder".to_owned()).into());
        }
        let uri = Url::from_directory_path(&folder).map_err(|()| unfit("it has no URI".to_owned()))?;
        let name = folder.file_name().map(|name| name.to_string_lossy().into_owned());
        // A root has no slash at its end, apart from the root of the file system.
        let uri = uri.as_str();
        let uri = uri.strip_suffix('/').filter(|uri| *uri != "file://").unwrap_or(uri);
        Ok(match name {
            Some(name) => json!({ "uri": uri, "name": name }),
            None => json!({ "uri": uri }),
        })
    };
    arguments.root.iter().map(root).collect()
}

/// Opens the browser of this desktop, if there is one.
fn open_browser(url: &str) {
    let opener = if cfg!(target_os = "macos") {
        Some("open")
    } else if cfg!(windows) {
        Some("explorer")
    } else {
        let desktop = ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| std::env::var_os(name).is_some());
        desktop.then_some("xdg-open")
    };
    if let Some(opener) = opener {
        // The address is printed, so a user without a browser opener can copy it.
        let _ = std::process::Command::new(opener)
            .arg(url)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
    }
}
