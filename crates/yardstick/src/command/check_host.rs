//! `yardstick check host`

use std::time::Instant;

use anyhow::{Context as _, anyhow};
use suite::Report;
use suite::host::drivers::{ManualHost, ObservedHost, OwnHost, PageHost, RemoteHost, SkipButton};
use suite::host::faults::HostFault;
use suite::host::{HostDriver, HostFacts, HostOptions, ProbeStage, judge_host, run_host};
use transport::MAX_MESSAGE;
use transport::serve::{Limits, pipe};

use super::check::{read_baseline, read_selection, write_baseline};
use crate::args::CheckHostArguments;
use crate::exit::{Exit, Usage};
use crate::files::write_whole;
use crate::format::Places;
use crate::signals::stop_requested;
use crate::suggest::did_you_mean;
use crate::{reproduction, terminal};

pub(super) async fn run(arguments: &CheckHostArguments) -> anyhow::Result<Exit> {
    if arguments.fault.as_deref() == Some("list") {
        let line = |fault: &HostFault| format!("{:28} {}\n", fault.fault.name, fault.fault.about);
        terminal::print(&HostFault::all().map(line).collect::<String>())?;
        return Ok(Exit::Success);
    }
    if arguments.stdio {
        return observe(arguments).await;
    }
    if let Some(address) = arguments.serve {
        let stage =
            ProbeStage::listen(address).await.with_context(|| format!("cannot listen on {address}"))?;
        terminal::print(&format!("{}\n", stage.url()))?;
        stop_requested().await;
        return Ok(Exit::Success);
    }
    measure(arguments).await
}

/// Serves the probe on stdio to the host that started this process, and judges in the end what it showed.
async fn observe(arguments: &CheckHostArguments) -> anyhow::Result<Exit> {
    let (start, options) = (Instant::now(), read_options(arguments)?);
    let mut places = Places::open(&arguments.judging.output)?;
    // Stdout belongs to the host.
    places.wanted.retain(|place| place.file.is_some());
    let stage = ProbeStage::start().await.context("the witnesses cannot listen")?;
    tokio::select! {
        served = pipe::stdio(stage.probe.clone(), Limits::for_messages(MAX_MESSAGE)) => served.context("stdio broke")?,
        () = stop_requested() => {}
    }
    let facts = stage.observe();
    let report = judge_host(&ObservedHost, &facts, &options, start);
    finish(arguments, &places, &report, &facts)?;
    Ok(if places.wanted.is_empty() { Exit::Success } else { report.verdict().into() })
}

fn finish(
    arguments: &CheckHostArguments,
    places: &Places,
    report: &Report,
    facts: &HostFacts,
) -> anyhow::Result<()> {
    if let Some(file) = &arguments.facts {
        write_whole(file, facts.to_value().to_string().as_bytes())?;
    }
    places.write(&report.clone().into(), arguments.judging.output.detail(), |_| false)?;
    write_baseline(&arguments.judging, std::iter::once(report))
}

fn read_options(arguments: &CheckHostArguments) -> anyhow::Result<HostOptions> {
    let judging = &arguments.judging;
    Ok(HostOptions {
        selection: read_selection(judging)?,
        baseline: read_baseline(judging)?,
        arguments: reproduction::host_arguments(arguments),
        platform: arguments.platform.clone(),
    })
}

async fn measure(arguments: &CheckHostArguments) -> anyhow::Result<Exit> {
    let options = read_options(arguments)?;
    let places = Places::open(&arguments.judging.output)?;
    let stage = ProbeStage::start().await.context("the probe server cannot listen")?;
    let driver = driver(arguments, &stage).await?;
    let (report, facts) = run_host(&stage, driver.as_ref(), &options).await;
    finish(arguments, &places, &report, &facts)?;
    Ok(report.verdict().into())
}

async fn driver(arguments: &CheckHostArguments, stage: &ProbeStage) -> anyhow::Result<Box<dyn HostDriver>> {
    if let Some(template) = &arguments.page {
        let script = match &arguments.script {
            None => String::new(),
            Some(file) => {
                std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?
            }
        };
        let host = PageHost::start(stage, template.clone(), script).await.map_err(|why| anyhow!(why))?;
        return Ok(Box::new(host));
    }
    if let Some(url) = &arguments.remote {
        return Ok(Box::new(RemoteHost::start(stage, url).await.map_err(|why| anyhow!(why))?));
    }
    if arguments.manual {
        terminal::warn(&format!("add this server to your host: {}", stage.url()));
        terminal::warn("press Enter to leave out what your host cannot show");
        let host = ManualHost::new(Box::new(terminal::warn));
        press_on_enter(host.skip_button());
        return Ok(Box::new(host));
    }
    let fault = arguments.fault.as_deref().map(named_fault).transpose()?;
    Ok(Box::new(OwnHost::start(stage, fault).await.map_err(|why| anyhow!(why))?))
}

/// Presses the button for every line on stdin. The thread ends with stdin, or with the process.
fn press_on_enter(button: SkipButton) {
    std::thread::spawn(move || {
        for line in std::io::stdin().lines() {
            if line.is_err() {
                return;
            }
            button.press();
        }
    });
}

fn named_fault(name: &str) -> Result<&'static HostFault, Usage> {
    HostFault::all().find(|fault| fault.fault.name == name).ok_or_else(|| {
        let near = did_you_mean(name, HostFault::all().map(|fault| fault.fault.name));
        Usage(format!("no fault `{name}`; `--fault list` shows them{near}"))
    })
}
