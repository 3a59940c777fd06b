//! What can be wrong with a scene or a picture.

/// Why a picture could not be made or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No pixels, or more than [`crate::MAX_PIXELS`].
    #[error("a picture of {width} × {height} pixels cannot be made")]
    Size {
        /// Width asked for [px].
        width: u32,
        /// Height asked for [px].
        height: u32,
    },
    /// No samples, or more than [`crate::MAX_SAMPLES`].
    #[error("{samples} samples per pixel: must be between 1 and {}", crate::MAX_SAMPLES)]
    Samples {
        /// Samples asked for.
        samples: u32,
    },
    /// The camera looks nowhere.
    #[error("camera: {0}")]
    Camera(&'static str),
    /// The light, backdrop or ground is not made of finite numbers.
    #[error("light or backdrop: {0}")]
    Light(&'static str),
    /// A colour or another value of a material is negative or not finite, or there is not one colour for each vertex.
    #[error(
        "material of item {item} is negative or not finite, or has not a colour for each vertex"
    )]
    Material {
        /// Index into [`crate::Scene::items`].
        item: usize,
    },
    /// A triangle names a vertex that does not exist.
    #[error("item {item}, triangle {triangle}: no such vertex")]
    Index {
        /// Index into [`crate::Scene::items`].
        item: usize,
        /// Index into the triangles of the mesh.
        triangle: usize,
    },
    /// A vertex of a triangle is NaN or infinite.
    #[error("item {item}, vertex {vertex} is not finite")]
    NotFinite {
        /// Index into [`crate::Scene::items`].
        item: usize,
        /// Index into the positions of the mesh.
        vertex: u32,
    },
    /// Cloth of yarns needs material coordinates.
    #[error(
        "item {item} has no material coordinates for its weave; give it another material, or uv in metres"
    )]
    NoCoordinates {
        /// Index into the surfaces of the scene.
        item: usize,
    },
    /// There is not one end position for each vertex.
    #[error("item {item}: its motion has not one position for each vertex")]
    Motion {
        /// Index into the surfaces of the scene.
        item: usize,
    },
    /// The bounding box of the scene overflows.
    #[error("the scene is too large")]
    Extent,
    /// A frame or tile differs in size from the first.
    #[error("picture of {found:?} pixels among pictures of {expected:?}")]
    FrameSize {
        /// Width and height of the first picture [px].
        expected: (u32, u32),
        /// Width and height of this one [px].
        found: (u32, u32),
    },
    /// More or fewer frames than announced, or none.
    #[error("animation of {expected} frames got {found}")]
    FrameCount {
        /// Frames announced.
        expected: u32,
        /// Frames written.
        found: u32,
    },
    /// A file cannot be read.
    #[error("{file}: {problem}")]
    File {
        /// Its name.
        file: String,
        /// Where and what is wrong, and what helps.
        problem: String,
    },
    /// Geometry for a picture cannot be made.
    #[error("{0}")]
    Detail(&'static str),
    /// The appearance of a fabric makes no sense.
    #[error("appearance: {0}")]
    Appearance(String),
    /// Rendering was cancelled.
    #[error("stopped before the picture was finished")]
    Stopped,
    /// A file could not be written.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// PNG or APNG could not be written.
    #[error(transparent)]
    Png(#[from] png::EncodingError),
    /// GIF could not be written.
    #[error(transparent)]
    Gif(#[from] gif::EncodingError),
}

impl Error {
    /// A problem of a file.
    pub(crate) fn file(name: &str, problem: impl Into<String>) -> Self {
        Self::File { file: name.into(), problem: problem.into() }
    }
}
