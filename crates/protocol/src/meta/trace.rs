//! W3C Trace Context and Baggage, as far as their syntax goes.

/// What is wrong with a value of `traceparent`, `tracestate` or `baggage`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TraceProblem {
    /// `traceparent` does not have its four fields.
    #[error(
        "traceparent is version-traceid-parentid-flags, with 2, 32, 16 and 2 lowercase hexadecimal digits"
    )]
    Fields,
    /// Version ff.
    #[error("traceparent version ff is forbidden")]
    Version,
    /// A trace id of zeros.
    #[error("the trace id must not be all zeros")]
    TraceId,
    /// A parent id of zeros.
    #[error("the parent id must not be all zeros")]
    ParentId,
    /// `tracestate` has too many entries.
    #[error("tracestate has more than 32 entries")]
    TooMany,
    /// `tracestate` has an entry that is not `key=value`, or one with an invalid key or value.
    #[error("tracestate is a comma-separated list of key=value")]
    Entry,
    /// `tracestate` has a key twice.
    #[error("tracestate has a key twice")]
    Twice,
    /// `baggage` has invalid syntax.
    #[error(
        "baggage is a comma-separated list of key=value, values percent-encoded, with properties after semicolons"
    )]
    Baggage,
}

const MAX_ENTRIES: usize = 32;
const MAX_KEY: usize = 256;
const MAX_VALUE: usize = 256;

/// Checks a `traceparent`; versions after 00 may have more fields.
pub fn check_traceparent(value: &str) -> Result<(), TraceProblem> {
    let mut fields = value.splitn(5, '-');
    let mut next = |len: usize| {
        let field = fields.next().filter(|field| field.len() == len && field.bytes().all(is_hex));
        field.ok_or(TraceProblem::Fields)
    };
    let (version, trace, parent) = (next(2)?, next(32)?, next(16)?);
    next(2)?;
    match (version, fields.next()) {
        ("ff", _) => return Err(TraceProblem::Version),
        ("00", Some(_)) => return Err(TraceProblem::Fields),
        _ => (),
    }
    if is_zero(trace) {
        return Err(TraceProblem::TraceId);
    }
    if is_zero(parent) { Err(TraceProblem::ParentId) } else { Ok(()) }
}

/// Checks a `tracestate`; empty entries are allowed, a key may begin with a digit as level 2 of the standard has it.
pub fn check_tracestate(value: &str) -> Result<(), TraceProblem> {
    let mut keys = Vec::new();
    for entry in value.split(',').map(trim).filter(|entry| !entry.is_empty()) {
        let (key, value) = entry.split_once('=').ok_or(TraceProblem::Entry)?;
        if !is_state_key(key) || !is_state_value(value) {
            return Err(TraceProblem::Entry);
        }
        if keys.contains(&key) {
            return Err(TraceProblem::Twice);
        }
        keys.push(key);
    }
    if keys.len() > MAX_ENTRIES { Err(TraceProblem::TooMany) } else { Ok(()) }
}

/// Checks a `baggage`.
pub fn check_baggage(value: &str) -> Result<(), TraceProblem> {
    let good = value.split(',').all(|member| {
        let mut parts = member.split(';').map(trim);
        let pair = parts.next().and_then(|part| part.split_once('=')).is_some_and(is_baggage_pair);
        pair && parts.all(|property| match property.split_once('=') {
            Some(pair) => is_baggage_pair(pair),
            None => is_token(property),
        })
    });
    if good { Ok(()) } else { Err(TraceProblem::Baggage) }
}

fn trim(text: &str) -> &str {
    text.trim_matches([' ', '\t'])
}

fn is_hex(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'a'..=b'f')
}

fn is_zero(text: &str) -> bool {
    text.bytes().all(|byte| byte == b'0')
}

fn is_state_key(key: &str) -> bool {
    let inner = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-' | b'*' | b'/');
    let part = |text: &str| {
        text.bytes().next().is_some_and(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9')) && text.bytes().all(inner)
    };
    key.len() <= MAX_KEY
        && match key.split_once('@') {
            Some((tenant, system)) => {
                tenant.len() <= 241 && system.len() <= 14 && part(tenant) && part(system)
            }
            None => part(key),
        }
}

fn is_state_value(value: &str) -> bool {
    (1..=MAX_VALUE).contains(&value.len())
        && !value.ends_with(' ')
        && value.bytes().all(|byte| matches!(byte, b' '..=b'~') && !matches!(byte, b',' | b'='))
}

fn is_baggage_pair((key, value): (&str, &str)) -> bool {
    is_token(trim(key)) && is_baggage_value(trim(value))
}

fn is_baggage_value(value: &str) -> bool {
    let octet = |byte: u8| matches!(byte, 0x21 | 0x23..=0x2B | 0x2D..=0x3A | 0x3C..=0x5B | 0x5D..=0x7E);
    let escapes = value
        .split('%')
        .skip(1)
        .all(|rest| rest.as_bytes().get(..2).is_some_and(|hex| hex.iter().all(u8::is_ascii_hexdigit)));
    value.bytes().all(octet) && escapes
}

fn is_token(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(crate::header::is_token_byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn traceparents() {
        assert_eq!(check_traceparent("00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01"), Ok(()));
        assert_eq!(check_traceparent("01-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01-more"), Ok(()));
        for (value, problem) in [
            ("00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01-more", TraceProblem::Fields),
            ("00-0AF7651916CD43DD8448EB211C80319C-00f067aa0ba902b7-01", TraceProblem::Fields),
            ("00-0af7651916cd43dd8448eb211c80319-00f067aa0ba902b7-01", TraceProblem::Fields),
            ("00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7", TraceProblem::Fields),
            ("", TraceProblem::Fields),
            ("ff-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01", TraceProblem::Version),
            ("00-00000000000000000000000000000000-00f067aa0ba902b7-01", TraceProblem::TraceId),
            ("00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01", TraceProblem::ParentId),
        ] {
            assert_eq!(check_traceparent(value), Err(problem), "{value}");
        }
    }

    #[test]
    fn tracestates() {
        for good in [
            "",
            "a=1",
            "rojo=00f067aa0ba902b7,congo=t61rcWkgMzE",
            "fw529a3039@dt=x y, 1a=b",
            "a=1,,b=2",
            "a=x ,",
        ] {
            assert_eq!(check_tracestate(good), Ok(()), "{good}");
        }
        for bad in ["a", "A=1", "a=", "a=b=c", "@a=1", "a@=1", "a=\u{e9}", "a b=1"] {
            assert_eq!(check_tracestate(bad), Err(TraceProblem::Entry), "{bad}");
        }
        assert_eq!(check_tracestate("a=1,a=2"), Err(TraceProblem::Twice));
        let many: Vec<String> = (0..33).map(|n| format!("k{n}=v")).collect();
        assert_eq!(check_tracestate(&many.join(",")), Err(TraceProblem::TooMany));
        assert_eq!(check_tracestate(&many[..32].join(",")), Ok(()));
    }

    #[test]
    fn baggages() {
        for good in
            ["a=1", "key1=value1;property1;p2=v, key2 = value2", "a=", "a=%20b", "userId=alice,n=%C3%A9"]
        {
            assert_eq!(check_baggage(good), Ok(()), "{good}");
        }
        for bad in ["", "a", "a=1,", "a b=1", "a=x y", "a=\"1\"", "a=%2", "a=%zz", "a=1;;b", "=1", "a=\u{e9}"]
        {
            assert_eq!(check_baggage(bad), Err(TraceProblem::Baggage), "{bad}");
        }
    }
}
