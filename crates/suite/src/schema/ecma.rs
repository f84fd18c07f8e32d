//! Regular expressions that no engine of ECMA-262 takes, whatever its flags. Deliberately no parser: what is not certainly wrong
//! passes, such as all that follows `(?`, and every escape.

use std::iter::Peekable;
use std::str::Chars;

/// What is wrong with `source`, if it is certainly no regular expression.
pub(super) fn flaw(source: &str) -> Option<&'static str> {
    Scanner { rest: source.chars().peekable(), depth: 0, before: Before::Nothing }.scan().err()
}

/// What stands before the next character.
#[derive(Clone, Copy, PartialEq)]
enum Before {
    /// Something that can be repeated.
    Atom,
    /// A quantifier, which `?` makes lazy.
    Quantifier,
    /// Nothing that can be repeated.
    Nothing,
}

struct Scanner<'s> {
    rest: Peekable<Chars<'s>>,
    /// How many groups are open.
    depth: usize,
    before: Before,
}

impl Scanner<'_> {
    fn scan(mut self) -> Result<(), &'static str> {
        while let Some(next) = self.rest.next() {
            self.before = self.take(next)?;
        }
        if self.depth > 0 { Err("a group is not closed") } else { Ok(()) }
    }

    fn take(&mut self, next: char) -> Result<Before, &'static str> {
        match next {
            '\\' => match self.rest.next() {
                Some('b' | 'B') => Ok(Before::Nothing),
                // Their braces, if there are any, are not a quantifier.
                Some('u' | 'x' | 'p' | 'P' | 'k' | 'g' | 'o' | 'N') => {
                    let is_long = self.rest.peek() == Some(&'{') && self.rest.clone().any(|next| next == '}');
                    if is_long {
                        self.rest.find(|next| *next == '}');
                    }
                    Ok(Before::Atom)
                }
                Some(_) => Ok(Before::Atom),
                None => Err("it ends with a backslash"),
            },
            '[' => self.take_class(),
            '(' => {
                self.depth += 1;
                let is_special = self.rest.next_if_eq(&'?').is_some();
                Ok(if is_special { Before::Atom } else { Before::Nothing })
            }
            ')' => {
                self.depth = self.depth.checked_sub(1).ok_or("a group is closed that was not opened")?;
                Ok(Before::Atom)
            }
            '|' | '^' | '$' => Ok(Before::Nothing),
            '*' | '+' | '?' => self.take_quantifier(),
            '{' => match self.braces() {
                Some((least, most)) if least > most => Err("the numbers of a quantifier are out of order"),
                Some(_) => self.take_quantifier(),
                None => Ok(Before::Atom),
            },
            _ => Ok(Before::Atom),
        }
    }

    fn take_quantifier(&mut self) -> Result<Before, &'static str> {
        if self.before != Before::Atom {
            return Err("a quantifier has nothing to repeat");
        }
        self.rest.next_if_eq(&'?');
        Ok(Before::Quantifier)
    }

    /// The rest of a class, up to the first bracket that closes it.
    fn take_class(&mut self) -> Result<Before, &'static str> {
        self.rest.next_if_eq(&'^');
        let mut first = None;
        while let Some(next) = self.rest.next() {
            match (next, first) {
                (']', _) => return Ok(Before::Atom),
                ('\\', _) => {
                    self.rest.next();
                    first = None;
                }
                ('-', Some(start)) => {
                    let end = self.rest.next_if(|end| !matches!(end, ']' | '\\' | '-' | '['));
                    if end.is_some_and(|end| start > end) {
                        return Err("a range of characters is out of order");
                    }
                    first = None;
                }
                _ => first = Some(next),
            }
        }
        Err("a class of characters is not closed")
    }

    /// What stands between braces that make a quantifier: the least and the most. Other braces stand for themselves.
    fn braces(&mut self) -> Option<(u64, u64)> {
        let within: String = self.rest.clone().take_while(|next| *next != '}').collect();
        let is_closed = self.rest.clone().nth(within.chars().count()) == Some('}');
        let (least, most) = within.split_once(',').unwrap_or((&within, &within));
        let number =
            |text: &str| text.bytes().all(|b| b.is_ascii_digit()).then(|| text.parse().ok()).flatten();
        let most = if most.is_empty() { Some(u64::MAX) } else { number(most) };
        let bounds = (number(least)?, most?);
        if !is_closed {
            return None;
        }
        self.rest.nth(within.chars().count());
        Some(bounds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_engine_takes_is_told() {
        for source in [
            "^[a-z", "[", "[\\]", "(a", "a)", "a|(b|c", "*", "+a", "?", "a|*", "(+)", "a**", "a*??",
            "a{2}{3}", "{1}", "^*", "a\\", "a{3,2}", "[a-Z]", "(?:a", "a$+",
        ] {
            assert!(flaw(source).is_some(), "{source}");
        }
    }

    #[test]
    fn what_some_engine_takes_is_left_alone() {
        for source in [
            "",
            "^[a-z]+$",
            "a*?b+?c??d{2}?e{2,}f{2,3}",
            "[]a]",
            "[^]]",
            "]",
            "}",
            "{",
            "a{",
            "a{,3}",
            "a{x}",
            "x{1",
            "[(*+?{]",
            "\\(\\[\\*",
            "(?<=a)b(?<!c)(?=d)*(?!e)",
            "(?<year>\\d{4})\\k<year>",
            "(?P<year>\\d{4})",
            "(?i)abc",
            "(?>a)",
            "\\u{1F600}\\u{12345}+\\p{L}+\\x41\\cA",
            "[\\w-a]",
            "[a-]",
            "[-a]",
            "[a--b]",
            "[A-z]",
            "(|a)",
            "()*",
            "^(?:[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?\\.)+$",
        ] {
            assert_eq!(flaw(source), None, "{source}");
        }
    }
}
