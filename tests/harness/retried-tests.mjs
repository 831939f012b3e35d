// Reporter that lists tests that passed only after a retry. On the first day such a test is recorded in
// tests/retried.json, which is committed. A test recorded on an earlier day fails the run; fixing it includes removing
// its line.
import { readFileSync, writeFileSync } from 'node:fs'

const KEPT = new URL('../retried.json', import.meta.url)
const DAY_CHARS = 'YYYY-MM-DD'.length

/**
 * Adds retried tests to the recorded ones with today's date. Also returns those recorded before today.
 * @param {readonly string[]} retried @param {Readonly<Record<string, string>>} noted @param {string} today
 */
export function judgeRetried(retried, noted, today) {
  const added = retried.filter((name) => noted[name] === undefined).map((name) => [name, today])
  return {
    noted: { ...noted, ...Object.fromEntries(added) },
    again: retried.filter((name) => noted[name] !== undefined && noted[name] < today),
  }
}

export class RetriedTests {
  /** @type {string[]} */
  retried = []

  /** @param {import('vitest/node').TestCase} test */
  onTestCaseResult(test) {
    if (test.diagnostic()?.flaky) this.retried.push(`${test.module.relativeModuleId} > ${test.fullName}`)
  }

  onTestRunEnd() {
    if (this.retried.length === 0) return
    const today = new Date().toISOString().slice(0, DAY_CHARS)
    const { noted, again } = judgeRetried(this.retried, JSON.parse(readFileSync(KEPT, 'utf8')), today)
    writeFileSync(KEPT, `${JSON.stringify(noted, null, 2)}\n`)
    for (const name of this.retried) console.log(`retried: ${name}`)
    for (const name of again) console.log(`retried on an earlier day too, so the run fails: ${name} (${noted[name]})`)
    if (again.length > 0) process.exitCode = 1
  }
}
