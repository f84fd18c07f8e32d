//! A View as `resources/read` delivers it.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use super::{MIME_TYPE, MediaType, MetadataProblem, ResourceUi, Weight, is_ui_uri};

/// The HTML of a View and what it says about itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UiContent {
    /// The URI of the content item.
    pub uri: String,
    /// The HTML.
    pub html: String,
    /// The metadata of the content item.
    pub ui: ResourceUi,
}

impl UiContent {
    /// The View in a content item, or none if it has no HTML; and what is wrong with the item.
    pub fn from_item(item: &Value) -> (Option<Self>, Vec<MetadataProblem>) {
        let (ui, mut findings) = ResourceUi::from_item(item);
        let uri = text(item, "uri").unwrap_or_default();
        if !is_ui_uri(uri) {
            report(&mut findings, "uri", format!("`{uri}` is not a `ui://` URI"));
        }
        check_type(text(item, "mimeType"), &mut findings);
        let html = match html(item) {
            Ok(html) => Some(html),
            Err((at, says)) => {
                report(&mut findings, at, says.to_owned());
                None
            }
        };
        (html.map(|html| Self { uri: uri.to_owned(), html, ui }), findings)
    }
}

fn text<'a>(item: &'a Value, key: &str) -> Option<&'a str> {
    item.get(key)?.as_str()
}

fn report(findings: &mut Vec<MetadataProblem>, at: &str, says: String) {
    findings.push(MetadataProblem { at: at.to_owned(), says, weight: Weight::Broken });
}

fn check_type(given: Option<&str>, findings: &mut Vec<MetadataProblem>) {
    let Some(given) = given else {
        return report(findings, "mimeType", format!("is missing; a View has `{MIME_TYPE}`"));
    };
    if !MediaType::parse(given).is_ok_and(|media| media.is(MIME_TYPE)) {
        report(findings, "mimeType", format!("is `{given}`; a View has `{MIME_TYPE}`"));
    } else if given != MIME_TYPE {
        let says =
            format!("`{given}` is spelled differently than `{MIME_TYPE}`; some hosts compare the letters");
        findings.push(MetadataProblem { at: "mimeType".to_owned(), says, weight: Weight::Doubtful });
    }
}

fn html(item: &Value) -> Result<String, (&'static str, &'static str)> {
    match (item.get("text"), item.get("blob")) {
        (Some(_), Some(_)) => Err(("blob", "stands next to `text`; a content item has one of them")),
        (Some(html), None) => html.as_str().map(str::to_owned).ok_or(("text", "is not a string")),
        (None, Some(blob)) => {
            let blob = blob.as_str().ok_or(("blob", "is not a string"))?;
            let bytes = STANDARD.decode(blob).map_err(|_| ("blob", "is not base64"))?;
            String::from_utf8(bytes).map_err(|_| ("blob", "is not UTF-8 text"))
        }
        (None, None) => Err(("text", "is missing, and so is `blob`; a content item has one of them")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(change: &[(&str, Value)]) -> (Option<String>, Vec<String>) {
        let mut item = json!({"uri": "ui://a", "mimeType": MIME_TYPE});
        for (key, value) in change {
            item[*key] = value.clone();
        }
        let (content, findings) = UiContent::from_item(&item);
        (content.map(|content| content.html), findings.iter().map(MetadataProblem::to_string).collect())
    }

    #[test]
    fn text_and_blob_both_carry_html() {
        assert_eq!(read(&[("text", json!("<p>é"))]), (Some("<p>é".into()), vec![]));
        assert_eq!(read(&[("blob", json!("PHA+w6k="))]), (Some("<p>é".into()), vec![]));
    }

    #[test]
    fn one_of_them_is_needed() {
        assert_eq!(read(&[]).1, ["text: is missing, and so is `blob`; a content item has one of them"]);
        let both = read(&[("text", json!("a")), ("blob", json!("YQ=="))]);
        assert_eq!(both, (None, vec!["blob: stands next to `text`; a content item has one of them".into()]));
        assert_eq!(read(&[("blob", json!("%"))]).1, ["blob: is not base64"]);
        assert_eq!(read(&[("blob", json!("/w=="))]).1, ["blob: is not UTF-8 text"]);
        assert_eq!(read(&[("text", json!(3))]).1, ["text: is not a string"]);
    }

    #[test]
    fn the_type_and_the_uri_are_checked() {
        let said = |key: &str, value: Value| read(&[("text", json!("a")), (key, value)]).1.remove(0);
        assert!(said("mimeType", json!("text/html")).starts_with("mimeType: is `text/html`"));
        assert!(said("mimeType", json!(null)).starts_with("mimeType: is missing"));
        assert!(said("mimeType", json!("text/html; profile=mcp-app")).contains("spelled differently"));
        assert_eq!(said("uri", json!("file:///a")), "uri: `file:///a` is not a `ui://` URI");
    }
}
