//! The expenses, in memory.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, PoisonError};

use serde_json::{Value, json};

use super::money::Currency;

/// How many expenses are kept. Then the oldest is dropped.
const MAX_EXPENSES: usize = 50;
/// The longest title, in characters.
const MAX_TITLE_CHARS: usize = 80;

/// What an expense can be for.
pub(super) const CATEGORIES: [&str; 5] = ["travel", "meals", "lodging", "equipment", "other"];

/// The expenses of all users of this server.
#[derive(Debug, Default)]
pub(super) struct Ledger(Mutex<Book>);

#[derive(Debug, Default)]
struct Book {
    /// How many there have ever been.
    count: u64,
    entries: VecDeque<Entry>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry {
    id: String,
    expense: Expense,
}

/// A valid expense.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Expense {
    title: String,
    units: u64,
    currency: Currency,
    category: &'static str,
    date: String,
}

impl Expense {
    /// The expense in the arguments of a call, or what is wrong with its first invalid field.
    pub(super) fn from_arguments(arguments: &Value) -> Result<Self, String> {
        let text = |name: &str| arguments[name].as_str().unwrap_or_default();
        let title = text("title").trim();
        if title.is_empty() || title.chars().count() > MAX_TITLE_CHARS {
            return Err(format!("title: must have 1 to {MAX_TITLE_CHARS} characters"));
        }
        let code = text("currency");
        let currency = Currency::named(code)
            .ok_or_else(|| format!("currency: must be an ISO 4217 code such as EUR, `{code}` is none"))?;
        let amount = arguments["amount"].as_f64().ok_or("amount: must be a number")?;
        let units = currency.units(amount).map_err(|why| format!("amount: {why}"))?;
        let category = CATEGORIES.into_iter().find(|known| *known == text("category"));
        let category =
            category.ok_or_else(|| format!("category: must be one of {}", CATEGORIES.join(", ")))?;
        let date = text("date");
        if !is_date(date) {
            return Err("date: must be a day of the calendar, as YYYY-MM-DD".to_owned());
        }
        Ok(Self { title: title.to_owned(), units, currency, category, date: date.to_owned() })
    }

    /// The expense in words.
    pub(super) fn in_words(&self) -> String {
        let Self { title, units, currency, category, date } = self;
        format!("{title}, {} ({category}, {date})", currency.in_words(*units))
    }
}

impl Ledger {
    /// Adds an expense and returns its id.
    pub(super) fn add(&self, expense: Expense) -> String {
        self.with(|book| {
            book.count += 1;
            let id = format!("E{}", book.count);
            book.entries.push_back(Entry { id: id.clone(), expense });
            if book.entries.len() > MAX_EXPENSES {
                book.entries.pop_front();
            }
            id
        })
    }

    /// Removes all expenses, and returns how many there were.
    pub(super) fn clear(&self) -> usize {
        self.with(|book| book.entries.drain(..).count())
    }

    /// All expenses, as the form shows them.
    pub(super) fn to_value(&self) -> Value {
        self.with(|book| {
            let entries: Vec<_> = book.entries.iter().map(Entry::to_value).collect();
            let total: serde_json::Map<_, _> = book
                .totals()
                .into_iter()
                .map(|(c, units)| (c.code.to_owned(), c.amount(units).into()))
                .collect();
            json!({ "entries": entries, "total": total })
        })
    }

    /// All expenses in words.
    pub(super) fn in_words(&self) -> String {
        self.with(|book| {
            if book.entries.is_empty() {
                return "No expenses so far.".to_owned();
            }
            let entries: Vec<_> = book.entries.iter().map(|entry| entry.expense.in_words()).collect();
            let totals: Vec<_> = book.totals().into_iter().map(|(c, units)| c.in_words(units)).collect();
            format!("Expenses so far: {}. In all {}.", entries.join("; "), totals.join(" and "))
        })
    }

    fn with<T>(&self, work: impl FnOnce(&mut Book) -> T) -> T {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Book {
    fn totals(&self) -> BTreeMap<Currency, u64> {
        let mut totals = BTreeMap::new();
        for Entry { expense, .. } in &self.entries {
            *totals.entry(expense.currency).or_default() += expense.units;
        }
        totals
    }
}

impl Entry {
    fn to_value(&self) -> Value {
        let Expense { title, units, currency, category, date } = &self.expense;
        json!({
            "id": self.id, "title": title, "amount": currency.amount(*units), "currency": currency.code,
            "category": category, "date": date,
        })
    }
}

/// Whether a text is a valid date.
fn is_date(text: &str) -> bool {
    let bytes = text.as_bytes();
    let formed = bytes.len() == 10
        && bytes
            .iter()
            .enumerate()
            .all(|(at, b)| if at == 4 || at == 7 { *b == b'-' } else { b.is_ascii_digit() });
    let number = |range: std::ops::Range<usize>| text.get(range)?.parse::<u32>().ok();
    let (Some(year), Some(month), Some(day)) = (number(0..4), number(5..7), number(8..10)) else {
        return false;
    };
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let days = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        _ => 0,
    };
    formed && (1..=days).contains(&day)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments() -> Value {
        json!({ "title": "Taxi", "amount": 12.5, "currency": "EUR", "category": "travel", "date": "2026-11-15" })
    }

    fn with(field: &str, value: Value) -> Result<Expense, String> {
        let mut arguments = arguments();
        arguments[field] = value;
        Expense::from_arguments(&arguments)
    }

    #[test]
    fn the_field_that_is_wrong_is_named() {
        for (field, value) in [
            ("title", json!("  ")),
            ("title", json!("x".repeat(81))),
            ("amount", json!(0)),
            ("amount", json!(-1)),
            ("amount", json!("1")),
            ("currency", json!("EURO")),
            ("currency", json!("XXX")),
            ("category", json!("bribes")),
            ("date", json!("")),
            ("date", json!("2026-02-29")),
        ] {
            let why = with(field, value.clone()).unwrap_err();
            assert!(why.starts_with(&format!("{field}: ")), "{value}: {why}");
        }
    }

    #[test]
    fn expenses_add_up_by_currency() {
        let ledger = Ledger::default();
        assert_eq!(ledger.in_words(), "No expenses so far.");
        ledger.add(with("amount", json!(0.1)).unwrap());
        ledger.add(with("amount", json!(0.2)).unwrap());
        let id = ledger.add(with("currency", json!("CHF")).unwrap());
        assert_eq!(id, "E3");
        let value = ledger.to_value();
        assert_eq!(value["total"], json!({ "CHF": 12.5, "EUR": 0.3 }));
        assert_eq!(value["entries"][2]["id"], "E3");
        assert!(ledger.in_words().ends_with("In all 12.50 CHF and 0.30 EUR."), "{}", ledger.in_words());
        assert_eq!((ledger.clear(), ledger.clear()), (3, 0));
    }

    #[test]
    fn the_oldest_goes_first() {
        let ledger = Ledger::default();
        for _ in 0..MAX_EXPENSES + 3 {
            ledger.add(Expense::from_arguments(&arguments()).unwrap());
        }
        let value = ledger.to_value();
        assert_eq!(
            (value["entries"].as_array().unwrap().len(), &value["entries"][0]["id"]),
            (MAX_EXPENSES, &json!("E4"))
        );
    }

    #[test]
    fn dates_exist() {
        for good in ["2026-11-15", "2024-02-29", "2000-02-29", "1999-12-31"] {
            assert!(is_date(good), "{good}");
        }
        for bad in [
            "2026-2-1",
            "2100-02-29",
            "2026-13-01",
            "2026-00-10",
            "2026-04-31",
            "20261115",
            "2026-11-1x",
            "２026-1-1",
        ] {
            assert!(!is_date(bad), "{bad}");
        }
    }
}
