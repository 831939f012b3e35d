/** A fixed number of slots that are shared fairly among accounts. */
export interface FairSlots {
  /** Resolves once the account has a slot, to a function that releases it. Calling the function again does nothing. */
  take(accountId: string): Promise<() => void>
}

interface Account {
  taken: number
  /** Sequence number of the account's last slot, counted over all accounts; 0 if it had none. */
  servedAt: number
  waiting: (() => void)[]
}

/**
 * Opens slots that are shared by dynamic thresholds (Choudhury and Hahne, 1998): an account may have at most as many
 * slots as are free. A busy account leaves some to others and still uses half of an idle service. A free slot goes to
 * the waiting account with the fewest slots. Among equals it goes to the one that was served longest ago.
 */
export function openFairSlots(slots: number): FairSlots {
  const accounts = new Map<string, Account>()
  let free = slots
  let served = 0

  const next = (): Account | undefined => {
    let best: Account | undefined
    for (const one of accounts.values()) {
      if (one.waiting.length === 0 || one.taken >= free) continue
      const isBetter = !best || one.taken < best.taken || (one.taken === best.taken && one.servedAt < best.servedAt)
      if (isBetter) best = one
    }
    return best
  }
  const serve = () => {
    for (let one = next(); one; one = next()) {
      free -= 1
      served += 1
      one.taken += 1
      one.servedAt = served
      one.waiting.shift()?.()
    }
  }
  const releaser = (accountId: string, account: Account) => {
    let isReleased = false
    return () => {
      if (isReleased) return
      isReleased = true
      free += 1
      account.taken -= 1
      if (account.taken === 0 && account.waiting.length === 0) accounts.delete(accountId)
      serve()
    }
  }

  return {
    take: (accountId) =>
      new Promise((resolve) => {
        const account = accounts.get(accountId) ?? { taken: 0, servedAt: 0, waiting: [] }
        accounts.set(accountId, account)
        account.waiting.push(() => resolve(releaser(accountId, account)))
        serve()
      }),
  }
}
