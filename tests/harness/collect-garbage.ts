import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const EVERY_MS = 10

/** Works while garbage is collected all the time, so that what nothing holds is gone before it is needed. */
export async function whileCollecting<T>(work: () => Promise<T>): Promise<T> {
  setFlagsFromString('--expose-gc')
  const collecting = setInterval(runInNewContext('gc') as () => void, EVERY_MS)
  try {
    return await work()
  } finally {
    clearInterval(collecting)
  }
}
