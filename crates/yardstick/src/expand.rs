//! Variables in text that a user gives: `${NAME}`, and `$$` for a dollar.
//!
//! `${env:NAME}` and `${NAME:-default}` are how some clients write the same in their configuration.

use crate::exit::Usage;

/// Text with its variables replaced by their values.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Expanded {
    pub(crate) text: String,
    /// The values of the variables, which are not shown anywhere.
    pub(crate) values: Vec<String>,
}

/// Replaces the variables in `text`. `place` says in an error where the text comes from.
pub(crate) fn expand_variables(text: &str, place: &str) -> Result<Expanded, Usage> {
    expand_with(text, place, |name| std::env::var(name).ok())
}

fn expand_with(
    text: &str,
    place: &str,
    value_of: impl Fn(&str) -> Option<String>,
) -> Result<Expanded, Usage> {
    let mut expanded = Expanded::default();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('$') {
        expanded.text.push_str(before);
        rest = match after.as_bytes().first() {
            Some(b'$') => {
                expanded.text.push('$');
                &after[1..]
            }
            Some(b'{') => {
                let unclosed = || Usage(format!("{place}: `${{` is not closed; write `$$` for a dollar"));
                let (variable, after) = after[1..].split_once('}').ok_or_else(unclosed)?;
                let value = read_variable(variable, place, &value_of)?;
                expanded.text.push_str(&value);
                expanded.values.push(value);
                after
            }
            // A dollar without a name stands for itself.
            Some(_) | None => {
                expanded.text.push('$');
                after
            }
        };
    }
    expanded.text.push_str(rest);
    Ok(expanded)
}

fn read_variable(
    variable: &str,
    place: &str,
    value_of: impl Fn(&str) -> Option<String>,
) -> Result<String, Usage> {
    let (name, default) = match variable.split_once(":-") {
        Some((name, default)) => (name, Some(default.to_owned())),
        None => (variable, None),
    };
    let name = name.strip_prefix("env:").unwrap_or(name);
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if !is_name {
        return Err(Usage(format!(
            "{place}: `${{{variable}}}` is not a variable of the environment, which is all that can be put in"
        )));
    }
    value_of(name)
        .or(default)
        .ok_or_else(|| Usage(format!("{place}: the variable `{name}` is not set; write `$$` for a dollar")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expand(text: &str) -> Result<Expanded, String> {
        let value_of = |name: &str| (name == "KEY").then(|| "s3cret".to_owned());
        expand_with(text, "--header X", value_of).map_err(|error| error.to_string())
    }

    #[test]
    fn variables_are_put_in_and_their_values_remembered() {
        for (text, expected, values) in [
            ("Bearer ${KEY}", "Bearer s3cret", &["s3cret"][..]),
            ("${env:KEY}", "s3cret", &["s3cret"]),
            ("${OTHER:-none}", "none", &["none"]),
            ("$${KEY} costs $5$", "${KEY} costs $5$", &[]),
            ("plain", "plain", &[]),
        ] {
            let expanded = expand(text).unwrap();
            assert_eq!(expanded.text, expected, "{text}");
            assert_eq!(expanded.values, values, "{text}");
        }
    }

    #[test]
    fn what_is_not_set_is_named() {
        for (text, named) in [
            ("${NOT_THERE}", "`NOT_THERE` is not set"),
            ("${input:key}", "${input:key}"),
            ("${KEY", "not closed"),
        ] {
            let error = expand(text).unwrap_err();
            assert!(error.contains(named) && error.starts_with("--header X: "), "{error}");
        }
    }
}
