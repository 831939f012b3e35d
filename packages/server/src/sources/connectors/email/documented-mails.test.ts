import { describe, expect, it } from 'vitest'
import { mapped } from '../../../../../../tests/harness/provider-event.ts'
import { SECOND_HAND_AS_OF } from '../../../base/second-hand.ts'
import { htmlText, mailRecords } from './map-mail.ts'

const HEAD = ['Message-ID: <m@x>', 'From: Ana Sol <ana@x.example>', 'Subject: Pumps'].join('\r\n')
const mails = (type: string, body: string) => mailRecords(`${HEAD}\r\nContent-Type: ${type}\r\n\r\n${body}`)
const mail = async (type: string, body: string) => (await mails(type, body))[0]
const calendar = (...lines: string[]) =>
  mail('text/calendar', ['BEGIN:VCALENDAR', ...lines, 'END:VEVENT', 'END:VCALENDAR'].join('\r\n'))

describe('mails as mail programs write them', () => {
  it('a mail forwarded as a file becomes a record with its author and text', async () => {
    const forwarded = 'From: Carl <c@y.example>\r\nSubject: Valve\r\n\r\nThe valve leaks.'
    const file = 'Content-Type: message/rfc822\r\nContent-Disposition: attachment; filename="valve.eml"'
    const parts = ['--b\r\nContent-Type: text/plain\r\n\r\nSee below.', `--b\r\n${file}\r\n\r\n${forwarded}`, '--b--']
    const [record, forwarding] = await mails('multipart/mixed; boundary=b', parts.join('\r\n'))
    expect(record.text).toBe('See below.')
    expect(forwarding).toMatchObject({
      ...{ external_id: 'email/m@x/forwarded/1', type: 'email', title: 'Valve', text: 'The valve leaks.' },
      author: { name: 'Carl', identifiers: { email: 'c@y.example' } },
      participants: [{ name: 'Ana Sol' }],
      properties: { thread: 'm@x', forwarded_by: 'Ana Sol', forwarded_in: 'email/m@x' },
    })
    expect(record.properties).toMatchObject({ files: ['valve.eml'] })
  })

  it('the quoted mail in a reply becomes a record marked as second-hand', async () => {
    const quoted = [
      '',
      '________________________________',
      'Von: Carl <c@y.example>',
      'Gesendet: 4. Mai 2026',
      '',
      'Keep it?',
    ]
    const head = (text: string[]) => ['In-Reply-To: <p@y>', HEAD, '', ...text].join('\r\n')
    const [record, answered] = await mailRecords(head(['No.', ...quoted]))
    expect(record).toMatchObject({ text: 'No.', properties: { reply_to: 'email/p@y', answers: 'Keep it?' } })
    expect(answered).toMatchObject({
      ...{ external_id: 'email/p@y', text: 'Keep it?', author: { name: 'Carl' }, as_of: SECOND_HAND_AS_OF },
      properties: { quoted_in: 'email/m@x', sent: '4. Mai 2026', thread: 'p@y' },
    })
    const [plain, below] = await mailRecords(
      [HEAD, '', 'Yes.', '', 'On 4 May 2026, Carl <c@y.example> wrote:', '> Keep it?'].join('\r\n'),
    )
    expect(plain.properties?.reply_to).toBe(below?.external_id)
    expect(below).toMatchObject({ text: 'Keep it?', occurred_at: '2026-05-04T00:00:00.000Z' })
  })

  it('windows-1252 characters are decoded', async () => {
    const head = Buffer.from(`${HEAD}\r\nContent-Type: text/plain; charset="windows-1252"\r\n\r\n`)
    const [record] = await mailRecords(Buffer.concat([head, Buffer.from([0x93, 0x48, 0x69, 0x94, 0x20, 0x80, 0x35])]))
    expect(record.text).toBe('“Hi” €5')
  })

  it('a cancelled invitation is marked as cancelled', async () => {
    const event = ['BEGIN:VEVENT', 'SUMMARY:Review', 'DTSTART:20260505T090000Z']
    expect((await calendar('METHOD:REQUEST', ...event)).text).toMatch(/^Invitation: Review/)
    expect((await calendar('METHOD:CANCEL', ...event)).text).toMatch(/^Cancelled: Review/)
    expect((await calendar(...event, 'STATUS:CANCELLED')).text).toMatch(/^Cancelled: Review/)
  })

  it('table cells are separated by spaces, and rows by line breaks', () => {
    const rows = '<tr><th>Part</th><th>Price</th></tr><tr><td><p>Pump</p></td><td>240 EUR</td></tr>'
    const text = htmlText(`<p>Offer</p><table>${rows}</table><p>Ana</p>`)
    expect(text.match(/\S.*/g)).toEqual(['Offer', 'Part Price', 'Pump', '240 EUR', 'Ana'])
  })

  it('a mail sent as parsed fields gets the timestamp of the service', async () => {
    const fields = { sender: 'a@b.example', subject: 'Pumps', 'body-plain': 'Text', timestamp: '1777888800' }
    expect((await mapped('email', fields)).records[0]?.occurred_at).toBe('2026-05-04T10:00:00.000Z')
  })
})

it('GitLab: a deleted milestone is withdrawn', async () => {
  const event = (action: string) => ({ object_kind: 'milestone', action, object_attributes: { id: 61, title: 'v1' } })
  expect((await mapped('gitlab', event('create'))).records).toMatchObject([
    { external_id: 'milestone/61', title: 'v1' },
  ])
  expect((await mapped('gitlab', event('delete'))).records).toMatchObject([
    { external_id: 'milestone/61', deleted: true },
  ])
})
