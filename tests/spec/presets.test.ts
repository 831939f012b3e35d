import { beforeAll, expect, it } from 'vitest'
import { type Call, newSandbox, onEachApp, putRecords, type TestSandbox } from '../harness/test-app.ts'

const NOTE = { external_id: 'a', type: 'note', text: 'Pump 7 stopped because its filter was full of sand.' }
const QUERY = 'Why did pump 7 stop?'
/** Model and preset names of other services. */
const NAMES = ['copass/copass_1.0', 'copass/copass_2.0:thinking', 'llama:8b', `a/${'b'.repeat(126)}`]
const NO_NAMES = ['', '/', 'a/', ':b', 'a//b', 'a b/c', 'a/"b"', 'a/b\n', `a/${'b'.repeat(127)}`, 7]

onEachApp((app) => {
  let call: Call
  let sandbox: TestSandbox
  let items: string[][]

  beforeAll(async () => {
    call = (await app().newAccount()).call
    sandbox = await newSandbox(call)
    await putRecords(call, sandbox, [NOTE])
    const { body } = await call('POST', `${sandbox.query}/discover`, { query: QUERY })
    items = body.items.map((each: { canonical_ids: string[] }) => each.canonical_ids)
  })

  const ask = (operation: string, preset: unknown) =>
    call('POST', `${sandbox.query}/${operation}`, { query: QUERY, preset, ...(operation === 'interpret' && { items }) })

  it.each(['discover', 'interpret', 'search', 'context'])(
    '%s treats a model name as the preset auto, with a warning',
    async (operation) => {
      for (const preset of NAMES) {
        const { status, headers } = await ask(operation, preset)
        expect([status, headers.warning]).toEqual([200, expect.stringContaining(preset)])
      }
      for (const preset of NO_NAMES) expect((await ask(operation, preset)).status, String(preset)).toBe(422)
    },
  )

  it('preset auto gives the same answers', async () => {
    const { body } = await ask('search', 'copass/copass_1.0')
    const { body: plain } = await ask('search', 'auto')
    expect(body).toMatchObject({ answer: plain.answer, preset: 'auto' })
    expect(body.warnings).toEqual([expect.stringContaining('copass/copass_1.0')])
  })
})
