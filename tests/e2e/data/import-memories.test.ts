import { describe, expect, it } from 'vitest'
import { type Call, newSandbox, onEachApp, type TestSandbox } from '../../harness/test-app.ts'

const WAIT = { prefer: 'wait=30' }
const NDJSON = { 'content-type': 'application/x-ndjson', ...WAIT }

async function found(call: Call, sandbox: TestSandbox, query: string) {
  const { body } = await call('POST', `${sandbox.query}/discover`, { query, limit: 20 })
  return body.items.map((item: { external_id: string }) => item.external_id) as string[]
}

onEachApp((app) => {
  const setUp = async () => {
    const { call } = await app().newAccount()
    return { call, sandbox: await newSandbox(call) }
  }
  const importTo = (call: Call, sandbox: TestSandbox, body: unknown, headers: Record<string, string> = WAIT) =>
    call('POST', `${sandbox.storage}/import`, body, headers)

  describe('exports of other memory products', () => {
    it('mem0 is imported with its subjects, and a repeat changes nothing', async () => {
      const { call, sandbox } = await setUp()
      const results = [
        { id: 'm1', memory: 'Prefers the morning ferry', user_id: 'ana', created_at: '2026-05-02T08:00:00-07:00' },
        { id: 'm2', memory: 'Works at the Skagen harbour office', user_id: 'ana', categories: ['work'] },
        { id: 'm3', score: 1 },
      ]
      const relations = [{ source: 'ana', relationship: 'works_at', target: 'skagen_harbour' }]
      const { body } = await importTo(call, sandbox, { results, relations })
      expect(body.result).toMatchObject({ received: 4, written: 3, failed: 1, errors: [{ line: 3 }] })
      expect((await found(call, sandbox, 'Which ferry does ana like?'))[0]).toBe('memory/m1')
      const again = await importTo(call, sandbox, { results, relations })
      expect(again.body.result).toMatchObject({ written: 0, unchanged: 3 })
      const { body: sources } = await call('GET', `${sandbox.storage}/sources?provider=mem0`)
      expect(sources.sources).toMatchObject([{ provider: 'mem0', name: 'mem0 (import)', ingestion_mode: 'manual' }])
    })

    it('Graphiti is imported: episodes, entities, and facts with their validity', async () => {
      const { call, sandbox } = await setUp()
      const node = (uuid: string, name: string) => ({ uuid, name, labels: ['Entity', 'Person'], summary: `${name}.` })
      const graph = {
        nodes: [node('n1', 'Ana Lima'), node('n2', 'Ben Ito')],
        episodes: [{ uuid: 'e1', name: 'chat', content: 'Ana leads the ferry team now.', source: 'message' }],
        edges: [
          {
            uuid: 'f1',
            source_node_uuid: 'n1',
            target_node_uuid: 'n2',
            name: 'REPORTS_TO',
            fact: 'Ana Lima reported to Ben Ito.',
            valid_at: '2026-01-01T00:00:00Z',
            invalid_at: '2026-04-01T00:00:00Z',
          },
          { uuid: 'f2', source_node_uuid: 'n1', target_node_uuid: 'nowhere', fact: 'Lost.' },
        ],
      }
      const { body } = await importTo(call, sandbox, graph)
      expect(body.result).toMatchObject({ received: 5, written: 4, failed: 1, errors: [{ reason: 'unknown_node' }] })
      const { body: search } = await call('GET', `${sandbox.storage}/entities/search?q=Ana%20Lima`)
      const { body: ana } = await call('GET', `${sandbox.storage}/entities/${search.results[0].canonical_id}`)
      expect(ana).toMatchObject({ type: 'person' })
      expect(JSON.stringify(ana.relations)).toContain('2026-04-01')
      const lines = [
        { type: 'node', id: '0', labels: ['Entity'], properties: { uuid: 'x1', name: 'Skagen' } },
        { type: 'node', id: '1', labels: ['Entity'], properties: { uuid: 'x2', name: 'Frederikshavn' } },
        {
          type: 'relationship',
          id: '2',
          label: 'RELATES_TO',
          properties: { uuid: 'x3', name: 'SAILS_TO', fact: 'Ferries sail from Skagen to Frederikshavn.' },
          start: { id: '0', labels: ['Entity'] },
          end: { id: '1', labels: ['Entity'] },
        },
      ]
      const { body: streamed } = await importTo(
        call,
        sandbox,
        lines.map((line) => JSON.stringify(line)).join('\n'),
        NDJSON,
      )
      expect(streamed.result).toMatchObject({ received: 3, written: 3, failed: 0 })
    })

    it('Cognee is imported from its API and its library', async () => {
      const { call, sandbox } = await setUp()
      const api = {
        nodes: [
          { id: 'c1', label: 'chunk', type: 'DocumentChunk', properties: { text: 'Ana Lima sails at dawn.' } },
          { id: 'k1', label: 'ana lima', type: 'Entity', properties: { name: 'Ana Lima', description: 'A captain.' } },
          { id: 't1', label: 'person', type: 'EntityType', properties: { name: 'Person' } },
          { id: 'k2', label: 'MS Dana', type: 'Entity', properties: { name: 'MS Dana' } },
        ],
        edges: [
          { source: 'c1', target: 'k1', label: 'contains' },
          { source: 'k1', target: 't1', label: 'is_a' },
          { source: 'k1', target: 'k2', label: 'commands' },
        ],
      }
      expect((await importTo(call, sandbox, api)).body.result).toMatchObject({ received: 4, written: 4, failed: 0 })
      const { body: search } = await call('GET', `${sandbox.storage}/entities/search?q=Ana%20Lima`)
      expect(search.results[0]).toMatchObject({ record_type: 'person', name: 'Ana Lima' })
      const tuples = [
        api.nodes.map((node) => [node.id, { ...node.properties, type: node.type }]),
        [['k1', 'k2', 'owns', {}]],
      ]
      expect((await importTo(call, sandbox, tuples)).body.result).toMatchObject({ failed: 0 })
    })
  })
})
