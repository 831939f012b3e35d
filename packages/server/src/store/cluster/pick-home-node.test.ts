import { expect, test } from 'vitest'
import { pickHomeNode } from './pick-home-node.ts'

const NODES = 4
const SANDBOXES = 4_000
/** Allowed deviation of a node from an equal share, as a fraction. */
const SKEW = 0.1

const places = Array.from({ length: NODES }, (_, at) => ({ id: `node ${at}`, url: `http://10.0.0.${at}:8484` }))
const ids = Array.from({ length: SANDBOXES }, (_, at) => `sbx_${at}`)
const urlsAmong = (some: typeof places) => ids.map((id) => pickHomeNode(id, some)?.url)

test('sandboxes are distributed evenly, independent of the order of the nodes', () => {
  const urls = urlsAmong(places)
  expect(urlsAmong([...places].reverse())).toEqual(urls)
  for (const { url } of places) {
    const share = urls.filter((each) => each === url).length / (SANDBOXES / NODES)
    expect(Math.abs(share - 1)).toBeLessThan(SKEW)
  }
})

test('only the sandboxes of a leaving node move, and they return when its address returns', () => {
  const [gone, ...left] = places
  const before = urlsAmong(places)
  const after = urlsAmong(left)
  for (const [at, url] of before.entries()) if (url !== gone?.url) expect(after[at]).toBe(url)
  expect(after).not.toContain(gone?.url)
  expect(urlsAmong([...left, { id: 'started again', url: gone?.url ?? '' }])).toEqual(before)
})

test('without nodes there is no home node', () => {
  expect(pickHomeNode('sbx_1', [])).toBeUndefined()
})
