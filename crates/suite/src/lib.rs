//! Checks, their plan, their run, and what came of it.
//!
//! A [`Check`] is a constant: what the specification asks, why it matters, how to mend it, the function that finds
//! out, and the fault that it must catch. A [`Plan`] pairs checks with the revisions that a target speaks; [`run()`]
//! emits [`Event`]s while it works, and their fold is a [`Report`].

mod arguments;
mod baseline;
mod check;
pub mod checks;
mod cite;
mod clock;
mod context;
mod event;
mod evidence;
mod expect;
mod outcome;
mod plan;
mod report;
mod run;
mod survey;
mod verdict;

pub use baseline::{Baseline, BaselineError, Entry};
pub use check::{Check, On, Run, Section, by_id, registry};
pub use cite::{Basis, Cite, Level, defined, must, must_not, should, should_not};
pub use context::{Facts, ServerCx, WireCx};
pub use event::Event;
pub use evidence::{Evidence, Excerpt, Party};
pub use outcome::{Counts, Outcome};
pub use plan::{Case, Plan, Selection};
pub use report::{CaseReport, Report, TargetReport, Verdict as Conclusion};
pub use run::{Options, run};
pub use survey::Survey;
pub use verdict::{Finding, Verdict};
