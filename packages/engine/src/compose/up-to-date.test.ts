import { describe, expect, it } from 'vitest'
import type { BriefRecord } from './brief.ts'
import { composeBrief } from './compose-brief.ts'
import { asking, story } from './sample-stories.ts'

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
    const plan = "I'm thinking of five trips to take my camera on."
    const brief = briefOn('How many trips have I taken my camera on?', chats(FIRST, plan, OTHERS))
    expect(brief.indexOf('three'), brief).toBeLessThan(brief.indexOf('five') < 0 ? brief.length : brief.indexOf('five'))
    expect(brief).toContain('three')
    expect(briefOn('How many trips have I taken my camera on?', chats(FIRST, OTHERS))).toContain('three')
  })
})
