import { expect, test } from 'vitest'
import { startRounds } from './rounds.ts'

const LONG_MS = 60_000
const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

test('rounds begin at once and follow when roused; one that is roused at work is followed by another', async () => {
  let count = 0
  const rounds = startRounds(
    LONG_MS,
    async () => {
      count += 1
      if (count === 2) rounds.rouse()
    },
    () => undefined,
  )
  await turn()
  expect(count).toBe(1)
  rounds.rouse()
  await turn()
  expect(count).toBe(3)
  await rounds.stop()
})

test('a round that throws is told of and followed by others, and none begins once they are stopped', async () => {
  const failures: unknown[] = []
  let count = 0
  const rounds = startRounds(
    0,
    async (stopping) => {
      count += 1
      if (count === 1) throw new Error('first')
      if (count === 3) await new Promise((resolve) => stopping.addEventListener('abort', resolve))
    },
    (error) => failures.push(error),
  )
  while (count < 3) await turn()
  await rounds.stop()
  expect(failures).toEqual([new Error('first')])
  expect(count).toBe(3)
})
