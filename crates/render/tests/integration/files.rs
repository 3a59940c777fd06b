//! Files are read back with the decoders of the same crates and show the same pictures.

use crate::shapes;

use glam::DVec3;
use shapes::{ball, cube};
use std::io::Cursor;
use std::path::Path;
use toile_mesh::shape::{Diagonals, grid};
use toile_render::gif::Colours;
use toile_render::{Camera, Error, Image, Material, Scene, Settings, apng, gif, palette, render};

/// A checked cloth that hangs over a ball, beside a cube; `t` moves the ball.
fn picture(width: u32, t: f64) -> Image {
    let bump = |x: f64, z: f64| {
        0.9 - 0.35 * (x * x + z * z) + 0.05 * (6.0 * z.atan2(x)).sin() * x.hypot(z)
    };
    let cloth = grid(2.4, 2.4, 24, 24, Diagonals::Alternating)
        .map_positions(|p| DVec3::new(p.x, bump(p.x, p.z), p.z));
    let ball = ball(DVec3::new(0.0, 0.35, t), 0.5, 16);
    let cube = cube(DVec3::ZERO).map_positions(|p| 0.2 * p + DVec3::new(1.6, 0.2, 0.3));
    let camera = Camera::framing(
        DVec3::new(-1.2, 0.0, -1.2),
        DVec3::new(1.8, 1.0, 1.2),
        0.5,
        0.3,
        4.0 / 3.0,
    );
    let (front, back) = palette(5);
    let scene = Scene::new(camera)
        .with_item(&cloth, Material::cloth(front, back).with_check(0.2))
        .with_item(&ball, Material::plaster())
        .with_item(&cube, Material::plaster())
        .with_ground(0.0);
    render(&scene, &Settings::new(width, width * 3 / 4)).unwrap()
}

/// Bytes and size of a decoded PNG, RGB.
fn decode_png(bytes: &[u8]) -> (Vec<u8>, u32, u32) {
    let mut reader = png::Decoder::new(Cursor::new(bytes)).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    pixels.truncate(info.buffer_size());
    (pixels, info.width, info.height)
}

fn rgb(image: &Image) -> Vec<u8> {
    image.rgba.chunks_exact(4).flat_map(|p| p[..3].to_vec()).collect()
}

#[test]
fn the_same_bytes_come_from_any_number_of_threads() {
    let with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| picture(160, 0.0))
    };
    let one = with(1);
    assert_eq!(one, with(2));
    assert_eq!(one, with(4));
}

#[test]
fn the_picture_looks_as_it_did() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/integration/golden.png");
    let image = picture(256, 0.0);
    // To accept a new look: TOILE_ACCEPT=1 cargo test -p toile-render the_picture
    if std::env::var_os("TOILE_ACCEPT").is_some() {
        image.write_png(std::fs::File::create(&path).unwrap()).unwrap();
    }
    let (golden, width, height) = decode_png(&std::fs::read(path).unwrap());
    assert_eq!((image.width, image.height), (width, height));
    let (mut total, mut far) = (0_u64, 0);
    for (a, b) in rgb(&image).iter().zip(&golden) {
        total += u64::from(a.abs_diff(*b));
        far += u32::from(a.abs_diff(*b) > 12);
    }
    // Mathematics of another platform may turn a few samples over, no more.
    assert!(total as f64 / (golden.len() as f64) < 0.3, "mean difference {total}");
    assert!(f64::from(far) / (golden.len() as f64) < 0.002, "{far} pixels differ");
}

#[test]
fn png_keeps_every_byte() {
    let image = picture(64, 0.0);
    let mut file = Vec::new();
    image.write_png(&mut file).unwrap();
    assert_eq!(decode_png(&file), (rgb(&image), 64, 48));

    let glass = Image::filled(3, 2, [1, 2, 3, 4]);
    let mut file = Vec::new();
    glass.write_png(&mut file).unwrap();
    assert_eq!(decode_png(&file).0, glass.rgba);
}

#[test]
fn an_image_with_missing_pixels_is_not_written() {
    let mut image = Image::filled(4, 4, [0; 4]);
    image.rgba.pop();
    assert!(matches!(image.write_png(Vec::new()), Err(Error::Size { .. })));
    assert_eq!(image.pixel(3, 3), None);
    assert_eq!(image.pixel(4, 0), None);
}

#[test]
fn apng_gives_back_every_frame() {
    let still = picture(64, 0.0);
    let frames = [still.clone(), still, picture(64, 0.1), picture(64, 0.2)];
    let mut file = Vec::new();
    let mut writer = apng::Writer::new(&mut file, 64, 48, 4, 25).unwrap();
    for frame in &frames {
        writer.write_frame(frame.clone()).unwrap();
    }
    writer.finish().unwrap();

    let mut reader = png::Decoder::new(Cursor::new(&file)).read_info().unwrap();
    assert_eq!(reader.info().animation_control().unwrap().num_frames, 4);
    let mut canvas = vec![0; 64 * 48 * 3];
    let mut buffer = vec![0; reader.output_buffer_size().unwrap()];
    for frame in &frames {
        reader.next_frame(&mut buffer).unwrap();
        let part = *reader.info().frame_control().unwrap();
        for y in 0..part.height as usize {
            let at = 3 * ((y + part.y_offset as usize) * 64 + part.x_offset as usize);
            let row = 3 * part.width as usize;
            canvas[at..at + row].copy_from_slice(&buffer[y * row..(y + 1) * row]);
        }
        assert_eq!(canvas, rgb(frame));
    }
}

#[test]
fn apng_counts_its_frames() {
    let frame = || Image::filled(4, 4, [9; 4]);
    let mut writer = apng::Writer::new(Vec::new(), 4, 4, 1, 25).unwrap();
    writer.write_frame(frame()).unwrap();
    assert!(matches!(writer.write_frame(frame()), Err(Error::FrameCount { .. })));
    let writer = apng::Writer::new(Vec::new(), 4, 4, 1, 25).unwrap();
    assert!(matches!(writer.finish(), Err(Error::FrameCount { expected: 1, found: 0 })));
    let mut writer = apng::Writer::new(Vec::new(), 5, 4, 1, 25).unwrap();
    assert!(matches!(writer.write_frame(frame()), Err(Error::FrameSize { .. })));
    assert!(apng::Writer::new(Vec::new(), 0, 4, 1, 25).is_err());
    assert!(apng::Writer::new(Vec::new(), 4, 4, 0, 25).is_err());
}

#[test]
fn gif_gives_back_every_frame_and_keeps_still_parts_still() {
    let frames: Vec<Image> = [0.0, 0.0, 0.15, 0.3].map(|t| picture(96, t)).into();
    let colours = Colours::of(&[&frames[0], &frames[3]]);
    let mut writer = gif::Writer::new(Vec::new(), 96, 72, 30, colours).unwrap();
    for frame in &frames {
        writer.write_frame(frame).unwrap();
    }
    let file = writer.finish().unwrap();

    let mut options = ::gif::DecodeOptions::new();
    options.set_color_output(::gif::ColorOutput::RGBA);
    let mut decoder = options.read_info(Cursor::new(&file)).unwrap();
    let mut canvas = vec![0_u8; 96 * 72 * 4];
    let (mut count, mut delays) = (0, 0);
    while let Some(part) = decoder.read_next_frame().unwrap() {
        if count == 1 {
            assert_eq!((part.width, part.height), (1, 1), "a frame without change is one pixel");
        }
        let (left, top, width) = (part.left as usize, part.top as usize, part.width as usize);
        for (i, p) in part.buffer.chunks_exact(4).enumerate().filter(|(_, p)| p[3] > 0) {
            let at = 4 * ((top + i / width) * 96 + left + i % width);
            canvas[at..at + 4].copy_from_slice(p);
        }
        let off: u64 =
            canvas.iter().zip(&frames[count].rgba).map(|(a, b)| u64::from(a.abs_diff(*b))).sum();
        assert!((off as f64) / (canvas.len() as f64) < 2.5, "frame {count} is {off} off");
        count += 1;
        delays += part.delay;
    }
    assert_eq!(count, 4);
    assert_eq!(delays, 13, "4 frames at 30 fps are 0.13 s");
}

#[test]
fn gif_checks_its_frames() {
    let writer = |w, h| gif::Writer::new(Vec::new(), w, h, 25, Colours::of(&[]));
    assert!(matches!(writer(0, 4), Err(Error::Size { .. })));
    assert!(matches!(writer(70_000, 4), Err(Error::Size { .. })));
    assert!(writer(4, 4).unwrap().finish().is_err());
    let wrong = Image::filled(5, 4, [0; 4]);
    assert!(matches!(writer(4, 4).unwrap().write_frame(&wrong), Err(Error::FrameSize { .. })));
}

#[test]
fn contact_sheets_put_pictures_side_by_side() {
    let colour = |i: u8| Image::filled(8, 6, [i, i, i, 255]);
    let tiles: Vec<Image> = (1..=5).map(colour).collect();
    let sheet = Image::contact_sheet(&tiles, 3).unwrap();
    assert_eq!((sheet.width, sheet.height), (3 * 8 + 2 * 2, 2 * 6 + 2));
    assert_eq!(sheet.pixel(0, 0).unwrap()[0], 1);
    assert_eq!(sheet.pixel(27, 5).unwrap()[0], 3);
    assert_eq!(sheet.pixel(10, 8).unwrap()[0], 5);
    assert_eq!(sheet.pixel(8, 0).unwrap(), [255; 4]);
    assert_eq!(sheet.pixel(27, 13).unwrap(), [255; 4]);
    assert!(Image::contact_sheet(&[], 3).is_err());
    assert!(Image::contact_sheet(&[colour(1), Image::filled(7, 6, [0; 4])], 0).is_err());
    assert_eq!(Image::contact_sheet(&tiles, 0).unwrap().width, 8);
}

#[test]
fn a_full_disk_is_an_error() {
    /// Takes a little, then fails.
    struct Full(usize);
    impl std::io::Write for Full {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0 = self.0.checked_sub(bytes.len()).ok_or(std::io::ErrorKind::StorageFull)?;
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let image = picture(32, 0.0);
    assert!(image.write_png(Full(50)).is_err());
    let mut writer = gif::Writer::new(Full(900), 32, 24, 25, Colours::of(&[&image])).unwrap();
    assert!(writer.write_frame(&image).is_err());
    let mut writer = apng::Writer::new(Full(150), 32, 24, 2, 25).unwrap();
    assert!(writer.write_frame(image).is_err());
}
