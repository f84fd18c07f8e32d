//! The result: a row a round, the medians, and how the first server compares with each other one.

use std::fmt;
use std::time::Duration;

use crate::load::Round;

/// Rounds by server.
#[derive(Debug)]
pub(crate) struct Table {
    names: Vec<String>,
    rows: Vec<Vec<Round>>,
}

impl Table {
    pub(crate) fn new(names: Vec<String>) -> Self {
        Self { names, rows: Vec::new() }
    }

    /// Adds one round of every server.
    pub(crate) fn push(&mut self, row: Vec<Round>) {
        self.rows.push(row);
    }

    fn median_rate(&self, column: usize) -> f64 {
        let mut rates: Vec<_> = self.rows.iter().map(|row| row[column].per_second).collect();
        rates.sort_unstable_by(f64::total_cmp);
        let (low, high) = (rates[(rates.len() - 1) / 2], rates[rates.len() / 2]);
        f64::midpoint(low, high)
    }

    /// The latency that so many of a thousand calls stay under, in milliseconds.
    fn latency(&self, column: usize, per_mille: usize) -> f64 {
        let mut all: Vec<Duration> =
            self.rows.iter().flat_map(|row| row[column].latencies.iter().copied()).collect();
        all.sort_unstable();
        let index = (all.len() * per_mille / 1000).min(all.len().saturating_sub(1));
        all.get(index).map_or(0.0, Duration::as_secs_f64) * 1000.0
    }

    /// Microseconds of processor time per call: the figure that other work on the machine disturbs least.
    #[expect(clippy::cast_precision_loss, reason = "no run makes so many calls")]
    fn cpu(&self, column: usize) -> Option<f64> {
        let rounds = || self.rows.iter().map(|row| &row[column]);
        let used: Option<Duration> = rounds().map(|round| round.cpu).sum();
        let calls: usize = rounds().map(|round| round.latencies.len()).sum();
        Some(used?.as_secs_f64() * 1e6 / calls as f64)
    }

    fn line(&self, f: &mut fmt::Formatter<'_>, title: &str, cell: impl Fn(usize) -> String) -> fmt::Result {
        write!(f, "{title:>12}")?;
        for (column, name) in self.names.iter().enumerate() {
            write!(f, "  {:>width$}", cell(column), width = name.len().max(12))?;
        }
        writeln!(f)
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.line(f, "requests/s", |column| self.names[column].clone())?;
        for (number, row) in self.rows.iter().enumerate() {
            self.line(f, &format!("round {}", number + 1), |column| {
                format!("{:.0}", row[column].per_second)
            })?;
        }
        self.line(f, "median", |column| format!("{:.0}", self.median_rate(column)))?;
        self.line(f, "p50 ms", |column| format!("{:.2}", self.latency(column, 500)))?;
        self.line(f, "p99 ms", |column| format!("{:.2}", self.latency(column, 990)))?;
        let cpu = |column| self.cpu(column).map_or("?".to_owned(), |cpu| format!("{cpu:.1}"));
        self.line(f, "cpu µs/call", cpu)?;
        for (column, name) in self.names.iter().enumerate().skip(1) {
            let ratio = self.median_rate(0) / self.median_rate(column);
            write!(f, "\n{} : {name} = {ratio:.2}", self.names[0])?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round(per_second: f64, milliseconds: u64) -> Round {
        let latencies = vec![Duration::from_millis(milliseconds); 10];
        Round { per_second, latencies, cpu: Some(Duration::from_millis(milliseconds)) }
    }

    #[test]
    fn the_ratio_is_that_of_the_medians() {
        let mut table = Table::new(vec!["ours".to_owned(), "theirs".to_owned()]);
        for rate in [100.0, 300.0, 9000.0] {
            table.push(vec![round(rate, 4), round(100.0, 8)]);
        }
        let text = table.to_string();
        assert!(text.ends_with("ours : theirs = 3.00"), "{text}");
        assert!(text.contains("p50 ms          4.00          8.00"), "{text}");
        assert!(text.contains("cpu µs/call         400.0         800.0"), "{text}");
    }
}
