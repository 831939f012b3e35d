import { describe, expect, it } from 'vitest'
import { asking, story } from '../../../../tests/harness/sample-stories.ts'
import { terms } from '../text/terms.ts'
import { readAsked } from '../understand/parts.ts'
import { composeBrief } from './compose-brief.ts'
import { unfaithfulWords } from './faithful.ts'
import { locate } from './locate.ts'

const text = [
  '# Kiln',
  'Kiln bakes pages. A hook is a program that it calls.',
  '## Maintainers',
  '- Ines Aldana (releases)\n- Tobias Frey, TLS;\n- Ruth Ekström',
  '## Use',
  'It runs anywhere. Before every bake, check:\n\n* the oven\n* that nobody edits',
  '## HTTP/2',
  'It needs a certificate. Turn it on like this:\n\n```toml\n[tls]\nhttp2 = true\n```',
  '## Ovens',
  '| Oven | Heat |\n|---|---|\n| Old Bess | 200 |\n| Sprite | 180 |',
  '## Hooks',
  'Programs of others.\n\n- before\n- after',
  '## Next release',
  '- [x] bake in rows\n- [ ] bake by night\n- [ ] a bell',
].join('\n\n')
const records = [
  story('rec_kiln', undefined, { type: 'document', title: 'Kiln', text }),
  story('rec_oven', undefined, { type: 'document', title: 'Heat', text: 'Sprite is heated to 180 degrees by Ruth.' }),
]
const ask = (query: string, maxTokens = 600) =>
  composeBrief(asking(query, records, { terms, asked: readAsked(query, terms, {}), maxTokens }))

it('code with fences of its own stands between longer ones', () => {
  const snippet = 'cat <<E\n  ```toml\n  a = 1\n  ```\nE'
  const own = [{ ...records[0]!, id: 'rec_own', text: `# Notes\n\nHow to write notes:\n\n~~~sh\n${snippet}\n~~~\n` }]
  const query = 'How do I write notes?'
  const { brief } = composeBrief(asking(query, own, { terms, asked: readAsked(query, terms, {}) }))
  expect(brief).toContain(`\n\n\`\`\`\`sh\n${snippet}\n\`\`\`\``)
  const [place] = locate(brief, { text: own[0]!.text!, title: 'Kiln' })
  expect(own[0]!.text!.slice(place!.start, place!.end)).toBe(snippet)
})

describe('what a document has as one thing is told as one', () => {
  it.each([
    ['Who are the maintainers?', 'Maintainers: Ines Aldana (releases); Tobias Frey, TLS; Ruth Ekström (Kiln).'],
    ['What do I check before every bake?', 'Before every bake, check: the oven; that nobody edits (Kiln).'],
    ['Which ovens do we have?', 'Ovens: Old Bess; Sprite (Kiln).'],
    ['How do I turn on HTTP/2?', 'Turn it on like this (Kiln):\n\n```toml\n[tls]\nhttp2 = true\n```'],
    ['What is open for the next release?', 'Next release: bake by night; a bell (Kiln).'],
  ])('%s', (query, told) => {
    const brief = ask(query)
    expect(brief.brief).toBe(told)
    expect(brief.statements).toEqual([{ text: told, recordIds: ['rec_kiln'] }])
    expect(unfaithfulWords(brief, records)).toEqual([])
  })

  it('where no statement says as much: a definition, a row and one item are told by themselves', () => {
    expect(ask('What is a hook?').brief).toMatch(/^A hook is a program that it calls/)
    expect(ask('How hot is Old Bess?').brief).toMatch(/Old Bess: Heat 200/)
    expect(ask('Which maintainer cares for TLS?').brief).toMatch(/^Maintainers: Tobias Frey, TLS\./)
  })

  it('only where it fits', () => {
    expect(ask('Who are the maintainers?', 15).brief).not.toContain('Ruth')
  })

  it('and cited item by item, or as the code that it is', () => {
    const places = (query: string) =>
      locate(ask(query).brief, { text, title: 'Kiln' }).map(({ start, end }) => text.slice(start, end))
    expect(places('Who are the maintainers?')).toEqual(['Ines Aldana (releases)', 'Tobias Frey, TLS;', 'Ruth Ekström'])
    expect(places('How do I turn on HTTP/2?')).toEqual(['[tls]\nhttp2 = true'])
  })
})
