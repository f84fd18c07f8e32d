//! A generated picture and a generated sound, which are free of rights.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;

/// The edge of the picture, in pixels.
const EDGE: u8 = 16;
/// Samples per second of the sound.
const RATE: u32 = 8000;

/// A PNG with a colour gradient, as base64.
pub(crate) fn png() -> String {
    BASE64.encode(png_bytes())
}

/// A tenth of a second of a tone, as base64 of a WAV.
pub(crate) fn wav() -> String {
    BASE64.encode(wav_bytes())
}

/// An SVG as a `data:` URI, in the list that `icons` is.
pub(crate) fn icons(svg: &str) -> serde_json::Value {
    let src = format!("data:image/svg+xml;base64,{}", BASE64.encode(svg));
    serde_json::json!([{ "src": src, "mimeType": "image/svg+xml", "sizes": ["any"] }])
}

fn png_bytes() -> Vec<u8> {
    let mut png = b"\x89PNG\r\n\x1a\n".to_vec();
    let edge = [0, 0, 0, EDGE];
    // Eight bits, RGB, and the default methods for compression, filtering and interlacing.
    chunk(&mut png, *b"IHDR", &[&edge[..], &edge[..], &[8, 2, 0, 0, 0]].concat());
    chunk(&mut png, *b"IDAT", &zlib(&pixels()));
    chunk(&mut png, *b"IEND", &[]);
    png
}

/// Each row begins with a byte for its filter: none.
fn pixels() -> Vec<u8> {
    let step = 255 / (EDGE - 1);
    let row = |y: u8| {
        let pixels = (0..EDGE).flat_map(move |x| [x * step, y * step, 128]);
        std::iter::once(0).chain(pixels)
    };
    (0..EDGE).flat_map(row).collect()
}

fn chunk(png: &mut Vec<u8>, kind: [u8; 4], data: &[u8]) {
    let body = [&kind[..], data].concat();
    png.extend(u32::try_from(data.len()).unwrap_or_default().to_be_bytes());
    png.extend(&body);
    png.extend(crc32(&body).to_be_bytes());
}

/// One stored block: the data is too small to be worth compressing.
fn zlib(data: &[u8]) -> Vec<u8> {
    let length = u16::try_from(data.len()).unwrap_or_default();
    let mut out = vec![0x78, 0x01, 0x01];
    out.extend(length.to_le_bytes());
    out.extend((!length).to_le_bytes());
    out.extend(data);
    out.extend(adler32(data).to_be_bytes());
    out
}

fn crc32(data: &[u8]) -> u32 {
    !data.iter().fold(u32::MAX, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| (crc >> 1) ^ (0xEDB8_8320 & (crc & 1).wrapping_neg()))
    })
}

fn adler32(data: &[u8]) -> u32 {
    let (low, high) = data.iter().fold((1_u32, 0_u32), |(low, high), byte| {
        let low = (low + u32::from(*byte)) % 65_521;
        (low, (high + low) % 65_521)
    });
    high << 16 | low
}

fn wav_bytes() -> Vec<u8> {
    // A square wave of 400 Hz.
    let samples: Vec<u8> = (0..RATE / 10).map(|n| if n / 10 % 2 == 0 { 96 } else { 160 }).collect();
    let length = u32::try_from(samples.len()).unwrap_or_default();
    let mut wav = b"RIFF".to_vec();
    wav.extend((36 + length).to_le_bytes());
    wav.extend(b"WAVEfmt \x10\0\0\0\x01\0\x01\0");
    wav.extend(RATE.to_le_bytes());
    wav.extend(RATE.to_le_bytes());
    wav.extend(b"\x01\0\x08\0data");
    wav.extend(length.to_le_bytes());
    wav.extend(samples);
    wav
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksums_are_the_known_ones() {
        assert_eq!(crc32(b"123456789"), 0xCBF4_3926);
        assert_eq!(crc32(b"IEND"), 0xAE42_6082);
        assert_eq!(adler32(b"Wikipedia"), 0x11E6_0398);
    }

    #[test]
    fn the_picture_has_its_pixels() {
        let png = png_bytes();
        assert!(png.starts_with(b"\x89PNG\r\n\x1a\n") && png.ends_with(b"IEND\xaeB`\x82"));
        assert_eq!(pixels().len(), usize::from(EDGE) * (1 + 3 * usize::from(EDGE)));
        assert_eq!(&pixels()[..4], [0, 0, 0, 128], "a filter, then the first pixel");
    }

    #[test]
    fn the_sound_says_how_long_it_is() {
        let wav = wav_bytes();
        assert_eq!(wav.len(), 44 + 800);
        assert_eq!(wav[40..44], 800_u32.to_le_bytes());
        assert_eq!(wav[4..8], (36 + 800_u32).to_le_bytes());
    }
}
