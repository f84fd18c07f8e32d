//! The state of the machine: from `/proc`, or made up where there is none.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Counters tick a hundred times a second, so samples closer together than this show nothing new.
const MIN_INTERVAL: Duration = Duration::from_millis(100);
const GIB: u64 = 1 << 30;

/// Samples the machine. Shares of processor time are those since the previous sample.
#[derive(Debug)]
pub(super) struct Monitor {
    root: PathBuf,
    started: Instant,
    last: Mutex<Last>,
}

/// The machine at one moment.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Sample {
    /// Milliseconds since 1970.
    pub(super) at: u64,
    /// The busy share of each core, in percent.
    pub(super) cpu: Vec<f64>,
    pub(super) used_bytes: u64,
    pub(super) total_bytes: u64,
    /// The load over one, five and fifteen minutes.
    pub(super) load: [f64; 3],
}

/// The facts that do not change between samples.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Facts {
    pub(super) host: String,
    pub(super) uptime_seconds: u64,
    /// Whether everything, samples included, is made up.
    pub(super) simulated: bool,
}

#[derive(Debug)]
struct Last {
    at: Instant,
    cores: Vec<Core>,
    cpu: Vec<f64>,
}

/// How many ticks a core was busy, and how many in all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Core {
    busy: u64,
    all: u64,
}

impl Monitor {
    /// Watches from now on.
    pub(super) fn new() -> Self {
        Self::with_root(Path::new("/proc"))
    }

    fn with_root(root: &Path) -> Self {
        let cores = read_text(root, "stat").map(|text| cores(&text)).unwrap_or_default();
        let last = Mutex::new(Last { at: Instant::now(), cores, cpu: Vec::new() });
        Self { root: root.to_owned(), started: Instant::now(), last }
    }

    /// Takes a sample.
    pub(super) fn take_sample(&self) -> (Facts, Sample) {
        let measured = self.facts().zip(self.sample());
        measured.unwrap_or_else(|| (self.made_up_facts(), self.made_up_sample()))
    }

    fn facts(&self) -> Option<Facts> {
        let host = read_text(&self.root, "sys/kernel/hostname")?.trim().to_owned();
        let uptime = numbers(&read_text(&self.root, "uptime")?).first().copied()?;
        Some(Facts { host, uptime_seconds: uptime as u64, simulated: false })
    }

    fn sample(&self) -> Option<Sample> {
        let cpu = self.cpu(cores(&read_text(&self.root, "stat")?))?;
        let memory = read_text(&self.root, "meminfo")?;
        let (total, free) = (kib(&memory, "MemTotal:")?, kib(&memory, "MemAvailable:")?);
        let load = numbers(&read_text(&self.root, "loadavg")?);
        let &[one, five, fifteen, ..] = load.as_slice() else { return None };
        Some(Sample {
            at: now(),
            cpu,
            used_bytes: total.saturating_sub(free) * 1024,
            total_bytes: total * 1024,
            load: [one, five, fifteen],
        })
    }

    /// The busy shares since the previous sample.
    fn cpu(&self, cores: Vec<Core>) -> Option<Vec<f64>> {
        if cores.is_empty() {
            return None;
        }
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if last.cpu.len() != cores.len() || last.at.elapsed() >= MIN_INTERVAL {
            last.cpu = shares(&last.cores, &cores);
            last.at = Instant::now();
            last.cores = cores;
        }
        Some(last.cpu.clone())
    }

    fn made_up_facts(&self) -> Facts {
        Facts {
            host: "simulated".to_owned(),
            uptime_seconds: self.started.elapsed().as_secs(),
            simulated: true,
        }
    }

    /// Slow sine waves with different phases.
    fn made_up_sample(&self) -> Sample {
        let time = self.started.elapsed().as_secs_f64();
        let count = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let wave = |shift: f64| (time / 7.0 + shift).sin();
        let cpu = (0..count)
            .zip([0.0, 2.1, 4.2].into_iter().cycle())
            .map(|(_, shift)| rounded(50.0 + 45.0 * wave(shift)));
        let memory = 8 * GIB;
        Sample {
            at: now(),
            cpu: cpu.collect(),
            used_bytes: (memory as f64 * (0.45 + 0.05 * wave(1.0))) as u64,
            total_bytes: memory,
            load: [1.0 + rounded(0.5 * wave(0.0)), 1.0, 1.0],
        }
    }
}

impl Sample {
    /// The busy share of the whole machine, in percent.
    pub(super) fn mean(&self) -> f64 {
        self.cpu.iter().sum::<f64>() / self.cpu.len().max(1) as f64
    }
}

fn read_text(root: &Path, file: &str) -> Option<String> {
    fs::read_to_string(root.join(file)).ok()
}

/// The counters of each core, from the lines `cpu0`, `cpu1` and so on.
fn cores(stat: &str) -> Vec<Core> {
    let lines = stat.lines().filter(|line| {
        line.strip_prefix("cpu").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    });
    lines.map(Core::parse).collect()
}

impl Core {
    /// User, nice, system, idle, iowait, irq, softirq, steal; guests are counted in the first two.
    fn parse(line: &str) -> Self {
        let ticks: Vec<u64> =
            line.split_whitespace().skip(1).take(8).filter_map(|n| n.parse().ok()).collect();
        let idle: u64 = ticks.iter().skip(3).take(2).sum();
        let all = ticks.iter().sum();
        Self { busy: all - idle, all }
    }

    fn share(self) -> Option<f64> {
        (self.all > 0).then(|| rounded((100.0 * self.busy as f64 / self.all as f64).clamp(0.0, 100.0)))
    }
}

/// The busy shares between two readings, or since the start of the machine if the first one cannot be used.
fn shares(before: &[Core], now: &[Core]) -> Vec<f64> {
    let before = before.iter().copied().map(Some).chain(std::iter::repeat(None));
    now.iter()
        .zip(before)
        .map(|(now, before)| {
            let between = before.map(|before| Core {
                busy: now.busy.saturating_sub(before.busy),
                all: now.all.saturating_sub(before.all),
            });
            between.and_then(Core::share).or_else(|| now.share()).unwrap_or_default()
        })
        .collect()
}

fn kib(meminfo: &str, name: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse().ok()
}

fn numbers(text: &str) -> Vec<f64> {
    text.split_whitespace().map_while(|word| word.parse().ok()).collect()
}

/// To one decimal.
fn rounded(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const STAT: &str =
        "cpu  30 0 10 160 0 0 0 0 0 0\ncpu0 10 0 10 70 10 0 0 0 0 0\ncpu1 20 0 0 80 0 0 0 0 5 0\nintr 1\n";

    #[test]
    fn cores_are_counted_without_the_sum() {
        assert_eq!(cores(STAT), [Core { busy: 20, all: 100 }, Core { busy: 20, all: 100 }]);
        assert!(cores("nothing").is_empty());
    }

    #[test]
    fn shares_are_those_since_the_last_reading() {
        let before = [Core { busy: 20, all: 100 }, Core { busy: 20, all: 100 }];
        let now = [Core { busy: 70, all: 200 }, Core { busy: 20, all: 100 }];
        assert_eq!(
            shares(&before, &now),
            [50.0, 20.0],
            "a core that did not tick yet is told since the start"
        );
        assert_eq!(shares(&[], &now), [35.0, 20.0]);
        let backwards = [Core { busy: 90, all: 90 }];
        assert_eq!(shares(&backwards, &[Core { busy: 80, all: 100 }]), [0.0], "counters may step back");
    }

    #[test]
    fn memory_and_load_are_read() {
        let memory = "MemTotal:       8000000 kB\nMemFree: 1 kB\nMemAvailable:    2000000 kB\n";
        assert_eq!(
            (kib(memory, "MemTotal:"), kib(memory, "MemAvailable:")),
            (Some(8_000_000), Some(2_000_000))
        );
        assert_eq!(kib(memory, "SwapTotal:"), None);
        assert_eq!(numbers("0.52 0.40 0.31 1/345 6789"), [0.52, 0.40, 0.31]);
    }

    #[test]
    fn without_proc_it_is_simulated_and_says_so() {
        let (facts, sample) = Monitor::with_root(Path::new("/nowhere")).take_sample();
        assert!(facts.simulated);
        assert!(!sample.cpu.is_empty() && sample.cpu.iter().all(|share| (0.0..=100.0).contains(share)));
        assert!(sample.used_bytes < sample.total_bytes);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn on_linux_it_is_real() {
        let monitor = Monitor::new();
        let (facts, sample) = monitor.take_sample();
        assert!(!facts.simulated && !facts.host.is_empty());
        assert!(!sample.cpu.is_empty() && sample.cpu.iter().all(|share| (0.0..=100.0).contains(share)));
        assert!(sample.used_bytes > 0 && sample.used_bytes <= sample.total_bytes);
        let (_, again) = monitor.take_sample();
        assert_eq!(again.cpu, sample.cpu, "too soon for something new");
    }
}
