import { expect, test } from 'vitest'
import { captionRecords } from './read-captions.ts'

const said = (text: string, path = 'calls/2026-05-04.vtt') =>
  captionRecords(text, path, 'scope')?.map(({ author, text: line, properties }) => [
    (author as { name: string } | undefined)?.name,
    line,
    properties?.offset,
  ])

test('WebVTT becomes one message per speaker, with its time and without cue numbers and tags', () => {
  const text =
    'WEBVTT - Call\nKind: captions\n\nNOTE made by hand\n\nSTYLE\n::cue { color: red }\n\n' +
    '1\n00:00:01.000 --> 00:00:03.000 align:start\n' +
    '<v Ana Lima (Host)>The valve <i>leaks</i></v>\n\n2\n00:00:03.000 --> 00:00:05.000\n' +
    '<v Ana Lima (Host)>badly &amp; loudly.</v>\n\n' +
    '01:02:05.500 --> 01:02:07.000\n<v.loud Bo Lind>Drain it.</v>\n\n01:02:08.000 --> 01:02:09.000\n[applause]\n'
  expect(said(text)).toEqual([
    ['Ana Lima', 'The valve leaks badly & loudly.', '00:00:01'],
    ['Bo Lind', 'Drain it.', '01:02:05'],
    [undefined, '[applause]', '01:02:08'],
  ])
  expect(captionRecords(text, 'calls/2026-05-04.vtt', 'scope')![0]).toMatchObject({
    type: 'message',
    occurred_at: '2026-05-04T00:00:00.000Z',
    properties: { role: 'Host' },
  })
})

test('SubRip with names before a colon is read too, and a sentence may continue in the next cue', () => {
  const text =
    '1\n00:00:01,000 --> 00:00:03,000\nAna Lima: The valve leaks because\n\n' +
    '2\n00:00:03,000 --> 00:00:05,000\nit is old.\n\n' +
    '3\n00:00:06,000 --> 00:00:07,000\nBo Lind - Captain: Drain it.\n'
  expect(said(text, 'call.srt')).toEqual([
    ['Ana Lima', 'The valve leaks because it is old.', '00:00:01'],
    ['Bo Lind', 'Drain it.', '00:00:06'],
  ])
})

test('captions without speakers, and other texts, do not become messages', () => {
  expect(said('WEBVTT\n\n00:01.000 --> 00:02.000\nThe valve leaks.\n')).toBeUndefined()
  expect(said('The valve leaks: badly.')).toBeUndefined()
})
