//! The command line.

use std::fmt;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};

/// What to measure, and for how long.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Options {
    pub(crate) connections: usize,
    pub(crate) rounds: usize,
    /// How long a round lasts.
    pub(crate) length: Duration,
    pub(crate) protocol: String,
    pub(crate) commands: Vec<Vec<String>>,
}

impl Options {
    pub(crate) fn parse(words: impl Iterator<Item = String>) -> Result<Self> {
        let mut options = Self {
            connections: 64,
            rounds: 4,
            length: Duration::from_secs(3),
            protocol: "2026-07-28".to_owned(),
            commands: Vec::new(),
        };
        let words: Vec<_> = words.collect();
        let mut parts = words.split(|word| word == "--");
        for pair in parts.next().unwrap_or_default().chunks(2) {
            let value = pair.get(1).with_context(|| format!("{} needs a value", pair[0]))?;
            options.set(&pair[0], value)?;
        }
        options.commands = parts.map(<[String]>::to_vec).collect();
        let commands = &options.commands;
        ensure!(
            !commands.is_empty() && commands.iter().all(|it| !it.is_empty()),
            "give servers: `-- COMMAND…`"
        );
        Ok(options)
    }

    fn set(&mut self, option: &str, value: &str) -> Result<()> {
        let number = || -> Result<u32> {
            let number =
                value.parse().with_context(|| format!("{option} must be a whole number, not {value}"))?;
            ensure!((1..=1000).contains(&number), "{option} must be between 1 and 1000");
            Ok(number)
        };
        match option {
            "--connections" => self.connections = number()? as usize,
            "--rounds" => self.rounds = number()? as usize,
            "--seconds" => self.length = Duration::from_secs(number()?.into()),
            "--protocol" => value.clone_into(&mut self.protocol),
            other => anyhow::bail!("unknown option {other}"),
        }
        Ok(())
    }

    /// How long each server is driven before it counts.
    pub(crate) fn warm_up(&self) -> Duration {
        self.length / 3
    }
}

/// The conditions of the measurement.
impl fmt::Display for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (connections, rounds, seconds) = (self.connections, self.rounds, self.length.as_secs());
        write!(
            f,
            "tools/call echo, {}, {connections} connections, {rounds} rounds of {seconds} s, in turns",
            self.protocol
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Options> {
        Options::parse(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn commands_are_told_apart() {
        let options = parse("--seconds 5 -- a --http x -- b").unwrap();
        assert_eq!(options.length, Duration::from_secs(5));
        assert_eq!(options.commands, [vec!["a", "--http", "x"], vec!["b"]]);
    }

    #[test]
    fn mistakes_are_named() {
        for (line, why) in [
            ("", "give servers"),
            ("-- a --", "give servers"),
            ("--rounds -- a", "--rounds needs a value"),
            ("--rounds 0 -- a", "between 1 and 1000"),
            ("--rounds x -- a", "whole number"),
            ("--speed 1 -- a", "unknown option --speed"),
        ] {
            let error = format!("{:#}", parse(line).unwrap_err());
            assert!(error.contains(why), "{line}: {error}");
        }
    }
}
