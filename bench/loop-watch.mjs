// Measures how long a process's event loop is blocked during some work: polls /healthz, and reads the longest blocks
// recorded by `loop-probe.mjs`. With PROFILE=on also prints what ran during the longest one.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const POLL_MS = 20
const SHOWN = 12
const isProfiled = process.env.PROFILE === 'on'

/** Column headings of `figures`. */
export const FIGURES = 'healthz   clock processor  seconds'

/** @typedef {{ atMs: number, wallMs: number, cpuMs: number }} Gap */

/** Returns the environment to start a process with, and functions to watch it. */
export function openLoopWatch() {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-loop-'))
  const probe = join(folder, 'probe.json')
  let [url, pid] = ['', 0]
  /** Returns what the probe recorded since the last call. */
  const noted = async () => {
    rmSync(probe, { force: true })
    process.kill(pid, 'SIGUSR2')
    for (;;) {
      await new Promise((resolve) => setTimeout(resolve, POLL_MS))
      try {
        return JSON.parse(readFileSync(probe, 'utf8'))
      } catch (error) {
        if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'ENOENT') throw error
      }
    }
  }
  return {
    env: {
      NODE_OPTIONS: `--import ${fileURLToPath(new URL('./loop-probe.mjs', import.meta.url))}`,
      CAIRN_LOOP_PROBE: probe,
      CAIRN_LOOP_PROFILE: isProfiled ? 'on' : 'off',
    },
    /** @param {{ url: string, pid: number }} cairn */
    watch(cairn) {
      url = cairn.url
      pid = cairn.pid
    },
    /**
     * Runs work and returns the longest latency of /healthz and the longest blocks meanwhile, in milliseconds.
     * @param {() => Promise<void>} work
     */
    async during(work) {
      await noted()
      let healthzMs = 0
      let isOver = false
      const poll = async () => {
        while (!isOver) {
          const from = performance.now()
          await healthz(url)
          healthzMs = Math.max(healthzMs, performance.now() - from)
          await new Promise((resolve) => setTimeout(resolve, POLL_MS))
        }
      }
      const polling = poll()
      const from = performance.now()
      await work().finally(() => {
        isOver = true
      })
      const seconds = (performance.now() - from) / 1000
      await polling
      const { gaps, profile } = /** @type {{ gaps: Gap[], profile?: object }} */ (await noted())
      const most = (/** @type {'wallMs' | 'cpuMs'} */ what) => gaps.reduce((max, gap) => Math.max(max, gap[what]), 0)
      const cpuMs = most('cpuMs')
      const figures = [healthzMs, most('wallMs'), cpuMs].map((ms) => ms.toFixed(0).padStart(8)).join('')
      return {
        healthzMs,
        cpuMs,
        figures: `${figures}  ${seconds.toFixed(1).padStart(7)}`,
        /** Prints what ran during the longest block, if a profile exists. */
        printStretch: () =>
          profile && printBusyStretch(/** @type {Gap} */ (gaps.find((gap) => gap.cpuMs === cpuMs)), profile),
      }
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/**
 * Prints the functions in which the block was spent, with what they called.
 * @param {Gap} stretch
 * @param {any} profile
 */
function printBusyStretch({ atMs, wallMs }, { nodes, samples, timeDeltas, startedMs }) {
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])))
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const spent = new Map()
  let at = startedMs
  for (const [index, id] of samples.entries()) {
    const ms = timeDeltas[index] / 1000
    at += ms
    if (at < atMs || at > atMs + wallMs) continue
    const seen = new Set()
    for (let node = id; node !== undefined; node = parents.get(node)) {
      const { functionName, url, lineNumber } = byId.get(node).callFrame
      seen.add(
        `${functionName || '(anonymous)'} ${url.replace(/^.*\/(?=(?:packages|node_modules)\/)/, '')}:${lineNumber + 1}`,
      )
    }
    for (const place of seen) spent.set(place, (spent.get(place) ?? 0) + ms)
  }
  const slowest = [...spent].sort(([, one], [, other]) => other - one).slice(0, SHOWN)
  for (const [place, ms] of slowest) console.log(`    ${ms.toFixed(0).padStart(6)}  ${place}`)
}

/** @param {string} url */
function healthz(url) {
  return new Promise((resolve, reject) => {
    request(`${url}/healthz`, (reply) => reply.resume().once('end', resolve))
      .once('error', reject)
      .end()
  })
}
