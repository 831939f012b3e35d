import { describe, expect, it } from 'vitest'
import { phasesAsked } from './phases-asked.ts'
import { kindOf } from './question.ts'

const read = (text: string) => phasesAsked(text, kindOf(text.toLowerCase()) ?? 'overview')

describe('a question that asks for everything in a phase', () => {
  it.each([
    ['What is still open?', ['open', 'doing']],
    ['What is blocked?', ['open', 'doing']],
    ['What is left to do?', ['open', 'doing']],
    ['What is in progress?', ['doing']],
    ['What has been finished?', ['done']],
    ['What was dropped?', ['dropped']],
  ])('%s', (text, phases) => expect(read(text)).toEqual(phases))

  it.each(['What is open in the harbour?', 'What is new?', 'What was paid?', 'Who is done?!? And the mast?', ''])(
    'not: %s',
    (text) => expect(read(text)).toBeUndefined(),
  )
})
