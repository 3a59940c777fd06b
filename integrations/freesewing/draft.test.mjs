// Run with `npm test`; tests that need designs are skipped where they are not installed.

import assert from 'node:assert/strict'
import test from 'node:test'
import { draft, load, parse } from './draft.mjs'

const installed = async (design) => load(design).then(() => true, () => false)

test('the command line is understood', () => {
  const order = parse(['teagan', '-s', '0', '--set', 'chest=1000', '--option', 'fit=loose', '-o', 'x.json'])
  assert.deepEqual([order.design, order.sa, order.out], ['teagan', 0, 'x.json'])
  assert.deepEqual([order.set, order.options], [{ chest: 1000 }, { fit: 'loose' }])
  for (const wrong of [[], ['a', 'b'], ['teagan', '--what'], ['teagan', '-s', '1e9'], ['teagan', '--set', 'x'], ['../x']]) {
    assert.throws(() => parse(wrong))
  }
})

for (const [design, count] of [['teagan', 3], ['aaron', 2], ['sandy', 2]]) {
  test(`${design} is drafted`, async (t) => {
    if (!(await installed(design))) return t.skip('not installed')
    const document = await draft(parse([design]))
    assert.ok(Object.keys(document.parts).length >= count, Object.keys(document.parts).join())
    for (const part of Object.values(document.parts)) {
      const { ops } = part.paths.seam
      assert.equal(ops[0].t, 'move')
      const numbers = ops.flatMap((o) => [o.to, o.cp1, o.cp2].filter(Boolean).flat())
      assert.ok(numbers.every(Number.isFinite))
    }
  })
}

test('what is missing is said', async (t) => {
  if (!(await installed('teagan'))) return t.skip('not installed')
  const order = parse(['teagan', '--set', 'chest=none'])
  await assert.rejects(draft(order), /missing: chest/)
  await assert.rejects(load('nothing-of-this-name'), /not installed: npm install/)
})
