//! The keys of a keyboard.

use serde_json::{Value, json};

/// Name, code, key code and text of the keys that write nothing, or something other than their name.
const NAMED_KEYS: [(&str, &str, u32, &str); 22] = [
    ("Enter", "Enter", 13, "\r"),
    ("Tab", "Tab", 9, ""),
    ("Escape", "Escape", 27, ""),
    ("Backspace", "Backspace", 8, ""),
    ("Delete", "Delete", 46, ""),
    ("Insert", "Insert", 45, ""),
    ("ArrowLeft", "ArrowLeft", 37, ""),
    ("ArrowUp", "ArrowUp", 38, ""),
    ("ArrowRight", "ArrowRight", 39, ""),
    ("ArrowDown", "ArrowDown", 40, ""),
    ("Home", "Home", 36, ""),
    ("End", "End", 35, ""),
    ("PageUp", "PageUp", 33, ""),
    ("PageDown", "PageDown", 34, ""),
    ("Space", "Space", 32, " "),
    ("F1", "F1", 112, ""),
    ("F2", "F2", 113, ""),
    ("F5", "F5", 116, ""),
    ("F6", "F6", 117, ""),
    ("F10", "F10", 121, ""),
    ("F11", "F11", 122, ""),
    ("F12", "F12", 123, ""),
];
/// The modifier keys and their bits.
const MODIFIERS: [(&str, u32); 4] = [("Alt", 1), ("Control", 2), ("Meta", 4), ("Shift", 8)];
/// The punctuation keys of a US keyboard: the characters without and with Shift, the code and the key code.
const PUNCTUATION_KEYS: &str = "`~Backquote192 -_Minus189 =+Equal187 [{BracketLeft219 ]}BracketRight221 \\|Backslash220 \
    ;:Semicolon186 '\"Quote222 ,<Comma188 .>Period190 /?Slash191 1!Digit149 2@Digit250 3#Digit351 4$Digit452 \
    5%Digit553 6^Digit654 7&Digit755 8*Digit856 9(Digit957 0)Digit048";

/// One key press.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stroke {
    key: String,
    code: String,
    number: u32,
    text: String,
    modifiers: u32,
}

impl Stroke {
    pub(crate) fn down(&self) -> Value {
        let mut event = self.event(if self.text.is_empty() { "rawKeyDown" } else { "keyDown" });
        if !self.text.is_empty() {
            event["text"] = self.text.clone().into();
        }
        event
    }

    pub(crate) fn up(&self) -> Value {
        self.event("keyUp")
    }

    fn event(&self, kind: &str) -> Value {
        json!({
            "type": kind,
            "key": self.key,
            "code": self.code,
            "windowsVirtualKeyCode": self.number,
            "modifiers": self.modifiers,
        })
    }
}

/// The key press that writes a character, if the keyboard has it.
pub(crate) fn character(character: char) -> Option<Stroke> {
    let stroke = |code: String, number: u32, shift: bool| Stroke {
        key: character.into(),
        code,
        number,
        text: character.into(),
        modifiers: if shift { 8 } else { 0 },
    };
    match character {
        'a'..='z' | 'A'..='Z' => {
            let upper = character.to_ascii_uppercase();
            Some(stroke(format!("Key{upper}"), upper.into(), character == upper))
        }
        '\n' => chord("Enter"),
        '\t' => chord("Tab"),
        ' ' => chord("Space"),
        _ => sign(character).map(|(code, number, shift)| stroke(code, number, shift)),
    }
}

fn sign(wanted: char) -> Option<(String, u32, bool)> {
    PUNCTUATION_KEYS.split_whitespace().find_map(|sign| {
        let mut characters = sign.chars();
        let (plain, shifted) = (characters.next()?, characters.next()?);
        let rest = characters.as_str();
        let digits = if rest.starts_with("Digit") {
            6
        } else {
            rest.trim_end_matches(|it: char| it.is_ascii_digit()).len()
        };
        let (code, number) = rest.split_at(digits);
        let found = (plain == wanted || shifted == wanted).then_some(shifted == wanted)?;
        Some((code.to_owned(), number.parse().ok()?, found))
    })
}

/// The key press for a name with modifiers, such as `Control+Shift+a`.
pub(crate) fn chord(name: &str) -> Option<Stroke> {
    let (held, key) = match name.rsplit_once('+') {
        Some((held, key)) if !key.is_empty() => (held, key),
        _ => ("", name),
    };
    let bits = held.split('+').filter(|it| !it.is_empty());
    let bits = bits.map(|held| MODIFIERS.iter().find(|(name, _)| *name == held).map(|(_, bit)| *bit));
    let modifiers = bits.sum::<Option<u32>>()?;
    let mut stroke = named(key).or_else(|| single(key).and_then(character))?;
    stroke.modifiers |= modifiers;
    // With Control, Alt or Meta a key is a command and writes nothing.
    if modifiers & 7 != 0 {
        stroke.text.clear();
    }
    Some(stroke)
}

fn named(key: &str) -> Option<Stroke> {
    let (name, code, number, text) = NAMED_KEYS.iter().find(|(name, ..)| *name == key)?;
    let key = if *name == "Space" { " " } else { name };
    Some(Stroke {
        key: key.into(),
        code: (*code).into(),
        number: *number,
        text: (*text).into(),
        modifiers: 0,
    })
}

fn single(key: &str) -> Option<char> {
    let mut characters = key.chars();
    characters.next().filter(|_| characters.next().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stroke(key: &str, code: &str, number: u32, text: &str, modifiers: u32) -> Option<Stroke> {
        Some(Stroke { key: key.into(), code: code.into(), number, text: text.into(), modifiers })
    }

    #[test]
    fn characters_are_found_on_the_keyboard() {
        assert_eq!(character('a'), stroke("a", "KeyA", 65, "a", 0));
        assert_eq!(character('Q'), stroke("Q", "KeyQ", 81, "Q", 8));
        assert_eq!(character('0'), stroke("0", "Digit0", 48, "0", 0));
        assert_eq!(character('@'), stroke("@", "Digit2", 50, "@", 8));
        assert_eq!(character('/'), stroke("/", "Slash", 191, "/", 0));
        assert_eq!(character(' '), stroke(" ", "Space", 32, " ", 0));
        assert_eq!(character('ß'), None);
        for sign in "`~-_=+[{]}\\|;:'\",<.>/?1234567890!@#$%^&*()".chars() {
            assert!(character(sign).is_some(), "{sign}");
        }
    }

    #[test]
    fn chords_hold_keys() {
        assert_eq!(chord("Control+a"), stroke("a", "KeyA", 65, "", 2));
        assert_eq!(chord("Shift+Tab"), stroke("Tab", "Tab", 9, "", 8));
        assert_eq!(chord("+"), stroke("+", "Equal", 187, "+", 8));
        assert_eq!(chord("Hyper+a"), None);
        assert_eq!(chord("Nokey"), None);
    }
}
