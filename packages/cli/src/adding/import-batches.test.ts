import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { duration, progressLine, size } from '../progress.ts'
import { embeddingReport, reportOf } from './add.ts'
import { findFiles } from './find-files.ts'
import { importBatchesOf } from './import-batches.ts'

let place: string
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'cairn-add-'))
})
afterEach(() => rmSync(place, { recursive: true, force: true }))

function write(...names: string[]): void {
  for (const name of names) {
    mkdirSync(dirname(join(place, name)), { recursive: true })
    writeFileSync(join(place, name), name)
  }
}

it('files of a folder are sorted by kind, and each skipped file is listed with its reason', async () => {
  write(
    'b.md',
    'deep/a.TXT',
    'mail.eml',
    'all.mbox',
    'old.zip',
    'm.json',
    'l.jsonl',
    'plan.pdf',
    'README',
    '.git/config',
  )
  symlinkSync(join(place, 'b.md'), join(place, 'link.md'))
  const finding = await findFiles(place)
  expect(finding.leftOut.map(({ file, kind, reason }) => [file, kind, reason])).toEqual([
    ['link.md', 'link', 'is_link'],
  ])
  expect(finding.ignored).toEqual(['.git'])
  const sent = importBatchesOf(finding).map(({ files, format, content }) => [
    files.map(({ path }) => path),
    format,
    content.type,
  ])
  expect(sent).toEqual([
    [['README', 'b.md', 'deep/a.TXT', 'mail.eml', 'plan.pdf'], 'documents', 'application/x-tar'],
    [['all.mbox'], 'mbox', 'application/x-tar'],
    [['l.jsonl'], undefined, 'application/x-ndjson'],
    [['m.json'], undefined, 'application/octet-stream'],
    [['old.zip'], undefined, 'application/octet-stream'],
  ])
})

it('two folders or archives never share a source, and a single file goes to the source of its folder', async () => {
  write('one/README.md', 'two/README.md', 'one/a.zip', 'one/b.zip')
  const names = async (path: string) =>
    importBatchesOf(await findFiles(join(place, path))).map((each) => each.sourceName)
  const [one, ...archives] = await names('one')
  expect(await names('one/README.md')).toEqual([one])
  expect(await names('two')).not.toContain(one)
  expect(new Set([one, ...archives]).size).toBe(3)
})

it('an unpacked Slack export is sent as one import', async () => {
  write('users.json', 'channels.json', 'general/2026-01-01.json')
  const [parcel, ...others] = importBatchesOf(await findFiles(place))
  expect([parcel?.format, parcel?.files.length, others]).toEqual(['slack', 3, []])
})

it('a file with a name that is not UTF-8 is skipped, and a compressed file is sent under its own name', async () => {
  write('a.md', 'note.txt.gz', 'old.tar.gz')
  writeFileSync(Buffer.concat([Buffer.from(`${place}/`), Buffer.from('b\xff.md', 'latin1')]), 'Walrus.')
  const finding = await findFiles(place)
  expect(finding.files.map(({ path }) => path)).toEqual(['a.md', 'note.txt.gz', 'old.tar.gz'])
  expect(finding.leftOut).toMatchObject([{ file: 'b\ufffd.md', reason: 'is_gone' }])
  expect(importBatchesOf(finding).map(({ path }) => path)).toEqual([undefined, 'note.txt', undefined])
})

it('progress shows amount, rate and remaining time', () => {
  const standing = { doing: 'Taking in', total: 1000, shown: String }
  expect(progressLine({ ...standing, done: 250, elapsedMs: 5000 })).toBe('Taking in: 250 of 1000, 50/s, 15 s left')
  expect(progressLine({ ...standing, done: 0, elapsedMs: 5000 })).toBe('Taking in: 0 of 1000')
  expect(progressLine({ ...standing, total: undefined, done: 0, elapsedMs: 61_000 })).toBe('Taking in, 1 min 1 s')
  expect([duration(7_260_000), size(1536), size(12)]).toEqual(['2 h 1 min', '1.5 KiB', '12 B'])
})

it('a report lists skipped files by kind, and counts those that the service does not name', () => {
  const counts = { received: 5, written: 2, unchanged: 1, removed: 0, failed: 2 }
  const leftOut = { file: 'a\u001b.pdf', kind: '.pdf', reason: 'unsupported_file', detail: 'Not read.' }
  const report = reportOf({ ...counts, left_out: [leftOut], jobs: [] }, 1000)
  expect(report).toMatch(
    /^2 records written, 1 unchanged, in 1 s\.\nLeft out: 3\n {2}\.pdf \(1\): Not read\.\n {4}a\\u001b\.pdf\n/,
  )
  expect(report).toContain('2 more that the service did not list')
})

it('embedding that continues after the import is reported separately', () => {
  expect(embeddingReport({ done: 0, waiting: 0 }, 1000)).toBe('')
  expect(embeddingReport({ done: 1, waiting: 0 }, 11_000)).toBe(
    'All records are embedded for semantic search, after 11 s in total.\n',
  )
  expect(embeddingReport({ done: 5, waiting: 7 }, 60_000)).toMatch(
    /^You can ask now; .* 7 records are not embedded yet/,
  )
})
