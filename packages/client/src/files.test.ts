import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Parser } from 'tar'
import { expect, it } from 'vitest'
import { openPath } from './files.ts'

const LONG = `${'long name '.repeat(15)}ü.md`

/** Reads the files of a tar with an independent parser. */
async function filesOf(content: () => AsyncIterable<Uint8Array>): Promise<Record<string, string>> {
  const files: Record<string, string> = {}
  const parser = new Parser({
    onReadEntry: (entry) => {
      files[entry.path] = ''
      entry.on('data', (chunk: Buffer) => {
        files[entry.path] += String(chunk)
      })
    },
  })
  for await (const part of content()) parser.write(Buffer.from(part))
  parser.end()
  return files
}

it('a folder becomes one standard tar without hidden files, packages and links', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-client-'))
  try {
    for (const name of ['deep', 'node_modules', '.git']) mkdirSync(join(folder, name))
    for (const name of ['a.md', 'deep/b.txt', `deep/${LONG}`, 'node_modules/c.md', '.git/d.md', '.e.md']) {
      writeFileSync(join(folder, name), `This is ${name}.`)
    }
    symlinkSync('/etc/passwd', join(folder, 'link.md'))
    const { content, content_type: type, source_name: name } = await openPath(folder)
    expect([type, name]).toEqual(['application/x-tar', folder])
    expect(await filesOf(content as () => AsyncIterable<Uint8Array>)).toEqual({
      'a.md': 'This is a.md.',
      'deep/b.txt': 'This is deep/b.txt.',
      [`deep/${LONG}`]: `This is deep/${LONG}.`,
    })
    const one = await openPath(pathToFileURL(join(folder, 'a.md')))
    expect(one.source_name).toBe(folder)
    expect(Object.keys(await filesOf(one.content as () => AsyncIterable<Uint8Array>))).toEqual(['a.md'])
    await expect(openPath(join(folder, 'nothing'))).rejects.toThrow('does not exist')
  } finally {
    rmSync(folder, { recursive: true })
  }
})
