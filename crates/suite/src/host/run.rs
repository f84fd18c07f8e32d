//! Shows every scene in a host, and judges what was seen.

use std::collections::BTreeSet;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, Instant};

use protocol::Version;
use protocol::method::Side;
use serde_json::Value;
use transport::Transport;
use transport::serve::http::{HttpServer, Options as HttpOptions};

use super::cx::HostCx;
use super::driver::HostDriver;
use super::facts::{ActFailure, HostFacts, SceneFacts};
use super::probe::{Act, DocumentForm, ProbeServer, SCENES, Scene, Sites};
use super::witness::{WitnessSite, WitnessSocket};
use crate::baseline::BaselineFilter;
use crate::check::Run;
use crate::recorded::{Recorded, judge};
use crate::{
    Applies, Baseline, Case, CaseReport, Event, Options, Report, Selection, TargetReport, Verdict, registry,
};

/// How often the record of the server is looked at.
const POLL_INTERVAL: Duration = Duration::from_millis(25);
/// The part of the patience with a driver for which a View that a host should not show is waited for.
const UNWANTED_PART: u32 = 5;
/// What the messages between View and host are made of.
const VERSION: Version = Version::V2025_11_25;
/// The scenes whose Views behave, so that what passes over the bridge can be judged.
const WELL_BEHAVED: [&str; 8] = ["closed", "open", "person", "theme", "slow", "blob", "ask", "again"];

/// The probe server, a second one, and the witnesses.
#[derive(Debug)]
pub struct ProbeStage {
    /// The server of the Views.
    pub probe: Arc<ProbeServer>,
    /// The second server.
    pub other: Arc<ProbeServer>,
    probe_http: HttpServer,
    other_http: HttpServer,
    pub(super) declared: WitnessSite,
    pub(super) undeclared: WitnessSite,
    pub(super) hints: WitnessSite,
    pub(super) stun: WitnessSocket,
    /// Names below it are looked up by Views that leak.
    names: String,
}

/// What is wanted of a run.
#[derive(Clone, Debug, Default)]
pub struct HostOptions {
    /// Which checks.
    pub selection: Selection,
    /// What is known to fail.
    pub baseline: Baseline,
    /// The arguments that name the host on the command line.
    pub arguments: String,
    /// What the host runs on, as the user calls it.
    pub platform: Option<String>,
}

impl ProbeStage {
    /// Starts the servers and the witnesses, on loopback.
    pub async fn start() -> std::io::Result<Self> {
        Self::listen(SocketAddr::from((Ipv4Addr::LOCALHOST, 0))).await
    }

    /// The same, with the probe server at this address.
    pub async fn listen(address: SocketAddr) -> std::io::Result<Self> {
        let (declared, undeclared) = (WitnessSite::start().await?, WitnessSite::start().await?);
        let (hints, stun) = (WitnessSite::start().await?, WitnessSocket::start().await?);
        // A name of its own for each run, so that what other runs look up is not taken for it.
        let names = format!("names-{}.localhost", hints.origin().rsplit(':').next().unwrap_or_default());
        let sites = Sites {
            declared: declared.origin(),
            undeclared: undeclared.origin(),
            hints: hints.origin(),
            stun: stun.authority(),
            names: names.clone(),
        };
        let (probe, other) = (ProbeServer::new(sites), ProbeServer::other());
        let probe_http = HttpServer::bind(address, probe.clone(), HttpOptions::default()).await?;
        let free = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let other_http = HttpServer::bind(free, other.clone(), HttpOptions::default()).await?;
        Ok(Self { probe, other, probe_http, other_http, declared, undeclared, hints, stun, names })
    }

    /// The URL of the probe server.
    pub fn url(&self) -> String {
        self.probe_http.url()
    }

    /// The URL of the second server.
    pub fn other_url(&self) -> String {
        self.other_http.url()
    }

    /// Shows the scenes that `wanted` takes, and collects what is seen.
    async fn collect(&self, driver: &dyn HostDriver, wanted: impl Fn(&Scene) -> bool, facts: &mut HostFacts) {
        for scene in SCENES.iter().filter(|scene| wanted(scene)) {
            facts.scenes.insert(scene.name, self.show(driver, scene).await);
        }
        facts.server = self.probe.seen();
        facts.other = driver.has_other_server().then(|| self.other.seen());
    }

    async fn show(&self, driver: &dyn HostDriver, scene: &Scene) -> SceneFacts {
        let mut facts = SceneFacts::default();
        let from = self.probe.seen();
        let marks = (self.declared.paths().len(), self.undeclared.paths().len());
        let before = (self.hints.connections(), self.stun.count_datagrams());
        let arguments = (scene.arguments)();
        self.probe.set_time_to_act(driver.time_to_act());
        let showing = match scene.streamed {
            true => driver.show_streamed(scene.name, &arguments),
            false => driver.show(scene.name, &arguments),
        };
        if let Err(unable) = showing.await {
            facts.unshown = Some(unable);
            return facts;
        }
        facts.arguments = driver.passes_arguments().then_some(arguments);
        for act in scene.acts {
            let done = self.perform(driver, scene, *act, from.reports.len()).await;
            // A stage that never comes makes what follows pointless, but not what reads.
            facts.acts.insert(act.name(), done);
        }
        let mut limit = driver.patience();
        if scene.is_unwanted() {
            self.await_read(driver, scene, from.reads.len()).await;
            limit /= UNWANTED_PART;
        }
        facts.told = self.finish(driver, scene, from.reports.len(), limit).await;
        // Whatever the View told until then, nobody did what it waited for.
        if driver.has_skipped() {
            facts.unshown = Some(ActFailure::Cannot("it was skipped".to_owned()));
            return facts;
        }
        let seen = self.probe.seen();
        let reports = seen.reports.iter().skip(from.reports.len()).map(|one| &one.report);
        let own: Vec<_> = reports.filter(|report| report["scene"] == scene.name).collect();
        facts.stages = own.iter().filter_map(|it| it["stage"].as_str()).map(str::to_owned).collect();
        facts.loads = facts.stages.iter().filter(|stage| *stage == "loaded").count();
        facts.calls = seen.calls.get(from.calls.len()..).unwrap_or_default().to_vec();
        let uri = format!("ui://yardstick/{}", scene.name);
        let reads = seen.reads.get(from.reads.len()..).unwrap_or_default();
        facts.reads = reads.iter().filter(|read| read.uri == uri).count();
        facts.declared_hits = self.declared.paths().get(marks.0..).unwrap_or_default().to_vec();
        facts.undeclared_hits = self.undeclared.paths().get(marks.1..).unwrap_or_default().to_vec();
        facts.hinted = self.hints.connections() - before.0;
        facts.datagrams = self.stun.count_datagrams() - before.1;
        facts
    }

    /// Waits until the document of a scene is read.
    async fn await_read(&self, driver: &dyn HostDriver, scene: &Scene, from: usize) {
        let (end, uri) = (Instant::now() + driver.patience(), format!("ui://yardstick/{}", scene.name));
        let is_over = || Instant::now() >= end || driver.has_skipped();
        while !is_over() && !self.probe.seen().reads.iter().skip(from).any(|read| read.uri == uri) {
            tokio::time::sleep(POLL_INTERVAL * 4).await;
        }
    }

    async fn perform(
        &self,
        driver: &dyn HostDriver,
        scene: &Scene,
        act: Act,
        from: usize,
    ) -> Result<Value, ActFailure> {
        let nothing = |done: Result<(), ActFailure>| done.map(|()| Value::Null);
        match act {
            Act::Stage(stage) => self.reach(driver, scene, stage, from).await,
            Act::Pause(ms) => {
                tokio::time::sleep(Duration::from_millis(ms)).await;
                Ok(Value::Null)
            }
            Act::Cancel => nothing(driver.cancel().await),
            Act::Close => {
                driver.close().await?;
                self.await_last_save(driver).await;
                Ok(Value::Null)
            }
            Act::Theme => nothing(driver.switch_theme().await),
            Act::Allow => nothing(driver.decide(true).await),
            Act::AllowTwice => nothing(driver.allow_twice().await),
            Act::Deny => nothing(driver.decide(false).await),
            Act::Conversation => driver.conversation().await,
            Act::ModelContext => driver.model_context().await,
            Act::ModelTools => driver.model_tools().await,
            Act::OpenedLinks => driver.opened_links().await,
            Act::Names => driver.names_looked_up(&self.names).await,
            Act::Frames => driver.frames().await,
            Act::MethodsHeard => driver.methods_heard().await,
            Act::Responsive => driver.responsive().await,
        }
    }

    /// Waits until a View that is closed has saved its work, as far as the host lets it.
    async fn await_last_save(&self, driver: &dyn HostDriver) {
        let end = Instant::now() + driver.time_to_act();
        let is_saved = || {
            let calls = self.probe.seen().calls;
            calls.iter().any(|call| call.name == "save" && call.arguments["step"] == "late")
                || self.declared.paths().iter().any(|path| path.ends_with("/late"))
        };
        while Instant::now() < end && !driver.has_skipped() && !is_saved() {
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    }

    /// Waits until the View is at `stage`, or has come to its end without it.
    async fn reach(
        &self,
        driver: &dyn HostDriver,
        scene: &Scene,
        stage: &str,
        from: usize,
    ) -> Result<Value, ActFailure> {
        let end = Instant::now() + driver.patience();
        while Instant::now() < end && !driver.has_skipped() {
            let reports = self.probe.seen().reports;
            let mut own = reports.iter().skip(from).filter(|it| it.report["scene"] == scene.name);
            if own.any(|it| it.report["stage"] == stage || it.report["done"] == true) {
                return Ok(Value::Null);
            }
            tokio::time::sleep(POLL_INTERVAL).await;
        }
        Err(ActFailure::Failed(format!("the View of {} did not come to {stage}", scene.name)))
    }

    /// The last thing that the View told: its last report, or what is read in its document.
    async fn finish(&self, driver: &dyn HostDriver, scene: &Scene, from: usize, limit: Duration) -> Value {
        let end = Instant::now() + limit;
        let mut told = Value::Null;
        loop {
            let reports = self.probe.seen().reports;
            let own = reports.iter().skip(from).filter(|it| it.report["scene"] == scene.name);
            if let Some(last) = own.max_by_key(|it| (it.report["done"] == true, it.at)) {
                told = last.report.clone();
            }
            if told["done"] != true
                && let Ok(read) = driver.read_view().await
                && read["scene"] == scene.name
                && read["at"].as_f64() >= told["at"].as_f64()
            {
                told = read;
            }
            if told["done"] == true || driver.has_skipped() || Instant::now() > end {
                return told;
            }
            tokio::time::sleep(POLL_INTERVAL * 4).await;
        }
    }
}

impl Scene {
    /// Whether a host should not show it.
    fn is_unwanted(&self) -> bool {
        matches!(self.form, DocumentForm::Typed(_))
    }
}

/// Judges `facts` with every selected check of hosts, and the messages of the well-behaved scenes with those that only read.
pub fn judge_host(
    driver: &dyn HostDriver,
    facts: &HostFacts,
    options: &HostOptions,
    start: Instant,
) -> Report {
    let mut report = Report::default();
    let mut filter = BaselineFilter::new(&options.baseline);
    let mut emit = |event: Event| filter.take(event).iter().for_each(|event| report.add(event));
    emit(Event::Reached(describe(driver, facts, options)));
    let cx = HostCx::new(facts);
    for (case, judge) in cases(&options.selection) {
        let began = Instant::now();
        let verdict = judge(&cx);
        emit(Event::Finished(CaseReport::new(&case, &verdict, began.elapsed())));
    }
    for case in judge_messages(facts, &options.selection) {
        emit(Event::Finished(case));
    }
    emit(Event::Ended { took: start.elapsed() });
    report
}

/// What the checks that only read find in what Views and host said to each other.
fn judge_messages(facts: &HostFacts, selection: &Selection) -> Vec<CaseReport> {
    let shown = facts.scenes.iter().filter(|(name, _)| WELL_BEHAVED.contains(*name));
    let sessions: Vec<_> = shown.map(|(name, facts)| facts.recorded_session(name)).collect();
    let recorded = Recorded { sessions, ..Recorded::default() };
    let options = Options { selection: selection.clone(), ..Options::default() };
    let cases = judge(&recorded, &[Side::Server], &options).report.cases;
    // A View cannot see its proxy, nor whether it was removed.
    cases.into_iter().filter(|case| case.outcome != crate::Outcome::Blocked).collect()
}

fn describe(driver: &dyn HostDriver, facts: &HostFacts, options: &HostOptions) -> TargetReport {
    let info =
        facts.scenes.values().map(|scene| &scene.fact("initialize")["hostInfo"]).find(|it| it.is_object());
    let text = |name: &str| info.and_then(|info| info[name].as_str()).map(str::to_owned);
    let platform = options.platform.as_deref().map(|name| format!(" on {name}")).unwrap_or_default();
    TargetReport {
        description: format!("{}{platform}", driver.description()),
        arguments: options.arguments.clone(),
        transport: wire::recording::Medium::PostMessage.as_str().to_owned(),
        speaks: vec![VERSION],
        name: text("name"),
        version: text("version"),
        at: Some(crate::clock::now()),
    }
}

/// How a check of hosts judges.
type HostJudge = fn(&HostCx<'_>) -> Verdict;

/// The selected checks of hosts.
fn cases(selection: &Selection) -> impl Iterator<Item = (Case, HostJudge)> + '_ {
    registry().filter_map(|check| {
        let Run::Host(judge) = check.run else { return None };
        let level = check.level(VERSION).filter(|level| selection.takes_as(check, *level))?;
        Some((Case { check, version: VERSION, transport: Transport::Stdio, level }, judge))
    })
}

/// The scenes that the selected checks ask for and that are not among `facts`.
fn missing(facts: &HostFacts, selection: &Selection) -> BTreeSet<String> {
    let cx = HostCx::new(facts);
    for (_, judge) in cases(selection) {
        // Whatever is found now: a scene that is missing stops a check where it asks for it.
        drop(judge(&cx));
    }
    let mut missing = cx.into_missing();
    let reads =
        registry().any(|check| check.applies == Applies::BetweenViewAndHost && selection.takes(check));
    let unread = WELL_BEHAVED.iter().filter(|name| reads && !facts.scenes.contains_key(*name));
    missing.extend(unread.map(|name| (*name).to_owned()));
    missing
}

/// Measures a host: shows what the selected checks need, and judges it.
pub async fn run_host(
    stage: &ProbeStage,
    driver: &dyn HostDriver,
    options: &HostOptions,
) -> (Report, HostFacts) {
    let start = Instant::now();
    let mut facts = HostFacts::default();
    if options.selection.only.is_empty() {
        stage.collect(driver, |_| true, &mut facts).await;
    }
    loop {
        let names = missing(&facts, &options.selection);
        if !names.iter().any(|name| !facts.scenes.contains_key(name.as_str())) {
            break;
        }
        stage.collect(driver, |scene| names.contains(scene.name), &mut facts).await;
        // A name that no scene has would be asked for again and again.
        if names.iter().any(|name| !facts.scenes.contains_key(name.as_str())) {
            break;
        }
    }
    facts.server = stage.probe.seen();
    (judge_host(driver, &facts, options, start), facts)
}
