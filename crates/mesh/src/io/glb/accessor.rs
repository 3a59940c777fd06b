//! Typed views of the binary chunk.

use super::super::Error;
use super::super::bytes::Scalar;
use super::document::{File, SparsePart};
use glam::{DVec2, DVec3};

const DAMAGED: &str = "the file is damaged: export it again";

impl File<'_> {
    /// All numbers of an accessor with `width` numbers in each item, 1 to 4 or 16; integers as the fractions
    /// they stand for if they are normalized.
    pub(super) fn values(&self, index: usize, width: usize) -> Result<Vec<f64>, Error> {
        let accessor = self.item(&self.document.accessors, index, "accessor")?;
        let expected = match width {
            1 => "SCALAR",
            2 => "VEC2",
            3 => "VEC3",
            4 => "VEC4",
            _ => "MAT4",
        };
        if accessor.kind != expected {
            let what = format!("accessor {index} is not of type {expected}");
            return Err(self.error(what, DAMAGED));
        }
        let scalar = self.scalar(accessor.component_type)?;
        let mut values = match accessor.buffer_view {
            Some(view) => self.decode(view, accessor.byte_offset, scalar, width, accessor.count)?,
            // All zero. Nothing in the file vouches for the count.
            None => {
                self.check_size(accessor.count.saturating_mul(width as u64))?;
                vec![0.0; accessor.count as usize * width]
            }
        };
        if let Some(sparse) = &accessor.sparse {
            let SparsePart { buffer_view, byte_offset, component_type } = sparse.indices;
            let kind = self.scalar(component_type)?;
            let places = self.decode(buffer_view, byte_offset, kind, 1, sparse.count)?;
            let SparsePart { buffer_view, byte_offset, .. } = sparse.values;
            let news = self.decode(buffer_view, byte_offset, scalar, width, sparse.count)?;
            for (place, new) in places.iter().zip(news.chunks_exact(width)) {
                // A negative or huge place saturates and is then out of range.
                let at = (*place as usize).saturating_mul(width);
                let Some(old) = values.get_mut(at..at.saturating_add(width)) else {
                    let what = format!("accessor {index} replaces item {place}, which it lacks");
                    return Err(self.error(what, DAMAGED));
                };
                old.copy_from_slice(new);
            }
        }
        if accessor.normalized {
            let largest = match scalar {
                Scalar::I8 => 127.0,
                Scalar::U8 => 255.0,
                Scalar::I16 => 32767.0,
                Scalar::U16 => 65535.0,
                _ => 1.0,
            };
            values.iter_mut().for_each(|v| *v = (*v / largest).max(-1.0));
        }
        Ok(values)
    }

    /// An accessor of points.
    pub(super) fn points(&self, index: usize) -> Result<Vec<DVec3>, Error> {
        Ok(self.values(index, 3)?.chunks_exact(3).map(DVec3::from_slice).collect())
    }

    /// An accessor of texture coordinates, with v turned up.
    pub(super) fn uv(&self, index: usize) -> Result<Vec<DVec2>, Error> {
        let values = self.values(index, 2)?;
        Ok(values.chunks_exact(2).map(|c| DVec2::new(c[0], 1.0 - c[1])).collect())
    }

    /// How many items an accessor has.
    pub(super) fn count(&self, index: usize) -> Result<u64, Error> {
        Ok(self.item(&self.document.accessors, index, "accessor")?.count)
    }

    fn scalar(&self, component_type: u32) -> Result<Scalar, Error> {
        Ok(match component_type {
            5120 => Scalar::I8,
            5121 => Scalar::U8,
            5122 => Scalar::I16,
            5123 => Scalar::U16,
            5125 => Scalar::U32,
            5126 => Scalar::F32,
            other => {
                return Err(self.error(format!("component type {other} is unknown"), DAMAGED));
            }
        })
    }

    /// Numbers of a buffer view, all bounds checked before anything is reserved.
    fn decode(
        &self,
        view_index: usize,
        offset: u64,
        scalar: Scalar,
        width: usize,
        count: u64,
    ) -> Result<Vec<f64>, Error> {
        let view = self.item(&self.document.buffer_views, view_index, "bufferView")?;
        let buffer = self.item(&self.document.buffers, view.buffer, "buffer")?;
        if view.buffer != 0 || buffer.uri.is_some() {
            let what = format!("buffer {} is in another file", view.buffer);
            return Err(self.error(what, "export as one GLB file"));
        }
        let size = (scalar.size() * width) as u64;
        let stride = view.byte_stride.unwrap_or(size);
        if stride < size {
            let what = format!("bufferView {view_index} has the stride {stride}, below {size}");
            return Err(self.error(what, DAMAGED));
        }
        if count == 0 {
            return Ok(Vec::new());
        }
        // In 128 bits nothing overflows.
        let [first, offset, length] = [view.byte_offset, offset, view.byte_length].map(u128::from);
        let end = offset + u128::from(count - 1) * u128::from(stride) + u128::from(size);
        if end > length || first + length > self.binary.len() as u128 {
            let at = first.min(self.binary.len() as u128) as usize;
            let what = format!("bufferView {view_index} runs past its end or that of the file");
            return Err(self.error_at(self.binary_at + at, what, DAMAGED));
        }
        let bytes = &self.binary[(first + offset) as usize..(first + end) as usize];
        let mut values = Vec::with_capacity(count as usize * width);
        for item in bytes.chunks(usize::try_from(stride).unwrap_or(usize::MAX)) {
            for number in item[..size as usize].chunks_exact(scalar.size()) {
                values.push(scalar.decode(number.iter().copied()));
            }
        }
        Ok(values)
    }
}
