// Program that tests kill: it starts to parse an endless document and sends the id of the child process that parses it.
import { setTimeout as sleep } from 'node:timers/promises'
import { openProcessPool } from '../../packages/server/src/documents/processes/process-pool.ts'

const START_MS_MAX = 600_000
const BUSY_MS = 1_000

process.once('message', async ({ endless, residentBytes }: { endless: Uint8Array; residentBytes: number }) => {
  const child = await openProcessPool(1, residentBytes).take('account')
  await child.ready(START_MS_MAX)
  await child.send({ file: { name: 'endless.pdf', type: undefined, size: endless.length, failed: [] } })
  await child.send({ chunk: endless })
  await sleep(BUSY_MS)
  process.send?.(child.pid)
})
