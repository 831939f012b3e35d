import type { Job } from '@cairnstore/contract'
import { printable } from '../output.ts'
import { duration } from '../progress.ts'
import type { LeftOut } from './files-in.ts'
import { WHAT_IS_READ } from './kinds.ts'

/** What came of bringing things in. */
export interface Added {
  received: number
  written: number
  unchanged: number
  removed: number
  failed: number
  left_out: LeftOut[]
  jobs: Job[]
}

/** Files of one kind that are named; of more the number is told. */
const NAMED_MAX = 20

/** The same for people: what is known now, what was left out by kind, and why. */
export function reportOf(added: Added, tookMs: number): string {
  const { written, unchanged, removed, failed, jobs, left_out: leftOut } = added
  const gone = removed > 0 ? `, ${count(removed, 'record')} removed` : ''
  const lines = [`${count(written, 'record')} written, ${unchanged} unchanged${gone}, in ${duration(tookMs)}.`]
  for (const { job_id: id, status, error_message: why } of jobs) {
    if (status !== 'completed') lines.push(`Job ${id} is ${status}: ${why ?? 'the service does not say why'}`)
  }
  const kinds = new Map<string, LeftOut[]>()
  for (const each of leftOut) {
    const key = `${each.kind}\n${each.detail}`
    kinds.set(key, [...(kinds.get(key) ?? []), each])
  }
  const named = jobs.reduce((sum, { result }) => sum + (result?.errors?.length ?? 0), 0)
  const inAll = leftOut.length + failed - named
  if (inAll > 0) lines.push(`Left out: ${inAll}`)
  for (const of of kinds.values()) {
    const [{ kind, detail }] = of as [LeftOut]
    lines.push(`  ${kind || 'no ending'} (${of.length}): ${detail}`)
    lines.push(...of.slice(0, NAMED_MAX).map(({ file }) => `    ${file}`))
    if (of.length > NAMED_MAX) lines.push(`    and ${of.length - NAMED_MAX} more; --json names all of them`)
  }
  if (failed > named) lines.push(`  ${failed - named} more, which the service counts and does not name`)
  if (leftOut.some(({ reason }) => reason === 'unsupported_file')) lines.push(`Read are ${WHAT_IS_READ}.`)
  return `${lines.map(printable).join('\n')}\n`
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}
