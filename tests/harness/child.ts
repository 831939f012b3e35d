import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** The program as it is started, which `npm test` builds before it tests. */
const MAIN = fileURLToPath(new URL('../../packages/server/dist/main.js', import.meta.url))
const PRINTED_MS_MAX = 600_000

/** A program of ours in a process of its own. */
export interface Child {
  process: ChildProcess
  /** Everything it printed so far. */
  printed(): string
  /** Resolves when it has printed this; rejects when it ends first, or has not by then. */
  untilPrinted(pattern: RegExp, msMax?: number): Promise<RegExpExecArray>
  /** Its exit code, or the signal that killed it. */
  ended: Promise<number | NodeJS.Signals | null>
}

/** Starts the program with these arguments and settings, on a free port. */
export function startProgram(args: string[], settings: Record<string, string>, bounds: Bounds = {}): Child {
  const ours = {
    CAIRN_PORT: '0',
    CAIRN_EXAMPLE: 'off',
    CAIRN_LOG_LEVEL: 'warn',
    CAIRN_READER: 'off',
    CAIRN_LINEAR_MCP_URL: 'https://linear.invalid/mcp',
    ...settings,
  }
  return startScript([MAIN, ...args], ours, bounds)
}

/** What a process is held to. */
export interface Bounds {
  /** Files and connections that it may have open at once. */
  descriptors?: number
  heapMib?: number
}

/** Starts Node with these arguments. */
export function startScript(
  args: string[],
  settings: Record<string, string> = {},
  { descriptors, heapMib }: Bounds = {},
): Child {
  const { PATH = '' } = process.env
  const node = [process.execPath, ...(heapMib ? [`--max-old-space-size=${heapMib}`] : []), ...args]
  const limit = descriptors ? `ulimit -n ${descriptors} && ` : ''
  const child = spawn('/bin/sh', ['-c', `${limit}exec "$0" "$@"`, ...node], {
    env: { PATH, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      printed += text
    })
  }
  const ended = once(child, 'close').then(([code, signal]) => (code ?? signal) as number | NodeJS.Signals | null)
  return {
    process: child,
    printed: () => printed,
    untilPrinted: (pattern, msMax = PRINTED_MS_MAX) => {
      const found = () => pattern.exec(printed)
      return new Promise((resolve, reject) => {
        const settle = () => {
          const match = found()
          if (match === null) return
          clearTimeout(timer)
          resolve(match)
        }
        const fail = () => reject(new Error(`It has not printed ${pattern}: ${printed}`))
        const timer = setTimeout(fail, msMax)
        for (const stream of [child.stdout, child.stderr]) stream.on('data', settle)
        void ended.then(() => (found() === null ? fail() : settle()))
        settle()
      })
    },
    ended,
  }
}

/** Resolves to the address of a program that was started to serve. */
export async function addressOf(child: Child): Promise<string> {
  const [, address] = await child.untilPrinted(/listening on (http:\S+)/)
  return address!
}
