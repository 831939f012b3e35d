import { tmpdir } from 'node:os'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { zipOf } from '../../../../../../tests/harness/zip.ts'
import { withUpload } from './open-upload.ts'
import { openSpool, openSpools } from './spools.ts'

const MIB = 1024 * 1024
const spools = openSpools({ folder: tmpdir(), reservedBytes: 0 })
const note = { name: 'a.md', content: 'Hello.' }

async function* inPieces(bytes: Buffer, pieceBytes = MIB) {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes)
}

/** Returns the fault code of a rejected upload, or the file names of an accepted one. */
async function outcome(bytes: Buffer): Promise<unknown> {
  const coming = { accountId: 'acct_a', upload: { type: 'application/octet-stream', chunks: inPieces(bytes) } }
  return withUpload(spools, coming, async (opened) => ('files' in opened ? opened.files.names : 'one file')).catch(
    (fault: { reason?: string }) => fault.reason,
  )
}

describe('an archive', () => {
  it.each([
    ['leads out of itself', [{ ...note, name: '../a.md' }], 'unsafe_path'],
    ['names the root', [{ ...note, name: '/etc/a.md' }], 'unsafe_path'],
    ['names a drive', [{ ...note, name: 'C:/a.md' }], 'unsafe_path'],
    ['is encrypted', [note, { ...note, name: 'b.md', isEncrypted: true }], 'encrypted_archive'],
    ['is a bomb', [{ name: 'b.md', content: Buffer.alloc(70 * MIB) }], 'archive_too_large'],
    [
      'claims too much',
      Array.from({ length: 20 }, (_, at) => ({ ...note, name: `${at}.md`, bytes: 4 * MIB })),
      'archive_too_large',
    ],
  ])('that %s is rejected before anything is unpacked', async (_, parts, reason) => {
    expect(await outcome(zipOf(parts))).toBe(reason)
  })

  it('of many thousand files is read from its directory', async () => {
    const parts = Array.from({ length: 3_000 }, (_, at) => ({ name: `${at}.md`, content: '' }))
    expect(await outcome(zipOf(parts))).toHaveLength(parts.length)
  })

  it('that is truncated, or a gzip bomb, is rejected', async () => {
    expect(await outcome(zipOf([note]).subarray(0, 40))).toBe('unreadable_archive')
    expect(await outcome(gzipSync('hello').subarray(0, 12))).toBe('unreadable_archive')
    expect(await outcome(gzipSync(Buffer.alloc(70 * MIB)))).toBe('archive_too_large')
  })

  it('is read without its root folder and without macOS metadata', async () => {
    const parts = ['notes/a.md', 'notes/deep/b.md', 'notes/.hidden', '__MACOSX/notes/a.md'].map((name) => ({
      ...note,
      name,
    }))
    expect(await outcome(zipOf(parts))).toEqual(['a.md', 'deep/b.md'])
  })
})

it('a spool returns every range of what was written', async () => {
  const bytes = Buffer.from(Array.from({ length: 200_000 }, (_, at) => at % 251))
  const spool = await openSpool(tmpdir(), inPieces(bytes, 777))
  for (const [from, to] of [
    [0, 10],
    [15, 17],
    [16, 70_000],
    [65_535, 131_073],
    [199_999, 200_000],
  ] as const) {
    const parts: Buffer[] = []
    for await (const part of spool.read(from, to)) parts.push(part as Buffer)
    expect(Buffer.concat(parts).equals(bytes.subarray(from, to))).toBe(true)
  }
  await spool.close()
})
