//! How a host is made to do things: everything that a person or a model would do.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use serde_json::Value;

use super::drivers::Chromium;
use super::facts::ActFailure;

/// What comes of something that is done with a host.
pub type DriverStep<'a, T> = Pin<Box<dyn Future<Output = Result<T, ActFailure>> + Send + 'a>>;

/// A way to drive one kind of host. A method that is not overridden says that this host cannot; what needs it does then not
/// apply, and is never failed.
pub trait HostDriver: Send + Sync {
    /// What is measured, in a line.
    fn description(&self) -> String;

    /// How long a View has for what it does.
    fn patience(&self) -> Duration {
        Duration::from_secs(30)
    }

    /// How long the driver of the host has for one thing that a View waits for.
    fn time_to_act(&self) -> Duration {
        Duration::from_secs(8)
    }

    /// Whether the driver of the host has said that it cannot show what is shown now.
    fn has_skipped(&self) -> bool {
        false
    }

    /// Whether the host is connected to the second server as well.
    fn has_other_server(&self) -> bool {
        false
    }

    /// Whether what it shows is run with the arguments that it is given. Some pages have no place for them.
    fn passes_arguments(&self) -> bool {
        true
    }

    /// Runs a tool with arguments, and shows its View. Whatever was shown before is gone.
    fn show<'a>(&'a self, tool: &'a str, arguments: &'a Value) -> DriverStep<'a, ()>;

    /// The same, with arguments that come in pieces.
    fn show_streamed<'a>(&'a self, _tool: &'a str, _arguments: &'a Value) -> DriverStep<'a, ()> {
        cannot("no arguments stream here")
    }

    /// The browser that shows the host's page, if we started it.
    fn chromium(&self) -> Option<&Chromium> {
        None
    }

    /// What the View knows, read without the host's help.
    fn read_view(&self) -> DriverStep<'_, Value> {
        self.chromium().map_or_else(|| cannot("the View cannot be looked into"), Chromium::read_view)
    }

    /// Cancels the call that is under way.
    fn cancel(&self) -> DriverStep<'_, ()> {
        cannot("calls cannot be cancelled here")
    }

    /// Closes the View.
    fn close(&self) -> DriverStep<'_, ()> {
        cannot("Views cannot be closed here")
    }

    /// Switches between the light and the dark theme.
    fn switch_theme(&self) -> DriverStep<'_, ()> {
        cannot("the theme cannot be switched here")
    }

    /// Allows or denies what the View asks the person for.
    fn decide(&self, _allow: bool) -> DriverStep<'_, ()> {
        cannot("nobody can be asked here")
    }

    /// Clicks twice, as on a double click, where the View's first question is allowed.
    fn allow_twice(&self) -> DriverStep<'_, ()> {
        cannot("nobody can be asked here")
    }

    /// The messages of the conversation, each with a role and a text.
    fn conversation(&self) -> DriverStep<'_, Value> {
        cannot("the conversation cannot be read here")
    }

    /// What the model would be told by the View with the next turn.
    fn model_context(&self) -> DriverStep<'_, Value> {
        cannot("what the model is told cannot be read here")
    }

    /// The names of the tools that the model is offered.
    fn model_tools(&self) -> DriverStep<'_, Value> {
        cannot("the tools that the model is offered cannot be read here")
    }

    /// The addresses of the pages that were opened since the View is shown.
    fn opened_links(&self) -> DriverStep<'_, Value> {
        self.chromium()
            .map_or_else(|| cannot("which pages were opened cannot be seen here"), Chromium::read_popups)
    }

    /// The names below `zone` that were looked up, as their first labels.
    fn names_looked_up<'a>(&'a self, zone: &'a str) -> DriverStep<'a, Value> {
        match self.chromium() {
            Some(chromium) => chromium.read_names(zone),
            None => cannot("which names were looked up cannot be seen here"),
        }
    }

    /// The frames from the host's page down to the View: address, origin, and the attributes of their elements.
    fn frames(&self) -> DriverStep<'_, Value> {
        self.chromium()
            .map_or_else(|| cannot("the frames cannot be seen from outside here"), Chromium::read_frames)
    }

    /// The methods of the messages that frames sent to the host's page since it is open.
    fn methods_heard(&self) -> DriverStep<'_, Value> {
        self.chromium()
            .map_or_else(|| cannot("what the host's page hears cannot be seen here"), Chromium::read_heard)
    }

    /// How many milliseconds the host's page took to react, at most.
    fn responsive(&self) -> DriverStep<'_, Value> {
        self.chromium().map_or_else(
            || cannot("whether the host's page reacts cannot be seen here"),
            Chromium::measure_gap,
        )
    }
}

/// A step that this host cannot do.
pub fn cannot<'a, T: Send + 'a>(why: &'static str) -> DriverStep<'a, T> {
    Box::pin(std::future::ready(Err(ActFailure::Cannot(why.to_owned()))))
}
