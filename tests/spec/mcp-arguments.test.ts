import { beforeAll, expect, it } from 'vitest'
import { type Agent, agentAt } from '../harness/agent.ts'
import { type Call, newSandbox, onEachApp, putRecords, type TestSandbox } from '../harness/test-app.ts'

const note = (id: string, type: string, day: string) => ({
  external_id: id,
  type,
  title: `Ferry ${id}`,
  text: `The ferry ${id} was painted.`,
  occurred_at: `${day}T10:00:00Z`,
})
const RECORDS = [
  note('one', 'note', '2026-03-01'),
  note('two', 'issue', '2026-03-10'),
  note('three', 'note', '2026-03-20'),
]

onEachApp((app) => {
  let call: Call
  let sandbox: TestSandbox
  let agent: Agent

  beforeAll(async () => {
    call = (await app().newAccount()).call
    sandbox = await newSandbox(call, 'Acme')
    await putRecords(call, sandbox, RECORDS)
    agent = agentAt(call, `/mcp/${sandbox.id}`)
  })

  /** Calls a tool and resolves to its result. Fails on a protocol error, even for invalid arguments. */
  const run = async (name: string, given: unknown) => {
    const { status, body } = await agent.send('tools/call', { name, arguments: given })
    expect([status, body.error], JSON.stringify(body)).toEqual([200, undefined])
    return body.result as { isError?: boolean; content: { text: string }[] }
  }
  const titles = async (given: unknown): Promise<string[]> => {
    const { isError, content } = await run('search', given)
    expect(isError, content[0]?.text).toBeUndefined()
    return JSON.parse(content[0]!.text)
      .results.map(({ title }: { title: string }) => title)
      .sort()
  }
  const problems = async (name: string, given: unknown) => {
    const { isError, content } = await run(name, given)
    expect([name, given, isError]).toEqual([name, given, true])
    return content[0]!.text
  }

  it('null counts as absent for optional arguments of every tool', async () => {
    const { body } = await agent.send('tools/list')
    const needed: Record<string, unknown> = {
      question: 'Who?',
      query: 'ferry',
      id: 'rec_x',
      name: 'Ferry',
      since: '2026-01-01',
    }
    for (const { name, inputSchema } of body.result.tools) {
      if (['remember', 'forget'].includes(name)) continue
      const args = Object.keys(inputSchema.properties).map((key) => {
        return [key, inputSchema.required?.includes(key) ? needed[key] : null]
      })
      const { content } = await run(name, Object.fromEntries(args))
      expect(content[0]?.text, name).not.toMatch(/^Arguments/)
    }
    expect(await titles({ query: 'ferry', limit: null, since: null, types: null })).toHaveLength(RECORDS.length)
  })

  it('arguments that are null, or an object in a string, are accepted', async () => {
    for (const given of [null, undefined, {}, '{}']) expect((await run('sources', given)).isError).toBeUndefined()
    expect(await titles('{"query": "ferry", "limit": 1}')).toHaveLength(1)
    for (const given of [null, undefined, {}])
      expect(await problems('search', given)).toMatch(/query: This is required/)
    for (const given of ['ferry', '["ferry"]', ['ferry'], 7, true]) {
      const text = await problems('search', given)
      expect(text).toMatch(/query: This is required/)
      expect(text).toMatch(
        /Unknown argument: "arguments" \((?:a list of 1|the \w+ ".*")\)\. This tool accepts query, limit/,
      )
    }
    const { body } = await agent.send('prompts/get', { name: 'brief_me', arguments: null })
    expect(body.error.message).toMatch(/^topic is required/)
  })

  it('numbers and lists in strings are accepted', async () => {
    expect(await titles({ query: 'ferry', limit: '2' })).toHaveLength(2)
    for (const types of [['issue'], '["issue"]', 'issue', 'issue, event']) {
      expect(await titles({ query: 'ferry', types })).toEqual(['Ferry two'])
      const { content } = await run('changes', { since: '2026-01-01', types })
      expect(content[0]?.text).toContain('Ferry two')
      expect(content[0]?.text).not.toContain('Ferry one')
    }
    const history = JSON.stringify([{ role: 'user', content: 'What do you know of the ferries?' }])
    expect((await run('ask', { question: 'Which was painted?', history })).isError).toBeUndefined()
  })

  it('JSON in a string is validated like a body', async () => {
    const hostile = ['{"query": "a\\u0000b"}', '{"query": "\\ud800"}', `{"query": ${'['.repeat(99)}${']'.repeat(99)}}`]
    for (const given of [...hostile, '{"__proto__": {"query": "x"}}', `${'['.repeat(9_999)}`]) {
      expect(await problems('search', given)).toMatch(/query: This is required/)
    }
    expect(await titles({ query: 'ferry', types: '["a\\u0000"]' })).toEqual([])
  })

  it('an error names the argument, the given and the expected value', async () => {
    expect(await problems('search', { query: 'x', limit: 'many' })).toBe(
      'Arguments: limit: Must be an integer. Given: the string "many".',
    )
    expect(await problems('search', { query: null })).toContain('query: Must be a string. Given: null.')
    expect(await problems('search', { query: ['x'] })).toContain('query: Must be a string. Given: a list of 1.')
    expect(await problems('search', { query: 'x', top_k: 5 })).toBe(
      'Arguments: Unknown argument: "top_k" (the number "5"). This tool accepts query, limit, since, until, types.',
    )
    expect(await problems('sources', { query: 'x' })).toContain('This tool accepts no arguments.')
    const history = [{ role: 'robot', content: 'x' }]
    expect(await problems('ask', { question: 'x', history })).toMatch(/history\.0\.role: .*Given: the string "robot"/)
    for (const since of ['last week', '2026-02-31', '2026-13-01', '']) {
      expect(await problems('search', { query: 'x', since })).toMatch(/since: Must be a day, YYYY-MM-DD/)
    }
    // The message stays short for long and unusual input.
    const long = await problems('search', {
      query: 'x',
      limit: '\u0001é'.repeat(5_000),
      ['x'.repeat(5_000)]: '😀'.repeat(999),
    })
    expect(long.length).toBeLessThan(1_000)
    const inherited = { query: 'x', constructor: 'x', toString: 1 }
    expect(await problems('search', inherited)).toMatch(/"constructor".*"toString"/)
  })

  it('search accepts times and types, and another project', async () => {
    expect(await titles({ query: 'ferry', since: '2026-03-10' })).toEqual(['Ferry three', 'Ferry two'])
    expect(await titles({ query: 'ferry', until: '2026-03-10' })).toEqual(['Ferry one', 'Ferry two'])
    expect(await titles({ query: 'ferry', until: '2026-03-10T09:00:00Z' })).toEqual(['Ferry one'])
    expect(await titles({ query: 'ferry', since: '2026-03-02', until: '2026-03-19' })).toEqual(['Ferry two'])
    expect(await titles({ query: 'ferry', types: ['Note'], limit: 1 })).toHaveLength(1)
    const { body: project } = await call('POST', `${sandbox.storage}/projects`, { name: 'Stone' })
    const own = { ...note('own', 'note', '2026-03-05'), project_id: project.project_id }
    await putRecords(call, sandbox, [own])
    const { content } = await run('changes', { since: '2026-01-01', project_id: project.project_id })
    expect(content[0]?.text).toContain('Ferry own')
    expect(content[0]?.text).not.toContain('Ferry one')
  })

  it('a note is found by its topic, and forgotten with a reason', async () => {
    const kept = await agent.run('remember', { text: 'The contract ends in May.', about: 'Selma Moen' })
    const { record_id: id } = kept.structuredContent
    const found = JSON.parse(await agent.text('search', { query: 'Selma Moen' })).results
    expect(found.map((each: { id: string }) => each.id)).toContain(id)
    expect(await problems('forget', { id })).toContain('reason: This is required.')
    const gone = await agent.run('forget', { id, reason: 'It was a mistake.' })
    expect(gone.content[0]?.text).toContain('because: It was a mistake.')
  })
})
