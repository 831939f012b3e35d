import { expect, it } from 'vitest'
import { callOver, openSender, startProcess } from '../../harness/real-process.ts'
import { type Call, newSandbox } from '../../harness/test-app.ts'

/** Number of records; such a graph takes several MiB. */
const MANY = 6_000
const FEW = 20

const notes = (count: number, prefix: string) =>
  Array.from({ length: count }, (_, at) => ({
    external_id: `${prefix}${at}`,
    type: 'note',
    text: `Crate ${prefix}${at} with ${at * 7} valves for dock ${at % 97} left the harbor at noon.`,
  }))
const asking = { query: 'Which crate left with valves?' }

it('a sandbox larger than the graph memory is rejected, keeps its data, and does not affect others', async () => {
  const start = async (mib: number, before?: { folder: string; apiKey: string }) => {
    const cairn = await startProcess({ CAIRN_GRAPH_MIB: String(mib), CAIRN_ENCODER: 'off' }, before)
    const { send, close } = openSender(cairn, 4)
    return { cairn: cairn as typeof cairn & { folder: string }, call: callOver(send) as Call, close }
  }
  const put = async (call: Call, records: string, list: unknown[]) =>
    (await call('POST', records, { records: list }, { prefer: 'wait=60' })).body
  const first = await start(64)
  const [large, small] = [await newSandbox(first.call, 'Large'), await newSandbox(first.call, 'Small')]
  for (let from = 0; from < MANY; from += 1_000) {
    const { result } = await put(first.call, large.records, notes(MANY, 'a').slice(from, from + 1_000))
    expect(result).toMatchObject({ written: 1_000, failed: 0 })
  }
  await put(first.call, small.records, notes(FEW, 'b'))
  first.close()
  await first.cairn.stop({ keep: true })

  const second = await start(1, first.cairn)
  const { call } = second
  for (let time = 0; time < 2; time += 1) {
    const { status, body } = await call('POST', `${large.query}/discover`, asking)
    expect([status, body.error, body.reason]).toEqual([503, 'unavailable', 'sandbox_too_large'])
    expect(body.detail).toContain('CAIRN_GRAPH_MIB')
  }
  const refused = await call('POST', large.records, { records: notes(1, 'c') })
  expect([refused.status, refused.body.reason]).toEqual([503, 'sandbox_too_large'])
  expect((await call('POST', `${small.query}/discover`, asking)).body.items.length).toBeGreaterThan(0)
  // The sandbox grows to the maximum size of a graph in memory and can still be queried.
  let written = 0
  for (let at = 0, added = -1; added !== 0; at += 1) {
    const { result } = await put(call, small.records, notes(1_000, `d${at}-`))
    added = result.written
    written += added
    expect(result.failed).toBe(1_000 - added)
    if (result.failed > 0) expect(result.errors[0]).toMatchObject({ reason: 'quota_exceeded' })
  }
  expect(written).toBeGreaterThan(300)
  const text = await call('POST', `${small.storage}/ingest`, { text: 'One more' })
  expect([text.status, text.body.error, text.body.reason]).toEqual([403, 'quota_exceeded', 'memory_max'])
  expect((await call('POST', `${small.query}/discover`, asking)).status).toBe(200)
  expect((await call('GET', '/healthz')).status).toBe(200)
  second.close()
  await second.cairn.stop({ keep: true })

  const third = await start(64, first.cairn)
  expect((await third.call('POST', `${large.query}/discover`, asking)).body.items.length).toBeGreaterThan(0)
  expect((await third.call('GET', `${large.storage}/usage`)).body.max_records).toBe(MANY)
  third.close()
  await third.cairn.stop()
})
