// Lets threads and processes that a test starts load TypeScript sources. The test's own thread uses Vite for that.
import { register } from 'node:module'
import { isMainThread } from 'node:worker_threads'

if (!isMainThread || process.argv[1]?.endsWith('.ts')) register('./source-hooks.mjs', import.meta.url)
