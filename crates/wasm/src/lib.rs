//! toile for WebAssembly: scenes stepped through plain functions, without bindings that have to be generated.
//!
//! The host writes the text of a scene (TOML) into memory that [`toile_text`] gives, calls [`toile_scene`] and gets a number for
//! it, steps it, and reads positions where [`toile_positions`] points. A call that fails returns 0 and leaves a sentence, see
//! [`toile_error`]. Pointers are valid until the next call that changes the scene; memory may have grown, so views on it are made
//! anew after every call. `docs/wasm.md` has an example.

// Symbols need names that the host can find; there is no other unsafe code.
#![allow(unsafe_code)]

use std::cell::RefCell;
use toile::{Scene, Simulation};

/// Longest text of a scene [bytes].
const MAX_TEXT: usize = 16 << 20;

/// What there is.
#[derive(Default)]
struct Host {
    /// Text from the host.
    text: Vec<u8>,
    /// Scenes by number, counted from 1.
    scenes: Vec<Option<Simulation>>,
    /// Why the last call failed.
    error: String,
}

thread_local! {
    static HOST: RefCell<Host> = RefCell::default();
}

impl Host {
    fn load_scene(&mut self) -> Result<u32, String> {
        let text = String::from_utf8(std::mem::take(&mut self.text))
            .map_err(|_| "the scene is not in UTF-8".to_owned())?;
        let simulation = Scene::from_toml(&text).and_then(Scene::build).map_err(say)?;
        let free = self.scenes.iter().position(Option::is_none);
        let place = free.unwrap_or_else(|| {
            self.scenes.push(None);
            self.scenes.len() - 1
        });
        self.scenes[place] = Some(simulation);
        Ok(place as u32 + 1)
    }

    fn scene(&mut self, number: u32) -> Result<&mut Simulation, String> {
        let place = (number as usize).checked_sub(1);
        let scene = place.and_then(|place| self.scenes.get_mut(place)?.as_mut());
        scene.ok_or_else(|| format!("there is no scene {number}"))
    }
}

/// An error with its remedy.
fn say(error: toile::Error) -> String {
    match error.remedy() {
        Some(remedy) => format!("{error}: {remedy}"),
        None => error.to_string(),
    }
}

/// Does something with what there is; if it fails, the error is kept and the default returned.
fn with<T: Default>(work: impl FnOnce(&mut Host) -> Result<T, String>) -> T {
    HOST.with_borrow_mut(|host| match work(host) {
        Ok(done) => {
            host.error.clear();
            done
        }
        Err(error) => {
            host.error = error;
            T::default()
        }
    })
}

/// Something of a scene, or null.
fn pointer<T>(scene: u32, of: impl FnOnce(&Simulation) -> *const T) -> *const T {
    let address = with(|host| Ok(Some(of(host.scene(scene)?))));
    address.unwrap_or(std::ptr::null())
}

/// Memory for a text of so many bytes, which the host fills before [`toile_scene`]; null if it is more than 16 MB.
#[unsafe(no_mangle)]
pub extern "C" fn toile_text(length: usize) -> *mut u8 {
    let place = with(|host| {
        if length > MAX_TEXT {
            return Err(format!("a scene of {length} bytes; {MAX_TEXT} is the most"));
        }
        host.text = vec![0; length];
        Ok(Some(host.text.as_mut_ptr()))
    });
    place.unwrap_or(std::ptr::null_mut())
}

/// Puts together the scene whose text was written: its number, or 0.
#[unsafe(no_mangle)]
pub extern "C" fn toile_scene() -> u32 {
    with(Host::load_scene)
}

/// Takes so many steps: 1, or 0 if one failed; the state is then that of the last good step.
#[unsafe(no_mangle)]
pub extern "C" fn toile_step(scene: u32, steps: u32) -> u32 {
    with(|host| {
        let simulation = host.scene(scene)?;
        for _ in 0..steps {
            simulation.step().map_err(say)?;
        }
        Ok(1)
    })
}

/// Simulated time [s].
#[unsafe(no_mangle)]
pub extern "C" fn toile_time(scene: u32) -> f64 {
    with(|host| Ok(host.scene(scene)?.state().time))
}

/// Length of a step [s].
#[unsafe(no_mangle)]
pub extern "C" fn toile_step_length(scene: u32) -> f64 {
    with(|host| Ok(host.scene(scene)?.world().settings().step))
}

/// Number of vertices.
#[unsafe(no_mangle)]
pub extern "C" fn toile_vertices(scene: u32) -> usize {
    with(|host| Ok(host.scene(scene)?.positions().len()))
}

/// Number of triangles.
#[unsafe(no_mangle)]
pub extern "C" fn toile_triangles(scene: u32) -> usize {
    with(|host| Ok(host.scene(scene)?.triangles().len()))
}

/// Positions [m]: three numbers of 64 bits for each vertex.
#[unsafe(no_mangle)]
pub extern "C" fn toile_positions(scene: u32) -> *const f64 {
    pointer(scene, |s| s.positions().as_ptr().cast())
}

/// Velocities [m/s]: three numbers of 64 bits for each vertex.
#[unsafe(no_mangle)]
pub extern "C" fn toile_velocities(scene: u32) -> *const f64 {
    pointer(scene, |s| s.velocities().as_ptr().cast())
}

/// Triangles: three numbers of 32 bits each, the vertices.
#[unsafe(no_mangle)]
pub extern "C" fn toile_indices(scene: u32) -> *const u32 {
    pointer(scene, |s| s.triangles().as_ptr().cast())
}

/// Hash of the state: the same as that of a native run, bit for bit.
#[unsafe(no_mangle)]
pub extern "C" fn toile_state_hash(scene: u32) -> u64 {
    with(|host| Ok(host.scene(scene)?.state().hash()))
}

/// Forgets a scene: 1, or 0 if there was none.
#[unsafe(no_mangle)]
pub extern "C" fn toile_free(scene: u32) -> u32 {
    with(|host| {
        host.scene(scene)?;
        host.scenes[scene as usize - 1] = None;
        Ok(1)
    })
}

/// Why the last call failed, in UTF-8; of length 0 if it did not.
#[unsafe(no_mangle)]
pub extern "C" fn toile_error() -> *const u8 {
    HOST.with_borrow(|host| host.error.as_ptr())
}

/// Length of [`toile_error`] [bytes].
#[unsafe(no_mangle)]
pub extern "C" fn toile_error_length() -> usize {
    HOST.with_borrow(|host| host.error.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCENE: &str = "[[cloth]]\nshape = { type = \"grid\", width = 0.2, height = 0.2, cells = [4, 4] }\n\
                         pins = [{ select = \"left\" }]\n";

    /// As a host does it, but for the pointer.
    fn scene(text: &str) -> u32 {
        assert!(!toile_text(text.len()).is_null());
        HOST.with_borrow_mut(|host| host.text.copy_from_slice(text.as_bytes()));
        toile_scene()
    }

    fn error() -> String {
        HOST.with_borrow(|host| host.error.clone())
    }

    #[test]
    fn a_scene_is_made_stepped_read_and_forgotten() {
        let number = scene(SCENE);
        assert_eq!((number, error().as_str()), (1, ""));
        assert_eq!((toile_vertices(number), toile_triangles(number)), (25, 32));
        let before = toile_state_hash(number);
        assert_eq!(toile_step(number, 3), 1);
        assert_eq!(toile_time(number), 3.0 * toile_step_length(number));
        assert_ne!(toile_state_hash(number), before);
        assert!(!toile_positions(number).is_null() && !toile_indices(number).is_null());
        assert_eq!(scene(SCENE), 2, "a second one beside it");
        assert_eq!(toile_free(number), 1);
        assert_eq!(scene(SCENE), 1, "numbers are given anew");
    }

    #[test]
    fn what_fails_says_why() {
        assert_eq!(scene("[[cloth]]\nshpe = 1"), 0);
        assert!(error().contains("shpe") && error().contains("shape"), "{}", error());
        assert_eq!(toile_step(7, 1), 0);
        assert_eq!(error(), "there is no scene 7");
        assert!(toile_positions(7).is_null());
        assert!(toile_text(usize::MAX).is_null() && error().contains("is the most"));
        toile_text(2);
        HOST.with_borrow_mut(|host| host.text.copy_from_slice(&[0xc3, 0x28]));
        assert_eq!((toile_scene(), error().as_str()), (0, "the scene is not in UTF-8"));
    }
}
