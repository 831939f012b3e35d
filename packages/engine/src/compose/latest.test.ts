import { describe, expect, it } from 'vitest'
import { asking, story } from '../../../../tests/harness/sample-stories.ts'
import type { BriefRecord } from './brief.ts'
import { composeBrief } from './compose-brief.ts'

const FIRST =
  "By the way, I've taken my camera on a few adventures, including three trips to Yellowstone, Yosemite and the Canyon."
const LATER = "The weather was fine. I've had my camera with me on five trips now, and it's been a beast!"
const OTHERS = 'I sold the old bicycle, and it was a bargain.'

function chats(...texts: string[]): BriefRecord[] {
  return texts.map((text, at) => story(`rec_${at}`, at + 1, { type: 'conversation', text, score: 1 - at / 4 }))
}

function briefOn(query: string, records: BriefRecord[]) {
  return composeBrief(asking(query, records, { detail: 'concise' })).brief
}

describe('what somebody said of themselves', () => {
  it('is told as they said it last, when they ask how it is', () => {
    const brief = briefOn('How many trips have I taken my camera on?', chats(FIRST, LATER, OTHERS))
    expect(brief).toContain('five')
    expect(brief.indexOf('three') < 0 || brief.indexOf('five') < brief.indexOf('three'), brief).toBe(true)
  })

  it('is told as it was, when they ask for that, and as it stands where nothing newer says the same', () => {
    const asked = 'How many trips had I taken my camera on before?'
    expect(briefOn(asked, chats(FIRST, LATER, OTHERS))).toContain('three')
    expect(briefOn('How many trips have I taken my camera on?', chats(FIRST, OTHERS))).toContain('three')
  })
})

describe('what a user and their assistant said in a session', () => {
  const turn = (at: number, role: string, text: string) => ({
    ...story(`rec_${at}`, 1, { type: 'message', text, score: 1 - at / 10, properties: { session: 's', role } }),
    occurredAtMs: Date.parse('2026-03-04T09:00:00Z') + at * 60_000,
    ...(role === 'assistant' && { author: { name: role } }),
  })

  it('is told as the user said it, where they ask of themselves', () => {
    const records = [
      turn(0, 'assistant', 'Attend yoga classes often, 2 to 3 times, to help with your anxiety.'),
      turn(1, 'user', "I've noticed that I'm focused on days of yoga, which is four times a week."),
    ]
    expect(briefOn('How often do I attend yoga classes to help with my anxiety?', records)).toMatch(/^[^.]*four/)
    const asked = 'How often did you tell me to attend yoga classes?'
    expect(briefOn(asked, [records[0]!, { ...records[1]!, id: 'rec_2' }])).toMatch(/^[^.]*2 to 3/)
  })

  it('is of one time, of which what answers best leads', () => {
    const records = [
      turn(0, 'user', 'I have taken my camera on five trips now.'),
      turn(1, 'user', 'I took a bag for my camera on all the trips.'),
      { ...turn(2, 'user', 'I have taken my camera on three trips.'), occurredAtMs: Date.parse('2026-02-01') },
    ]
    expect(briefOn('How many trips have I taken my camera on?', records)).toMatch(/^[^.]*five/)
  })
})

describe('what anything is now, and when it will be', () => {
  const EARLIER = 'The Havbris will be delivered to the harbour in November.'
  const NEWER = 'The Havbris will be delivered in February, as the cells are late.'

  it('is told as it was said last', () => {
    expect(briefOn('When will the Havbris be delivered?', chats(EARLIER, NEWER))).toMatch(/^[^.]*February/)
  })

  it('is told as it was, when that is asked for', () => {
    const brief = briefOn('When was the Havbris to be delivered at first?', chats(EARLIER, NEWER))
    expect(brief).toMatch(/^[^.]*November/)
  })
})

describe('what follows an answer that has not the form of what is asked for', () => {
  const BIRTH = 'Ylva had her baby last night! It is a boy, Jonas, of 3 780 grams.'
  const beside = ['toys', 'books', 'plants', 'songs', 'hats', 'cups'].map(
    (things) => `The name of a shop for baby ${things} that Ylva likes is on the list that hangs in the kitchen.`,
  )

  it('is told with it', () => {
    expect(briefOn('Did Ylva have her baby?', chats(BIRTH, ...beside))).toContain('Jonas')
  })
})
