import { describe, expect, it } from 'vitest'
import { mapped } from '../../../../../../tests/harness/provider-event.ts'
import { htmlText, mailRecord } from './map-mail.ts'

const HEAD = ['Message-ID: <m@x>', 'From: Ana Sol <ana@x.example>', 'Subject: Pumps'].join('\r\n')
const mail = (type: string, body: string) => mailRecord(`${HEAD}\r\nContent-Type: ${type}\r\n\r\n${body}`)
const calendar = (...lines: string[]) =>
  mail('text/calendar', ['BEGIN:VCALENDAR', ...lines, 'END:VEVENT', 'END:VCALENDAR'].join('\r\n'))

describe('mails as mail programs write them', () => {
  it('one that was forwarded as a file says who wrote it, and what', async () => {
    const forwarded = 'From: Carl <c@y.example>\r\nSubject: Valve\r\n\r\nThe valve leaks.'
    const file = 'Content-Type: message/rfc822\r\nContent-Disposition: attachment; filename="valve.eml"'
    const parts = ['--b\r\nContent-Type: text/plain\r\n\r\nSee below.', `--b\r\n${file}\r\n\r\n${forwarded}`, '--b--']
    const record = await mail('multipart/mixed; boundary=b', parts.join('\r\n'))
    expect(record.text).toBe('See below.\n\nFrom: Carl <c@y.example>\nSubject: Valve\n\nThe valve leaks.')
    expect(record.properties).toMatchObject({ files: ['valve.eml'] })
  })

  it('signs of windows-1252 are what their writer saw', async () => {
    const head = Buffer.from(`${HEAD}\r\nContent-Type: text/plain; charset="windows-1252"\r\n\r\n`)
    const record = await mailRecord(Buffer.concat([head, Buffer.from([0x93, 0x48, 0x69, 0x94, 0x20, 0x80, 0x35])]))
    expect(record.text).toBe('“Hi” €5')
  })

  it('an invitation that is taken back says so', async () => {
    const event = ['BEGIN:VEVENT', 'SUMMARY:Review', 'DTSTART:20260505T090000Z']
    expect((await calendar('METHOD:REQUEST', ...event)).text).toMatch(/^Invitation: Review/)
    expect((await calendar('METHOD:CANCEL', ...event)).text).toMatch(/^Cancelled: Review/)
    expect((await calendar(...event, 'STATUS:CANCELLED')).text).toMatch(/^Cancelled: Review/)
  })

  it('cells of a table are words of their own, and its rows lines', () => {
    const rows = '<tr><th>Part</th><th>Price</th></tr><tr><td><p>Pump</p></td><td>240 EUR</td></tr>'
    const text = htmlText(`<p>Offer</p><table>${rows}</table><p>Ana</p>`)
    expect(text.match(/\S.*/g)).toEqual(['Offer', 'Part Price', 'Pump', '240 EUR', 'Ana'])
  })

  it('a mail that a service took apart is of the moment that the service says', async () => {
    const fields = { sender: 'a@b.example', subject: 'Pumps', 'body-plain': 'Text', timestamp: '1777888800' }
    expect((await mapped('email', fields)).records[0]?.occurred_at).toBe('2026-05-04T10:00:00.000Z')
  })
})

it('GitLab: a milestone that is deleted is withdrawn', async () => {
  const event = (action: string) => ({ object_kind: 'milestone', action, object_attributes: { id: 61, title: 'v1' } })
  expect((await mapped('gitlab', event('create'))).records).toMatchObject([
    { external_id: 'milestone/61', title: 'v1' },
  ])
  expect((await mapped('gitlab', event('delete'))).records).toMatchObject([
    { external_id: 'milestone/61', deleted: true },
  ])
})
