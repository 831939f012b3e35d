import { Type } from '@cairnstore/contract'
import { expect, it } from 'vitest'
import { TestClock } from '../../../../../tests/harness/test-clock.ts'
import { openLog } from '../../base/log.ts'
import { type Model, ModelFailure, type ModelFailureKind, type ModelRequest } from './model.ts'
import { GUARD_LIMITS, openGuard } from './open-models.ts'

const Element = Type.Object({ text: Type.String() })
const asked: ModelRequest<typeof Element> = {
  system: '',
  prompt: '',
  element: Element,
  tokensMax: 1,
  isStreamed: true,
  signal: new AbortController().signal,
}

/** Opens a guard in front of a scripted model. */
function openScripted(limits: Partial<typeof GUARD_LIMITS> = {}) {
  const clock = new TestClock()
  const logged: string[] = []
  const script: { fails: ModelFailureKind | undefined; calls: number } = { fails: undefined, calls: 0 }
  const model: Model = {
    async *ask() {
      script.calls += 1
      if (script.fails) throw new ModelFailure(script.fails)
      for (const text of ['One.', 'Two.']) yield { text } as never
      return { inputTokens: 1, outputTokens: 1 }
    },
  }
  const count = () => Promise.reject(new Error('the database is down'))
  const log = openLog('warn', clock, (line) => void logged.push(line))
  const guard = openGuard({ clock, log, count }, { ...GUARD_LIMITS, ...limits })
  const writer = { ask: (accountId: string, given: typeof asked) => guard(accountId, () => model.ask(given)) }
  const kindOf = async () => {
    try {
      for await (const _ of writer.ask('acct_1', asked));
      return 'told'
    } catch (error) {
      return (error as ModelFailure).kind
    }
  }
  return { writer, clock, script, kindOf, logged }
}

it('limits concurrent requests of an account, and a caller that stops releases its slot', async () => {
  const { writer, kindOf } = openScripted({ atOnceOfAccount: 2, atOnce: 3 })
  const readers = [writer.ask('acct_1', asked), writer.ask('acct_1', asked), writer.ask('acct_2', asked)]
  for (const reader of readers) await reader.next()
  expect(await kindOf()).toBe('busy')
  await readers[1]?.return()
  expect(await kindOf()).toBe('told')
  const third = writer.ask('acct_1', asked)
  await third.next()
  await readers[0]?.return()
  const others = writer.ask('acct_3', asked)
  await others.next()
  await expect(writer.ask('acct_4', asked).next()).rejects.toMatchObject({ kind: 'busy' })
})

it('opens the circuit breaker after repeated failures, probes later, and closes it again', async () => {
  const { clock, script, kindOf } = openScripted({ failuresInRow: 3, restMs: 1_000 })
  script.fails = 'timeout'
  for (let at = 0; at < 3; at += 1) expect(await kindOf()).toBe('timeout')
  expect(await kindOf()).toBe('resting')
  clock.advance(1_000)
  expect(await kindOf()).toBe('timeout')
  expect(await kindOf()).toBe('resting')
  expect(script.calls).toBe(4)
  clock.advance(1_000)
  script.fails = undefined
  expect(await kindOf()).toBe('told')
  script.fails = 'timeout'
  expect([await kindOf(), await kindOf(), await kindOf()]).toEqual(['timeout', 'timeout', 'timeout'])
  // A clock that is set back does not prolong the open state of the circuit breaker.
  clock.advance(-3_600_000)
  expect(await kindOf()).toBe('timeout')
})

it('keeps the circuit breaker closed for unusable responses', async () => {
  const { script, kindOf } = openScripted({ failuresInRow: 2 })
  script.fails = 'unreadable'
  for (let at = 0; at < 5; at += 1) expect(await kindOf()).toBe('unreadable')
})

it('returns an answer whose usage could not be recorded', async () => {
  const { kindOf, logged } = openScripted()
  expect(await kindOf()).toBe('told')
  expect(logged.join('')).toMatch(/recording model usage failed/)
})
