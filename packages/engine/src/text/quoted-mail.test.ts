import { expect, test } from 'vitest'
import { isForwarding, quotedHeads, splitMail } from './quoted-mail.ts'

const shown = (text: string) => {
  const { own, quoted } = splitMail(text)
  return [own, ...quoted.map((each) => [each.kind, each.from, each.date, each.subject, each.text])]
}

test.each([
  [
    'Gmail',
    '---------- Forwarded message ---------\nFrom: Ana Sol <ana@x.example>' +
      '\nDate: Mon, 4 May 2026 at 07:46\nSubject: Valve\nTo: Bo <bo@x.example>\n\n\nIt leaks.',
    'forwarded',
    'Ana Sol <ana@x.example>',
    'Mon, 4 May 2026 at 07:46',
    'Valve',
  ],
  [
    'Apple Mail',
    'Begin forwarded message:\n\n> From: Ana Sol <ana@x.example>' +
      '\n> Subject: Valve\n> Date: 4 May 2026\n> To: bo@x.example\n> \n> It leaks.',
    'forwarded',
    'Ana Sol <ana@x.example>',
    '4 May 2026',
    'Valve',
  ],
  [
    'Thunderbird',
    '-------- Original Message --------\nSubject: \tValve' +
      '\nDate: \tMon, 4 May 2026\nFrom: \tAna <ana@x.example>\nTo: \tBo\n\nIt leaks.',
    'answered',
    'Ana <ana@x.example>',
    'Mon, 4 May 2026',
    'Valve',
  ],
  [
    'Outlook in German',
    '________________________________\nVon: Ana Sol' +
      '\nGesendet: Montag, 4. Mai 2026 07:46\nAn: Bo\nBetreff: Ventil\n\nIt leaks.',
    'answered',
    'Ana Sol',
    'Montag, 4. Mai 2026 07:46',
    'Ventil',
  ],
  [
    'Outlook in French',
    'De : Ana Sol <ana@x.example>\nEnvoyé : lundi 4 mai 2026 07:46\nÀ : Bo\nObjet : Vanne\n\nIt leaks.',
    'answered',
    'Ana Sol <ana@x.example>',
    'lundi 4 mai 2026 07:46',
    'Vanne',
  ],
  [
    'Outlook in bold',
    '*Van:* Ana Sol\n*Verzonden:* maandag 4 mei 2026\n*Aan:* Bo\n*Onderwerp:* Klep\n\nIt leaks.',
    'answered',
    'Ana Sol',
    'maandag 4 mei 2026',
    'Klep',
  ],
  [
    'Spanish',
    '---------- Mensaje reenviado ---------\nDe: Ana <ana@x.example>' +
      '\nFecha: lun, 4 may 2026\nAsunto: Válvula\n\nIt leaks.',
    'forwarded',
    'Ana <ana@x.example>',
    'lun, 4 may 2026',
    'Válvula',
  ],
  [
    'Swedish',
    'Från: Ana <ana@x.example>\nSkickat: den 4 maj 2026\nTill: Bo\nÄmne: Ventil\n\nIt leaks.',
    'answered',
    'Ana <ana@x.example>',
    'den 4 maj 2026',
    'Ventil',
  ],
  [
    'Chinese',
    '发件人: 王芳 <fang@x.example>\n发送时间: 2026年5月4日\n收件人: Bo\n主题: 阀门\n\nIt leaks.',
    'answered',
    '王芳 <fang@x.example>',
    '2026年5月4日',
    '阀门',
  ],
])('what %s forwards or quotes is a mail of its own', (_name, below, kind, from, date, subject) => {
  expect(shown(`Can you look?\n\n${below}`)).toEqual(['Can you look?', [kind, from, date, subject, 'It leaks.']])
  expect(shown(below)).toEqual(['', [kind, from, date, subject, 'It leaks.']])
})

test('repeatedly forwarded mails are separated', () => {
  const inner = '---------- Forwarded message ---------\nFrom: Cy <cy@x.example>\nDate: 2 May 2026\n\nIt hums.'
  const outer =
    `________________________________\nFrom: Ana\nSent: 4 May 2026` +
    `\nSubject: FW: Valve\n\nSee what Cy says.\n\n${inner}`
  expect(shown(`Well?\n\n${outer}`)).toEqual([
    'Well?',
    ['answered', 'Ana', '4 May 2026', 'FW: Valve', 'See what Cy says.'],
    ['forwarded', 'Cy <cy@x.example>', '2 May 2026', undefined, 'It hums.'],
  ])
})

test.each([
  ['On Mon, 4 May 2026 at 07:46, Ana Sol <ana@x.example> wrote:', 'Ana Sol <ana@x.example>', '4 May 2026 at 07:46'],
  ['On Mon, 4 May 2026 at 07:46, Ana Sol <\nana@x.example> wrote:', 'Ana Sol <ana@x.example>', '4 May 2026 at 07:46'],
  [
    'Am Mo., 4. Mai 2026 um 07:46 Uhr schrieb Ana Sol <ana@x.example>:',
    'Ana Sol <ana@x.example>',
    '4. Mai 2026 um 07:46',
  ],
  ['Le lun. 4 mai 2026 à 07:46, Ana Sol <ana@x.example> a écrit :', 'Ana Sol <ana@x.example>', '4 mai 2026 à 07:46'],
])('words quoted to the end below %j are a mail of its own', (intro, from, date) => {
  const [own, quoted] = shown(`No.\n\n${intro}\n\n> Shall we keep it?\n>\n> Yes or no?`)
  expect(own).toBe('No.')
  expect(quoted).toEqual(['answered', from, date, undefined, 'Shall we keep it?\n\nYes or no?'])
})

test.each([
  ['On Mon, 4 May 2026, Ana <a@x.example> wrote:\n> Shall we keep it?\nYes.\n> And the other?\nNo.'],
  ['From: Lisbon\nTo: Porto\nDate: 4 May 2026\n\nBy train.'],
  ['A: Yes, it is open.\nTo: be done.\n\nFrom here on it is easy.'],
  ['The plan\n_______________\nWe paint the hall.'],
  ['I wrote:\n> one'],
])('a text without a mail in it stays as it is: %#', (text) => {
  expect(splitMail(text)).toEqual({ own: text, quoted: [] })
})

test('answers below the words that they answer are of the mail that answers', () => {
  expect(
    shown('Begin forwarded message:\n\n> From: Ana <ana@x.example>\n> Date: 4 May 2026\n>\n> It leaks.\n\nWell?'),
  ).toEqual(['Well?', ['forwarded', 'Ana <ana@x.example>', '4 May 2026', undefined, 'It leaks.']])
})

test.each([
  ['Fwd: Valve', true],
  ['WG: Ventil', true],
  ['TR : Vanne', true],
  ['Re: Valve', false],
  ['I: Valvola', true],
  ['In: out', false],
  [undefined, false],
])('%j forwards: %j', (subject, is) => {
  expect(isForwarding(subject)).toBe(is)
})

test('lines of hostile mails take time in proportion to their number', () => {
  const hostile = [`On ${'a 1 '.repeat(400)}`, 'From: a@x', `${'-'.repeat(900)} x`, `${'> '.repeat(500)}From: a`].join(
    '\n',
  )
  const { quoted } = splitMail(`${hostile}\n`.repeat(300))
  expect(quoted.length).toBeLessThanOrEqual(30)
})

test('a line of spaces takes linear time', () => {
  // Quadratic time would exceed the test timeout.
  expect(quotedHeads(' '.repeat(1_000_000))).toEqual([])
  expect(quotedHeads('>  -- = Forwarded message')).toEqual([])
})
