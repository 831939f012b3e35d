import { expect } from 'vitest'
import { type Answer, newSandbox, type TestApp, type TestSandbox } from './test-app.ts'

/** A sandbox for sources that are MCP servers, with the steps of their pulls. */
export interface McpSources {
  readonly sandbox: TestSandbox
  readonly call: TestApp['admin']
  /** Registers a source. Returns the reply. */
  register(body: object): Promise<Answer>
  patch(sourceId: string, change: object): Promise<Answer>
  source(sourceId: string): Promise<Answer['body']>
  /** Pulls a source and waits for its job. */
  pull(sourceId: string, body?: object): Promise<Answer['body']>
  /** Returns the exported records by external id. */
  exported(): Promise<Map<string, Answer['body']>>
}

/** Creates an account with a sandbox. */
export async function openMcpSources(app: TestApp): Promise<McpSources> {
  const { call } = await app.newAccount()
  const sandbox = await newSandbox(call)
  const sources = `${sandbox.storage}/sources`
  const source = async (id: string) => (await call('GET', `${sources}/${id}`)).body
  return {
    sandbox,
    call,
    register: (body) =>
      call('POST', `${sources}/user-mcp`, { name: 'Tools', auth_kind: 'none', rate_cap_per_minute: 600, ...body }),
    patch: (id, change) => call('PATCH', `${sources}/${id}/user-mcp`, change),
    source,
    pull: async (id, asked = {}) => {
      const { body } = await call('POST', `${sources}/${id}/pull`, asked)
      const job = async () => (await call('GET', `${sandbox.storage}/ingest/${body.job_id}`)).body
      await expect.poll(async () => (await job()).status).toMatch(/completed|failed/)
      return job()
    },
    exported: async () => {
      const { body } = await call('GET', `${sandbox.storage}/export`)
      const lines = String(body).split('\n').filter(Boolean)
      const records = lines.map((line) => JSON.parse(line)).filter((one) => one.external_id !== undefined)
      return new Map(records.map((one) => [one.external_id, one]))
    },
  }
}
