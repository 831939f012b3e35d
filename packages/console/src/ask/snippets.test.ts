import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { SNIPPET_KINDS, snippetOf } from './snippets.ts'

const ASKED = { url: 'http://127.0.0.1:8484', sandboxId: 'sbx_1', query: `What's "open"? $HOME \\ done` }

it('a question with quotes and shell characters reaches curl unchanged', () => {
  const printed = snippetOf('curl', ASKED).replace(/^curl -s /, 'printf "%s\\n" ')
  const lines = execFileSync('/bin/sh', ['-c', printed], { env: { CAIRN_API_KEY: 'k' }, encoding: 'utf8' }).split('\n')
  expect(JSON.parse(lines.find((line) => line.startsWith('{')) ?? '')).toEqual({ query: ASKED.query })
})

it('every snippet contains the question and its options, and none contains a key', () => {
  for (const kind of SNIPPET_KINDS) {
    const snippet = snippetOf(kind, { ...ASKED, reference_date: '2026-07-31' })
    expect(snippet, kind).toContain('2026-07-31')
    expect(snippet, kind).toContain('open')
    expect(snippet, kind).not.toMatch(/cairn_[A-Za-z0-9]{20}/)
  }
})
