/** Lets other work in during a long computation: call it often, and it waits only when its slice of time is over. */
export function createBreath(sliceMs: number): () => Promise<void> | undefined {
  let until = performance.now() + sliceMs
  return () => {
    if (performance.now() < until) return undefined
    return new Promise((resolve) =>
      setImmediate(() => {
        until = performance.now() + sliceMs
        resolve()
      }),
    )
  }
}
