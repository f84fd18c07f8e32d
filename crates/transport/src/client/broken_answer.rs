//! Recognises an answer in lines that are not messages: one with bytes that are not UTF-8, or one that is spread over lines.

use wire::Id;

/// How much of an answer is kept.
const MAX_KEPT: usize = 1024 * 1024;

/// Lines that may be an answer together.
#[derive(Debug, Default)]
pub(crate) struct BrokenAnswer(String);

impl BrokenAnswer {
    /// Adds a line that is not a message. Returns the id of the request that the lines so far answer, if they do. Lines that are
    /// for people, such as those of a log, do not begin with a brace.
    pub(crate) fn add_line(&mut self, line: &[u8]) -> Option<Id> {
        let text = String::from_utf8_lossy(line);
        if self.0.is_empty() && !text.trim_start().starts_with('{') {
            return None;
        }
        if self.0.len() + text.len() > MAX_KEPT {
            self.0.clear();
            return None;
        }
        // An answer over several lines ends with a brace of its own. Trying at each line would be slow where there are many.
        let may_end = self.0.is_empty() || text.starts_with('}');
        self.0.push_str(&text);
        self.0.push('\n');
        if !may_end {
            return None;
        }
        let parsed = serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(&self.0);
        match parsed {
            Ok(object) => {
                self.0.clear();
                let is_response = object.contains_key("result") || object.contains_key("error");
                object.get("id").filter(|_| is_response).map(Id::from)
            }
            Err(why) if why.is_eof() => None,
            Err(_) => {
                self.0.clear();
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_over_several_lines_is_recognised() {
        let mut answer = BrokenAnswer::default();
        for line in [&b"listening"[..], b"{", br#"  "id": 1,"#, br#"  "result": {}"#] {
            assert_eq!(answer.add_line(line), None);
        }
        assert_eq!(answer.add_line(b"}"), Some(Id::from(1)));
    }

    #[test]
    fn an_answer_that_is_not_utf_8_is_recognised() {
        let mut answer = BrokenAnswer::default();
        assert_eq!(answer.add_line(b"{\"id\":\"a\",\"error\":{\"message\":\"\xff\"}}"), Some(Id::from("a")));
    }

    #[test]
    fn other_lines_are_not_answers() {
        let mut answer = BrokenAnswer::default();
        for line in ["INFO {\"id\":1,\"result\":{}}", "{not json}", "{\"id\":1,\"level\":\"info\"}"] {
            assert_eq!(answer.add_line(line.as_bytes()), None, "{line}");
        }
        assert_eq!(
            answer.add_line(b"{\"id\":1,\"result\":{}}"),
            Some(Id::from(1)),
            "what came before is forgotten"
        );
    }
}
