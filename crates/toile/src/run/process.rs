//! What the operating system says about this process; nothing where it is not Linux.

/// Processor time used so far by all threads of this process [s]; nothing where it is not Linux.
pub fn cpu_seconds() -> Option<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    parse_cpu(&stat)
}

/// Ticks of /proc/self/stat per second: fixed for user space on every Linux architecture.
const TICKS: f64 = 100.0;

/// Fields 14 and 15, counted behind the name, which may hold spaces and brackets.
fn parse_cpu(stat: &str) -> Option<f64> {
    let behind_name = &stat[stat.rfind(')')? + 1..];
    let mut fields = behind_name.split_whitespace().skip(11);
    let mut ticks = || fields.next()?.parse::<f64>().ok();
    Some((ticks()? + ticks()?) / TICKS)
}

/// Most memory held at any time [bytes].
pub(super) fn peak_rss_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    parse_peak(&status)
}

fn parse_peak(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_counted_behind_a_difficult_name() {
        let stat = "7 (a) b (c) R 1 2 3 4 5 6 7 8 9 10 150 50 0 0";
        assert_eq!(parse_cpu(stat), Some(2.0));
        assert_eq!(parse_cpu("nonsense"), None);
        assert_eq!(parse_peak("Name:\tx\nVmHWM:\t    2048 kB\n"), Some(2 << 20));
        assert_eq!(parse_peak("VmHWM: many"), None);
    }
}
