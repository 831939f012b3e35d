import type { Clock } from '../../base/clock.ts'

/** What a subject may still do in the last minute's window. */
export interface WindowState {
  readonly granted: boolean
  readonly remaining: number
  /** Seconds until the window allows more. */
  readonly resetSeconds: number
}

interface Window {
  /** Events of each second, at the second's place in a ring. */
  counts: Uint32Array
  total: number
  second: number
}

/** A minute, and the second that is not over: an event counts until it is at least 60 seconds old. */
const SECONDS = 61
const MS_PER_SECOND = 1000
/** Subjects watched at once; the one that was quiet longest is forgotten first. */
const SUBJECTS_MAX = 100_000

/**
 * Counts events of this process by subject in windows that slide by the second, so that no 60 seconds see more than
 * the limit, however they lie.
 */
export function openSlidingWindows(clock: Clock): (subject: string, limit: number) => WindowState {
  const windows = new Map<string, Window>()
  return (subject, limit) => {
    const second = Math.floor(clock.now().getTime() / MS_PER_SECOND)
    const window = windows.get(subject) ?? { counts: new Uint32Array(SECONDS), total: 0, second }
    windows.delete(subject)
    windows.set(subject, window)
    if (windows.size > SUBJECTS_MAX) windows.delete(windows.keys().next().value as string)
    slide(window, second)
    const granted = window.total < limit
    if (granted) {
      const at = second % SECONDS
      window.counts[at] = (window.counts[at] ?? 0) + 1
      window.total += 1
    }
    return { granted, remaining: Math.max(0, limit - window.total), resetSeconds: secondsToFree(window, limit) }
  }
}

function slide(window: Window, second: number): void {
  // A clock that was set back starts the window anew.
  const passed = second < window.second ? SECONDS : Math.min(SECONDS, second - window.second)
  for (let step = 1; step <= passed; step += 1) {
    const at = (second - passed + step) % SECONDS
    window.total -= window.counts[at] ?? 0
    window.counts[at] = 0
  }
  window.second = second
}

/** How long until enough events have left the window for one more. */
function secondsToFree(window: Window, limit: number): number {
  let left = window.total
  for (let seconds = 0; seconds < SECONDS; seconds += 1) {
    if (left < limit) return seconds
    left -= window.counts[(window.second + 1 + seconds) % SECONDS] ?? 0
  }
  return SECONDS
}
