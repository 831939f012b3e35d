// Ends a fork of the test runner once the runner has exited. Suites share databases that stay open until their process
// ends, so a fork would never end after its runner was killed or abandoned it.
import { isMainThread } from 'node:worker_threads'

const isFork = process.connected && /vitest[\\/]dist[\\/]workers[\\/]/.test(process.argv[1] ?? '')
if (isMainThread && isFork) process.once('disconnect', () => process.exit(1))
