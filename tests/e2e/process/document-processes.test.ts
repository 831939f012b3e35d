import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, it } from 'vitest'
import type { DocumentFile, DocumentItem } from '../../../packages/server/src/documents/document.ts'
import {
  type DocumentReaders,
  openDocumentReaders,
  type ReadingLimits,
} from '../../../packages/server/src/documents/processes/open-document-readers.ts'
import { zipOf } from '../../harness/zip.ts'
import { flatePdf, formsPdf } from '../../hostile-documents/generate.mjs'

const MIB = 1024 * 1024
/** Memory limit that suffices for the program itself and small documents. */
const RESIDENT_BYTES = 256 * MIB
/** Timeout for any step that ends, even on a slow machine. */
const STEP_MS = 600_000
const LIMITS: ReadingLimits = { processes: 4, working: 4, residentBytes: RESIDENT_BYTES, stepMs: STEP_MS }

const opened: DocumentReaders[] = []
function open(limits: Partial<ReadingLimits> = {}): DocumentReaders {
  const readers = openDocumentReaders({ ...LIMITS, ...limits })
  opened.push(readers)
  return readers
}
afterEach(() => {
  for (const readers of opened.splice(0)) readers.close()
})

const page = (said: string) => Buffer.from(`<html><body><p>${said}</p></body></html>`)
const note: DocumentFile = { name: 'note.html', bytes: page('The quay is dry.') }
const hungry: DocumentFile = { name: 'hungry.pdf', bytes: flatePdf(300, 3) }
/** Nested PDF forms that include each other ten times on twelve levels, so parsing practically never ends. */
const endless: DocumentFile = { name: 'endless.pdf', bytes: formsPdf(12) }

async function read(readers: DocumentReaders, file: DocumentFile, accountId = 'account'): Promise<DocumentItem[]> {
  const items: DocumentItem[] = []
  for await (const item of readers.open(accountId).read(file)) items.push(item)
  return items
}
const refusal = (readers: DocumentReaders, file: DocumentFile) =>
  read(readers, file).then(
    () => 'read',
    ({ reason, detail }: { reason: string; detail: string }) => `${reason}: ${detail}`,
  )
const texts = (items: readonly DocumentItem[]) => items.flatMap((item) => (item.kind === 'part' ? [item.text] : []))

describe('a file that', () => {
  it('crashes V8 is rejected, and the next one is parsed', async () => {
    const readers = open()
    const lines = { name: 'lines.rst', bytes: gzipSync(Buffer.alloc(60 * MIB, '\n')) }
    const [head, left] = await read(readers, lines)
    expect(head).toMatchObject({ kind: 'head', format: 'gzip' })
    expect(left).toMatchObject({ kind: 'left_out', within: ['lines.rst'], reason: 'took_too_much' })
    const deep = await refusal(readers, { name: 'deep.yaml', bytes: Buffer.from('['.repeat(4_000)) })
    expect(deep).toBe('read')
    expect(texts(await read(readers, note))).toEqual(['The quay is dry.'])
  })

  it('does not end is rejected with the limit', async () => {
    const readers = open({ stepMs: 1_000 })
    expect(await refusal(readers, endless)).toMatch(/^took_too_long: .* 1 seconds/)
  })

  it('fails within an archive is skipped: those before and after it are parsed once', async () => {
    const deep = zipOf([
      { name: 'one.html', content: page('One.') },
      { name: 'hungry.pdf', content: Buffer.from(hungry.bytes) },
      { name: 'two.html', content: page('Two.') },
      { name: 'hungry too.pdf', content: Buffer.from(hungry.bytes) },
    ])
    const archive = zipOf([
      { name: 'first.html', content: page('First.') },
      { name: 'deep.zip', content: deep },
      { name: 'last.html', content: page('Last.') },
    ])
    const items = await read(open(), { name: 'archive.zip', bytes: archive })
    expect(texts(items)).toEqual(['First.', 'One.', 'Two.', 'Last.'])
    const left = items.filter((item) => item.kind === 'left_out')
    expect(left.map(({ within, reason }) => [within.at(-1), reason])).toEqual([
      ['hungry.pdf', 'took_too_much'],
      ['hungry too.pdf', 'took_too_much'],
    ])
  })
})

it('an endless file delays no other account', async () => {
  const readers = open({ processes: 2, working: 2 })
  const slow = read(readers, endless, 'slow').catch(() => [])
  const alsoSlow = read(readers, endless, 'slow').catch(() => [])
  expect(texts(await read(readers, note, 'other'))).toEqual(['The quay is dry.'])
  readers.close()
  await Promise.all([slow, alsoSlow])
})

it('a parser process ends with the service, even while it is busy', async () => {
  const service = fork(fileURLToPath(new URL('../../harness/reading-parent.ts', import.meta.url)), {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    serialization: 'advanced',
  })
  service.send({ endless: endless.bytes, residentBytes: RESIDENT_BYTES })
  const [pid] = (await once(service, 'message')) as [number]
  expect(isAlive(pid)).toBe(true)
  service.kill('SIGKILL')
  while (isAlive(pid)) await sleep(20)
})

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
