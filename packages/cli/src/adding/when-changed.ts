import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findFiles } from './files-in.ts'

/** How often folders are looked at. A change is taken once it has stood still for one look. */
const LOOK_MS = 2_000

/** Does the work, and again whenever something at these paths has changed, until the program is told to stop. */
export async function whenChanged(paths: readonly string[], work: () => Promise<number>): Promise<number> {
  const stopping = new AbortController()
  const stop = () => stopping.abort()
  process.once('SIGINT', stop).once('SIGTERM', stop)
  let done = ''
  let code = 0
  for (let last = ''; !stopping.signal.aborted; ) {
    const now = await stateOf(paths)
    if (now !== done && (now === last || done === '')) {
      done = now
      code = await work()
    }
    last = now
    await sleep(LOOK_MS, undefined, { signal: stopping.signal }).catch(() => undefined)
  }
  return code
}

/** The files, how large each is and when it was written last. */
async function stateOf(paths: readonly string[]): Promise<string> {
  const findings = await Promise.all(paths.map(findFiles))
  const lines: string[] = []
  for (const { root, files } of findings) {
    for (const { path, bytes } of files) {
      const found = await stat(join(root, path)).catch(() => undefined)
      lines.push(`${root}/${path} ${bytes} ${found?.mtimeMs ?? 0}`)
    }
  }
  return `${lines.join('\n')}\n`
}
