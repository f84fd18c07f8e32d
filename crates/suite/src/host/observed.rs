//! The facts about a host that nobody drives: which scenes it showed is learnt from the calls that reached the server.

use serde_json::Value;

use super::ProbeStage;
use super::drivers::UNDRIVEN;
use super::facts::{ActFailure, HostFacts, SceneFacts};
use super::probe::{Act, ProbeCall, ProbeRecord, SCENES, Scene, scene_named};

impl ProbeStage {
    /// What was seen so far of a host that nobody drives.
    pub fn observe(&self) -> HostFacts {
        let server = self.probe.seen();
        let scenes = SCENES.iter().map(|scene| (scene.name, self.observe_scene(scene, &server))).collect();
        HostFacts { scenes, server, other: None }
    }

    fn observe_scene(&self, scene: &Scene, server: &ProbeRecord) -> SceneFacts {
        let calls = calls_during(scene, &server.calls);
        let own: Vec<_> = server.reports.iter().filter(|it| it.report["scene"] == scene.name).collect();
        if calls.is_empty() && own.is_empty() {
            let unshown = Some(ActFailure::Cannot("the host did not run its tool".to_owned()));
            return SceneFacts { unshown, ..SceneFacts::default() };
        }
        let last = own.iter().max_by_key(|it| (it.report["done"] == true, it.at));
        let stages: Vec<String> =
            own.iter().filter_map(|it| it.report["stage"].as_str()).map(str::to_owned).collect();
        let uri = format!("ui://yardstick/{}", scene.name);
        let is_leaks = scene.name == "leaks";
        SceneFacts {
            unshown: None,
            arguments: None,
            told: last.map(|it| it.report.clone()).unwrap_or_default(),
            acts: scene.acts.iter().map(|act| (act.name(), outcome_of(*act, &stages))).collect(),
            loads: stages.iter().filter(|stage| *stage == "loaded").count(),
            stages,
            calls,
            reads: server.reads.iter().filter(|read| read.uri == uri).count(),
            declared_hits: paths_of(scene, self.declared.paths()),
            undeclared_hits: paths_of(scene, self.undeclared.paths()),
            hinted: if is_leaks { self.hints.connections() } else { 0 },
            datagrams: if is_leaks { self.stun.count_datagrams() } else { 0 },
        }
    }
}

/// The calls from that of the scene's tool on, until the tool of another scene is called.
fn calls_during(scene: &Scene, calls: &[ProbeCall]) -> Vec<ProbeCall> {
    let mut shown = None;
    let mut during = Vec::new();
    for call in calls {
        shown = scene_named(&call.name).map(|scene| scene.name).or(shown);
        if shown == Some(scene.name) {
            during.push(call.clone());
        }
    }
    during
}

/// A stage was reached or not; everything else would have taken a driver.
fn outcome_of(act: Act, stages: &[String]) -> Result<Value, ActFailure> {
    match act {
        Act::Stage(stage) if stages.iter().any(|known| known == stage) => Ok(Value::Null),
        Act::Stage(stage) => Err(ActFailure::Failed(format!("the View did not come to {stage}"))),
        Act::Pause(_) => Ok(Value::Null),
        Act::Cancel
        | Act::Close
        | Act::Theme
        | Act::Allow
        | Act::AllowTwice
        | Act::Deny
        | Act::Conversation
        | Act::ModelContext
        | Act::ModelTools
        | Act::OpenedLinks
        | Act::Names
        | Act::Frames
        | Act::MethodsHeard
        | Act::Responsive => Err(ActFailure::Cannot(UNDRIVEN.to_owned())),
    }
}

/// The paths that the View of a scene asked for: they begin with its name.
fn paths_of(scene: &Scene, paths: Vec<String>) -> Vec<String> {
    let beginning = format!("/{}/", scene.name);
    paths.into_iter().filter(|path| path.starts_with(&beginning)).collect()
}
