"""Asks the continuous collision detection of the IPC Toolkit the queries of a file.

usage: ccd.py QUERIES PAIR SECONDS ASKED RESULT

QUERIES is plain CSV: 24 numbers a row (four vertices at t0, then at t1), then 1 or 0 for the truth. PAIR is
vertex-face or edge-edge. Queries are asked in a scattered order until SECONDS are over, so that what was asked is
a fair part of the file. A query that takes longer than LIMIT is given up. The rows that Tight-Inclusion answered go to
ASKED, for others to be asked the same. RESULT gets the figures as JSON.

Tight-Inclusion has its usual tolerance (1e-6) and iterations (1e7) and keeps no distance: with the toolkit's own
rescaling (0.8) it would keep up to 0.1 mm and report more.
"""

import json
import multiprocessing
import sys
import time
from importlib.metadata import version
from math import gcd

# Time after which a query is given up [s]; some would take minutes and all memory.
LIMIT = 0.5

CALLS = {"vertex-face": "point_triangle_ccd", "edge-edge": "edge_edge_ccd"}


def serve(name, pair, pipe):
    """Answers the queries that come through the pipe, each with the seconds it took."""
    import ipctk
    import numpy as np

    ipctk.set_logger_level(ipctk.LoggerLevel.off)
    methods = {
        "tight-inclusion": lambda: ipctk.TightInclusionCCD(1e-6, 10_000_000, 1.0),
        "additive": ipctk.AdditiveCCD,
    }
    call = getattr(methods[name](), CALLS[pair])

    def ask(numbers):
        vertices = [np.array(numbers[3 * k : 3 * k + 3]) for k in range(8)]
        clock = time.perf_counter()
        said = call(*vertices)[0]
        return bool(said), time.perf_counter() - clock

    # What a call takes that has nothing to find: a pair far apart that does not move.
    far = [0.0, 9.0, 0.0, 1.0, 9.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 2.0] * 2
    pipe.send(min(ask(far)[1] for _ in range(2000)))
    while True:
        pipe.send(ask(pipe.recv()))


class Method:
    """A method in a process of its own, which is ended and begun anew when a query is given up."""

    def __init__(self, name, pair):
        self.arguments = (name, pair)
        self.begin()

    def begin(self):
        self.pipe, other = multiprocessing.Pipe()
        self.process = multiprocessing.Process(target=serve, args=(*self.arguments, other), daemon=True)
        self.process.start()
        self.call = self.pipe.recv()

    def end(self):
        self.process.kill()
        self.process.join()

    def ask(self, numbers):
        """The answer and its seconds, or None."""
        self.pipe.send(numbers)
        if self.pipe.poll(LIMIT):
            return self.pipe.recv()
        self.end()
        self.begin()
        return None


def judge(name, pair, rows, order, seconds):
    """Asks in order until the time is over. Which were answered, and the figures."""
    method = Method(name, pair)
    begin, answers = time.monotonic(), {}
    for i in order:
        answers[i] = method.ask(rows[i][:24])
        if time.monotonic() - begin > seconds:
            break
    method.end()
    answered = [i for i, answer in answers.items() if answer is not None]
    times = sorted(max(answers[i][1] - method.call, 0.0) for i in answered)
    wrong = [i for i in answered if answers[i][0] != (rows[i][24] != 0)]
    return answered, {
        "asked": len(answers),
        "gave_up": len(answers) - len(answered),
        "false_positives": sum(answers[i][0] for i in wrong),
        "false_negatives": sum(not answers[i][0] for i in wrong),
        "nanoseconds": 1e9 * sum(times) / max(len(times), 1),
        "nanoseconds_median": 1e9 * times[len(times) // 2] if times else 0.0,
        "nanoseconds_call": 1e9 * method.call,
    }


def main():
    queries, pair, seconds, asked, result = sys.argv[1:]
    with open(queries, encoding="utf-8-sig") as file:
        lines = [line.strip() for line in file if line[:1] in "+-.0123456789"]
    rows = [[float(x) for x in line.split(",")] for line in lines]
    if not rows or any(len(row) != 25 for row in rows):
        sys.exit(f"{queries}: 24 numbers and a truth are wanted in every row")
    stride = next(s for s in range(7919, 7919 + len(rows) + 1) if gcd(s, len(rows)) == 1)
    order = [i * stride % len(rows) for i in range(len(rows))]
    order, tight = judge("tight-inclusion", pair, rows, order, float(seconds))
    _, additive = judge("additive", pair, rows, order, float(seconds))
    with open(asked, "w", encoding="utf-8") as file:
        file.writelines(f"{lines[i]}\n" for i in order)
    with open(result, "w", encoding="utf-8") as file:
        whole = {"version": version("ipctk"), "of": len(rows), "limit_seconds": LIMIT}
        json.dump(whole | {"tight-inclusion": tight, "additive": additive}, file, indent=2)


if __name__ == "__main__":
    main()
