import { expect, it } from 'vitest'
import { newSandbox, onEachApp, putRecords } from '../harness/test-app.ts'

const TEXT = [
  '# Harbour',
  '',
  'The harbour was built in 1901 by the town.',
  '',
  '## Limits',
  '',
  'The gate of the harbour takes **ten lorries** an hour.',
].join('\n')

interface Spanned {
  text?: string
  spans?: { record_id: string; start: number; end: number; locator?: string }[]
}

onEachApp((app) => {
  it('statements and citations have the span in their records, and the location in the document', async () => {
    const { call } = await app().newAccount()
    const sandbox = await newSandbox(call)
    const paged = `${TEXT}\n\nThe crane of the harbour lifts forty tonnes.`
    await putRecords(call, sandbox, [
      { external_id: 'd1', type: 'document', title: 'Harbour', text: TEXT },
      {
        external_id: 'd2',
        type: 'document',
        title: 'Crane',
        text: paged,
        locators: [
          { start: 0, locator: 'p. 1' },
          { start: TEXT.length, locator: 'p. 2' },
        ],
      },
    ])
    const ask = async (query: string, more: object = { statements: true }) =>
      (await call('POST', `${sandbox.query}/search`, { query, ...more })).body as {
        statements?: Spanned[]
        citations: Spanned[]
      }
    const answer = await ask('How many lorries does the gate of the harbour take?')
    const statement = answer.statements?.find(({ text }) => text?.includes('ten lorries'))
    const said = 'The gate of the harbour takes **ten lorries** an hour.'
    const start = TEXT.indexOf(said)
    const span = statement?.spans?.find((each) => each.start === start)
    const { body: record } = await call('GET', `${sandbox.storage}/records/${span?.record_id}`)
    expect(record.text.slice(span?.start, span?.end)).toBe(said)
    expect(answer.citations.some(({ spans = [] }) => spans.some((each) => each.start === start))).toBe(true)
    const crane = (await ask('What does the crane of the harbour lift?')).statements?.flatMap(({ spans = [] }) => spans)
    expect(crane?.map(({ locator }) => locator)).toContain('p. 2')
    const plain = await ask('How many lorries does the gate of the harbour take?', {})
    expect(plain).not.toHaveProperty('statements')
    const spans = plain.citations.flatMap((citation) => citation.spans ?? [])
    expect(spans.map(({ locator }) => locator)).toContain('#limits')
  })
})
