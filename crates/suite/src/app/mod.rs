//! Measures MCP Apps: each is shown in a browser, by hosts that differ.
//!
//! The matrix of hosts is a table of values ([`rows`]). A [`AppStage`] shows one app in one row and records what happens in a
//! [`Viewing`]; checks are pure functions over the viewings of one app ([`AppCx`]).

mod cx;
mod judging;
mod pictures;
pub(crate) mod rows;
mod stage;
mod viewing;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use browser::{Browser, BrowserError, LaunchOptions};
use futures_util::{StreamExt as _, stream};
use host::{Host, HostedServer};
use protocol::apps::ToolUi;
use serde_json::{Value, json};
use transport::Transport;
use transport::client::{Failure, Limits, Target, probe};
use wire::recording::Medium;

use self::judging::{needs_row, plan, report_case, silent_rows, verdict_of};
use self::stage::{AppStage, ShownTool};
use crate::baseline::{Baseline, BaselineFilter};
use crate::run::redact_event;
use crate::{Calls, Decision, Event, Finding, Report, RunCx, Selection, ServerCx, TargetReport, ViewedApp};

pub use self::cx::AppCx;
pub(crate) use self::cx::{RowFinding, first_line};
pub(crate) use self::judging::BRIDGE;
pub use self::pictures::{Comparison, PictureDifference, ReferencePictures, Tolerance, picture_place};
pub use self::rows::{HostRow, ROWS, row_named};
pub(crate) use self::stage::HANDSHAKE_TIMEOUT;
pub use self::viewing::{BackgroundColor, ConsoleLine, DocumentFacts, TextContrast, Viewing};

/// How to measure apps.
#[derive(Clone, Debug)]
pub struct AppOptions {
    /// The rows in which each app is shown. The first of [`ROWS`] is always among them.
    pub rows: Vec<&'static HostRow>,
    /// Which checks.
    pub selection: Selection,
    /// Which tools are called, and with what. If it names tools, only their apps are shown.
    pub calls: Calls,
    /// What is known to fail.
    pub baseline: Baseline,
    /// Every bound on the server.
    pub limits: Limits,
    /// How many apps are shown side by side.
    pub jobs: usize,
    /// The browser; the usual one of the machine if there is none.
    pub browser: Option<PathBuf>,
    /// How the apps looked before. A difference then fails the run.
    pub references: Option<ReferencePictures>,
}

impl Default for AppOptions {
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
        Self {
            rows: ROWS.iter().collect(),
            selection: Selection::default(),
            calls: Calls::default(),
            baseline: Baseline::default(),
            limits: Limits::default(),
            jobs: cores + 1,
            browser: None,
            references: None,
        }
    }
}

/// Why no app was measured.
#[derive(Debug, thiserror::Error)]
pub enum AppFailure {
    /// The browser is missing or failed.
    #[error(transparent)]
    Browser(#[from] BrowserError),
    /// The test host could not start.
    #[error(transparent)]
    Host(#[from] host::Error),
    /// The server could not be reached.
    #[error(transparent)]
    Server(#[from] Failure),
    /// The server did not list its tools.
    #[error("the tools of the server are not known: {0}")]
    NoList(String),
    /// No tool has an app.
    #[error("the server has no tool with an app; a tool names its app in _meta.ui.resourceUri")]
    NoApps,
    /// A tool that was named is not there, or has no app.
    #[error("the server has no tool `{name}` with an app{known}")]
    NoSuchApp {
        /// The name.
        name: String,
        /// The names of those that have one, ready to print.
        known: String,
    },
}

/// How long the host may take to connect to the server.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(60);

/// Where events go.
type EventConsumer<'e> = dyn FnMut(&Event) + Send + 'e;

/// Measures the apps of `target`. Every event goes to `emit` as it happens; the report is their fold. `shown` is called
/// for each app and row, perhaps more than once.
///
/// `arguments` are those that name the target on the command line, for the reproduction of findings.
pub async fn check_apps(
    target: &Target,
    arguments: &str,
    options: &AppOptions,
    shown: impl Fn(&str, &HostRow) + Sync,
    emit: impl FnMut(&Event) + Send,
) -> Result<(Report, Vec<Viewing>), AppFailure> {
    let start = Instant::now();
    let browser = Browser::launch(LaunchOptions { program: options.browser.clone(), ..Default::default() });
    let (browser, listed) = tokio::join!(browser, Box::pin(list(target, options)));
    let (browser, listed) = (browser?, listed?);
    let mut emit = emit;
    let sink = Mutex::new(ReportSink::new(&options.baseline, &mut emit));
    let run = AppRun { options, sink, target, shown: &shown };
    run.emit(Event::Reached(describe(target, arguments, &listed)));
    let host = Host::start(host::Options {
        targets: vec![HostedServer::from(target.clone())],
        ..host::Options::default()
    });
    let host = host.await?;
    host.settled(CONNECT_TIMEOUT).await;
    let is_compared = options.references.is_some();
    let stage = AppStage { host, browser, callable: listed.callable, is_compared };
    let mut viewings = run.show_all(&stage, &listed.apps).await;
    run.repeat_silent_rows(&stage, &listed.apps, &mut viewings).await;
    run.compare_pictures(&stage, &listed.apps, &mut viewings).await;
    viewings.iter().for_each(|viewing| run.emit(Event::Viewed(ViewedApp::new(viewing))));
    run.judge_all(&viewings);
    stage.host.shut_down().await;
    run.emit(Event::Ended { took: start.elapsed() });
    let sink = run.sink.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok((sink.report, viewings))
}

/// What the server offers.
struct ListedApps {
    apps: Vec<ShownTool>,
    /// The tools that may be called.
    callable: Vec<String>,
    /// How the server calls itself.
    info: Value,
}

/// Finds the tools that have an app, and what they are called with. Calls nothing.
async fn list(target: &Target, options: &AppOptions) -> Result<ListedApps, AppFailure> {
    let run = Arc::new(RunCx::new(target.clone(), &options.limits, options.calls.clone()));
    let found = probe(target, run.limits.clone()).await?;
    let version = found.versions().into_iter().max().unwrap_or(BRIDGE);
    let transport = found.find(version).map_or(Transport::Stdio, |spoken| spoken.transport);
    let cx = ServerCx::new(run, version, transport);
    let listed = list_with(&cx, &options.calls).await;
    cx.close().await;
    listed
}

async fn list_with(cx: &ServerCx, calls: &Calls) -> Result<ListedApps, AppFailure> {
    let unlisted = |finding| {
        AppFailure::NoList(match finding {
            Finding::Violated(evidence) => evidence.actual,
            Finding::Blocked(obstacle) => obstacle.why,
            Finding::NotApplicable(why) | Finding::Broke(why) => why,
        })
    };
    let tools = cx.tools().await.map_err(unlisted)?;
    let info = cx.session().await.ok().and_then(|session| session.server().info).unwrap_or_default();
    let name = |tool: &Value| tool["name"].as_str().unwrap_or_default().to_owned();
    let has_app = |tool: &&Value| {
        let (ui, _) = ToolUi::from_tool(tool);
        ui.resource_uri.is_some() && ui.visibility.model
    };
    let with_app: Vec<&Value> = tools.iter().filter(has_app).collect();
    if with_app.is_empty() {
        return Err(AppFailure::NoApps);
    }
    let is_listed = |wanted: &&String| with_app.iter().any(|tool| tool["name"] == **wanted);
    if let Some(missing) = calls.named.iter().find(|named| !is_listed(named)) {
        let names: Vec<String> = with_app.iter().map(|tool| format!("`{}`", name(tool))).collect();
        let known = format!("; there are {}", names.join(", "));
        return Err(AppFailure::NoSuchApp { name: missing.clone(), known });
    }
    let mut apps = Vec::new();
    for tool in with_app.iter().filter(|tool| calls.named.is_empty() || calls.named.contains(&name(tool))) {
        let made = cx.arguments_for(tool).await;
        let uncalled = match (calls.decide(tool, tools), &made) {
            (Decision::Leave(why), _) => Some(why),
            (Decision::Call(_), None) => Some("no arguments could be made for its schema"),
            (Decision::Call(_), Some(_)) => None,
        };
        apps.push(ShownTool { name: name(tool), arguments: made.unwrap_or_else(|| json!({})), uncalled });
    }
    let callable = tools.iter().filter(|tool| calls.decide(tool, tools).is_call()).map(name).collect();
    Ok(ListedApps { apps, callable, info })
}

fn describe(target: &Target, arguments: &str, listed: &ListedApps) -> TargetReport {
    let text = |name: &str| listed.info[name].as_str().map(str::to_owned);
    TargetReport {
        description: target.describe(),
        arguments: arguments.to_owned(),
        transport: Medium::PostMessage.as_str().to_owned(),
        speaks: vec![BRIDGE],
        name: text("name"),
        version: text("version"),
        at: Some(crate::clock::now()),
    }
}

/// The report so far, and who listens.
struct ReportSink<'r> {
    report: Report,
    filter: BaselineFilter<'r>,
    emit: &'r mut EventConsumer<'r>,
}

impl<'r> ReportSink<'r> {
    fn new(baseline: &'r Baseline, emit: &'r mut EventConsumer<'r>) -> Self {
        Self { report: Report::default(), filter: BaselineFilter::new(baseline), emit }
    }
}

/// A run under way.
struct AppRun<'r> {
    options: &'r AppOptions,
    target: &'r Target,
    sink: Mutex<ReportSink<'r>>,
    shown: &'r (dyn Fn(&str, &HostRow) + Sync),
}

impl AppRun<'_> {
    fn emit(&self, event: Event) {
        let event = redact_event(&self.target.secrets(), event);
        let sink = &mut *self.sink.lock().unwrap_or_else(PoisonError::into_inner);
        for event in sink.filter.take(event) {
            sink.report.add(&event);
            (sink.emit)(&event);
        }
    }

    /// Shows every app in every row: first in the strict one, then in those that make sense for it.
    async fn show_all(&self, stage: &AppStage, apps: &[ShownTool]) -> Vec<Viewing> {
        let (first, rest) = ROWS.split_first().map_or((None, ROWS), |(first, rest)| (Some(first), rest));
        let mut viewings = self.show_in_parallel(stage, apps.iter().zip(first.into_iter().cycle())).await;
        // What this row shows decides about all others.
        for viewing in viewings.iter_mut().filter(|viewing| viewing.initialized.is_none()) {
            self.show_again(stage, apps, viewing).await;
        }
        let plan = plan(&self.options.selection);
        let wanted = |row: &&HostRow| {
            self.options.rows.iter().any(|one| one.name == row.name) && needs_row(&plan, row)
        };
        let rest: Vec<_> = rest.iter().filter(wanted).collect();
        let strict = std::mem::take(&mut viewings);
        let fits = |tool: &ShownTool, row: &HostRow| {
            let known = strict.iter().find(|viewing| viewing.tool == tool.name);
            known.is_some_and(|known| is_worth_showing(known, row))
        };
        let wanted = apps.iter().flat_map(|tool| rest.iter().map(move |row| (tool, *row)));
        let wanted: Vec<_> = wanted.filter(|(tool, row)| fits(tool, row)).collect();
        viewings = self.show_in_parallel(stage, wanted.into_iter()).await;
        viewings.extend(strict);
        let place = |viewing: &Viewing| {
            let tool = apps.iter().position(|tool| tool.name == viewing.tool);
            (tool, ROWS.iter().position(|row| row.name == viewing.row.name))
        };
        viewings.sort_by_key(place);
        viewings
    }

    async fn show_in_parallel<'t>(
        &self,
        stage: &AppStage,
        wanted: impl Iterator<Item = (&'t ShownTool, &'static HostRow)>,
    ) -> Vec<Viewing> {
        let shows = wanted.map(|(tool, row)| async move {
            let viewing = stage.show(tool, row).await;
            (self.shown)(&viewing.tool, row);
            viewing
        });
        stream::iter(shows).buffer_unordered(self.options.jobs.max(1)).collect().await
    }

    /// Shows an app once more, alone, because other apps may have slowed the machine down.
    async fn show_again(&self, stage: &AppStage, apps: &[ShownTool], viewing: &mut Viewing) {
        if let Some(tool) = apps.iter().find(|tool| tool.name == viewing.tool) {
            *viewing = stage.show(tool, viewing.row).await;
        }
    }

    /// Shows again what led to a finding because nothing came in time.
    async fn repeat_silent_rows(&self, stage: &AppStage, apps: &[ShownTool], viewings: &mut [Viewing]) {
        let plan = plan(&self.options.selection);
        let mut doubtful = Vec::new();
        for of_tool in viewings.chunk_by(|one, other| one.tool == other.tool) {
            let Some(first) = of_tool.first() else { continue };
            let cx = AppCx { tool: &first.tool, viewings: of_tool };
            doubtful.extend(silent_rows(&plan, &cx).into_iter().map(|row| (first.tool.clone(), row)));
        }
        let is_doubtful = |viewing: &Viewing| {
            let of_it = doubtful.iter().any(|(tool, row)| *tool == viewing.tool && *row == viewing.row.name);
            of_it || viewing.trouble.is_some()
        };
        for viewing in viewings.iter_mut().filter(|viewing| is_doubtful(viewing)) {
            self.show_again(stage, apps, viewing).await;
        }
    }

    /// Compares how the apps look with how they looked before. What differs is shown once more, alone.
    async fn compare_pictures(&self, stage: &AppStage, apps: &[ShownTool], viewings: &mut [Viewing]) {
        let Some(references) = &self.options.references else { return };
        for viewing in viewings {
            viewing.comparison = references.compare(viewing);
            if matches!(viewing.comparison, Some(Comparison::Different { .. })) {
                self.show_again(stage, apps, viewing).await;
                viewing.comparison = references.compare(viewing);
            }
        }
    }

    /// Judges every app by every check.
    fn judge_all(&self, viewings: &[Viewing]) {
        let plan = plan(&self.options.selection);
        for viewings in viewings.chunk_by(|one, other| one.tool == other.tool) {
            let Some(tool) = viewings.first().map(|viewing| viewing.tool.as_str()) else { continue };
            let cx = AppCx { tool, viewings };
            for case in &plan.cases {
                let began = Instant::now();
                let Some(verdict) = verdict_of(case, &cx) else { continue };
                let report = report_case(case, &verdict, began.elapsed(), self.options.references.is_some());
                self.emit(Event::Finished(report.about_app(tool)));
            }
        }
    }
}

/// Whether a row can show more of an app than the strict one did.
fn is_worth_showing(strict: &Viewing, row: &HostRow) -> bool {
    let modes = strict.declared_modes();
    let fits = row.mode.is_none_or(|mode| modes.iter().any(|declared| declared == mode));
    strict.initialized.is_some() && fits
}
