//! The options that a target needs when it is measured again: all that changes what is found, and no secrets.

use std::path::Path;

use clap::ValueEnum as _;
use transport::client::{Target, quoted};

use crate::args::{AllowCalls, BuiltIn, CheckArguments, START_TIMEOUT, TIMEOUT};
use crate::configuration::NamedTarget;

/// The words that replace secrets. Whoever runs the command again fills them in.
const VALUE_PLACEHOLDER: &str = "VALUE";
const TOKEN_PLACEHOLDER: &str = "TOKEN";
/// The words before a credential that are not a part of it.
const SCHEMES: [&str; 3] = ["Bearer", "Basic", "Token"];

/// The arguments that name `target` again, options first.
pub(crate) fn check_arguments(given: &CheckArguments, target: &Target) -> String {
    let mut words = vec![target.redact(&options(given)).into_owned(), target_arguments(target)];
    words.retain(|word| !word.is_empty());
    words.join(" ")
}

/// The arguments that name a server of a configuration again.
pub(crate) fn configured_arguments(given: &CheckArguments, server: &NamedTarget) -> String {
    let file = given.config.as_deref().unwrap_or(Path::new("")).to_string_lossy();
    let named = format!("--config {} --server {}", quoted(&file), quoted(&server.name));
    let options = server.target.redact(&options(given)).into_owned();
    format!("{options} {named}").trim_start().to_owned()
}

/// The arguments that name the built-in server again.
pub(crate) fn built_in_arguments(given: &CheckArguments, ways: BuiltIn) -> String {
    let way = match ways {
        BuiltIn::Both => "--built-in",
        BuiltIn::Stdio => "--built-in=stdio",
        BuiltIn::Http => "--built-in=http",
    };
    format!("{} {way}", options(given)).trim_start().to_owned()
}

/// The arguments that name `target` again where no command line named it.
pub(crate) fn target_arguments(target: &Target) -> String {
    match target {
        Target::Url(_) => quoted(&target.name_on_command_line()).into_owned(),
        Target::Command(_) => format!("-- {}", target.name_on_command_line()),
        // Nothing on the command line names it.
        Target::InProcess(_) => String::new(),
    }
}

/// The options alone, as a shell takes them.
pub(crate) fn options(given: &CheckArguments) -> String {
    let mut words: Vec<String> = Vec::new();
    let mut option = |name: &str, value: &str| words.extend([name.to_owned(), quoted(value).into_owned()]);
    if let Some(which) = given.allow_calls.to_possible_value().filter(|_| !is_default(given.allow_calls)) {
        option("--allow-calls", which.get_name());
    }
    given.tool.iter().for_each(|tool| option("--tool", tool));
    given.args.iter().for_each(|args| option("--args", args));
    for header in &given.target.header {
        let (name, value) = header.split_once(':').unwrap_or((header, ""));
        let value = if is_only_variables(value) { value.trim() } else { VALUE_PLACEHOLDER };
        option("--header", &format!("{}: {value}", name.trim()));
    }
    // A token from the environment needs no option.
    if given.bearer.is_some() {
        option("--bearer", TOKEN_PLACEHOLDER);
    }
    for variable in &given.target.env {
        let name = variable.split_once('=').map_or(variable.as_str(), |(name, _)| name);
        option("--env", &format!("{name}={VALUE_PLACEHOLDER}"));
    }
    if let Some(folder) = &given.target.cwd {
        option("--cwd", &folder.to_string_lossy());
    }
    for (name, limit, usual) in
        [("--timeout", given.timeout, TIMEOUT), ("--start-timeout", given.start_timeout, START_TIMEOUT)]
    {
        let seconds = limit.as_secs_f64().to_string();
        if seconds != usual {
            option(name, &seconds);
        }
    }
    if let Some(jobs) = given.jobs {
        option("--jobs", &jobs.to_string());
    }
    if let Some(file) = &given.connection.cacert {
        option("--cacert", &file.to_string_lossy());
    }
    if given.with_secrets {
        words.push("--with-secrets".to_owned());
    }
    if given.connection.insecure {
        words.push("--insecure".to_owned());
    }
    words.join(" ")
}

/// Whether a header's value holds no secret itself, because it consists of variables and perhaps a scheme.
fn is_only_variables(value: &str) -> bool {
    let mut rest = value.trim();
    let mut plain = String::new();
    let mut variables = 0;
    while let Some((before, (_, after))) =
        rest.split_once("${").and_then(|(before, after)| Some((before, after.split_once('}')?)))
    {
        plain.push_str(before);
        rest = after;
        variables += 1;
    }
    plain.push_str(rest);
    let scheme = plain.trim();
    variables > 0 && (scheme.is_empty() || SCHEMES.iter().any(|known| scheme.eq_ignore_ascii_case(known)))
}

fn is_default(which: AllowCalls) -> bool {
    which == AllowCalls::default()
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;
    use crate::args::{Arguments, Command};

    fn check(words: &[&str]) -> CheckArguments {
        let all = ["yardstick", "check"].iter().chain(words);
        match Arguments::try_parse_from(all).map(|arguments| arguments.command) {
            Ok(Command::Check(check)) => *check,
            other => panic!("{words:?}: {other:?}"),
        }
    }

    #[test]
    fn what_changes_the_run_is_said_again_and_secrets_are_not() {
        let given = [
            "--bearer",
            "s3cret",
            "--header",
            "X-Key: s3cret",
            "--header",
            "Trace:on",
            "http://127.0.0.1:9/mcp",
        ];
        assert_eq!(options(&check(&given)), "--header 'X-Key: VALUE' --header 'Trace: VALUE' --bearer TOKEN");
        let given = [
            "--header",
            "A: Bearer ${KEY}",
            "--header",
            "B: abc${KEY}",
            "--jobs",
            "2",
            "http://127.0.0.1:9/",
        ];
        assert_eq!(options(&check(&given)), "--header 'A: Bearer ${KEY}' --header 'B: VALUE' --jobs 2");
        let given = ["--env", "MODE=a b", "--env", "API_TOKEN=s3cret", "--cwd", "/srv", "--", "node", "x.js"];
        assert_eq!(options(&check(&given)), "--env MODE=VALUE --env API_TOKEN=VALUE --cwd /srv");
        let given =
            ["--allow-calls", "all", "--tool", "a", "--args", "{\"q\": \"it's\"}", "--timeout", "0.5"];
        assert_eq!(
            options(&check(&given)),
            r#"--allow-calls all --tool a --args '{"q": "it'\''s"}' --timeout 0.5"#
        );
    }

    /// The printed options can be parsed again, and mean the same.
    #[test]
    fn nothing_is_said_of_what_is_usual() {
        assert_eq!(options(&check(&["--timeout", "10", "--allow-calls", "read-only"])), "");
    }
}
