//! The options that a target needs when it is measured again: all that changes what is found, and no secrets.

use std::fmt;
use std::path::Path;

use clap::ValueEnum as _;
use transport::client::{Target, quoted};

use crate::args::{
    AllowCalls, AppArguments, BuiltIn, CheckArguments, CheckHostArguments, START_TIMEOUT, TIMEOUT,
    TargetArguments,
};
use crate::configuration::NamedTarget;
use crate::connection::ConnectionArguments;

/// The words that replace secrets. Whoever runs the command again fills them in.
const VALUE_PLACEHOLDER: &str = "VALUE";
const TOKEN_PLACEHOLDER: &str = "TOKEN";
/// The words before a credential that are not a part of it.
const SCHEMES: [&str; 3] = ["Bearer", "Basic", "Token"];

/// The arguments that name `target` again, options first.
pub(crate) fn check_arguments(given: &CheckArguments, target: &Target) -> String {
    join([&target.redact(&options(given)), &target_arguments(target)])
}

/// The arguments that name a server of a configuration again.
pub(crate) fn configured_arguments(given: &CheckArguments, server: &NamedTarget) -> String {
    let file = given.config.as_deref().unwrap_or(Path::new("")).to_string_lossy();
    let named = format!("--config {} --server {}", quoted(&file), quoted(&server.name));
    join([&server.target.redact(&options(given)), &named])
}

/// The arguments that name the built-in server again.
pub(crate) fn built_in_arguments(given: &CheckArguments, ways: BuiltIn) -> String {
    let way = match ways {
        BuiltIn::Both => "--built-in",
        BuiltIn::Stdio => "--built-in=stdio",
        BuiltIn::Http => "--built-in=http",
    };
    join([&options(given), way])
}

/// The arguments that name the same apps again.
pub(crate) fn app_arguments(given: &AppArguments, target: &Target) -> String {
    let mut words = Words::default();
    words.file("--html", given.html.as_deref());
    words.file("--fixture", given.fixture.as_deref());
    words.calls(given.allow_calls, &given.tool, &given.args);
    given.row.iter().for_each(|row| words.option("--row", row));
    words.server(&given.target);
    words.file("--screenshots", given.screenshots.as_deref());
    if let Some(tolerance) = given.tolerance {
        words.option("--tolerance", &tolerance.share().to_string());
    }
    words.jobs(given.jobs);
    words.connection(&given.connection, given.with_secrets);
    join(["app", &target.redact(&words.to_string()), &target_arguments(target)])
}

/// The arguments that name the same host again.
pub(crate) fn host_arguments(given: &CheckHostArguments) -> String {
    let mut words = Words::default();
    given.page.iter().for_each(|page| words.option("--page", page));
    words.file("--script", given.script.as_deref());
    given.remote.iter().for_each(|url| words.option("--remote", url));
    words.flag("--manual", given.manual);
    words.flag("--stdio", given.stdio);
    given.platform.iter().for_each(|name| words.option("--platform", name));
    given.fault.iter().for_each(|name| words.option("--fault", name));
    join(["host", &words.to_string()])
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

/// The options of `check` alone, as a shell takes them.
pub(crate) fn options(given: &CheckArguments) -> String {
    let mut words = Words::default();
    words.calls(given.allow_calls, &given.tool, &given.args);
    words.server(&given.target);
    // A token from the environment needs no option.
    if given.bearer.is_some() {
        words.option("--bearer", TOKEN_PLACEHOLDER);
    }
    for (name, limit, usual) in
        [("--timeout", given.timeout, TIMEOUT), ("--start-timeout", given.start_timeout, START_TIMEOUT)]
    {
        let seconds = limit.as_secs_f64().to_string();
        if seconds != usual {
            words.option(name, &seconds);
        }
    }
    words.jobs(given.jobs);
    words.connection(&given.connection, given.with_secrets);
    words.to_string()
}

/// What is not empty, with spaces between.
fn join<const COUNT: usize>(parts: [&str; COUNT]) -> String {
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Options, each as a shell takes it. Whatever several subcommands flatten into their arguments has its method here, so that
/// none of them forgets a part.
#[derive(Debug, Default)]
struct Words(Vec<String>);

impl Words {
    fn option(&mut self, name: &str, value: &str) {
        self.0.extend([name.to_owned(), quoted(value).into_owned()]);
    }

    fn flag(&mut self, name: &str, is_given: bool) {
        self.0.extend(is_given.then(|| name.to_owned()));
    }

    fn file(&mut self, name: &str, path: Option<&Path>) {
        path.into_iter().for_each(|path| self.option(name, &path.to_string_lossy()));
    }

    fn jobs(&mut self, jobs: Option<usize>) {
        jobs.into_iter().for_each(|jobs| self.option("--jobs", &jobs.to_string()));
    }

    fn calls(&mut self, allow: AllowCalls, tools: &[String], args: &[String]) {
        if let Some(which) = allow.to_possible_value().filter(|_| allow != AllowCalls::default()) {
            self.option("--allow-calls", which.get_name());
        }
        tools.iter().for_each(|tool| self.option("--tool", tool));
        args.iter().for_each(|args| self.option("--args", args));
    }

    fn server(&mut self, TargetArguments { url: _, command: _, header, env, cwd }: &TargetArguments) {
        for header in header {
            let (name, value) = header.split_once(':').unwrap_or((header, ""));
            let value = if is_only_variables(value) { value.trim() } else { VALUE_PLACEHOLDER };
            self.option("--header", &format!("{}: {value}", name.trim()));
        }
        for variable in env {
            let name = variable.split_once('=').map_or(variable.as_str(), |(name, _)| name);
            self.option("--env", &format!("{name}={VALUE_PLACEHOLDER}"));
        }
        self.file("--cwd", cwd.as_deref());
    }

    fn connection(&mut self, ConnectionArguments { cacert, insecure }: &ConnectionArguments, secrets: bool) {
        self.file("--cacert", cacert.as_deref());
        self.flag("--with-secrets", secrets);
        self.flag("--insecure", *insecure);
    }
}

impl fmt::Display for Words {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join(" "))
    }
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
