import fc from 'fast-check'
import { expect, it } from 'vitest'
import { onEachApp } from '../harness/test-app.ts'
import { Api } from './api.ts'
import { Model } from './model.ts'
import { ACTORS, aboutRecent, anyStep } from './steps.ts'
import type { Expected, Step } from './world.ts'

const STEPS = Number(process.env.MODEL_STEPS ?? 400)
const SEED = Number(process.env.MODEL_SEED ?? Math.floor(performance.timeOrigin % 1_000_000))
/** Steps per run; enough to reach quotas and to delete objects again. */
const RUN_STEPS = 100
/** Small quotas, so that steps reach them. */
const LIMITS = { free: { max_data_sources: 2, max_projects: 2 }, pro: { max_data_sources: 4, max_projects: 4 } }

/** First steps of every run, so that later steps have objects to use. */
const FIRST: Step[] = [
  { do: 'createSandbox', by: 0, name: 'first', owner: 'one', tier: 'free' },
  { do: 'addSource', by: 0, sandbox: 0, name: 'first', provider: 'slack' },
  { do: 'addProject', by: 0, sandbox: 0, name: 'first', sources: [0] },
  { do: 'connect', by: 0, sandbox: 0, to: 1, role: 'editor', project: 0, ends: 'never' },
  { do: 'connect', by: 0, sandbox: 0, to: 2, role: 'viewer', project: null, ends: 'later' },
  { do: 'makeKey', by: 0, grant: 0 },
  { do: 'makeKey', by: 0, grant: 1 },
]

/** Kind of object in each list. */
const LISTED = {
  listSandboxes: 'sandbox',
  listSources: 'source',
  listProjects: 'project',
  listConnections: 'grant',
} as const

/** Number of replies by kind of step and status, to show what a run covers. */
const taken: Record<string, Record<number, number>> = {}

/** A fast-check command that runs a step on the model and then on the service. */
class Taken implements fc.AsyncCommand<Model, Api> {
  readonly #step: Step

  constructor(step: Step) {
    this.#step = step
  }

  check(): boolean {
    return true
  }

  async run(model: Model, service: Api): Promise<void> {
    const step = aboutRecent(this.#step, model.made)
    const expected: Expected = model.take(step)
    const answer = await service.take(step)
    const counts = taken[step.do] ?? {}
    taken[step.do] = { ...counts, [answer.status]: (counts[answer.status] ?? 0) + 1 }
    if (expected.status !== 0) expect(answer.status, JSON.stringify(answer.body)).toBe(expected.status)
    if (expected.shows) expect(service.shown(answer)).toMatchObject(expected.shows)
    if (expected.lists) expect(service.listed(answer, LISTED[step.do as keyof typeof LISTED])).toEqual(expected.lists)
  }

  toString(): string {
    return JSON.stringify(this.#step)
  }
}

onEachApp(
  (app) => {
    it('concurrent accounts see what a simple model predicts', async () => {
      process.stdout.write(`model on ${app().kind}: ${STEPS} steps, seed ${SEED}\n`)
      const steps = fc.commands([anyStep.map((step) => new Taken(step))], { size: 'max', maxCommands: RUN_STEPS })
      await fc.assert(
        fc.asyncProperty(steps, async (commands) => {
          const actors = await Promise.all(Array.from({ length: ACTORS }, () => app().newAccount()))
          const model = new Model(LIMITS)
          const real = new Api(app(), actors)
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
