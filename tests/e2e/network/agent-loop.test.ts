import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { type LoopEnd, runLoop } from '../../harness/agent-loop.ts'
import { type ChatAnswer, type ChatRequest, type ModelServer, startModel } from '../../harness/model-server.ts'
import { callOver, openSender, type RealProcess, startProcess } from '../../harness/real-process.ts'
import { type Call, newSandbox, putRecords, type TestSandbox } from '../../harness/test-app.ts'

const STORY = [
  {
    external_id: 'stop',
    type: 'note',
    title: 'Pump 7 stopped',
    text: 'Pump 7 stopped because its filter was full of sand. Ada Berg cleaned it.',
    url: 'https://notes.example/7',
    occurred_at: '2026-03-10T00:00:00Z',
  },
  {
    external_id: 'filters',
    type: 'note',
    title: 'Filters',
    text: 'The filters of all pumps are changed every two weeks.',
    occurred_at: '2026-03-12T00:00:00Z',
  },
]
const QUESTION = 'Why did pump 7 stop?'
/** Tool names that model providers accept; they reject others with 400. */
const NAME = /^[a-zA-Z0-9_-]{1,64}$/
const REFUSED = /"(?:format|pattern|anyOf|oneOf|allOf|not|\$ref)":|"type":\[|"null"/

let cairn: RealProcess
let model: ModelServer
let sandbox: TestSandbox
let call: Call
let close: () => void

beforeAll(async () => {
  cairn = await startProcess({ CAIRN_EXAMPLE: 'off' })
  const sender = openSender(cairn, 1)
  close = sender.close
  call = callOver(sender.send)
  sandbox = await newSandbox(call)
  await putRecords(call, sandbox, STORY)
  model = await startModel()
})
beforeEach(() => {
  model.asked.length = 0
})
afterAll(async () => {
  close()
  await model.close()
  await cairn.stop()
})

/** Returns the tool results in order. */
const given = ({ messages }: ChatRequest) => messages.filter(({ role }) => role === 'tool').map((each) => each.content)
const ask = (name: string, args: object | string): ChatAnswer => ({
  toolCalls: [{ name, arguments: typeof args === 'string' ? args : JSON.stringify(args) }],
})

/** Makes the model execute these steps in order. It rejects tools that model providers reject. */
function think(...steps: ((request: ChatRequest, last: string) => ChatAnswer)[]): void {
  model.answer = (request) => {
    for (const { function: tool } of request.tools ?? []) {
      const isTaken = NAME.test(tool.name) && !REFUSED.test(JSON.stringify(tool.parameters))
      if (!isTaken) return { status: 400, body: JSON.stringify({ error: { message: `Invalid tool ${tool.name}` } }) }
    }
    const results = given(request)
    return steps[results.length]?.(request, results.at(-1) ?? '') ?? { pieces: ['I do not know.'] }
  }
}

async function converse(question: string, key = cairn.apiKey, query = ''): Promise<LoopEnd> {
  const client = new Client({ name: 'a loop', version: '1' })
  const requestInit = { headers: { authorization: `Bearer ${key}` } }
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${cairn.url}/mcp/${sandbox.id}${query}`), { requestInit }),
  )
  try {
    return await runLoop(client, model.baseUrl, question)
  } finally {
    await client.close()
  }
}

/** Creates an account with a grant on the sandbox and returns a key of it. */
async function keyOf(role: 'viewer' | 'editor'): Promise<string> {
  const { body: account } = await call('POST', '/api/v1/admin/accounts', { display_name: role })
  const { body: grant } = await call('POST', `${sandbox.storage}/connections`, { user_id: account.user_id, role })
  const { body: made } = await call('POST', `${sandbox.storage}/connections/${grant.connection_id}/api-keys`)
  expect(made.plaintext_key).toMatch(/^cairnshare_/)
  return made.plaintext_key
}

it('a model with the tools asks, and its answer cites a record that can be opened', async () => {
  think(
    ({ messages }) => ask('ask', { question: messages[1]!.content }),
    (_, last) => {
      const [said, sources = ''] = last.split('\n\nSources:\n')
      const [, url, id] = /^\[1\] .* — (\S+) — (rec_\w+)$/m.exec(sources) ?? []
      return { pieces: [`${said} (${url}, ${id})`] }
    },
  )
  const { answer, turns } = await converse(QUESTION)
  expect(turns[0]!.content).toMatch(/Results are data/)
  const [, said, url, id] = /^([\s\S]*) \((\S+), (rec_\w+)\)$/.exec(answer) ?? []
  expect(said).toContain('full of sand')
  expect(url).toBe(STORY[0]!.url)
  const { status, body } = await call('GET', `${sandbox.storage}/records/${id}`)
  expect([status, body.url, body.text]).toEqual([200, url, STORY[0]!.text])
})

it('a record without its own address is cited with an address of this API', async () => {
  const slip = '{"query": "filters changed"'
  think(
    // A model sometimes writes invalid JSON; the tool result then reports the error.
    () => ask('search', slip),
    (_, last) => (last.startsWith('error: ') ? ask('search', `${slip}}`) : { pieces: ['No error came.'] }),
    (_, last) => ask('fetch', { id: JSON.parse(last).results[0].id, offset: 'first' }),
    ({ messages }, last) => {
      const { id } = JSON.parse(given({ model: 'm', messages })[1]!).results[0]
      return /offset/.test(last) ? ask('fetch', { id }) : { pieces: [`No word of offset: ${last}`] }
    },
    (_, last) => {
      const { text, url } = JSON.parse(last)
      return { pieces: [`${text} <${url}>`] }
    },
  )
  const { answer } = await converse('How often are filters changed?')
  const [, said, url = ''] = /^(.*) <(.*)>$/.exec(answer) ?? []
  expect(said, answer).toBe(STORY[1]!.text)
  const opened = await fetch(url, { headers: { authorization: `Bearer ${cairn.apiKey}` } })
  expect([opened.status, await opened.json()]).toMatchObject([200, { text: STORY[1]!.text }])
  expect((await fetch(url)).status).toBe(401)
})

it('a note that a model stores is found in the next loop', async () => {
  const note = 'Pump 9 was moved to the south quay by Ivo Lind.'
  think(
    () => ask('remember', { text: note, occurred_at: '2026-03-20' }),
    (_, last) => ({ pieces: [last] }),
  )
  expect((await converse('Keep that.', await keyOf('editor'))).answer).toMatch(/^Stored; it can be found now/)
  think(
    () => ask('ask', { question: 'Where was pump 9 moved?' }),
    (_, last) => ({ pieces: [last] }),
  )
  expect((await converse('Where was it moved?')).answer).toMatch(/south quay[\s\S]*Sources:\n\[1\] /)
})

it('with a viewer’s key the loop sees no writing tool, and a call of one has no effect', async () => {
  const [viewer, owner] = [await keyOf('viewer'), cairn.apiKey]
  const note = 'The quay is closed by order of nobody.'
  for (const [key, query] of [
    [viewer, ''],
    [owner, '?tools=read'],
  ] as const) {
    think(
      () => ask('remember', { text: note }),
      (_, last) => ({ pieces: [last] }),
    )
    const { answer, tools } = await converse('Keep that.', key, query)
    const names = tools.map(({ function: { name } }) => name)
    expect(names).toEqual(['ask', 'search', 'fetch', 'find_entity', 'changes', 'sources'])
    expect(answer).toMatch(/^error: .*unknown tool/i)
  }
  const { body } = await call('GET', `${sandbox.storage}/records?q=nobody`)
  expect(body.records).toEqual([])
})
