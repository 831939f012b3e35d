import { type AuthorizationServer, openAuthorizationServer } from './authorization-server.ts'
import { finishedJob } from './finished-job.ts'
import { type HostedServer, openHostedServer } from './hosted-server.ts'
import { type Answer, type Call, newSandbox, type TestApp, type TestSandbox } from './test-app.ts'

/** An account with a sandbox, a hosted MCP server and its authorization server, and the steps of a consent. */
export interface Consenting {
  readonly call: Call
  readonly userId: string
  readonly sandbox: TestSandbox
  readonly as: AuthorizationServer
  readonly hosted: HostedServer
  register(change?: object): Promise<Answer>
  /** Registers a source with one tool whose results become records. */
  registerReading(change?: object): Promise<Answer>
  path(sourceId: string): string
  /** Opens the URL as a browser does, and passes the callback to this app. Returns the page. */
  visit(url: string, at?: TestApp): Promise<Answer>
  /** Returns the confirmation code on a page. */
  codeOn(page: Answer): string
  /** Visits the URL and submits the confirmation code. */
  complete(sourceId: string, url: string): Promise<Answer>
  /** Registers a source and completes its consent; returns its id. */
  connected(change?: object): Promise<string>
  source(sourceId: string): Promise<Answer['body']>
  /** Pulls a source and waits for the job. */
  pull(sourceId: string): Promise<Answer['body']>
  close(): Promise<void>
}

const HTML = { accept: 'text/html' }

/** Prepares an account, a sandbox and the servers. An authorization server passed by the caller is not closed. */
export async function openConsenting(
  app: TestApp,
  options: AuthorizationServer | Parameters<typeof openAuthorizationServer>[0] = {},
): Promise<Consenting> {
  const { call, userId } = await app.newAccount()
  const sandbox = await newSandbox(call)
  const isOpen = 'issuer' in options
  const as = isOpen ? options : await openAuthorizationServer(options)
  const hosted = await openHostedServer(as)
  const sources = `${sandbox.storage}/sources`
  const path = (id: string) => `${sources}/${id}/user-mcp`
  const register: Consenting['register'] = (change = {}) =>
    call('POST', `${sources}/user-mcp`, { name: 'Hosted', base_url: hosted.url, auth_kind: 'oauth', ...change })
  const registerReading: Consenting['registerReading'] = (change = {}) =>
    register({ ingestion_mode: 'manual', ingest_tool_calls: [{ tool: 'echo', arguments: { a: 1 } }], ...change })
  const visit: Consenting['visit'] = async (url, at = app) => {
    const { pathname, search } = new URL(await as.consent(url))
    return at.anonymous('GET', `${pathname}${search}`, undefined, HTML)
  }
  const codeOn = ({ body }: Answer) => {
    const code = /<code id="confirmation">([^<]+)</.exec(String(body))?.[1]
    if (code === undefined) throw new Error(`no confirmation code on: ${body}`)
    return code
  }
  const complete: Consenting['complete'] = async (id, url) =>
    call('POST', `${path(id)}/authorize/complete`, { code: codeOn(await visit(url)) })
  return {
    ...{ call, userId, sandbox, as, hosted, register, registerReading, path, visit, codeOn, complete },
    connected: async (change) => {
      const { body } = await registerReading(change)
      const { status, body: done } = await complete(body.data_source_id, body.authorization.url)
      if (status !== 200 || done.authorization.state !== 'authorized') throw new Error(JSON.stringify(done))
      return body.data_source_id
    },
    source: async (id) => (await call('GET', `${sources}/${id}`)).body,
    pull: async (id) => {
      const { status, body } = await call('POST', `${sources}/${id}/pull`, {})
      if (status !== 202) return { status, ...body }
      return finishedJob(call, sandbox.storage, body.job_id)
    },
    close: async () => {
      await hosted.close()
      if (!isOpen) await as.close()
    },
  }
}
