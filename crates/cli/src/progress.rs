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

    /// Says what is being done.
    pub(crate) fn say(&self, doing: String) {
        log::trace!("{doing}");
        self.0.set_message(doing);
        self.0.tick();
    }

    /// Shows how far the run is.
    pub(crate) fn show(&self, progress: &Progress) {
        if self.0.length() != Some(progress.steps) {
            self.0.set_length(progress.steps);
            // A resumed run does not begin at zero; its pace must not count what was there.
            self.0.set_position(progress.step);
            self.0.reset_eta();
        }
        self.0.set_position(progress.step);
        if self.0.message() != progress.doing {
            log::info!("{}", progress.doing);
            self.0.set_message(progress.doing);
        }
        log::trace!("step {} of {}, t = {:.4} s", progress.step, progress.steps, progress.time);
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
