//! Every check of apps passes on a flawless app and catches its fault, in a browser.
//!
//! `PROOF=app/csp/declared` proves one check alone.

use futures_util::StreamExt;
use futures_util::stream;
use server::Faults;
use server::fault::Faulty;
use suite::{
    AppOptions, Applies, Calls, CaseReport, Check, Outcome, ROWS, ReferencePictures, Report, Run, Selection,
    Viewing, check_apps, picture_place, registry, row_named,
};
use transport::client::Target;

/// The tool whose app the faults change.
const SHOWN: &str = "draw_chart";
/// The check that compares pictures; it needs some that were taken before.
const LOOKS: &str = "app/looks/unchanged";
/// How many browsers run at a time.
const SIDE_BY_SIDE: usize = 2;

fn of_apps() -> Vec<&'static Check> {
    let named = std::env::var("PROOF").unwrap_or_default();
    let only = named.split(',').filter(|name| !name.is_empty()).map(str::to_owned).collect();
    let selection = Selection { only, skip: Vec::new() };
    registry().filter(|check| check.applies == Applies::ToViews && selection.takes(check)).collect()
}

fn reference(faults: Faults) -> Target {
    transport::in_process(Faulty::new(faults), "the reference server")
}

async fn measure(target: &Target, only: &[&str]) -> Report {
    show(target, only, None).await.0
}

async fn show(
    target: &Target,
    only: &[&str],
    references: Option<ReferencePictures>,
) -> (Report, Vec<Viewing>) {
    let only = only.iter().map(|id| (*id).to_owned()).collect();
    let options = AppOptions {
        selection: Selection { only, skip: Vec::new() },
        calls: Calls { named: vec![SHOWN.to_owned()], ..Calls::default() },
        references,
        ..AppOptions::default()
    };
    check_apps(target, "", &options, |_, _| {}, |_| {}).await.unwrap()
}

/// How the flawless app looks in every row.
async fn pictures() -> ReferencePictures {
    let none = ReferencePictures { is_update: true, ..ReferencePictures::default() };
    let (_, viewings) = show(&reference(Faults::default()), &[LOOKS], Some(none)).await;
    let files =
        viewings.iter().filter_map(|it| Some((picture_place(&it.tool, it.row.name), it.screenshot.clone()?)));
    ReferencePictures { files: files.collect(), ..ReferencePictures::default() }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_app_looks_the_same_in_two_runs() {
    let references = pictures().await;
    assert_eq!(references.files.len(), ROWS.len());
    let (report, viewings) = show(&reference(Faults::default()), &[LOOKS], Some(references)).await;
    let told: Vec<_> = report.cases.iter().map(told).collect();
    assert!(report.cases.iter().all(|case| case.outcome == Outcome::Passed), "{told:?}");
    assert_eq!(viewings.len(), ROWS.len());
}

fn told(case: &CaseReport) -> String {
    format!("{} {}: {}", case.check, case.outcome, case.actual.as_deref().unwrap_or_default())
}

#[test]
fn checks_name_rows_that_exist_and_every_row_is_judged() {
    let mut named = Vec::new();
    for check in registry() {
        let (Run::App(rows, _) | Run::AppInTime(rows, _)) = check.run else { continue };
        assert!(rows.iter().all(|row| row_named(row).is_some()), "{}", check.id);
        // The check of pictures looks at every row.
        if check.id != LOOKS {
            named.extend_from_slice(rows);
        }
    }
    let idle: Vec<_> = ROWS.iter().map(|row| row.name).filter(|row| !named.contains(row)).collect();
    assert!(idle.is_empty(), "{idle:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_flawless_app_passes_every_check_in_every_row() {
    let report = measure(&reference(Faults::default()), &[]).await;
    let wrong: Vec<_> = report.cases.iter().filter(|case| case.outcome.is_finding()).map(told).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert_eq!(report.viewed.len(), ROWS.len());
    assert!(report.viewed.iter().all(|app| app.subject == SHOWN && app.initialized_ms.is_some()));
    // A check that never applies to the reference proves nothing by not failing there. These need a resource that
    // declares something, which only their faults make of the chart.
    let elsewhere = ["app/host/permissions-not-assumed", "app/csp/nothing-unused", LOOKS];
    let idle: Vec<_> = registry()
        .filter(|check| check.applies == Applies::ToViews && !elsewhere.contains(&check.id))
        .filter(|check| {
            !report.cases.iter().any(|case| case.check == check.id && case.outcome == Outcome::Passed)
        })
        .map(|check| check.id)
        .collect();
    assert!(idle.is_empty(), "never passed: {idle:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn every_check_of_apps_catches_its_fault() {
    let escaped: Vec<String> = stream::iter(of_apps())
        .map(|check| async move {
            let references = if check.id == LOOKS { Some(pictures().await) } else { None };
            let target = reference(Faults::new([check.fault]));
            let report = show(&target, &[check.id], references).await.0;
            let caught = |case: &CaseReport| matches!(case.outcome, Outcome::Failed | Outcome::Warned);
            let is_caught = report.cases.iter().any(caught);
            let met: Vec<_> = report.cases.iter().map(told).collect();
            (!is_caught)
                .then(|| format!("{} by {}: {met:?}", check.id, check.fault.name))
                .into_iter()
                .collect()
        })
        .buffer_unordered(SIDE_BY_SIDE)
        .collect::<Vec<Vec<String>>>()
        .await
        .concat();
    assert!(escaped.is_empty(), "{escaped:#?}");
}

/// One wrong is one finding. Takes minutes.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "shows every faulty app in every row"]
async fn a_fault_of_an_app_sets_off_no_other_check() {
    let noisy: Vec<String> = stream::iter(of_apps())
        .map(|check| async move {
            let report = measure(&reference(Faults::new([check.fault])), &[]).await;
            let others = report.cases.iter().filter(|case| case.check != check.id);
            let found = |case: &&CaseReport| {
                matches!(case.outcome, Outcome::Failed | Outcome::Warned | Outcome::Broke)
            };
            others.filter(found).map(|case| format!("{}: {}", check.fault.name, told(case))).collect()
        })
        .buffer_unordered(SIDE_BY_SIDE)
        .collect::<Vec<Vec<String>>>()
        .await
        .concat();
    assert!(noisy.is_empty(), "{noisy:#?}");
}
