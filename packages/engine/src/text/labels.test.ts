import { describe, expect, it } from 'vitest'
import { topicsAsked, topicsOf } from './kinds.ts'
import { readSentences } from './sentences.ts'

const labels = (text: string): (string | undefined)[] => readSentences(text).map(({ label }) => label)

describe('labels', () => {
  it('knows what a section is about and what a question asks for', () => {
    expect(topicsOf('Root cause')).toEqual(['cause'])
    expect(topicsOf('Timeline (UTC)')).toEqual(['timeline'])
    expect(topicsOf('Lunch menu')).toEqual([])
    expect(topicsAsked('what caused the outage')).toEqual(['cause'])
    expect(topicsAsked('who owns the follow-ups')).toEqual(['followUps', 'owner'])
  })

  it('labels sentences by a heading, a bold lead-in or a known word before a colon', () => {
    expect(labels('## Cause\nThe index was dropped. Nobody saw it.')).toEqual(['Cause', 'Cause'])
    expect(labels('**Fix.** Jon restored the index.\n**Impact.** Nine orders were lost.')).toEqual(['Fix', 'Impact'])
    expect(labels('Root cause: a dropped index.\nPriya: I saw it.')).toEqual(['Root cause', undefined])
  })

  it('reads a numbered list in running text as one sentence without its numbers', () => {
    const [list, ...none] = readSentences('**Follow-ups.** 1 restore the index, Jon Berg. 2 add an alert, Ana Silva.')
    expect(list!.text).toBe('restore the index, Jon Berg; add an alert, Ana Silva.')
    expect(none).toEqual([])
  })
})
