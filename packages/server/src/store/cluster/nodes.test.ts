import { expect, test } from 'vitest'
import { createNodes, type Node } from './nodes.ts'

const ids = Array.from({ length: 400 }, (_, at) => `sbx_${at}`)
const node = (id: string, role: Node['role'], url: string | null = `http://${id}`): Node => ({ id, url, role })

test('requests have a home node among the api nodes, background work among the workers', () => {
  const own = node('own', 'api')
  const nodes = createNodes(own)
  expect([nodes.homeNodeOf('sbx_1'), nodes.workerNodeOf('sbx_1'), nodes.workers()]).toEqual([undefined, undefined, 0])
  expect(nodes.replaceOthers([node('api', 'api'), node('one', 'worker'), node('two', 'worker')])).toBe(true)
  const names = (find: (id: string) => { id: string } | undefined) => new Set(ids.map((id) => find(id)?.id))
  expect(names(nodes.homeNodeOf)).toEqual(new Set([undefined, 'api']))
  expect(names(nodes.workerNodeOf)).toEqual(new Set(['one', 'two']))
  expect(nodes.workers()).toBe(2)
  expect(nodes.replaceOthers([node('one', 'worker'), node('api', 'api'), node('two', 'worker')])).toBe(false)
  expect(nodes.replaceOthers([node('api', 'api'), node('one', 'worker'), node('two', 'all')])).toBe(true)
  expect(names(nodes.homeNodeOf)).toEqual(new Set([undefined, 'api', 'two']))
})

test('a process without an address is no home node, and a new process at an address replaces a dead one', () => {
  const own = node('own', 'all', 'http://same')
  const nodes = createNodes(own)
  nodes.replaceOthers([node('dead', 'all', 'http://same'), node('away', 'all', null)])
  for (const id of ids) expect([nodes.homeNodeOf(id), nodes.workerNodeOf(id)]).toEqual([undefined, undefined])
})
