//! What View, host and sandbox proxy say to each other, in sessions recorded over `postMessage`.
//!
//! The View is the client of its host: [`Sides::Client`](crate::Sides::Client) is the View, and
//! [`Sides::Server`](crate::Sides::Server) the host and its proxy.

pub(in crate::checks) mod capabilities;
pub(in crate::checks) mod data;
pub(in crate::checks) mod handshake;
pub(in crate::checks) mod messages;
pub(in crate::checks) mod modes;
pub(in crate::checks) mod sandbox;
pub(in crate::checks) mod teardown;

use ::wire::{Entry, What};
use protocol::apps::{Breach, Bridge, BridgeDirection, BridgeParty, BridgeRule, Gravity};
use protocol::method::Side;
use serde_json::Value;

use super::violated;
use crate::verdict::expect_none;
use crate::{Finding, Verdict, WireCx};

/// Passes unless the judged side breaks one of `rules`, as strongly as a requirement binds.
fn must(cx: &WireCx<'_>, rules: &[&BridgeRule]) -> Verdict {
    judge_rules(cx, rules, Gravity::Must)
}

/// Passes unless the judged side breaks one of `rules`, as strongly as a recommendation binds.
fn should(cx: &WireCx<'_>, rules: &[&BridgeRule]) -> Verdict {
    judge_rules(cx, rules, Gravity::Should)
}

/// Judges a session in which one of `methods` occurs; without any there is nothing to judge.
fn about(cx: &WireCx<'_>, methods: &[&str], judge: impl FnOnce(&WireCx<'_>) -> Verdict) -> Verdict {
    let names = |value: &Value| value["method"].as_str().is_some_and(|method| methods.contains(&method));
    if posted(cx).any(|(_, value)| names(&value)) {
        return judge(cx);
    }
    Err(Finding::not_applicable(format!("the session has no {}", methods.join(" nor "))))
}

fn judge_rules(cx: &WireCx<'_>, rules: &[&BridgeRule], least: Gravity) -> Verdict {
    let mut bridge = Bridge::new();
    let broken = |breach: &Breach| {
        rules.contains(&breach.rule) && breach.gravity >= least && is_judged(cx.side, breach.by)
    };
    for (entry, value) in posted(cx) {
        let found = bridge.judge_next(BridgeDirection::of_entry(entry), &value);
        if let Some(breach) = found.iter().find(|breach| broken(breach)) {
            return Err(violated(entry, breach.rule.about, breach.to_string()));
        }
    }
    let left = if has_end(cx) { bridge.judge_closed() } else { bridge.judge_end() };
    expect_none(left.iter().find(|breach| broken(breach)), |breach| {
        Finding::violated(breach.rule.about, breach.to_string())
    })
}

/// Whether the record says that the View was torn down.
fn has_end(cx: &WireCx<'_>) -> bool {
    cx.transcript.entries.iter().any(|entry| entry.what == What::End)
}

/// Everything that was posted, in order. Whatever is not JSON was posted as a string, or is not part of the bridge.
fn posted<'a>(cx: &WireCx<'a>) -> impl Iterator<Item = (&'a Entry, Value)> + use<'a> {
    let said = cx.transcript.entries.iter().filter(|e| matches!(e.what, What::Message | What::Noise));
    said.map(|entry| {
        let text = || Value::String(String::from_utf8_lossy(&entry.bytes).into_owned());
        (entry, serde_json::from_slice(&entry.bytes).unwrap_or_else(|_| text()))
    })
}

const fn is_judged(side: Side, by: BridgeParty) -> bool {
    match by {
        BridgeParty::View => matches!(side, Side::Client),
        BridgeParty::Host | BridgeParty::Proxy => matches!(side, Side::Server),
    }
}
