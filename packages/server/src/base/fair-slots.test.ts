import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { openFairSlots } from './fair-slots.ts'

describe('fair slots', () => {
  const open = (count: number) => {
    const slots = openFairSlots(count)
    const served: string[] = []
    const holding: { account: string; giveBack: () => void }[] = []
    const ask = async (account: string, times = 1) => {
      for (let at = 0; at < times; at += 1) {
        void slots.take(account).then((giveBack) => {
          served.push(account)
          holding.push({ account, giveBack })
        })
      }
      await setImmediate()
    }
    const end = async (account: string) => {
      const at = holding.findIndex((each) => each.account === account)
      holding.splice(at, 1)[0]?.giveBack()
      await setImmediate()
    }
    return { ask, end, served }
  }

  it('leave half of all slots to other accounts, however many one account requests', async () => {
    const { ask, served } = open(4)
    await ask('slow', 10)
    expect(served).toEqual(['slow', 'slow'])
    await ask('other')
    expect(served).toEqual(['slow', 'slow', 'other'])
    await ask('third')
    expect(served).toEqual(['slow', 'slow', 'other', 'third'])
  })

  it('go to the waiting account that holds the fewest, and round-robin among equals', async () => {
    const { ask, end, served } = open(2)
    await ask('slow', 5)
    await ask('slower', 5)
    await ask('late', 2)
    expect(served).toEqual(['slow', 'slower'])
    await end('slow')
    expect(served.at(-1)).toBe('late')
    await end('slower')
    expect(served.at(-1)).toBe('slow')
    await end('late')
    expect(served.at(-1)).toBe('slower')
  })

  it('serve every account eventually, one after the other if there is one slot', async () => {
    const { ask, end, served } = open(1)
    await ask('a', 3)
    await ask('b', 2)
    for (let at = 0; at < 5; at += 1) await end(served.at(-1) ?? '')
    expect(served.toSorted()).toEqual(['a', 'a', 'a', 'b', 'b'])
    expect(served.slice(0, 4)).toEqual(['a', 'b', 'a', 'b'])
  })
})
