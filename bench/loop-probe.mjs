// Preloaded into a server process (`--import`): records the longest times that its event loop was blocked. SIGUSR2
// writes what was recorded since the last signal to CAIRN_LOOP_PROBE and, with CAIRN_LOOP_PROFILE=on, a CPU profile of
// that time.
import { closeSync, openSync, readSync, renameSync, writeFileSync } from 'node:fs'
import { Session } from 'node:inspector'
import { isMainThread } from 'node:worker_threads'

const EVERY_MS = 5
const SAMPLE_US = 500
const NS_PER_MS = 1e6
const KEPT = 20

if (isMainThread && process.env.CAIRN_LOOP_PROBE) watch(process.env.CAIRN_LOOP_PROBE)

/** @param {string} path */
function watch(path) {
  const schedule = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r')
  const buffer = Buffer.alloc(128)
  /**
   * Returns the CPU time of the event loop thread. Unlike wall time, other load on the machine does not increase it.
   */
  const cpuMs = () =>
    Number(buffer.toString('latin1', 0, readSync(schedule, buffer, 0, 128, 0)).split(' ')[0]) / NS_PER_MS
  /** @type {{ atMs: number, wallMs: number, cpuMs: number }[]} */
  let gaps = []
  let [wall, cpu] = [performance.now(), cpuMs()]
  setInterval(() => {
    const [nowWall, nowCpu] = [performance.now(), cpuMs()]
    gaps.push({ atMs: wall, wallMs: nowWall - wall, cpuMs: nowCpu - cpu })
    if (gaps.length > 4 * KEPT) gaps = longest()
    ;[wall, cpu] = [nowWall, nowCpu]
  }, EVERY_MS).unref()
  const longest = () => {
    const by = (/** @type {'wallMs' | 'cpuMs'} */ what) =>
      gaps.toSorted((one, other) => other[what] - one[what]).slice(0, KEPT)
    return [...new Set([...by('cpuMs'), ...by('wallMs')])]
  }
  const profile = process.env.CAIRN_LOOP_PROFILE === 'on' ? profiler() : undefined
  process.on('SIGUSR2', async () => {
    const noted = { gaps: longest(), offsetMs: performance.timeOrigin, profile: await profile?.() }
    gaps = []
    // Exclude the time spent in this probe.
    ;[wall, cpu] = [performance.now(), cpuMs()]
    writeFileSync(`${path}.new`, JSON.stringify(noted))
    renameSync(`${path}.new`, path)
  })
  process.once('exit', () => closeSync(schedule))
}

/** Starts a profiler. Each call returns the profile since the last one and starts the next. */
function profiler() {
  const session = new Session()
  session.connect()
  session.post('Profiler.enable')
  session.post('Profiler.setSamplingInterval', { interval: SAMPLE_US })
  let startedMs = 0
  const start = () => {
    startedMs = performance.now()
    session.post('Profiler.start')
  }
  start()
  return () =>
    new Promise((resolve) => {
      session.post('Profiler.stop', (_, { profile }) => {
        resolve({ ...profile, startedMs })
        start()
      })
    })
}
