import { expect, test } from 'vitest'
import { createTurns } from './turns.ts'

test('work in one sandbox goes on one after the other, in the order of asking, also after a failure', async () => {
  const turns = createTurns()
  const told: string[] = []
  let end = () => {}
  const first = turns.take('a', async () => {
    told.push('first begins')
    await new Promise<void>((resolve) => {
      end = resolve
    })
    told.push('first ends')
    throw new Error('failed')
  })
  const second = turns.take('a', async () => void told.push('second'))
  await turns.take('b', async () => void told.push('elsewhere'))
  expect(turns.isTaken('a')).toBe(true)
  end()
  await expect(first).rejects.toThrow('failed')
  await second
  expect(told).toEqual(['first begins', 'elsewhere', 'first ends', 'second'])
})

test('a sandbox is free as soon as its last work has ended', async () => {
  const turns = createTurns()
  await turns.take('a', async () => undefined)
  expect(turns.isTaken('a')).toBe(false)
})
