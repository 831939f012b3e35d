import { type Cairn, FailedJobError, type Job } from '@cairnstore/client'
import { useSyncExternalStore } from 'react'
import { sentenceOf } from '../app/sentence-of.ts'
import { onLeaving } from '../app/session.ts'
import { t } from '../language/language.ts'
import { recordsOf } from '../parts/format.ts'
import { type DroppedFile, isIgnored } from './dropped-files.ts'

/** State of a file in the list. */
export type FileState = 'waiting' | 'reading' | 'added' | 'unchanged' | 'left out'

/** A line of the list: a file and its state. */
export interface AddedFile {
  id: number
  path: string
  fate: FileState
  /** Result of the upload, or the reason why the file was skipped. */
  said: string
}

/** Source and project that files are added to. */
export interface Target {
  source_name: string
  project_id?: string
}

/** Number of concurrent uploads. More would not help, because the service reads files one after the other. */
const CONCURRENT_UPLOADS = 2

let lines: readonly AddedFile[] = []
let lastId = 0
const waiting: { id: number; dropped: DroppedFile; target: Target; cairn: Cairn }[] = []
let activeUploads = 0
const listeners = new Set<() => void>()

function change(next: readonly AddedFile[]): void {
  lines = next
  for (const listener of listeners) listener()
}

function changeLine(id: number, changed: Partial<AddedFile>): void {
  change(lines.map((line) => (line.id === id ? { ...line, ...changed } : line)))
}

/** Returns the current lines. Uploads continue while another page is shown. */
export function useLines(): readonly AddedFile[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => lines,
  )
}

onLeaving((isSameKey) => {
  if (isSameKey) return
  waiting.length = 0
  change([])
})

/** Adds a line for each file, and starts the uploads for which there is a free slot. */
export function addFiles(cairn: Cairn, files: readonly DroppedFile[], target: Target): void {
  const added = files.map((dropped) => {
    lastId += 1
    if (isIgnored(dropped.path)) return lineOf(dropped, 'left out', t('hidden, or part of an installed package'))
    if (dropped.file.size === 0) return lineOf(dropped, 'left out', t('empty'))
    waiting.push({ id: lastId, dropped, target, cairn })
    return lineOf(dropped, 'waiting', '')
  })
  change([...lines, ...added])
  while (activeUploads < CONCURRENT_UPLOADS && waiting.length > 0) void work()
}

function lineOf({ path }: DroppedFile, fate: FileState, said: string): AddedFile {
  return { id: lastId, path, fate, said }
}

async function work(): Promise<void> {
  activeUploads += 1
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    const { id, dropped, target, cairn } = next
    changeLine(id, { fate: 'reading' })
    try {
      // The client identifies a file by its name. The path as name distinguishes files of the same name in a folder.
      const named = Object.assign(dropped.file.slice(0, dropped.file.size, dropped.file.type), { name: dropped.path })
      changeLine(id, outcomeOf(await cairn.add(named, target)))
    } catch (error) {
      const job = error instanceof FailedJobError ? error.job : undefined
      changeLine(id, { fate: 'left out', said: job ? reasonOf(job) : sentenceOf(error) })
    }
  }
  activeUploads -= 1
}

function outcomeOf(job: Job): Pick<AddedFile, 'fate' | 'said'> {
  const { written = 0, unchanged = 0, failed = 0 } = job.result ?? {}
  const rest = failed > 0 ? `; ${t('{n} left out', { n: failed })}: ${reasonOf(job)}` : ''
  if (written > 0) return { fate: 'added', said: recordsOf(written) + rest }
  if (unchanged > 0) return { fate: 'unchanged', said: `${t('no change since the last import')}${rest}` }
  return { fate: 'left out', said: reasonOf(job) }
}

function reasonOf({ error_message: message, result }: Job): string {
  return message ?? result?.errors?.[0]?.detail ?? t('no readable content')
}
