//! Which part of a frame differs from the one before.

/// A rectangle of pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rect {
    pub(crate) left: u32,
    pub(crate) top: u32,
    pub(crate) width: u32,
    pub(crate) height: u32,
}

impl Rect {
    /// The whole picture.
    pub(crate) fn whole((width, height): (u32, u32)) -> Self {
        Self { left: 0, top: 0, width, height }
    }

    /// Indices of its pixels in a picture `stride` wide, row by row.
    pub(crate) fn indices(self, stride: u32) -> impl Iterator<Item = usize> {
        (self.top..self.top + self.height).flat_map(move |y| {
            (self.left..self.left + self.width)
                .map(move |x| y as usize * stride as usize + x as usize)
        })
    }
}

/// The smallest rectangle around all pixels that are not the same; one pixel if all are.
pub(crate) fn changed((width, height): (u32, u32), same: impl Fn(usize) -> bool) -> Rect {
    let mut bounds: Option<[u32; 4]> = None;
    for y in 0..height {
        for x in 0..width {
            if !same(y as usize * width as usize + x as usize) {
                let [left, top, right, _] = bounds.unwrap_or([x, y, x, y]);
                bounds = Some([left.min(x), top, right.max(x), y]);
            }
        }
    }
    let [left, top, right, bottom] = bounds.unwrap_or([0; 4]);
    Rect { left, top, width: right - left + 1, height: bottom - top + 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rectangle_just_holds_every_change() {
        let different = [2 + 7, 4 + 7 * 3, 1 + 7 * 2];
        let rect = changed((7, 5), |i| !different.contains(&i));
        assert_eq!(rect, Rect { left: 1, top: 1, width: 4, height: 3 });
        assert_eq!(rect.indices(7).collect::<Vec<_>>()[..5], [8, 9, 10, 11, 15]);
    }

    #[test]
    fn without_change_one_pixel_remains() {
        assert_eq!(changed((7, 5), |_| true), Rect { left: 0, top: 0, width: 1, height: 1 });
    }
}
