import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Parser } from 'tar'
import { expect, test } from 'vitest'
import { tarOf } from './tar-of.ts'

test('a tar holds every file under its whole path, as long as it was said to be', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'cairn-tar-'))
  const from = join(folder, 'file')
  await writeFile(from, 'twelve bytes')
  const deep = `${'a-long-folder/'.repeat(20)}notes.md`
  const files = [
    { path: 'notes.md', from, bytes: 12 },
    { path: deep, from, bytes: 12 },
    { path: 'Übergabe für Zoë.md', from, bytes: 12 },
    { path: 'grew.md', from, bytes: 6 },
    { path: 'shrank.md', from, bytes: 14 },
    { path: 'empty.md', from, bytes: 0 },
  ]
  const read = new Map<string, string>()
  const parser = new Parser({ strict: true })
  parser.on('entry', (entry) => {
    read.set(entry.path, '')
    entry.on('data', (part: Buffer) => read.set(entry.path, `${read.get(entry.path)}${part}`))
  })
  await pipeline(Readable.from(tarOf(files)), parser as unknown as NodeJS.WritableStream)
  await rm(folder, { recursive: true })
  expect([...read]).toEqual([
    ['notes.md', 'twelve bytes'],
    [deep, 'twelve bytes'],
    ['Übergabe für Zoë.md', 'twelve bytes'],
    ['grew.md', 'twelve'],
    ['shrank.md', 'twelve bytes\0\0'],
    ['empty.md', ''],
  ])
})
