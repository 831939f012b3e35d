// Ends a fork of the test runner once the runner is gone: the databases that suites share are open until their process
// ends, so that a fork whose runner was killed, or has given it up, would never end.
import { isMainThread } from 'node:worker_threads'

const isFork = process.connected && /vitest[\\/]dist[\\/]workers[\\/]/.test(process.argv[1] ?? '')
if (isMainThread && isFork) process.once('disconnect', () => process.exit(1))
