//! Points in time as RFC 3339 writes them, in UTC.
//!
//! Nothing here reads the clock. A time before 1970 is written as the beginning of 1970.

use std::time::{SystemTime, UNIX_EPOCH};

const SECONDS_OF_A_DAY: u64 = 86_400;

/// `time` to the second, such as `2026-07-28T09:30:00Z`.
pub fn format_seconds(time: SystemTime) -> String {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    format!("{}Z", date_and_time(since.as_secs()))
}

/// `time` with milliseconds, such as `2026-07-28T09:30:00.000Z`.
pub fn format_millis(time: SystemTime) -> String {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    format!("{}.{:03}Z", date_and_time(since.as_secs()), since.subsec_millis())
}

fn date_and_time(seconds: u64) -> String {
    let (days, second) = (seconds / SECONDS_OF_A_DAY, seconds % SECONDS_OF_A_DAY);
    let (year, month, day) = date_of_day(days);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}")
}

/// The date that is `days` after 1970-01-01.
///
/// Years are counted from March so that the leap day comes last; 400 of them always have the same length.
const fn date_of_day(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    let year = year_of_era + era * 400 + if month <= 2 { 1 } else { 0 };
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn times_are_written_in_utc() {
        let at = |millis| format_millis(UNIX_EPOCH + Duration::from_millis(millis));
        assert_eq!(at(0), "1970-01-01T00:00:00.000Z");
        assert_eq!(at(951_782_399_999), "2000-02-28T23:59:59.999Z");
        assert_eq!(at(951_782_400_000), "2000-02-29T00:00:00.000Z");
        assert_eq!(at(1_785_231_045_250), "2026-07-28T09:30:45.250Z");
        assert_eq!(at(4_107_542_400_000), "2100-03-01T00:00:00.000Z");
        assert_eq!(
            format_seconds(UNIX_EPOCH + Duration::from_millis(1_785_196_799_999)),
            "2026-07-27T23:59:59Z"
        );
    }
}
