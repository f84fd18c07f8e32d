//! Licence expressions: `MIT OR (Apache-2.0 AND ISC)`, and the older `MIT/Apache-2.0`.

/// Whether the expression can be satisfied with licences that `allows` says yes to.
pub(super) fn holds(expression: &str, allows: &dyn Fn(&str) -> bool) -> bool {
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let words: Vec<_> = spaced.split_whitespace().collect();
    let (value, rest) = either(&words, allows);
    value && rest.is_empty()
}

type Rest<'a> = &'a [&'a str];

fn either<'a>(words: Rest<'a>, allows: &dyn Fn(&str) -> bool) -> (bool, Rest<'a>) {
    let (mut value, mut rest) = both(words, allows);
    while let ["OR", more @ ..] = rest {
        let (other, after) = both(more, allows);
        (value, rest) = (value || other, after);
    }
    (value, rest)
}

fn both<'a>(words: Rest<'a>, allows: &dyn Fn(&str) -> bool) -> (bool, Rest<'a>) {
    let (mut value, mut rest) = one(words, allows);
    while let ["AND", more @ ..] = rest {
        let (other, after) = one(more, allows);
        (value, rest) = (value && other, after);
    }
    (value, rest)
}

fn one<'a>(words: Rest<'a>, allows: &dyn Fn(&str) -> bool) -> (bool, Rest<'a>) {
    match words {
        ["(", inside @ ..] => match either(inside, allows) {
            (value, [")", rest @ ..]) => (value, rest),
            (_, rest) => (false, rest),
        },
        [licence, "WITH", exception, rest @ ..] => (allows(&format!("{licence} WITH {exception}")), rest),
        [licence, rest @ ..] => (allows(licence), rest),
        [] => (false, words),
    }
}

#[test]
fn expressions_are_understood() {
    let allows = |licence: &str| ["MIT", "ISC", "Apache-2.0 WITH LLVM-exception"].contains(&licence);
    for good in [
        "MIT",
        "GPL-3.0 OR MIT",
        "GPL-3.0/MIT",
        "MIT AND ISC",
        "(GPL-3.0 OR MIT) AND ISC",
        "Apache-2.0 WITH LLVM-exception",
    ] {
        assert!(holds(good, &allows), "{good}");
    }
    for bad in ["", "GPL-3.0", "MIT AND GPL-3.0", "(MIT OR ISC) AND GPL-3.0", "Apache-2.0", "(MIT", "MIT ISC"]
    {
        assert!(!holds(bad, &allows), "{bad}");
    }
}
