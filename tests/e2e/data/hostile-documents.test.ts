import { afterAll, beforeAll, expect, it } from 'vitest'
import { chanceFrom } from '../../harness/chance.ts'
import { type RealProcess, startProcess } from '../../harness/real-process.ts'
import { hostileDocuments } from '../../hostile-documents/generate.mjs'
import { sendDocument } from '../../hostile-documents/send.mjs'

const COUNT = 42
const SEED = Number(process.env.HOSTILE_SEED ?? 1)
const TIMEOUT_MS = 1_800_000

let service: RealProcess
let storage: string
beforeAll(async () => {
  service = await startProcess({ CAIRN_ENCODER: 'off' })
  const { url, apiKey } = service
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ name: 'hostile', owner_id: 'tests', tier: 'enterprise' })
  const made = await fetch(`${url}/api/v1/storage/sandboxes`, { method: 'POST', headers, body })
  const { sandbox_id: id } = (await made.json()) as { sandbox_id: string }
  storage = `/api/v1/storage/sandboxes/${id}`
})
afterAll(() => service?.stop())

it(
  'every hostile document gives a result or a reason, and the process survives',
  async () => {
    for (const document of hostileDocuments(COUNT, chanceFrom(SEED))) {
      expect(await sendDocument(service, storage, document), document.name).toMatch(/^[a-z0-9_]+$/)
      // The service still replies after each document.
      expect((await fetch(`${service.url}/healthz`)).status, document.name).toBe(200)
    }
    expect(() => process.kill(service.pid, 0)).not.toThrow()
    const note = { name: 'note.html', bytes: Buffer.from('<html><body><p>The quay is dry.</p></body></html>') }
    expect(await sendDocument(service, storage, note)).toBe('read')
  },
  TIMEOUT_MS,
)
