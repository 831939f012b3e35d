/** Waits for a turn; what is given ends it. */
export type TakeTurn = () => Promise<() => void>

/** Threads of one process that read at once. */
const AT_ONCE_MAX = 4

/** Turns in the order in which they are asked for: each is for some pages or rows, so that none waits long. */
export function openReadingTurns(atOnceMax = AT_ONCE_MAX): TakeTurn {
  const waiting: (() => void)[] = []
  let taken = 0
  const end = () => {
    const next = waiting.shift()
    if (next) next()
    else taken -= 1
  }
  return async () => {
    if (taken < atOnceMax) taken += 1
    else await new Promise<void>((resolve) => waiting.push(resolve))
    let isOver = false
    return () => {
      if (!isOver) end()
      isOver = true
    }
  }
}
