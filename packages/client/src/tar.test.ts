import { Parser } from 'tar'
import { expect, it } from 'vitest'
import { tarOf } from './tar.ts'

async function* twelve() {
  yield new TextEncoder().encode('twelve ')
  yield new TextEncoder().encode('bytes')
}

it('a tar has every file under its whole path and with its announced length', async () => {
  const deep = `${'a-long-folder/'.repeat(20)}notes.md`
  const file = (path: string, bytes: number) => ({ path, bytes, open: twelve })
  const files = [
    file('notes.md', 12),
    file(deep, 12),
    file('Übergabe für Zoë.md', 12),
    file('grew.md', 6),
    file('shrank.md', 14),
    { ...file('empty.md', 0), open: async function* () {} },
  ]
  const read: Record<string, string> = {}
  const parser = new Parser({
    strict: true,
    onReadEntry: (entry) => {
      read[entry.path] = ''
      entry.on('data', (part: Buffer) => {
        read[entry.path] += String(part)
      })
    },
  })
  for await (const part of tarOf(files)) parser.write(Buffer.from(part))
  parser.end()
  expect(read).toEqual({
    'notes.md': 'twelve bytes',
    [deep]: 'twelve bytes',
    'Übergabe für Zoë.md': 'twelve bytes',
    'grew.md': 'twelve',
    'shrank.md': 'twelve bytes\0\0',
    'empty.md': '',
  })
})
