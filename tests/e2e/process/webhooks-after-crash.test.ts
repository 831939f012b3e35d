import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, it } from 'vitest'
import { chanceFrom } from '../../harness/chance.ts'
import { newDatabase, RUN_ON } from '../../harness/postgres.ts'
import { callOver, openSender, type RealProcess, startProcess } from '../../harness/real-process.ts'
import { type Call, newSandbox, TEST_MASTER_KEY } from '../../harness/test-app.ts'
import { openWebhookReceiver, type WebhookReceiver } from '../../harness/webhook-receiver.ts'

const KILLS = Number(process.env.CRASH_KILLS ?? 4)
const SEED = Number(process.env.CRASH_SEED ?? Math.floor(performance.timeOrigin % 1_000_000))
const LIFE_MS = { least: 500, most: 2_500 }
/** Polling interval. A failed attempt backs off, and the lease of a killed process expires after half a minute. */
const SETTLE = { interval: 50 }
const RECORDS_PER_REQUEST = 7
const ANSWER_MS = 3_000
const RECEIVED_MIN = 50

interface ReceivedChange {
  change: string
  kind: string
  id: string
}

const opened: { receiver?: WebhookReceiver; cairn?: RealProcess; folder?: string } = {}
afterEach(async () => {
  await opened.cairn?.kill()
  await opened.receiver?.close()
  if (opened.folder) rmSync(opened.folder, { recursive: true, force: true })
})

it.each(RUN_ON)('on %s, killed processes send every change to an endpoint, in order', async (kind) => {
  const chance = chanceFrom(SEED)
  console.log(`${KILLS} kills, seed ${SEED}`)
  const receiver = await openWebhookReceiver()
  opened.receiver = receiver
  const answerSome = () => {
    receiver.answer = () => ({ status: chance() < 0.05 ? 503 : 204, before: sleep(chance() * 80) })
  }
  answerSome()
  opened.folder = mkdtempSync(join(tmpdir(), 'cairn-webhooks-'))
  const database = kind === 'postgres' && (await newDatabase(kind)).target
  const url = database && 'url' in database ? database.url : undefined
  const env = { CAIRN_ALLOW_LOOPBACK: 'on', CAIRN_MASTER_KEY: TEST_MASTER_KEY, ...(url && { DATABASE_URL: url }) }
  let apiKey: string | undefined
  const start = async () => {
    const cairn = await startProcess(env, { folder: opened.folder!, ...(apiKey && { apiKey }) })
    apiKey = cairn.apiKey
    opened.cairn = cairn
    const { send, close } = openSender(cairn, 4)
    return { cairn, call: callOver(send) as Call, close }
  }
  let life = await start()
  const sandbox = await newSandbox(life.call)
  const made = await life.call('POST', `${sandbox.storage}/webhooks`, { url: receiver.url })
  expect(made.status).toBe(201)

  let written = 0
  const write = async (call: Call, isOver: () => boolean) => {
    while (!isOver()) {
      const records = Array.from({ length: RECORDS_PER_REQUEST }, (_, at) => ({
        external_id: `n${(written + at) % 50}`,
        type: 'note',
        title: `Note ${written + at}`,
        author: `Author ${(written + at) % 9}`,
      }))
      written += RECORDS_PER_REQUEST
      await call('POST', sandbox.records, { records }).catch(() => undefined)
      await sleep(50)
    }
  }
  for (let kill = 1; kill <= KILLS; kill += 1) {
    let isOver = false
    const writing = write(life.call, () => isOver)
    await sleep(LIFE_MS.least + chance() * (LIFE_MS.most - LIFE_MS.least))
    // The process dies with a pending message: the endpoint has received it, but replies too late.
    const before = receiver.received.length
    receiver.answer = () => ({ status: 204, before: sleep(ANSWER_MS) })
    await expect.poll(() => receiver.received.length, SETTLE).toBeGreaterThan(before)
    await life.cairn.kill()
    answerSome()
    isOver = true
    await writing
    life.close()
    life = await start()
  }
  receiver.answer = () => ({ status: 204 })
  const { call } = life
  // Setting the status skips the backoff.
  await call('PATCH', `${sandbox.storage}/webhooks/${made.body.webhook_id}`, { status: 'active' })

  const changes = async () => {
    const all: ReceivedChange[] = []
    for (let since = ''; ; ) {
      const { body } = await call('GET', `${sandbox.storage}/changes?limit=1000${since}`)
      all.push(...body.changes)
      if (!body.has_more) return all
      since = `&since=${body.next_cursor}`
    }
  }
  const brief = ({ change, kind: of, id }: ReceivedChange) => `${change} ${of} ${id}`
  /** Returns the delivered changes, each message once. A retry follows directly with the same id and content. */
  const received = () => {
    const all: string[] = []
    let last: { id: string; changes: string[] } | undefined
    for (const { headers, body } of receiver.received) {
      const message = { id: String(headers['webhook-id']), changes: body.data.changes.map(brief) as string[] }
      if (message.id === last?.id) expect(message.changes).toEqual(last.changes)
      else all.push(...message.changes)
      last = message
    }
    return all
  }
  // Deliveries received before the last kill are applied meanwhile and notified afterwards.
  const isAllReceived = async () => received().length > RECEIVED_MIN && received().length === (await changes()).length
  await expect.poll(isAllReceived, SETTLE).toBe(true)
  const changed = (await changes()).map(brief)
  await expect.poll(() => received().slice(0, changed.length), SETTLE).toEqual(changed)
  const ids = receiver.received.map(({ headers }) => headers['webhook-id'])
  console.log(`${new Set(ids).size} messages in ${ids.length} attempts, ${received().length} changes`)
  expect(ids.length - new Set(ids).size).toBeGreaterThanOrEqual(KILLS)
  life.close()
})
