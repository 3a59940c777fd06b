#!/usr/bin/env node
// Drafts a design of FreeSewing and writes its parts as JSON, which toile reads.

import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import path from 'node:path'

const HELP = `usage: node draft.mjs DESIGN [-m MEASUREMENTS.json] [-s mm] [-o OUT.json] [--set NAME=VALUE] [--option NAME=VALUE]

  DESIGN           the name of a package @freesewing/DESIGN, such as teagan
  -m, --measurements  a JSON object of measurements [mm; the slope of the shoulder in degrees]; measurements.json if not given
  -s, --sa         seam allowance [mm], 10 if not given; 0 for none
  -o, --out        where to write, DESIGN.json if not given
  --set            a measurement that differs
  --option         an option of the design, a number or a word; percentages as 0.1
  --list           print the measurements and options of the design`

/** What is written on the command line, or an error for people. */
export function parse(argv) {
  const order = { measurements: undefined, sa: 10, out: undefined, set: {}, options: {}, list: false }
  const names = { '-m': 'measurements', '--measurements': 'measurements', '-s': 'sa', '--sa': 'sa', '-o': 'out', '--out': 'out' }
  for (let i = 0; i < argv.length; i++) {
    const word = argv[i]
    const value = () => {
      if (i + 1 >= argv.length) throw new Error(`${word} needs a value`)
      return argv[++i]
    }
    const pair = () => {
      const [name, ...rest] = value().split('=')
      if (rest.length === 0) throw new Error(`${word} needs NAME=VALUE`)
      const text = rest.join('=')
      return [name, text === '' || Number.isNaN(Number(text)) ? text : Number(text)]
    }
    if (word === '--list') order.list = true
    else if (word === '--set') order.set = { ...order.set, ...Object.fromEntries([pair()]) }
    else if (word === '--option') order.options = { ...order.options, ...Object.fromEntries([pair()]) }
    else if (names[word]) order[names[word]] = value()
    else if (word.startsWith('-')) throw new Error(`${word} is not known\n\n${HELP}`)
    else if (order.design) throw new Error(`one design at a time: ${order.design} or ${word}`)
    else order.design = word
  }
  if (!order.design) throw new Error(HELP)
  order.sa = Number(order.sa)
  if (!(order.sa >= 0 && order.sa <= 100)) throw new Error('a seam allowance is 0 to 100 mm')
  if (!/^[a-z][a-z0-9-]*$/.test(order.design)) throw new Error(`${order.design} is not the name of a design`)
  return order
}

/** The class of a design. */
export async function load(design) {
  let module
  try {
    module = await import(`@freesewing/${design}`)
  } catch (error) {
    const missing = /Cannot find package '([^']+)'/.exec(String(error))
    if (!missing) throw error
    throw new Error(`${missing[1]} is not installed: npm install ${missing[1]}`)
  }
  const wanted = design.replaceAll('-', '').toLowerCase()
  const name = Object.keys(module).find((key) => key.toLowerCase() === wanted)
  if (!name) throw new Error(`@freesewing/${design} has no design; it is a library`)
  return module[name]
}

/** All parts of a drafted pattern, as plain numbers. */
export function plain(pattern, about) {
  const parts = {}
  const cutlist = {}
  const store = pattern.setStores[0]
  for (const [key, part] of Object.entries(pattern.parts[0])) {
    if (part.hidden) continue
    const seam = outline(part)
    if (!seam) continue
    const snippets = Object.values(part.snippets).map((s) => ({ def: s.def, at: [s.anchor.x, s.anchor.y] }))
    parts[key] = { paths: { seam }, snippets: snippets.filter((s) => /notch$/.test(s.def)) }
    const cut = store.cutlist?.[key]
    if (cut) {
      cutlist[key] = { materials: cut.materials ?? {}, grain: number(cut.grain) }
      const fold = cut.cutOnFold
      if (fold) cutlist[key].cutOnFold = fold.map((p) => [p.x, p.y])
    }
  }
  return { ...about, units: 'mm', y_axis: 'down', parts, cutlist }
}

const number = (x) => (Number.isFinite(x) ? x : undefined)

/** The sewing line of a part: its path `seam`, or else the closed path of cloth around the largest box. */
function outline(part) {
  const shown = Object.entries(part.paths).filter(([, p]) => p.ops.length > 2)
  const named = shown.find(([name]) => name === 'seam')
  const closed = shown.filter(([, p]) => !p.hidden && p.ops.at(-1).type === 'close' && !classes(p).includes('sa'))
  const cloth = closed.filter(([, p]) => classes(p).some((c) => ['fabric', 'lining', 'interfacing', 'canvas', 'various'].includes(c)))
  const largest = cloth.sort((a, b) => extent(b[1]) - extent(a[1]))[0]
  const path = (named && named[1].ops.at(-1).type === 'close' ? named : (largest ?? named))?.[1]
  return path && { ops: path.ops.flatMap(operation) }
}

const classes = (path) => (path.attributes?.get?.('class') || '').split(/\s+/)

function extent(path) {
  const all = path.ops.flatMap((o) => (o.to ? [o.to] : []))
  const span = (k) => Math.max(...all.map((p) => p[k])) - Math.min(...all.map((p) => p[k]))
  return all.length ? span('x') * span('y') : 0
}

function operation(op) {
  const at = (p) => [p.x, p.y]
  switch (op.type) {
    case 'move':
      return [{ t: 'move', to: at(op.to) }]
    case 'line':
      return [{ t: 'line', to: at(op.to) }]
    case 'curve':
      return [{ t: 'curve', cp1: at(op.cp1), cp2: at(op.cp2), to: at(op.to) }]
    case 'close':
      return [{ t: 'close' }]
    default:
      return []
  }
}

/** Drafts a design; gives the object that toile reads. */
export async function draft(order) {
  const Design = await load(order.design)
  const file = order.measurements ?? new URL('measurements.json', import.meta.url)
  const given = { ...JSON.parse(readFileSync(file, 'utf8')), ...order.set }
  const config = Design.patternConfig ?? Design.designConfig ?? {}
  const needed = config.measurements ?? []
  const missing = needed.filter((name) => !Number.isFinite(given[name]))
  if (missing.length) throw new Error(`measurements are missing: ${missing.join(', ')}`)
  const sa = order.sa
  const pattern = new Design({ measurements: given, options: order.options, sa: sa || false, locale: 'en' })
  pattern.draft()
  const errors = pattern.setStores?.[0]?.logs?.error ?? []
  if (errors.length) throw new Error(`FreeSewing says: ${errors.map((e) => e.message ?? String(e)).join('; ')}`)
  const about = { source: `@freesewing/${order.design}`, seam_allowance: sa, measurements: given }
  const document = plain(pattern, about)
  if (Object.keys(document.parts).length === 0) throw new Error(`${order.design} has no part with an outline`)
  return document
}

async function main() {
  const order = parse(process.argv.slice(2))
  if (order.list) {
    const Design = await load(order.design)
    const config = Design.patternConfig ?? Design.designConfig ?? {}
    console.log('measurements:', (config.measurements ?? []).join(', '))
    console.log('options:', Object.keys(config.options ?? {}).join(', '))
    return
  }
  const document = await draft(order)
  const out = order.out ?? `${order.design}.json`
  // The whole file or nothing.
  const temporary = path.join(path.dirname(out), `.${path.basename(out)}.${process.pid}`)
  writeFileSync(temporary, JSON.stringify(document, null, 1) + '\n')
  renameSync(temporary, out)
  console.log(`${out}: ${Object.keys(document.parts).join(', ')}`)
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  main().catch((error) => {
    console.error(`error: ${error.message}`)
    process.exitCode = 1
  })
}
