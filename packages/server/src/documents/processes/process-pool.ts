import { openFairSlots } from '../../base/fair-slots.ts'
import { Refusal } from '../document.ts'
import { type DocumentProcess, startProcess } from './start-process.ts'

/** Lends processes to accounts. A process serves only one account, because data of a file could remain in it. */
export interface ProcessPool {
  /** Resolves with a process that the account used before, or with a new one. Throws a Refusal after `close`. */
  take(accountId: string): Promise<PooledProcess>
  /** Kills all processes. */
  close(): void
}

/** A process that is lent for reading a file. */
export interface PooledProcess extends DocumentProcess {
  /** Returns the process to the pool, or kills it if the file is not done. */
  release(isDone: boolean): void
}

/** Milliseconds after which an idle process is killed. */
const IDLE_MS_MAX = 60_000

interface Idle {
  accountId: string
  process: DocumentProcess
  timer: NodeJS.Timeout
}

/** Opens a pool with a maximum number of processes, which are started on demand. */
export function openProcessPool(processes: number, residentBytesMax: number): ProcessPool {
  const slots = openFairSlots(processes)
  const idle: Idle[] = []
  const leased = new Set<DocumentProcess>()
  let isClosed = false

  const withdraw = (one: Idle): DocumentProcess => {
    clearTimeout(one.timer)
    idle.splice(idle.indexOf(one), 1)
    return one.process
  }
  const park = (accountId: string, process: DocumentProcess) => {
    process.setKeepAlive(false)
    const one: Idle = { accountId, process, timer: setTimeout(() => withdraw(one).kill(), IDLE_MS_MAX).unref() }
    idle.push(one)
  }
  const find = (accountId: string): DocumentProcess => {
    for (const one of idle.filter(({ process }) => !process.isAlive())) withdraw(one)
    const own = idle.find((one) => one.accountId === accountId)
    if (own) return withdraw(own)
    const [oldest] = idle
    if (oldest && idle.length + leased.size >= processes) withdraw(oldest).kill()
    return startProcess(residentBytesMax)
  }

  return {
    take: async (accountId) => {
      const done = await slots.take(accountId)
      if (isClosed) {
        done()
        throw new Refusal('reader_failed')
      }
      const process = find(accountId)
      process.setKeepAlive(true)
      leased.add(process)
      return {
        ...process,
        release: (isDone) => {
          if (!leased.delete(process)) return
          if (isDone && process.isAlive()) park(accountId, process)
          else process.kill()
          done()
        },
      }
    },
    close: () => {
      isClosed = true
      for (const process of leased) process.kill()
      for (const one of [...idle]) withdraw(one).kill()
    },
  }
}
