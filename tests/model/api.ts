import { expect } from 'vitest'
import { newId } from '../../packages/server/src/base/id.ts'
import { newToken } from '../../packages/server/src/tenancy/accounts/key-format.ts'
import type { Answer, Call, TestAccount, TestApp } from '../harness/test-app.ts'
import type { Step, StepOf } from './world.ts'

const SANDBOXES = '/api/v1/storage/sandboxes'
/** Expired by the database's clock, which decides when a grant ends. */
const PAST = '2020-01-01T00:00:00Z'
const FUTURE = '2999-01-01T00:00:00Z'
const ENDS = { never: null, later: FUTURE, past: PAST }

type Kind = 'sandbox' | 'source' | 'project' | 'grant'
type Inside = Exclude<Kind, 'sandbox'>

/** Reply field with the id of each kind of object, and its folder in the path of a sandbox. */
const NAMED = {
  sandbox: { id: 'sandbox_id', folder: '' },
  source: { id: 'data_source_id', folder: 'sources' },
  project: { id: 'project_id', folder: 'projects' },
  grant: { id: 'connection_id', folder: 'connections' },
} as const

/** Executes steps through the API. Translates the model's numbers to ids. */
export class Api {
  readonly #app: TestApp
  readonly #actors: TestAccount[]
  readonly #ids: Record<Kind, string[]> = { sandbox: [], source: [], project: [], grant: [] }
  readonly #keys: string[] = []
  /** Sandbox of each object inside one. */
  readonly #homes = new Map<string, string>()

  constructor(app: TestApp, actors: TestAccount[]) {
    this.#app = app
    this.#actors = actors
  }

  async take(step: Step): Promise<Answer> {
    if (step.do === 'expire') return this.#expire(step)
    if (step.do === 'useKey') return this.#useKey(step)
    const { call } = this.#actors[step.by]!
    if ('grant' in step) return this.#onGrant(call, step)
    if ('project' in step && step.do !== 'connect') return this.#onProject(call, step)
    if ('source' in step) return this.#onSource(call, step)
    return this.#onSandbox(call, step)
  }

  #onSandbox(call: Call, step: Extract<Step, { sandbox: number } | { do: 'createSandbox' | 'listSandboxes' }>) {
    const inside = 'sandbox' in step ? `${SANDBOXES}/${this.#id('sandbox', step.sandbox)}` : SANDBOXES
    switch (step.do) {
      case 'createSandbox':
        return this.#made('sandbox', call, inside, { name: step.name, owner_id: step.owner, tier: step.tier })
      case 'getSandbox':
        return call('GET', inside)
      case 'deleteSandbox':
        return call('DELETE', inside)
      case 'suspend':
      case 'reactivate':
      case 'archive':
        return call('POST', `${inside}/${step.do}`)
      case 'renameSandbox':
        return call('PATCH', inside, { name: step.name, metadata: step.metadata })
      case 'listSandboxes':
        return pages(call, inside, { owner_id: step.owner, status: step.status }, step.limit)
      case 'connect':
        return this.#made('grant', call, `${inside}/connections`, this.#grantOf(step))
      case 'listConnections':
        return call('GET', `${inside}/connections?include_revoked=${step.revoked}`)
      case 'addSource':
        return this.#made('source', call, `${inside}/sources`, { name: step.name, provider: step.provider })
      case 'listSources':
        return pages(call, `${inside}/sources`, { provider: step.provider, status: step.status }, step.limit)
      case 'addProject': {
        const data_source_ids = step.sources.map((at) => this.#id('source', at))
        return this.#made('project', call, `${inside}/projects`, { name: step.name, data_source_ids })
      }
      case 'listProjects':
        return pages(call, `${inside}/projects`, { status: step.status }, step.limit)
      default:
        throw new Error(`The model has no request for ${step.do}.`)
    }
  }

  #onSource(call: Call, step: Exclude<Extract<Step, { source: number }>, { project: number }>): Promise<Answer> {
    const path = this.#pathOf('source', step.source)
    switch (step.do) {
      case 'getSource':
        return call('GET', path)
      case 'changeSource':
        return call('PATCH', path, { name: step.name, external_account_id: step.account })
      case 'deleteSource':
        return call('DELETE', path)
      case 'purge':
        return call('POST', `${path}/purge`, { delete_source: step.remove })
      default:
        return call('POST', `${path}/${step.do}`)
    }
  }

  #onProject(call: Call, step: Exclude<Extract<Step, { project: number | null }>, StepOf<'connect'>>): Promise<Answer> {
    const path = this.#pathOf('project', step.project)
    switch (step.do) {
      case 'getProject':
        return call('GET', path)
      case 'changeProject':
        return call('PATCH', path, { name: step.name, description: step.description })
      case 'archiveProject':
        return call('POST', `${path}/archive`)
      case 'deleteProject':
        return call('DELETE', path)
      default:
        return call(step.do === 'link' ? 'POST' : 'DELETE', `${path}/sources/${this.#id('source', step.source)}`)
    }
  }

  async #onGrant(call: Call, step: StepOf<'revoke' | 'makeKey'>): Promise<Answer> {
    const path = this.#pathOf('grant', step.grant)
    if (step.do === 'revoke') return call('DELETE', path)
    const answer = await call('POST', `${path}/api-keys`)
    if (answer.status === 201) this.#keys.push(answer.body.plaintext_key)
    return answer
  }

  #grantOf({ to, role, project, ends }: StepOf<'connect'>) {
    const project_id = project === null ? null : this.#id('project', project)
    return { user_id: this.#actors[to]!.userId, role, project_id, expires_at: ENDS[ends] }
  }

  /** Backdates a grant's end in the database, because only its clock counts and the test cannot wait. */
  async #expire({ grant }: StepOf<'expire'>): Promise<Answer> {
    const { sql, authenticator } = this.#app.cairn.app
    const connectionId = this.#id('grant', grant)
    for (const { userId } of this.#actors) {
      await sql.transact(userId, (tx) =>
        tx
          .updateTable('connection')
          .set({ expires_at: new Date(PAST) })
          .where('id', '=', connectionId)
          .execute(),
      )
    }
    authenticator.forget({ connectionId })
    return { status: 0, headers: {}, body: {} }
  }

  async #useKey({ key, sandbox }: StepOf<'useKey'>): Promise<Answer> {
    const authorization = `Bearer ${this.#keys[key] ?? newToken('connectionKey')}`
    const path = `${SANDBOXES}/${this.#id('sandbox', sandbox)}`
    return this.#app.anonymous('GET', path, undefined, { authorization })
  }

  #id(kind: Kind, number: number): string {
    return this.#ids[kind][number] ?? newId(kind === 'grant' ? 'connection' : kind, this.#app.clock)
  }

  #pathOf(kind: Inside, number: number): string {
    const id = this.#id(kind, number)
    return `${SANDBOXES}/${this.#homes.get(id) ?? newId('sandbox', this.#app.clock)}/${NAMED[kind].folder}/${id}`
  }

  async #made(kind: Kind, call: Call, path: string, body: object): Promise<Answer> {
    const answer = await call('POST', path, body)
    if (answer.status !== 201) return answer
    const id: string = answer.body[NAMED[kind].id]
    this.#ids[kind].push(id)
    this.#homes.set(id, answer.body.sandbox_id)
    return answer
  }

  /** Returns a reply with the model's numbers instead of ids. */
  shown({ body }: Answer): Record<string, unknown> {
    const sources = body.data_source_ids?.map((id: string) => this.#ids.source.indexOf(id))
    return { ...body, ...(sources && { sources: sources.sort((one: number, other: number) => one - other) }) }
  }

  /** Returns the numbers of the listed objects. */
  listed({ body }: Answer, kind: Kind): number[] {
    const rows: Record<string, string>[] = body.rows ?? body
    return rows.map((row) => this.#ids[kind].indexOf(row[NAMED[kind].id]!))
  }
}

/** Reads all pages of a list and returns one reply. */
async function pages(call: Call, path: string, filters: object, limit: number): Promise<Answer> {
  const rows: unknown[] = []
  for (let cursor: string | undefined; ; ) {
    const given = Object.entries({ ...filters, limit, cursor }).filter(([, value]) => value !== undefined)
    const answer = await call('GET', `${path}?${new URLSearchParams(given as [string, string][])}`)
    if (answer.status !== 200) return answer
    const { count, next_cursor, ...page } = answer.body
    const [found] = Object.values(page) as unknown[][]
    expect(count).toBe(found!.length)
    expect(found!.length === limit || next_cursor === undefined, 'a page that is not the last is full').toBe(true)
    rows.push(...found!)
    if (next_cursor === undefined) return { ...answer, body: { rows } }
    cursor = next_cursor
  }
}
