import { expect, it } from 'vitest'
import { readDocument } from '../read-document.ts'

async function textOf(name: string, content: string): Promise<string> {
  const texts: string[] = []
  for await (const item of readDocument({ name, bytes: Buffer.from(content) })) {
    if (item.kind === 'part') texts.push(item.text)
  }
  return texts.join('\n')
}

it('reStructuredText heading levels follow the order of their underlines', async () => {
  const text = await textOf(
    'guide.rst',
    '=====\nGuide\n=====\n\nThe quay.\n\nBerths\n======\n\n.. note::\n\n   Mind the ``rope``.\n' +
      '\nNorth\n-----\n\n* `Rates <https://x.example>`_\n',
  )
  expect(text.match(/^#.*$/gm)).toEqual(['# Guide', '## Berths', '### North'])
  expect(text).toContain('Mind the `rope`.')
  expect(text).toContain('[Rates](https://x.example)')
  expect(text).not.toMatch(/note::|====/)
})

it('AsciiDoc keeps headings, lists and blocks, without attributes', async () => {
  const text = await textOf(
    'guide.adoc',
    '= Guide\n:toc: left\n// unseen\n\nThe quay.\n\n== Berths\n\n[source,sh]\n----\n' +
      'moor --north\n----\n\n* one\n** two\n\n=== North\n\nWest.\n',
  )
  expect(text.match(/^#.*$/gm)).toEqual(['# Guide', '## Berths', '### North'])
  expect(text).toContain('- one\n  - two')
  expect(text).toContain('moor --north')
  expect(text).not.toMatch(/:toc:|unseen|----|\[source/)
})

it('Org headings are read without tags, and the title is used', async () => {
  const text = await textOf(
    'guide.org',
    '#+TITLE: Guide\n#+OPTIONS: toc:nil\n\nThe quay.\n* Berths :work:harbour:\n:PROPERTIES:\n' +
      ':ID: 7\n:END:\nSee [[https://x.example][the rates]].\n** North\nWest.\n',
  )
  expect(text.match(/^#.*$/gm)).toEqual(['# Berths', '## North'])
  expect(text).toContain('[the rates](https://x.example)')
  expect(text).not.toMatch(/PROPERTIES|toc:nil|:work:/)
})

it('rich text has the characters of East Asian code pages, whose bytes can be spread over two tokens', async () => {
  const japanese = "{\\rtf1\\ansi\\ansicpg932 \\'93\\'8c\\'8b\\'9e \\'83\\'41\\'83A ok\\par}"
  expect(await textOf('a.rtf', japanese)).toBe('東京 アア ok')
})

it('rich text that is nested too deeply keeps its state in balance', async () => {
  const deep = 2_000
  const nested = `{\\rtf1 {\\header ${'{'.repeat(deep)}unshown${'}'.repeat(deep)} still unshown}Shown.\\par}`
  expect(await textOf('a.rtf', nested)).toBe('Shown.')
})

it('RTF headings follow the outline level of their paragraphs', async () => {
  const text = await textOf(
    'guide.rtf',
    '{\\rtf1\\ansi{\\stylesheet{\\s1\\outlinelevel0 heading 1;}}' +
      '{\\pard\\outlinelevel0\\b Guide\\par}{\\pard The quay is dry.\\par}' +
      '\\pard\\plain\\s2\\outlinelevel1 Berths\\par\\pard\\plain\\outlinelevel9 North and west.\\par}',
  )
  expect(text).toBe('# Guide\n\nThe quay is dry.\n\n## Berths\n\nNorth and west.')
})
