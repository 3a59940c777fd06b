// Runs a scene in WebAssembly: node run.mjs MODULE SCENE STEPS. Prints one line of JSON.
import { readFile } from "node:fs/promises";

const [module, scene, steps] = process.argv.slice(2);
const { instance } = await WebAssembly.instantiate(await readFile(module), {});
const toile = instance.exports;

// Memory may grow with every call: views are made when they are needed.
const bytes = (at, length) => new Uint8Array(toile.memory.buffer, at, length);
const failed = () => {
  const text = new TextDecoder().decode(bytes(toile.toile_error(), toile.toile_error_length()));
  throw new Error(text || "no reason given");
};

const begin = (text) => {
  const encoded = new TextEncoder().encode(text);
  bytes(toile.toile_text(encoded.length), encoded.length).set(encoded);
  return toile.toile_scene();
};

const number = begin(await readFile(scene, "utf8")) || failed();
const started = performance.now();
if (!toile.toile_step(number, Number(steps))) failed();
const seconds = (performance.now() - started) / 1000;

const vertices = toile.toile_vertices(number);
const x = new Float64Array(toile.memory.buffer, toile.toile_positions(number), 3 * vertices);
const indices = new Uint32Array(toile.memory.buffer, toile.toile_indices(number), 3 * toile.toile_triangles(number));
const finite = x.every(Number.isFinite) && indices.every((v) => v < vertices);

// What is wrong must be said, not trapped.
const refused = begin("[[cloth]]\nshpe = 1\n") === 0 && toile.toile_error_length() > 0;

const hash = BigInt.asUintN(64, toile.toile_state_hash(number)).toString(16).padStart(16, "0");
console.log(JSON.stringify({ hash, vertices, time: toile.toile_time(number), seconds, finite, refused }));
