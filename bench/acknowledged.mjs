// Stores what a service acknowledged in a file, and checks that each item exists exactly once.
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** Maximum milliseconds until acknowledged items are applied once no fault is active. */
const SETTLE_MS = 180_000
/** Milliseconds after which another process is asked. */
const PATIENCE_MS = 15_000

/** Opens the acknowledged ids by sandbox, of this run and of earlier runs with the same file. */
export function keepAcknowledged(/** @type {string} */ path) {
  /** @type {Map<string, Set<string>>} */
  const bySandbox = new Map()
  let lastMs = Number.POSITIVE_INFINITY
  let longestMs = 0
  const remember = (/** @type {string} */ sandboxId, /** @type {string[]} */ ids) => {
    const known = bySandbox.get(sandboxId) ?? new Set()
    bySandbox.set(sandboxId, known)
    for (const id of ids) known.add(id)
  }
  for (const line of existsSync(path) ? readFileSync(path, 'utf8').split('\n').filter(Boolean) : []) {
    const { sandboxId, ids } = JSON.parse(line)
    remember(sandboxId, ids)
  }
  return {
    bySandbox,
    add(/** @type {string} */ sandboxId, /** @type {string[]} */ ids) {
      appendFileSync(path, `${JSON.stringify({ sandboxId, ids })}\n`)
      remember(sandboxId, ids)
      longestMs = Math.max(longestMs, performance.now() - lastMs)
      lastMs = performance.now()
    },
    total: () => [...bySandbox.values()].reduce((sum, ids) => sum + ids.size, 0),
    /** Returns the longest time without an acknowledgement. */
    longestGapMs: () => longestMs,
  }
}

/**
 * Fails unless the exports contain everything acknowledged so far exactly once.
 * @param {ReadonlyMap<string, ReadonlySet<string>>} acknowledged
 * @param {(sandboxId: string) => Promise<string>} exportOf
 */
export async function assertAllOnce(acknowledged, exportOf) {
  const wanted = [...acknowledged].map(([sandboxId, ids]) => ({ sandboxId, ids: [...ids] }))
  const until = performance.now() + SETTLE_MS
  for (;;) {
    const missing = []
    for (const { sandboxId, ids } of wanted) {
      const found = countIn(await exportOf(sandboxId))
      const twice = [...found].filter(([, count]) => count > 1)
      if (twice.length > 0)
        throw new Error(`${twice.length} exist more than once, for example ${twice[0]} in ${sandboxId}`)
      for (const id of ids) if (!found.has(id)) missing.push(`${id} in ${sandboxId}`)
    }
    if (missing.length === 0) return
    if (performance.now() > until) throw new Error(`${missing.length} are missing, for example ${missing.slice(0, 3)}`)
    await sleep(500)
  }
}

/** Counts each record or delivery in an export. */
function countIn(/** @type {string} */ text) {
  /** @type {Map<string, number>} */
  const found = new Map()
  for (const line of text.split('\n').filter(Boolean)) {
    const { kind, text: said = '' } = JSON.parse(line)
    const id = kind === 'record' ? /^About (\w+)\.$/.exec(said)?.[1] : undefined
    if (id) found.set(id, (found.get(id) ?? 0) + 1)
  }
  return found
}

export function post(/** @type {string} */ url, /** @type {unknown} */ body, /** @type {string} */ bearer) {
  return fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(PATIENCE_MS),
  })
}
