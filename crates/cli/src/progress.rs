//! The bar that shows how far a run is, and the hand on the brake.

use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::sync::OnceLock;
use toile::{Progress, StopFlag};

/// A progress bar on standard error if that is a terminal.
pub(crate) struct Bar(ProgressBar);

impl Bar {
    /// A new bar; a hidden one for `--json` and where nobody looks.
    pub(crate) fn new(json: bool) -> Self {
        if json || !std::io::stderr().is_terminal() {
            return Self(ProgressBar::hidden());
        }
        let bar = ProgressBar::new(0);
        let style = "{msg:<11} [{bar:32}] {percent:>3} %  step {pos}/{len}  {eta} left";
        if let Ok(style) = ProgressStyle::with_template(style) {
            bar.set_style(style.progress_chars("=> "));
        }
        Self(bar)
    }

    /// For work whose end is not known beforehand.
    pub(crate) fn spinner(json: bool) -> Self {
        let bar = Self::new(json);
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}  {elapsed}") {
            bar.0.set_style(style);
        }
        bar
    }

    /// For work of which a share is known.
    pub(crate) fn of_share(json: bool) -> Self {
        let bar = Self::new(json);
        let style = "{msg:<11} [{bar:32}] {percent:>3} %  {eta} left";
        if let Ok(style) = ProgressStyle::with_template(style) {
            bar.0.set_style(style.progress_chars("=> "));
        }
        bar
    }

    /// Says what is being done.
    pub(crate) fn print_line(&self, doing: String) {
        log::trace!("{doing}");
        self.0.set_message(doing);
        self.0.tick();
    }

    /// Shows how far a garment is.
    pub(crate) fn show_garment(&self, progress: &Progress) {
        let mut said = format!("{:<10}", progress.stage.name());
        if let (Some(gap), Some(speed)) = (progress.seam_gap, progress.speed) {
            let (step, gap, speed) = (progress.step, 1e3 * gap, 1e3 * speed);
            said += &format!(" step {step:>3}, seams open by {gap:.1} mm, {speed:.0} mm/s");
        }
        if let Some(left) = progress.seconds_left {
            said += &format!(", about {left:.0} s left");
        }
        self.print_line(said);
    }

    /// Shows how far the run of a scene is.
    pub(crate) fn show(&self, progress: &Progress) {
        let steps = progress.steps.unwrap_or(0);
        self.advance(progress.stage.name(), progress.step, steps);
        log::trace!("step {} of {steps}, t = {:.4} s", progress.step, progress.time);
    }

    /// Shows that `step` of `steps` are done.
    pub(crate) fn advance(&self, doing: &'static str, step: u64, steps: u64) {
        if self.0.length() != Some(steps) {
            self.0.set_length(steps);
            // A resumed run does not start at zero; its pace must not count what was there.
            self.0.set_position(step);
            self.0.reset_eta();
        }
        self.0.set_position(step);
        if self.0.message() != doing {
            log::info!("{doing}");
            self.0.set_message(doing);
        }
    }

    /// Takes it away.
    pub(crate) fn clear(&self) {
        self.0.finish_and_clear();
    }
}

/// The flag that Ctrl-C raises. A second Ctrl-C ends the program at once.
pub(crate) fn stop_on_interrupt() -> StopFlag {
    static FLAG: OnceLock<StopFlag> = OnceLock::new();
    let flag = FLAG.get_or_init(StopFlag::default).clone();
    let raised = flag.clone();
    let handler = move || {
        if raised.is_set() {
            std::process::exit(130);
        }
        raised.stop();
    };
    if let Err(e) = ctrlc::set_handler(handler) {
        log::warn!("Ctrl-C will not stop cleanly: {e}");
    }
    flag
}
