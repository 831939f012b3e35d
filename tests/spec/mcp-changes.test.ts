import { beforeAll, expect, it } from 'vitest'
import { type Agent, agentAt } from '../harness/agent.ts'
import { type Call, newSandbox, onEachApp, putRecords } from '../harness/test-app.ts'

const PUMP = { external_id: 'pump', type: 'note', title: 'Pump 7', text: 'It stopped.', author: 'Ada Berg' }
const QUARRY = { external_id: 'quarry', type: 'note', title: 'Quarry', text: 'The quarry of Oslo closes in May.' }

onEachApp((app) => {
  let call: Call
  beforeAll(async () => {
    call = (await app().newAccount()).call
  })

  it('changes lists new, changed, closed and removed items in groups, and continues where it ended', async () => {
    const issues = await newSandbox(call, 'Issues')
    const by = agentAt(call, `/mcp/${issues.id}`)
    const issue = (id: string, state: string, text = 'A leak.') => {
      return { external_id: id, type: 'issue', title: `Issue ${id}`, text, properties: { state } }
    }
    await putRecords(call, issues, [issue('a', 'open'), issue('b', 'open'), issue('c', 'open')])
    const cursorIn = (text: string) => /^next_since: (\S+)/.exec(text)?.[1]
    const first = await by.text('changes', { since: '2020-01-01' })
    expect(first).toMatch(/\nNew:\n- Issue a — issue — rec_\w+\n- Issue b/)
    const gone = { external_id: 'c', type: 'issue', deleted: true }
    await putRecords(call, issues, [issue('a', 'closed'), issue('b', 'open', 'A flood.'), gone])
    const next = await by.text('changes', { since: cursorIn(first) })
    expect(
      next
        .replace(/rec_\w+|https?:\S+/g, '…')
        .split('\n\n')
        .slice(1),
    ).toEqual(['Changed:\n- Issue b — issue — …', 'Closed:\n- Issue a — issue — …', 'Removed:\n- issue — …'])
    expect(await by.text('changes', { since: cursorIn(next) })).toMatch(/No changes/)
    expect(await by.text('changes', { since: '2020-01-01', types: 'note' })).not.toMatch(/Issue/)
    expect((await by.run('changes', { since: 'soon' })).content[0]?.text).toMatch(/^invalid_cursor/)
  })

  it('the overview describes the sandbox within the scope of the endpoint', async () => {
    const sandbox = await newSandbox(call, 'Pumps')
    await putRecords(call, sandbox, [PUMP])
    const { body: source } = await call('POST', `${sandbox.storage}/sources`, { provider: 'wiki', name: 'Wiki' })
    const only = { name: 'Stone', data_source_ids: [source.data_source_id] }
    const project = (await call('POST', `${sandbox.storage}/projects`, only)).body.project_id
    const other = { ...sandbox, records: `${sandbox.storage}/sources/${source.data_source_id}/records` }
    await putRecords(call, other, [QUARRY])
    const agent = agentAt(call, `/mcp/${sandbox.id}`)
    const { body } = await agent.send('resources/list')
    expect(body.result.resources).toMatchObject([{ uri: 'cairn://overview' }])
    const read = async (by: Agent) =>
      (await by.send('resources/read', { uri: 'cairn://overview' })).body.result.contents[0].text
    expect(await read(agent)).toMatch(/^\d+ records[\s\S]*Kinds: [\s\S]*Ada Berg \(ent_\w+\)[\s\S]*Source: Chat, slack/)
    const narrow = await read(agentAt(call, `/mcp/${sandbox.id}?project=${project}`))
    expect(narrow).toMatch(/^1 records/)
    expect(narrow).not.toMatch(/Ada|Chat/)
  })
})
