import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const EVERY_MS = 10

/** Runs `work` under continuous garbage collection, so that unreferenced objects disappear before they are needed. */
export async function whileCollecting<T>(work: () => Promise<T>): Promise<T> {
  setFlagsFromString('--expose-gc')
  const collecting = setInterval(runInNewContext('gc') as () => void, EVERY_MS)
  try {
    return await work()
  } finally {
    clearInterval(collecting)
  }
}
