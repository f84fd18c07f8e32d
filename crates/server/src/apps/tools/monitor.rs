//! `system_monitor` and `poll_system`: how the machine is doing.

use serde_json::{Value, json};

use super::{in_language_of, no_arguments, read_only, text_and_structure};
use crate::apps::app;
use crate::apps::link::{APP_ONLY, EVERYBODY, Link};
use crate::apps::locale::{Locale, counted};
use crate::apps::system::{Facts, Sample};
use crate::call::Call;
use crate::catalogue::{Run, Tool};

pub(super) const SYSTEM_MONITOR: Tool = Tool::new(
    "system_monitor",
    || {
        json!({
            "title": "System monitor",
            "description": "Shows how the machine that this server runs on is doing: processor, memory, load",
            "inputSchema": no_arguments(),
            "outputSchema": {
                "type": "object",
                "properties": {
                    "host": { "type": "string" },
                    "cores": { "type": "integer" },
                    "uptimeSeconds": { "type": "integer" },
                    "simulated": { "type": "boolean", "description": "Whether the figures are made up" },
                    "sample": sample_schema(),
                },
                "required": ["host", "cores", "uptimeSeconds", "simulated", "sample"],
            },
            "annotations": read_only(),
        })
    },
    Run::Now(monitor),
)
.with_ui(Link::to(&app::MONITOR, "Looking at the machine", "Looked at the machine").visible_to(EVERYBODY));

pub(super) const POLL_SYSTEM: Tool = Tool::new(
    "poll_system",
    || {
        json!({
            "title": "Poll the system",
            "description": "The newest figures for the system monitor; for the app alone",
            "inputSchema": no_arguments(),
            "outputSchema": sample_schema(),
            "annotations": read_only(),
        })
    },
    Run::Now(poll),
)
.with_ui(Link::only_for(APP_ONLY));

fn monitor(call: &Call, _: &Value) -> Value {
    let (facts, sample) = call.server.apps.monitor.take_sample();
    in_language_of(call, |locale| {
        let said = format!(
            "{} {}",
            describe_facts(locale, &facts, &sample),
            describe_sample(locale, &facts, &sample)
        );
        let structured = json!({
            "host": facts.host, "cores": sample.cpu.len(), "uptimeSeconds": facts.uptime_seconds,
            "simulated": facts.simulated, "sample": to_value(&sample),
        });
        text_and_structure(said, structured)
    })
}

fn poll(call: &Call, _: &Value) -> Value {
    let (facts, sample) = call.server.apps.monitor.take_sample();
    in_language_of(call, |locale| {
        text_and_structure(describe_sample(locale, &facts, &sample), to_value(&sample))
    })
}

fn sample_schema() -> Value {
    let number = json!({ "type": "number" });
    let bytes = json!({ "type": "integer", "minimum": 0 });
    json!({
        "type": "object",
        "properties": {
            "at": { "type": "integer", "description": "Milliseconds since 1970" },
            "cpu": { "type": "array", "items": { "type": "number", "minimum": 0, "maximum": 100 } },
            "memory": {
                "type": "object",
                "properties": { "usedBytes": bytes, "totalBytes": bytes },
                "required": ["usedBytes", "totalBytes"],
            },
            "load": { "type": "array", "items": number, "minItems": 3, "maxItems": 3 },
        },
        "required": ["at", "cpu", "memory", "load"],
    })
}

fn to_value(sample: &Sample) -> Value {
    json!({
        "at": sample.at,
        "cpu": sample.cpu,
        "memory": { "usedBytes": sample.used_bytes, "totalBytes": sample.total_bytes },
        "load": sample.load,
    })
}

fn describe_facts(locale: Locale, facts: &Facts, sample: &Sample) -> String {
    let (host, count) = (&facts.host, sample.cpu.len());
    let (hours, minutes) = (facts.uptime_seconds / 3600, facts.uptime_seconds / 60 % 60);
    match locale {
        Locale::En => format!("{host}: {}, up {hours} h {minutes} min.", counted(count, "core", "cores")),
        Locale::De => {
            format!("{host}: {}, läuft seit {hours} h {minutes} min.", counted(count, "Kern", "Kerne"))
        }
        Locale::Fr => {
            format!("{host} : {}, en marche depuis {hours} h {minutes} min.", counted(count, "cœur", "cœurs"))
        }
    }
}

fn describe_sample(locale: Locale, facts: &Facts, sample: &Sample) -> String {
    let cpu = locale.number(sample.mean(), 0);
    let gib = |bytes: u64| locale.number(bytes as f64 / f64::from(1 << 30), 1);
    let (used, total) = (gib(sample.used_bytes), gib(sample.total_bytes));
    let load = sample.load.map(|value| locale.number(value, 2)).join(" ");
    let said = match locale {
        Locale::En => format!("Processor {cpu} %, memory {used} of {total} GiB, load {load}."),
        Locale::De => format!("Prozessor {cpu} %, Speicher {used} von {total} GiB, Last {load}."),
        Locale::Fr => format!("Processeur {cpu} %, mémoire {used} sur {total} Gio, charge {load}."),
    };
    let note = match (facts.simulated, locale) {
        (false, _) => "",
        (true, Locale::En) => " These figures are simulated: this system has no /proc.",
        (true, Locale::De) => " Diese Werte sind simuliert: Dieses System hat kein /proc.",
        (true, Locale::Fr) => " Ces valeurs sont simulées : ce système n'a pas de /proc.",
    };
    said + note
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(simulated: bool) -> (Facts, Sample) {
        let facts = Facts { host: "rack".to_owned(), uptime_seconds: 7380, simulated };
        let sample = Sample {
            at: 1,
            cpu: vec![10.0, 30.0],
            used_bytes: 3 << 29,
            total_bytes: 8 << 30,
            load: [0.5, 0.25, 1.0],
        };
        (facts, sample)
    }

    #[test]
    fn figures_are_said_in_the_language() {
        let (facts, sample) = figures(false);
        let said = |locale| {
            format!(
                "{} {}",
                describe_facts(locale, &facts, &sample),
                describe_sample(locale, &facts, &sample)
            )
        };
        assert_eq!(
            said(Locale::En),
            "rack: 2 cores, up 2 h 3 min. Processor 20 %, memory 1.5 of 8.0 GiB, load 0.50 0.25 1.00."
        );
        assert_eq!(
            said(Locale::De),
            "rack: 2 Kerne, läuft seit 2 h 3 min. Prozessor 20 %, Speicher 1,5 von 8,0 GiB, Last 0,50 0,25 1,00."
        );
    }

    #[test]
    fn made_up_figures_are_called_that() {
        let (facts, sample) = figures(true);
        for (locale, word) in [(Locale::En, "simulated"), (Locale::De, "simuliert"), (Locale::Fr, "simulées")]
        {
            assert!(describe_sample(locale, &facts, &sample).contains(word));
        }
    }
}
