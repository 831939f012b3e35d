import type { Subject } from './population.ts'

/** Subjects sorted in one step: a millisecond or two. */
const RUN_SUBJECTS = 500

/** The subjects sorted by what they say, a run at a time, so that no single step takes long. */
export function* inOrder(given: readonly Subject[]): Generator<undefined, Subject[]> {
  let runs: { subject: Subject; text: string }[][] = []
  for (let at = 0; at < given.length; at += RUN_SUBJECTS) {
    const run = given.slice(at, at + RUN_SUBJECTS).map((subject) => {
      const { id, source, names, properties } = subject
      return { subject, text: JSON.stringify([names, Object.entries(properties).sort(), source, id]) }
    })
    runs.push(run.sort((one, other) => (one.text < other.text ? -1 : 1)))
    yield
  }
  while (runs.length > 1) {
    const merged: typeof runs = []
    for (let at = 0; at < runs.length; at += 2) merged.push(yield* mergedRuns(runs[at]!, runs[at + 1] ?? []))
    runs = merged
  }
  return (runs[0] ?? []).map(({ subject }) => subject)
}

function* mergedRuns<T extends { text: string }>(one: T[], other: T[]): Generator<undefined, T[]> {
  const merged: T[] = []
  for (let i = 0, j = 0; i < one.length || j < other.length; ) {
    const isFirst = j >= other.length || (i < one.length && one[i]!.text <= other[j]!.text)
    merged.push(isFirst ? one[i++]! : other[j++]!)
    if (merged.length % RUN_SUBJECTS === 0) yield
  }
  return merged
}
