//! One run of one program.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};

/// How often the memory is looked at. The kernel keeps the peak, so only what is added in the last moment is missed.
const POLL_INTERVAL: Duration = Duration::from_millis(2);
const RUN_LIMIT: Duration = Duration::from_secs(300);

/// What one run took.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Measurement {
    pub(crate) seconds: f64,
    /// The peak, where that can be known.
    pub(crate) megabytes: f64,
}

impl Measurement {
    /// The median of each figure.
    pub(crate) fn median(measurements: &[Self]) -> Self {
        let middle = |figure: fn(&Self) -> f64| {
            let mut figures: Vec<_> = measurements.iter().map(figure).collect();
            figures.sort_unstable_by(f64::total_cmp);
            figures.get(figures.len() / 2).copied().unwrap_or(f64::NAN)
        };
        Self { seconds: middle(|lap| lap.seconds), megabytes: middle(|lap| lap.megabytes) }
    }
}

/// Runs a program to its end.
pub(crate) fn run(command: &[String]) -> Result<Measurement> {
    let began = Instant::now();
    let mut child = Command::new(&command[0])
        .args(&command[1..])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .with_context(|| format!("{} does not start", command[0]))?;
    let mut megabytes = 0.0_f64;
    while child.try_wait()?.is_none() {
        megabytes = megabytes.max(peak(child.id()).unwrap_or_default());
        if began.elapsed() > RUN_LIMIT {
            child.kill()?;
            bail!("{} did not end within {RUN_LIMIT:?}", command[0]);
        }
        std::thread::sleep(POLL_INTERVAL);
    }
    Ok(Measurement { seconds: began.elapsed().as_secs_f64(), megabytes })
}

/// The most memory that a process has had so far; only Linux tells.
fn peak(pid: u32) -> Option<f64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<f64>().ok()? / 1024.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_are_of_each_figure() {
        let lap = |seconds, megabytes| Measurement { seconds, megabytes };
        let median = Measurement::median(&[lap(1.0, 30.0), lap(9.0, 10.0), lap(2.0, 20.0)]);
        assert_eq!((median.seconds, median.megabytes), (2.0, 20.0));
    }
}
