//! Measures the time from the start of the command to an app that is ready: this host and the MCP Inspector, in turns,
//! with one server that is already running.

#![expect(clippy::print_stdout, reason = "what is measured is printed")]

use std::error::Error;
use std::process::Stdio;
use std::time::{Duration, Instant};

use browser::{Browser, Page};
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::net::TcpStream;
use tokio::process::{Child, Command};

const TIMEOUT: Duration = Duration::from_secs(30);
/// The Inspector's address and token.
const INSPECTOR: (&str, &str) = ("127.0.0.1:6274", "ready");
const USAGE: &str = "ready YARDSTICK NODE INSPECTOR SERVER-URL TOOL ROUNDS";

type Outcome<T> = Result<T, Box<dyn Error>>;

#[tokio::main]
async fn main() -> Outcome<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [yardstick, node, inspector, url, tool, rounds] = &words[..] else { return Err(USAGE.into()) };
    let browser = Browser::launch(browser::LaunchOptions::default()).await?;
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    // The first round warms up the browser and the file caches, and does not count.
    for round in 0..=rounds.parse::<usize>()? {
        let page = browser.blank_page().await?;
        let our = our_host(&page, yardstick, url, tool).await?;
        page.close().await?;
        let page = browser.blank_page().await?;
        let their = their_host(&page, node, inspector, url, tool).await?;
        page.close().await?;
        println!("round {round}: yardstick {} ms, inspector {} ms", our.as_millis(), their.as_millis());
        if round > 0 {
            ours.push(our);
            theirs.push(their);
        }
    }
    let (ours, theirs) = (median(&mut ours), median(&mut theirs));
    let ratio = theirs.as_secs_f64() / ours.as_secs_f64();
    println!(
        "median: yardstick {} ms, inspector {} ms, ratio {ratio:.1}",
        ours.as_millis(),
        theirs.as_millis()
    );
    if ratio < 5.0 { Err("the ratio is below 5".into()) } else { Ok(()) }
}

async fn our_host(page: &Page, yardstick: &str, url: &str, tool: &str) -> Outcome<Duration> {
    let start = Instant::now();
    let mut child = started(Command::new(yardstick).args(["host", "--no-open", "--port", "0", url]))?;
    let stdout = child.stdout.take().ok_or("stdout is piped")?;
    let line = BufReader::new(stdout).lines().next_line().await?.ok_or("yardstick printed no address")?;
    ready(page, &format!("{line}?tool={tool}&run=1")).await?;
    let took = start.elapsed();
    end(child).await?;
    Ok(took)
}

async fn their_host(page: &Page, node: &str, inspector: &str, url: &str, tool: &str) -> Outcome<Duration> {
    let (address, token) = INSPECTOR;
    if TcpStream::connect(address).await.is_ok() {
        return Err(format!("something else listens on {address}; stop it first").into());
    }
    let start = Instant::now();
    let mut command = Command::new(node);
    command.args([inspector, "--web"]).env("HOST", "127.0.0.1").env("MCP_AUTO_OPEN_ENABLED", "false");
    let child = started(command.env("MCP_INSPECTOR_API_TOKEN", token))?;
    while TcpStream::connect(address).await.is_err() {
        if start.elapsed() > TIMEOUT {
            return Err("the inspector does not listen".into());
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let server: String = url.bytes().map(|byte| format!("%{byte:02x}")).collect();
    let query =
        format!("serverUrl={server}&transport=http&autoConnect={token}&openApp={tool}&autoOpen={token}");
    ready(page, &format!("http://{address}/?{query}")).await?;
    let took = start.elapsed();
    end(child).await?;
    Ok(took)
}

/// In both hosts the app itself shows when it has its result, so whether the page has finished loading does not
/// matter.
async fn ready(page: &Page, url: &str) -> Outcome<()> {
    let told = tokio::select! {
        told = page.wait_for("document.querySelector('[data-app-status=ready]') !== null", TIMEOUT) => told,
        Err(why) = page.goto(url) => Err(why),
    };
    match told {
        Ok(_) => Ok(()),
        Err(why) => {
            let shown = page.eval("document.body.innerText.slice(0, 500)").await?;
            Err(format!("{url}: {why}; the page shows {shown}").into())
        }
    }
}

fn started(command: &mut Command) -> Outcome<Child> {
    Ok(command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .process_group(0)
        .kill_on_drop(true)
        .spawn()?)
}

/// Ends a command and the processes that it started.
async fn end(mut child: Child) -> Outcome<()> {
    if let Some(id) = child.id() {
        Command::new("kill").args(["-KILL", "--", &format!("-{id}")]).status().await?;
    }
    child.wait().await?;
    Ok(())
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort();
    times.get(times.len() / 2).copied().unwrap_or_default()
}
