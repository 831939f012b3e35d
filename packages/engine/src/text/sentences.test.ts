import { describe, expect, it } from 'vitest'
import { readSentences, splitBlock, splitSentences, unnumbered } from './sentences.ts'

describe('splitSentences', () => {
  it('cuts after sentence ends but not after abbreviations, initials, numbers and ordinals', () => {
    expect(splitBlock('Dr. J. K. Berg paid $3.50 on Jan. 4 to Acme Inc. for v1.2.3. He left! Did he? Yes.')).toEqual([
      'Dr. J. K. Berg paid $3.50 on Jan. 4 to Acme Inc. for v1.2.3.',
      'He left!',
      'Did he?',
      'Yes.',
    ])
    expect(splitBlock('Wir liefern am 12. Juni. Danach nicht.')).toEqual(['Wir liefern am 12. Juni.', 'Danach nicht.'])
    expect(splitBlock('Ana (d. 20 March 851) was a queen. She ruled.').length).toBe(2)
    expect(splitBlock('It was born in 1998. She said no. We left.').length).toBe(3)
  })

  it('does not cut inside a name that has a strong mark, and cuts after a question in small letters', () => {
    const text = 'Where Does It Hurt? is a comedy. Did it work? is it merged? ask Ana! then go.'
    expect(splitBlock(text)).toEqual([
      'Where Does It Hurt? is a comedy.',
      'Did it work?',
      'is it merged?',
      'ask Ana!',
      'then go.',
    ])
  })

  it('cuts scripts that write no spaces', () => {
    expect(splitBlock('今日は晴れです。明日は雨です！本当？')).toEqual(['今日は晴れです。', '明日は雨です！', '本当？'])
    expect(splitBlock('यह पहला है। यह दूसरा है।').length).toBe(2)
  })

  it('leaves out that somebody is glad to meet somebody, and not what they go on to say', () => {
    expect(splitSentences('Nice to meet you! I run the depot.')).toEqual(['I run the depot.'])
    expect(splitSentences('Great to hear from you, the gate is open again.')).toEqual(['The gate is open again.'])
    expect(splitSentences('It was nice to meet your sister in Porto.')).toHaveLength(1)
  })

  it('leaves out greetings, courtesies, code, mail headers, quoted heads and signatures', () => {
    const text = [
      'From: ana@example.com',
      'Hi all, the gateway is fixed.',
      '```',
      'const x = 1',
      '```',
      'On Tue, Jon wrote:',
      'Thanks!',
      'Best regards',
      '-- ',
      'Ana, Example Ltd.',
    ].join('\n')
    expect(splitSentences(text)).toEqual(['The gateway is fixed.'])
  })

  it('strips markdown, chat mentions and emoji and keeps the words', () => {
    expect(
      splitSentences('**Done**: see [the plan](https://x.example/p) with <@U123ABC|Priya> :tada: 🎉 in `api_v2`.'),
    ).toEqual(['Done: see the plan with Priya in api_v2.'])
  })

  it('counts the sentences of each section from its heading', () => {
    const read = readSentences('One. Two.\n\n## Limits\n\nThree. Four.')
    expect(read.map(({ position, inSection }) => [position, inSection])).toEqual([
      [0, 0],
      [1, 1],
      [2, 0],
      [3, 1],
    ])
  })

  it('reads list items one by one with their box and the heading above', () => {
    const [first, second] = readSentences('## Follow-ups\n- [ ] write the runbook\n- [x] tell sales')
    expect(first).toMatchObject({ text: 'write the runbook', kind: 'item', done: false, heading: 'Follow-ups' })
    expect(second).toMatchObject({ text: 'tell sales', done: true })
  })

  it('reads the rows of a table with its heads, which are no row', () => {
    const table =
      '| Data | Kept for | Owner |\n|---|---|---|\n| Access logs | 30 days | Edge |\n| Recordings | | Sales |'
    expect(splitSentences(`${table}\n\nOther text stands below.`)).toEqual([
      'Access logs: Kept for 30 days, Owner Edge',
      'Recordings: Owner Sales',
      'Other text stands below.',
    ])
    expect(splitSentences('| a | b |\n| c | d |')).toEqual(['a, b', 'c, d'])
  })

  it('joins wrapped lines and keeps short lines apart', () => {
    const wrapped =
      'The gateway was raised to sixty seconds for every customer of\nthe billing team.\nShort note\nOther note'
    expect(splitSentences(wrapped)).toEqual([
      'The gateway was raised to sixty seconds for every customer of the billing team.',
      'Short note',
      'Other note',
    ])
  })

  it('cuts what nobody would read as one sentence, never inside a character', () => {
    const pieces = splitBlock(`${'word '.repeat(400)}${'😀'.repeat(700)}`)
    expect(pieces.every((piece) => piece.length <= 600 && !/[\ud800-\udbff]$/.test(piece))).toBe(true)
  })

  it('reads German ordinals, and the small letter after a salutation', () => {
    expect(splitSentences('Er hält zwischen dem 2. und 3. Stock. Er wird geprüft.')).toEqual([
      'Er hält zwischen dem 2. und 3. Stock.',
      'Er wird geprüft.',
    ])
    expect(splitSentences('Liebe Kollegen,\n\nder Saal ist zu.')).toEqual(['Der Saal ist zu.'])
    expect(splitSentences('+1, but the new place please.')).toEqual(['But the new place please.'])
  })
})

it('runs of periods and of ordinals are split in linear time', () => {
  // Quadratic time would exceed the test timeout.
  expect(splitBlock(`${'.'.repeat(1_000_000)}x`).length).toBeGreaterThan(1)
  expect(splitBlock('Am 1. Abc '.repeat(100_000)).length).toBeGreaterThan(1)
})

describe('unnumbered', () => {
  it('takes the numbers off a list in running text and off nothing else', () => {
    expect(unnumbered(['1 restore the index, Jon.', '2 add an alert, Ana.'])).toEqual([
      'restore the index, Jon.',
      'add an alert, Ana.',
    ])
    expect(unnumbered(['1 restore the index.', '3 add an alert.'])).toBeUndefined()
    expect(unnumbered(['40 orders failed.', '12 were repaired.'])).toBeUndefined()
  })
})
