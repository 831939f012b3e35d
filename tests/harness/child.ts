import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** Entry point of the built server; `npm test` builds it first. */
const MAIN = fileURLToPath(new URL('../../packages/server/dist/main.js', import.meta.url))
const PRINTED_MS_MAX = 600_000

/** A program of this project in a separate process. */
export interface Child {
  process: ChildProcess
  /** Returns everything printed so far. */
  printed(): string
  /** Resolves once the output matches. Rejects if the process ends first or the timeout expires. */
  untilPrinted(pattern: RegExp, msMax?: number): Promise<RegExpExecArray>
  /** Exit code, or the signal that killed the process. */
  ended: Promise<number | NodeJS.Signals | null>
}

/** Starts the server with these arguments and settings on a free port. */
export function startProgram(args: string[], settings: Record<string, string>, bounds: Bounds = {}): Child {
  const ours = {
    CAIRN_PORT: '0',
    CAIRN_EXAMPLE: 'off',
    CAIRN_LOG_LEVEL: 'warn',
    CAIRN_ENCODER: 'off',
    CAIRN_LINEAR_MCP_URL: 'https://linear.invalid/mcp',
    ...settings,
  }
  return startScript([MAIN, ...args], ours, bounds)
}

/** Resource limits of a process. */
export interface Bounds {
  /** Maximum number of open file descriptors. */
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

/** Resolves to the address of a started server. */
export async function addressOf(child: Child): Promise<string> {
  const [, address] = await child.untilPrinted(/listening on (http:\S+)/)
  return address!
}
