//! What a host tells a View about its surroundings (`hostContext`).

use serde_json::{Map, Value};

use super::read::MetadataReader;
use super::{Container, DisplayMode, MetadataProblem, Weight, style};
use crate::locale;

/// The surroundings of a View.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HostContext {
    /// The tool call that the View belongs to.
    pub tool_info: Option<ToolInfo>,
    /// Light or dark.
    pub theme: Option<Theme>,
    /// CSS custom properties.
    pub style_variables: Vec<(String, String)>,
    /// CSS rules that load fonts.
    pub fonts: Option<String>,
    /// How the View is shown.
    pub display_mode: Option<DisplayMode>,
    /// How the host can show it; modes that we do not know are left out.
    pub available_display_modes: Option<Vec<DisplayMode>>,
    /// How much room it has.
    pub container: Option<Container>,
    /// The user's language (BCP 47).
    pub locale: Option<String>,
    /// The user's time zone (IANA).
    pub time_zone: Option<String>,
    /// The name of the host.
    pub user_agent: Option<String>,
    /// The kind of host.
    pub platform: Option<Platform>,
    /// What the device can do.
    pub device: Option<Device>,
    /// The margins that the View should leave free, in pixels.
    pub safe_area: Option<Insets>,
}

/// The tool call that a View belongs to.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolInfo {
    /// The id of the `tools/call` request.
    pub id: Option<Value>,
    /// The tool, as `tools/list` has it.
    pub tool: Value,
}

/// Light or dark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Theme {
    /// Dark on light.
    Light,
    /// Light on dark.
    Dark,
}

/// The kind of host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Platform {
    /// A web page.
    Web,
    /// A desktop program.
    Desktop,
    /// A phone or tablet.
    Mobile,
}

/// What the device can do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Device {
    /// It has a touch screen.
    pub touch: Option<bool>,
    /// A pointer can hover.
    pub hover: Option<bool>,
}

/// Margins in pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Insets {
    /// At the top.
    pub top: f64,
    /// On the right.
    pub right: f64,
    /// At the bottom.
    pub bottom: f64,
    /// On the left.
    pub left: f64,
}

const THEMES: &[(&str, Theme)] = &[("light", Theme::Light), ("dark", Theme::Dark)];
const PLATFORMS: &[(&str, Platform)] =
    &[("web", Platform::Web), ("desktop", Platform::Desktop), ("mobile", Platform::Mobile)];

impl HostContext {
    /// What a `hostContext` object says, and what is wrong with it. Members that we do not know are fine.
    pub fn from_value(value: &Value) -> (Self, Vec<MetadataProblem>) {
        let mut findings = Vec::new();
        let read = MetadataReader::open(value, "hostContext", &mut findings)
            .map(|mut reader| Self::from_reader(&mut reader));
        (read.unwrap_or_default(), findings)
    }

    fn from_reader(context: &mut MetadataReader<'_, '_>) -> Self {
        let (style_variables, fonts) =
            context.inside("styles").map(|mut s| styles(&mut s)).unwrap_or_default();
        let modes = context.strings("availableDisplayModes");
        Self {
            tool_info: tool_info(context),
            theme: context.word("theme", THEMES),
            style_variables,
            fonts,
            display_mode: context.word("displayMode", DisplayMode::NAMES),
            available_display_modes: modes
                .map(|modes| modes.iter().filter_map(|m| DisplayMode::named(m)).collect()),
            container: context
                .inside("containerDimensions")
                .map(|mut reader| Container::from_reader(&mut reader)),
            locale: language(context),
            time_zone: context.string("timeZone"),
            user_agent: context.string("userAgent"),
            platform: context.word("platform", PLATFORMS),
            device: context.inside("deviceCapabilities").map(|mut reader| Device::from_reader(&mut reader)),
            safe_area: context
                .inside("safeAreaInsets")
                .and_then(|mut reader| Insets::from_reader(&mut reader)),
        }
    }
}

/// Puts the members of a partial context over those of a context, as a View does with `host-context-changed`.
pub fn merge_context(context: &mut Map<String, Value>, partial: &Map<String, Value>) {
    for (key, value) in partial {
        context.insert(key.clone(), value.clone());
    }
}

impl Device {
    fn from_reader(reader: &mut MetadataReader<'_, '_>) -> Self {
        Self { touch: reader.boolean("touch"), hover: reader.boolean("hover") }
    }
}

impl Insets {
    fn from_reader(reader: &mut MetadataReader<'_, '_>) -> Option<Self> {
        let mut side = |key: &str| {
            if reader.raw(key).is_none() {
                reader.broken(key, "is missing".to_owned());
            }
            reader.number(key)
        };
        let (top, right, bottom, left) = (side("top"), side("right"), side("bottom"), side("left"));
        Some(Self { top: top?, right: right?, bottom: bottom?, left: left? })
    }
}

fn tool_info(context: &mut MetadataReader<'_, '_>) -> Option<ToolInfo> {
    let mut info = context.inside("toolInfo")?;
    let tool = info.raw("tool").filter(|tool| tool.get("name").is_some_and(Value::is_string)).cloned();
    if tool.is_none() {
        info.broken("tool", "is not a tool with a name".to_owned());
    }
    let id = info.raw("id").filter(|id| id.is_string() || id.is_number()).cloned();
    if id.is_none() && info.raw("id").is_some() {
        info.broken("id", "is neither a string nor a number".to_owned());
    }
    Some(ToolInfo { id, tool: tool? })
}

fn styles(styles: &mut MetadataReader<'_, '_>) -> (Vec<(String, String)>, Option<String>) {
    let mut variables = Vec::new();
    if let Some(mut reader) = styles.inside("variables") {
        for key in reader.keys() {
            if !style::is_standard(key) {
                reader.note(key, "is not a standard variable".to_owned(), Weight::Doubtful);
            }
            if let Some(value) = reader.string(key) {
                variables.push((key.to_owned(), value));
            }
        }
    }
    let fonts = styles.inside("css").and_then(|mut css| css.string("fonts"));
    (variables, fonts)
}

fn language(context: &mut MetadataReader<'_, '_>) -> Option<String> {
    let tag = context.string("locale")?;
    match locale::check(&tag) {
        Ok(()) => Some(tag),
        Err(problem) => {
            context.broken("locale", problem.to_string());
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::apps::Axis;

    fn read(value: &Value) -> (HostContext, Vec<String>) {
        let (context, findings) = HostContext::from_value(value);
        (context, findings.iter().map(MetadataProblem::to_string).collect())
    }

    #[test]
    fn a_full_context_is_read() {
        let (context, findings) = read(&json!({
            "toolInfo": {"id": 0, "tool": {"name": "t", "inputSchema": {}}},
            "theme": "dark",
            "styles": {"variables": {"--font-sans": "serif"}, "css": {"fonts": "@import url(a)"}},
            "displayMode": "inline",
            "availableDisplayModes": ["inline", "fullscreen", "cinema"],
            "containerDimensions": {"height": 695, "maxWidth": 768},
            "locale": "de-CH", "timeZone": "Europe/Zurich", "userAgent": "x/1", "platform": "web",
            "deviceCapabilities": {"touch": false},
            "safeAreaInsets": {"top": 1, "right": 2, "bottom": 3, "left": 4},
            "view": "whatever a host adds",
        }));
        assert_eq!(findings, [] as [String; 0]);
        assert_eq!(context.tool_info.unwrap().id, Some(json!(0)), "zero is an id");
        assert_eq!(context.theme, Some(Theme::Dark));
        assert_eq!(context.style_variables, [("--font-sans".into(), "serif".into())]);
        assert_eq!(context.available_display_modes.unwrap(), [DisplayMode::Inline, DisplayMode::Fullscreen]);
        assert_eq!(context.container.unwrap().height, Axis::Fixed(695.0));
        assert_eq!(context.device.unwrap().touch, Some(false));
        assert_eq!(context.safe_area.unwrap().left, 4.0);
    }

    #[test]
    fn nothing_is_required() {
        assert_eq!(read(&json!({})), (HostContext::default(), vec![]));
        assert_eq!(read(&json!(1)).1, ["hostContext: is a number, expected an object"]);
    }

    #[test]
    fn malformed_members_are_reported_and_left_out() {
        for (member, value, said) in [
            ("theme", json!("blue"), "hostContext.theme: `blue` is none of `light`, `dark`"),
            ("displayMode", json!(1), "hostContext.displayMode: is a number, expected a string"),
            ("locale", json!("de_CH"), "hostContext.locale: `de_CH` is not a language tag: "),
            ("platform", json!("tv"), "hostContext.platform: `tv` is none of `web`, `desktop`, `mobile`"),
            (
                "safeAreaInsets",
                json!({"top": 1, "right": 1, "bottom": 1}),
                "hostContext.safeAreaInsets.left: is missing",
            ),
            ("toolInfo", json!({"tool": {}}), "hostContext.toolInfo.tool: is not a tool with a name"),
            ("toolInfo", json!({"id": [], "tool": {"name": "t"}}), "hostContext.toolInfo.id: is neither"),
            (
                "styles",
                json!({"variables": {"--x": "1"}}),
                "hostContext.styles.variables.--x: is not a standard variable",
            ),
        ] {
            let (_, findings) = read(&json!({member: value}));
            assert_eq!(findings.len(), 1, "{findings:?}");
            assert!(findings[0].starts_with(said), "{findings:?}");
        }
    }

    #[test]
    fn partial_contexts_replace_whole_members() {
        let mut context = json!({"theme": "light", "containerDimensions": {"width": 1, "height": 2}});
        let partial = json!({"theme": "dark", "containerDimensions": {"width": 3}});
        merge_context(context.as_object_mut().unwrap(), partial.as_object().unwrap());
        assert_eq!(context, json!({"theme": "dark", "containerDimensions": {"width": 3}}));
    }
}
