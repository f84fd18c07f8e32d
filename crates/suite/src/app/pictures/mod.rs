//! Pictures of apps, and how they are compared with older ones.

mod compare;
mod decode;
mod references;

pub use self::compare::{PictureDifference, Tolerance};
pub use self::references::{Comparison, ReferencePictures, picture_place};
