import { workerData } from 'node:worker_threads'
import type { GuardData } from './document-process.ts'

/**
 * Watches its process from a worker thread, which keeps running while a parser blocks the main thread. Kills the
 * process if its resident memory (heaps, Buffers and native memory) exceeds the limit, or if its parent process has
 * died.
 */
const { residentBytesMax, parentPid } = workerData as GuardData
const CHECK_MS = 20

setInterval(() => {
  if (process.memoryUsage.rss() > residentBytesMax || process.ppid !== parentPid) process.kill(process.pid, 'SIGKILL')
}, CHECK_MS)
