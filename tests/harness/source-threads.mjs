// Lets a thread or a process that a test starts load the sources as they are; the tests' own thread has Vite for that.
import { register } from 'node:module'
import { isMainThread } from 'node:worker_threads'

if (!isMainThread || process.argv[1]?.endsWith('.ts')) register('./source-hooks.mjs', import.meta.url)
