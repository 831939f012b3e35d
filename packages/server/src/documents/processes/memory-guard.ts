import { workerData } from 'node:worker_threads'
import type { Guarded } from './document-process.ts'

/**
 * Watches its own process from a thread, which runs also while a parser blocks the process. Kills the process when its
 * resident memory exceeds the limit: heaps, Buffers and native memory count alike. Also kills it when its parent died.
 */
const { residentBytesMax, parentPid } = workerData as Guarded
const LOOK_MS = 20

setInterval(() => {
  if (process.memoryUsage.rss() > residentBytesMax || process.ppid !== parentPid) process.kill(process.pid, 'SIGKILL')
}, LOOK_MS)
