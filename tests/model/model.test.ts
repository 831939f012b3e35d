import fc from 'fast-check'
import { expect, it } from 'vitest'
import { newId } from '../../packages/server/src/base/id.ts'
import { type Answer, onEachApp, type TestAccount, type TestApp } from '../harness/test-app.ts'
import { type Expected, Model, type Step } from './model.ts'
import { ACTORS, aboutRecent, anyStep } from './steps.ts'

const STEPS = Number(process.env.MODEL_STEPS ?? 400)
const SEED = Number(process.env.MODEL_SEED ?? Math.floor(performance.timeOrigin % 1_000_000))
/** Steps of one run; enough that quotas are reached and things are deleted again. */
const RUN_STEPS = 100
const RUN_MS_MAX = 3_600_000
/** Small, so that steps reach them. */
const LIMITS = { free: { max_data_sources: 2, max_projects: 2 }, pro: { max_data_sources: 4, max_projects: 4 } }
const SANDBOXES = '/api/v1/storage/sandboxes'

/** What every run begins with, so that there is something to speak of. */
const FIRST: Step[] = [
  { do: 'createSandbox', by: 0, name: 'first', owner: 'one', tier: 'free' },
  { do: 'addSource', by: 0, sandbox: 0, name: 'first', provider: 'slack' },
  { do: 'addProject', by: 0, sandbox: 0, name: 'first', sources: [0] },
]

type Kind = 'sandbox' | 'source' | 'project' | 'grant'

/** The service as the steps see it: ids by the model's numbers. */
class Service {
  readonly #app: TestApp
  readonly #actors: TestAccount[]
  readonly #ids: Record<Kind, string[]> = { sandbox: [], source: [], project: [], grant: [] }
  /** The sandbox of each thing that is inside one. */
  readonly #homes = new Map<string, string>()

  constructor(app: TestApp, actors: TestAccount[]) {
    this.#app = app
    this.#actors = actors
  }

  #id(kind: Kind, number: number): string {
    return this.#ids[kind][number] ?? newId(kind === 'grant' ? 'connection' : kind, this.#app.clock)
  }

  #pathOf(kind: 'source' | 'project', number: number): string {
    const id = this.#id(kind, number)
    return `${SANDBOXES}/${this.#homes.get(id) ?? newId('sandbox', this.#app.clock)}/${kind}s/${id}`
  }

  async take(step: Step): Promise<Answer> {
    if (step.do === 'grant') return this.#grant(step)
    if (step.do === 'revoke') return this.#revoke(step)
    const call = this.#actors[step.by]!.call
    const sandbox = 'sandbox' in step ? this.#id('sandbox', step.sandbox) : ''
    const inside = `${SANDBOXES}/${sandbox}`
    switch (step.do) {
      case 'createSandbox':
        return this.#noted(
          'sandbox',
          await call('POST', SANDBOXES, { name: step.name, owner_id: step.owner, tier: step.tier }),
        )
      case 'getSandbox':
        return call('GET', inside)
      case 'deleteSandbox':
        return call('DELETE', inside)
      case 'renameSandbox':
        return call('PATCH', inside, { name: step.name, metadata: step.metadata })
      case 'addSource':
        return this.#noted(
          'source',
          await call('POST', `${inside}/sources`, { name: step.name, provider: step.provider }),
        )
      case 'addProject': {
        const data_source_ids = step.sources.map((at) => this.#id('source', at))
        return this.#noted('project', await call('POST', `${inside}/projects`, { name: step.name, data_source_ids }))
      }
      case 'changeSource':
        return call('PATCH', this.#pathOf('source', step.source), {
          name: step.name,
          external_account_id: step.account,
        })
      case 'changeProject':
        return call('PATCH', this.#pathOf('project', step.project), { name: step.name, description: step.description })
      case 'getProject':
        return call('GET', this.#pathOf('project', step.project))
      case 'archiveProject':
        return call('POST', `${this.#pathOf('project', step.project)}/archive`)
      case 'deleteProject':
        return call('DELETE', this.#pathOf('project', step.project))
      case 'link':
      case 'unlink': {
        const path = `${this.#pathOf('project', step.project)}/sources/${this.#id('source', step.source)}`
        return call(step.do === 'link' ? 'POST' : 'DELETE', path)
      }
      case 'listSandboxes':
        return this.#pages(call, SANDBOXES, { owner_id: step.owner }, step.limit)
      case 'listSources':
        return this.#pages(call, `${inside}/sources`, { provider: step.provider }, step.limit)
      case 'listProjects':
        return this.#pages(call, `${inside}/projects`, { status: step.status }, step.limit)
    }
  }

  #noted(kind: 'sandbox' | 'source' | 'project', answer: Answer): Answer {
    if (answer.status !== 201) return answer
    const { sandbox_id, data_source_id, project_id } = answer.body
    const id = { sandbox: sandbox_id, source: data_source_id, project: project_id }[kind]
    this.#ids[kind].push(id)
    this.#homes.set(id, sandbox_id)
    return answer
  }

  /** All pages of a list in one answer. */
  async #pages(call: TestAccount['call'], path: string, filters: object, limit: number): Promise<Answer> {
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

  async #grant({ sandbox, to, role }: Extract<Step, { do: 'grant' }>): Promise<Answer> {
    const { clock, cairn } = this.#app
    const id = newId('connection', clock)
    const sandboxId = this.#id('sandbox', sandbox)
    const none = { project_id: null, label: null, expires_at: null, revoked_at: null }
    for (const { userId } of this.#actors) {
      await cairn.app.sql.transact(userId, async (tx) => {
        const own = await tx.selectFrom('sandbox').select('id').where('id', '=', sandboxId).executeTakeFirst()
        if (!own || this.#actors[to]!.userId === userId) return
        const who = { user_id: userId, grantee_user_id: this.#actors[to]!.userId, created_by: userId }
        await tx
          .insertInto('connection')
          .values({ ...none, ...who, id, sandbox_id: sandboxId, role, created_at: clock.now() })
          .execute()
        this.#ids.grant.push(id)
      })
    }
    return { status: 201, headers: {}, body: {} }
  }

  async #revoke({ grant }: Extract<Step, { do: 'revoke' }>): Promise<Answer> {
    for (const { userId } of this.#actors) {
      await this.#app.cairn.app.sql.transact(userId, (tx) =>
        tx
          .updateTable('connection')
          .set({ revoked_at: this.#app.clock.now() })
          .where('id', '=', this.#id('grant', grant))
          .execute(),
      )
    }
    return { status: 200, headers: {}, body: {} }
  }

  /** What an answer shows, in the model's numbers. */
  shown({ body }: Answer): Record<string, unknown> {
    const sources = body.data_source_ids?.map((id: string) => this.#ids.source.indexOf(id))
    return { ...body, ...(sources && { sources: sources.sort((one: number, other: number) => one - other) }) }
  }

  listed({ body }: Answer, kind: 'sandbox' | 'source' | 'project'): number[] {
    const field = { sandbox: 'sandbox_id', source: 'data_source_id', project: 'project_id' }[kind]
    return body.rows.map((row: Record<string, string>) => this.#ids[kind].indexOf(row[field]!))
  }
}

/** How often each kind of step had each answer, to see what a run has reached. */
const taken: Record<string, Record<number, number>> = {}

/** A step as fast-check runs it: on the model, and then on the service. */
class Taken implements fc.AsyncCommand<Model, Service> {
  readonly #step: Step

  constructor(step: Step) {
    this.#step = step
  }

  check(): boolean {
    return true
  }

  async run(model: Model, service: Service): Promise<void> {
    const step = aboutRecent(this.#step, model.made)
    const expected: Expected = model.take(step)
    const answer = await service.take(step)
    const counts = taken[step.do] ?? {}
    taken[step.do] = { ...counts, [answer.status]: (counts[answer.status] ?? 0) + 1 }
    if (expected.status !== 0) expect(answer.status, JSON.stringify(answer.body)).toBe(expected.status)
    if (expected.shows) expect(service.shown(answer)).toMatchObject(expected.shows)
    const kind = { listSandboxes: 'sandbox', listSources: 'source', listProjects: 'project' } as const
    if (expected.lists) expect(service.listed(answer, kind[step.do as keyof typeof kind])).toEqual(expected.lists)
  }

  toString(): string {
    return JSON.stringify(this.#step)
  }
}

onEachApp(
  (app) => {
    it('accounts that work side by side see what a few maps say they see', { timeout: RUN_MS_MAX }, async () => {
      process.stdout.write(`model on ${app().kind}: ${STEPS} steps, seed ${SEED}\n`)
      const steps = fc.commands([anyStep.map((step) => new Taken(step))], { size: 'max', maxCommands: RUN_STEPS })
      await fc.assert(
        fc.asyncProperty(steps, async (commands) => {
          const actors = await Promise.all(Array.from({ length: ACTORS }, () => app().newAccount()))
          const model = new Model(LIMITS)
          const real = new Service(app(), actors)
          for (const step of FIRST) expect((await real.take(step)).status).toBe(model.take(step).status)
          await fc.asyncModelRun(() => ({ model, real }), commands)
        }),
        { seed: SEED, numRuns: Math.ceil((STEPS * 2) / RUN_STEPS) },
      )
      if (STEPS > 1000) process.stdout.write(`${JSON.stringify(taken)}\n`)
    })
  },
  { CAIRN_LIMITS: JSON.stringify(LIMITS) },
)
