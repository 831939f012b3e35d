import { type ChildProcess, fork } from 'node:child_process'
import { constants, setPriority } from 'node:os'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { MS_PER_SECOND } from '../../base/clock.ts'
import { Refusal } from '../document.ts'
import type { FromProcess, ToProcess } from './document-process.ts'

export interface DocumentProcess {
  readonly pid: number | undefined
  /** Resolves when the message has been sent, or at once if the process has ended. */
  send(message: ToProcess): Promise<void>
  /** Resolves when the process accepts messages. Throws like `next`. */
  ready(msMax: number): Promise<void>
  /**
   * Returns the next message. Throws a Refusal if the process exceeds `msMax`, runs out of memory or ends for another
   * reason. A process that exceeds `msMax` is killed. The Refusal names the limit that was exceeded.
   */
  next(msMax: number): Promise<FromProcess>
  isAlive(): boolean
  /** With `true`, the child keeps this process alive. With `false`, this process can exit while the child is idle. */
  setKeepAlive(isKeptAlive: boolean): void
  kill(): void
}

const ENTRY = fileURLToPath(new URL(`./document-process${extname(import.meta.url)}`, import.meta.url))
const BYTES_PER_MIB = 1024 * 1024
/** Share of the resident memory that the JavaScript heap may use. Buffers and the program itself need the rest. */
const HEAP_SHARE = 0.75
/** Environment of the child, without secrets. A single malloc arena retains less freed memory. */
const ENV = { MALLOC_ARENA_MAX: '1' }
/** Signals and exit codes that mean that memory ran out: fatal V8 errors, the memory guard and the OOM killer. */
const OUT_OF_MEMORY: ReadonlySet<string | number | null> = new Set(['SIGKILL', 'SIGABRT', 'SIGTRAP', 'SIGILL', 134])

/** Starts a process with a limit on its resident memory, including Buffers and native memory. */
export function startProcess(residentBytesMax: number): DocumentProcess {
  const heapMib = Math.floor((residentBytesMax * HEAP_SHARE) / BYTES_PER_MIB)
  const child = fork(ENTRY, [String(residentBytesMax)], {
    execArgv: [...process.execArgv.filter((flag) => !flag.startsWith('--inspect')), `--max-old-space-size=${heapMib}`],
    env: ENV,
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  lowerPriority(child)
  const inbox: FromProcess[] = []
  let wake: () => void = () => undefined
  let end: Refusal | undefined
  const endWith = (refusal: Refusal) => {
    end ??= refusal
    wake()
  }
  const kill = () => {
    endWith(new Refusal('reader_failed'))
    child.kill('SIGKILL')
  }
  child.on('message', (message: FromProcess) => {
    inbox.push(message)
    wake()
  })
  child.on('exit', (code, signal) => endWith(refusalOf(signal ?? code, residentBytesMax)))
  child.on('error', () => kill())
  const next = async (msMax: number): Promise<FromProcess> => {
    const timer = setTimeout(() => {
      endWith(new Refusal('took_too_long', tookLongerThan(msMax)))
      child.kill('SIGKILL')
    }, msMax)
    try {
      while (inbox.length === 0 && !end) await new Promise<void>((resolve) => (wake = resolve))
    } finally {
      clearTimeout(timer)
    }
    const message = inbox.shift()
    if (message) return message
    throw end ?? new Refusal('reader_failed')
  }
  let isReady = false
  return {
    pid: child.pid,
    next,
    ready: async (msMax) => {
      if (!isReady) await next(msMax)
      isReady = true
    },
    send: (message) =>
      new Promise((resolve) => {
        if (child.connected) child.send(message, () => resolve())
        else resolve()
      }),
    isAlive: () => end === undefined,
    setKeepAlive: (isKeptAlive) => {
      if (isKeptAlive) child.ref()
      else child.unref()
      if (isKeptAlive) child.channel?.ref()
      else child.channel?.unref()
    },
    kill,
  }
}

/** Lowers the priority of a process, so that requests come first if CPU time is scarce. */
function lowerPriority({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // The process has already ended, which its exit event reports.
  }
}

function refusalOf(end: NodeJS.Signals | number | null, residentBytesMax: number): Refusal {
  if (!OUT_OF_MEMORY.has(end)) return new Refusal('reader_failed')
  const mib = Math.floor(residentBytesMax / BYTES_PER_MIB)
  return new Refusal(
    'took_too_much',
    `Reading the file took more than ${mib} MiB of memory; split it, or send its text.`,
  )
}

function tookLongerThan(ms: number): string {
  return `Reading took longer than ${ms / MS_PER_SECOND} seconds for one step; split the file, or send its text.`
}
