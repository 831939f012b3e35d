// Sends requests over keep-alive connections and times each.
import { Agent, request } from 'node:http'

/** Returns a function that sends JSON and returns the reply's text. It throws unless the request succeeds. */
export function poster(url, apiKey, connections) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const target = new URL(url)
  const post = (path, body) =>
    new Promise((resolve, reject) => {
      const payload = Buffer.from(JSON.stringify(body))
      const sent = request(
        {
          agent,
          host: target.hostname,
          port: target.port,
          path,
          method: 'POST',
          headers: {
            authorization: `Bearer ${apiKey}`,
            'content-type': 'application/json',
            'content-length': payload.length,
          },
        },
        (reply) => {
          const chunks = []
          reply.on('data', (chunk) => chunks.push(chunk))
          reply.on('end', () => {
            const text = Buffer.concat(chunks).toString()
            if ((reply.statusCode ?? 500) < 300) resolve(text)
            else reject(new Error(`${path} answered ${reply.statusCode}: ${text.slice(0, 300)}`))
          })
        },
      )
      sent.on('error', reject)
      sent.end(payload)
    })
  return { post, close: () => agent.destroy() }
}

/**
 * Runs work repeatedly with this concurrency. Returns each duration in milliseconds and the rate per second.
 * @param {number} count
 * @param {number} inFlight
 * @param {(index: number) => Promise<unknown>} work
 */
export async function timed(count, inFlight, work) {
  const durations = []
  let next = 0
  const startedAt = performance.now()
  const run = async () => {
    while (next < count) {
      const index = next++
      const from = performance.now()
      await work(index)
      durations.push(performance.now() - from)
    }
  }
  await Promise.all(Array.from({ length: inFlight }, run))
  const seconds = (performance.now() - startedAt) / 1000
  return { ...quantiles(durations), perSecond: count / seconds }
}

/**
 * Starts work at a steady rate, independent of earlier work (open loop). Returns each duration from its due time, so
 * that waiting for a free connection counts.
 * @param {number} count
 * @param {number} perSecond
 * @param {number} inFlight number of connections
 * @param {(index: number) => Promise<unknown>} work
 */
export async function paced(count, perSecond, inFlight, work) {
  const durations = []
  const startedAt = performance.now()
  const dueAt = (index) => startedAt + (index * 1000) / perSecond
  let next = 0
  const run = async () => {
    while (next < count) {
      const index = next++
      const waitMs = dueAt(index) - performance.now()
      if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs))
      await work(index)
      durations.push(performance.now() - dueAt(index))
    }
  }
  await Promise.all(Array.from({ length: inFlight }, run))
  const seconds = (performance.now() - startedAt) / 1000
  return { ...quantiles(durations), perSecond: count / seconds }
}

/** @param {number[]} durations */
export function quantiles(durations) {
  const sorted = durations.toSorted((one, other) => one - other)
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99), max: sorted.at(-1) ?? Number.NaN }
}

/** @param {string} name @param {{p50: number, p95: number, p99: number, perSecond?: number}} figures */
export function printTiming(name, { p50, p95, p99, perSecond }, note = '') {
  const ms = (value) => value.toFixed(1).padStart(8)
  const rate = perSecond === undefined ? '' : perSecond.toFixed(0).padStart(8)
  console.log(`${name.padEnd(44)}${ms(p50)}${ms(p95)}${ms(p99)}${rate.padStart(9)}  ${note}`)
}
