//! Checks, their plan, their run and its result.
//!
//! A [`Check`] is a constant: what the specification asks, why it matters, how to mend it, the function that finds
//! out, and the fault that it must catch. A [`Plan`] pairs checks with the revisions that a target speaks; [`run()`]
//! emits [`Event`]s while it works, and their fold is a [`Report`].

mod app;
mod append_only_list;
mod arguments;
mod baseline;
mod cause;
mod challenge;
mod check;
pub mod checks;
mod cite;
mod clients;
mod clock;
mod connector;
mod context;
pub mod coverage;
mod event;
mod evidence;
mod exclusive_opening;
mod expect;
mod failed_checks;
mod focus;
mod formats;
pub mod host;
mod knowledge;
mod lanes;
mod lists;
mod liveness;
mod lock;
mod opened_sessions;
mod outcome;
mod pace;
mod patience;
mod plan;
mod policy;
mod preview;
mod recorded;
mod report;
mod revision;
mod run;
mod run_cx;
mod schema;
mod sdk_defects;
pub mod seeds;
mod session_pool;
mod session_sink;
mod streaming_request;
mod survey;
mod sweep;
mod unsolicited;
mod upstream;
mod verdict;
mod viewed;
mod wire_cx;

pub use app::{
    AppCx, AppFailure, AppOptions, BackgroundColor, Comparison, ConsoleLine, DocumentFacts, HostRow,
    PictureDifference, ROWS, ReferencePictures, TextContrast, Tolerance, Viewing, check_apps, picture_place,
    row_named,
};
pub use baseline::{Baseline, BaselineError, Entry};
pub use cause::Causes;
pub use check::{Active, Applies, Check, Run, Section, Sides, by_id, registry};
pub use cite::{Basis, Cite, Level, advice, advised, defined, must, must_not, should, should_not};
pub use context::ServerCx;
pub use event::{Event, ServerName};
pub use evidence::{Evidence, Excerpt, Party};
pub use focus::find_focus;
pub use outcome::{Counts, Outcome};
pub use pace::Pace;
pub use patience::{Patience, SilenceMemory};
pub use plan::{Case, Plan, Selection};
pub use policy::{Allow, Calls, Decision};
pub use preview::{Preview, RevisionPreview, ToolPreview, preview};
pub use recorded::{Judged, Recorded, judge};
pub use report::{CaseReport, Planned, Report, TargetReport, Unsettled, UnusedEntry};
pub use revision::{RevisionReport, Verdict as Conclusion};
pub use run::{Options, run};
pub use run_cx::RunCx;
pub use session_pool::ExclusiveSession;
pub use session_sink::SessionSink;
pub use survey::Survey;
pub use sweep::{Answers, CalledTool, CompletedArgument, FetchedPrompt, ReadResource};
pub use verdict::{Finding, Obstacle, Verdict};
pub use viewed::{ViewedApp, ViewedComparison, ViewedMessage};
pub use wire_cx::WireCx;
