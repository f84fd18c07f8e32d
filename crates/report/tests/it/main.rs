//! Every format, on a report that has every outcome, and on one that a hostile server wrote.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

extern crate yardstick_report as report;

mod apps;
mod human;
mod machine;
mod markup;
mod sample;
mod saved;
mod seeds;

use sample::plain;

#[test]
fn a_check_in_full() {
    let check = suite::by_id("server/tools/unknown-tool-refused").unwrap();
    insta::assert_snapshot!(plain(&report::explain(check)));
}
