//! A cursor over the bytes of a binary file that never runs past their end.

use super::{Error, Place};

/// Position in the bytes of a file.
pub(crate) struct Cursor<'a> {
    pub(crate) name: &'a str,
    pub(crate) bytes: &'a [u8],
    pub(crate) at: usize,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(bytes: &'a [u8], name: &'a str) -> Self {
        Self { name, bytes, at: 0 }
    }

    /// How many bytes are left.
    pub(crate) fn remaining(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// A capacity for `count` items of at least `size` bytes each, believed only as far as the
    /// remaining bytes could hold them.
    pub(crate) fn bounded(&self, count: u64, size: usize) -> usize {
        let possible = self.remaining() / size.max(1);
        usize::try_from(count).map_or(possible, |count| count.min(possible))
    }

    /// The next `n` bytes.
    pub(crate) fn take(&mut self, n: usize) -> Result<&'a [u8], Error> {
        if n > self.remaining() {
            return Err(truncated(self.name, self.bytes.len()));
        }
        let taken = &self.bytes[self.at..self.at + n];
        self.at += n;
        Ok(taken)
    }

    /// The next `N` bytes as an array.
    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N], Error> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N)?);
        Ok(array)
    }

    pub(crate) fn u32(&mut self) -> Result<u32, Error> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    /// An error at byte `at`.
    pub(crate) fn error(&self, at: usize, what: impl Into<String>, remedy: &'static str) -> Error {
        Error::Malformed {
            name: self.name.to_owned(),
            place: Place::Byte(at),
            what: what.into(),
            remedy,
        }
    }
}

/// The file ends at byte `at`, too early.
pub(crate) fn truncated(name: &str, at: usize) -> Error {
    Error::Malformed {
        name: name.to_owned(),
        place: Place::Byte(at),
        what: "the file ends too early".into(),
        remedy: "it was cut off: copy or export it again",
    }
}

/// A type of number in a binary file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Scalar {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

impl Scalar {
    /// Its bytes.
    pub(crate) fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::F64 => 8,
        }
    }

    /// The value of [`Scalar::size`] bytes, lowest first. Every type fits in a double exactly.
    pub(crate) fn decode(self, bytes: impl Iterator<Item = u8>) -> f64 {
        let bits = bytes.take(8).enumerate().fold(0, |b, (k, byte)| b | u64::from(byte) << (8 * k));
        match self {
            Self::I8 => f64::from(bits as u8 as i8),
            Self::I16 => f64::from(bits as u16 as i16),
            Self::I32 => f64::from(bits as u32 as i32),
            Self::U8 | Self::U16 | Self::U32 => f64::from(bits as u32),
            Self::F32 => f64::from(f32::from_bits(bits as u32)),
            Self::F64 => f64::from_bits(bits),
        }
    }
}
