//! How much room a View has.

use serde_json::{Map, Value, json};

use super::MetadataProblem;
use super::read::MetadataReader;

/// The room in one direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Axis {
    /// The host decides.
    Fixed(f64),
    /// The View decides, up to this.
    UpTo(f64),
    /// The View decides.
    Free,
}

/// The room that a host gives a View (`hostContext.containerDimensions`).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Container {
    /// From left to right.
    pub width: Axis,
    /// From top to bottom.
    pub height: Axis,
}

impl Default for Container {
    fn default() -> Self {
        Self { width: Axis::Free, height: Axis::Free }
    }
}

impl Axis {
    /// The size that the frame gets when the View asks for `asked`; `None` if that is not a size.
    pub fn apply(self, asked: f64) -> Option<f64> {
        let asked = Some(asked).filter(|size| size.is_finite() && *size >= 0.0);
        match self {
            Self::Fixed(size) => Some(size),
            Self::UpTo(most) => asked.map(|size| size.min(most)),
            Self::Free => asked,
        }
    }
}

impl Container {
    /// What a `containerDimensions` object says, and what is wrong with it.
    pub fn from_value(value: &Value) -> (Self, Vec<MetadataProblem>) {
        let mut findings = Vec::new();
        let read = MetadataReader::open(value, "containerDimensions", &mut findings)
            .map(|mut reader| Self::from_reader(&mut reader));
        (read.unwrap_or_default(), findings)
    }

    /// The object for the host context.
    pub fn to_value(self) -> Value {
        let mut object = Map::new();
        for (axis, fixed, most) in [(self.width, "width", "maxWidth"), (self.height, "height", "maxHeight")] {
            match axis {
                Axis::Fixed(size) => drop(object.insert(fixed.to_owned(), json!(size))),
                Axis::UpTo(size) => drop(object.insert(most.to_owned(), json!(size))),
                Axis::Free => (),
            }
        }
        Value::Object(object)
    }

    pub(super) fn from_reader(reader: &mut MetadataReader<'_, '_>) -> Self {
        Self { width: axis(reader, "width", "maxWidth"), height: axis(reader, "height", "maxHeight") }
    }
}

fn axis(reader: &mut MetadataReader<'_, '_>, fixed: &str, most: &str) -> Axis {
    let (size, limit) = (reader.number(fixed), reader.number(most));
    for (key, size) in [(fixed, size), (most, limit)] {
        if size.is_some_and(|size| size < 0.0) {
            reader.broken(key, "is negative".to_owned());
        }
    }
    match (size, limit) {
        (Some(size), limit) => {
            if limit.is_some() {
                reader.broken(most, format!("stands next to `{fixed}`; a direction has one of them"));
            }
            Axis::Fixed(size.max(0.0))
        }
        (None, Some(limit)) => Axis::UpTo(limit.max(0.0)),
        (None, None) => Axis::Free,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_directions_are_independent() {
        let (container, findings) = Container::from_value(&json!({"width": 720, "maxHeight": 5000}));
        assert_eq!(container, Container { width: Axis::Fixed(720.0), height: Axis::UpTo(5000.0) });
        assert!(findings.is_empty());
        assert_eq!(Container::from_value(&json!({})).0, Container::default());
        assert_eq!(container.to_value(), json!({"width": 720.0, "maxHeight": 5000.0}));
    }

    #[test]
    fn sizes_are_clamped() {
        assert_eq!(Axis::Fixed(300.0).apply(1e9), Some(300.0));
        assert_eq!(Axis::UpTo(600.0).apply(1e9), Some(600.0));
        assert_eq!(Axis::UpTo(600.0).apply(10.0), Some(10.0));
        assert_eq!(Axis::Free.apply(1e9), Some(1e9));
        assert_eq!(Axis::UpTo(600.0).apply(-1.0), None);
        assert_eq!(Axis::Free.apply(f64::NAN), None);
    }

    #[test]
    fn contradictions_are_reported() {
        let (container, findings) =
            Container::from_value(&json!({"height": 3, "maxHeight": 5, "width": "a", "maxWidth": -1}));
        assert_eq!(container, Container { width: Axis::UpTo(0.0), height: Axis::Fixed(3.0) });
        let said: Vec<String> = findings.iter().map(MetadataProblem::to_string).collect();
        assert_eq!(
            said,
            [
                "containerDimensions.width: is a string, expected a number",
                "containerDimensions.maxWidth: is negative",
                "containerDimensions.maxHeight: stands next to `height`; a direction has one of them",
            ]
        );
    }
}
