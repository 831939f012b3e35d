import { expect } from 'vitest'
import { type Answer, newSandbox, type TestAccount, type TestApp } from './test-app.ts'

const WAIT_MS_MAX = 20_000

/** A realtime source and the credentials of its sender. */
export interface Hook {
  account: TestAccount
  sandboxId: string
  storage: string
  sourceId: string
  path: string
  secret: string
  send(body: unknown, headers?: Record<string, string>): Promise<Answer>
}

/** Registers a realtime source of a new account. */
export async function newHook(app: TestApp, provider: string, config: object = {}): Promise<Hook> {
  const account = await app.newAccount()
  const { id, storage } = await newSandbox(account.call)
  const { status, body } = await account.call('POST', `${storage}/sources`, {
    provider,
    name: 'Hook',
    ingestion_mode: 'realtime',
    adapter_config: config,
  })
  expect(status).toBe(201)
  const path = new URL(body.webhook_url).pathname
  const secret = body.webhook_signing_secret as string
  return {
    account,
    sandboxId: id,
    storage,
    sourceId: body.data_source_id,
    path,
    secret,
    send: (payload, headers = {}) =>
      app.anonymous('POST', path, payload, { authorization: `Bearer ${secret}`, ...headers }),
  }
}

/** Waits until the hook's sandbox has this many records, and returns them. */
export async function records(app: TestApp, hook: Hook, count: number) {
  const until = performance.now() + WAIT_MS_MAX
  for (;;) {
    const { body } = await hook.account.call('GET', `${hook.storage}/export`)
    const lines = String(body).split('\n').filter(Boolean)
    const found = lines.map((line) => JSON.parse(line)).filter(({ kind }) => kind === 'record')
    if (found.length === count && (await isApplied(app, hook))) return found
    if (performance.now() > until) throw new Error(`${found.length} records in place of ${count}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

async function isApplied({ cairn }: TestApp, { account }: Hook): Promise<boolean> {
  const rows = await cairn.app.sql.transact(account.userId, (tx) => tx.selectFrom('inbox').select('id').execute())
  return rows.length === 0
}

/** Returns an issue event as GitHub sends it. */
export function issue(number: number, title: string, more: object = {}) {
  return {
    action: 'edited',
    issue: {
      id: 9000 + number,
      number,
      title,
      html_url: `https://github.com/acme/api/issues/${number}`,
      user: { login: 'mtanaka', id: 41, html_url: 'https://github.com/mtanaka', type: 'User' },
      labels: [],
      state: 'open',
      assignees: [],
      created_at: '2026-05-04T10:00:00Z',
      updated_at: '2026-05-04T10:00:00Z',
      body: 'The keys are two years old.',
      ...more,
    },
    repository: { id: 1, name: 'api', full_name: 'acme/api', html_url: 'https://github.com/acme/api' },
    sender: { login: 'mtanaka', id: 41, type: 'User' },
  }
}
