import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { asking } from '../../../../tests/harness/sample-stories.ts'
import { answerQuestion } from './answer.ts'
import type { BriefRecord } from './brief.ts'
import { unfaithfulWords } from './faithful.ts'
import { tokensOf } from './fit.ts'

const anyQuestion = fc.constantFrom(
  'Who leads Atlas?',
  'How many issues are open?',
  'What changed last week?',
  'Why did the gateway fail, and what is still open?',
  'Wie steht es um Atlas?',
  '',
  '谁负责？',
)
const anyName = fc.constantFrom('Priya Raman', 'Jon Berg', 'Atlas', 'Zoë O’Neill', '山田', 'gateway-api')
const anySentence = fc.oneof(
  fc
    .tuple(anyName, fc.constantFrom('leads', 'moved to', 'is now', 'needs'), anyName)
    .map((words) => `${words.join(' ')}.`),
  fc.constantFrom(
    'We ship on 12 June, not on 3 June!',
    'The limit is 30 seconds.',
    'The limit is 45 seconds now.',
    'Yesterday the launch moved from 12 June to 26 June.',
    '- [ ] write the runbook\n- [x] tell sales',
    '今日は晴れです。明日は雨です。',
    'Hi team,\nthanks!\n> quoted line\n```\ncode()\n```',
    '| a | b |\n|---|---|\n| 1 | 2 |',
  ),
  fc.string({ unit: 'grapheme', maxLength: 60 }),
)
const anyDay = fc.integer({ min: 1_770_000_000_000, max: 1_790_000_000_000 })
const anyRecord: fc.Arbitrary<BriefRecord> = fc.record(
  {
    id: fc.constant(''),
    tuples: fc.constant([0]),
    score: fc.double({ min: 0, max: 1, noNaN: true }),
    type: fc.constantFrom('message', 'issue', 'pull_request', 'document', 'meetingNote'),
    title: fc.oneof(anyName, fc.string({ unit: 'grapheme', maxLength: 30 })),
    text: fc.array(anySentence, { maxLength: 5 }).map((parts) => parts.join(' ')),
    occurredAtMs: anyDay,
    author: anyName.map((name) => ({ name })),
    provider: fc.constantFrom('slack', 'linear'),
    sourceName: fc.constantFrom('Ops chat', 'Board'),
    properties: fc.dictionary(
      fc.constantFrom('status', 'assignee', 'due_date', 'amount', 'key'),
      fc.constantFrom<unknown>('open', 'done', 'Jon Berg', '2026-07-01', 12, true),
    ),
    entities: fc.array(
      anyName.map((name) => ({ canonicalId: `ent_${name}`, name, type: 'person' })),
      { maxLength: 3 },
    ),
    relations: fc.array(
      fc.record(
        {
          subject: anyName,
          predicate: fc.constantFrom('leads', 'owned_by', 'worksAt', 'launch_date', 'status', 'member of'),
          object: fc.oneof(anyName, fc.constantFrom('2026-07-01', 'In Progress')),
          validFromMs: anyDay,
          validToMs: anyDay,
        },
        { requiredKeys: ['subject', 'predicate', 'object'] },
      ),
      { maxLength: 3 },
    ),
  },
  { requiredKeys: ['id', 'tuples', 'score', 'type', 'entities'] },
)

describe('a brief of any records', () => {
  it('adds no word that neither records nor shown computations hold', () => {
    fc.assert(
      fc.property(
        anyQuestion,
        fc.array(anyRecord, { maxLength: 8 }),
        fc.integer({ min: 0, max: 400 }),
        (query, drawn, maxTokens) => {
          const records = drawn.map((record, at) => ({ ...record, id: `rec_${at}` }))
          const brief = answerQuestion(asking(query, records, { maxTokens }))
          expect(tokensOf(brief.brief)).toBeLessThanOrEqual(maxTokens)
          if (records.length > 0) expect(unfaithfulWords(brief, records)).toEqual([])
        },
      ),
      { numRuns: 150 },
    )
  })

  it('is caught when a word is made up', () => {
    const record: BriefRecord = { id: 'rec_1', tuples: [0], score: 1, type: 'memo', text: 'Ana leads.', entities: [] }
    const brief = {
      answered: true,
      brief: '',
      citations: [],
      statements: [{ text: 'Ana leads Borealis.', recordIds: ['rec_1'] }],
    }
    expect(unfaithfulWords(brief, [record])).toEqual(['borealis'])
  })
})
