import { afterEach, expect, test } from 'vitest'
import { newDatabase } from '../../../../tests/harness/postgres.ts'
import { systemClock } from '../base/clock.ts'
import { openLog } from '../base/log.ts'
import { type Notifications, openNotifications } from './notifications.ts'
import { openSql, type Sql } from './open.ts'

const log = openLog('silent', systemClock, () => undefined)

const opened: { sql: Sql; announcements: Notifications }[] = []
afterEach(async () => {
  for (const { announcements, sql } of opened.splice(0)) {
    await announcements.stop()
    await sql.close()
  }
})

async function open(target: { url: string }, id: string) {
  const sql = await openSql(target)
  const announcements = openNotifications(sql, id, log)
  opened.push({ sql, announcements })
  const received: string[] = []
  announcements.subscribe('work', (text) => received.push(text))
  return { sql, announcements, heard: received }
}

/** Publishes repeatedly until the message arrives, since it is unknown when the other process subscribes. */
async function publishUntilReceived(publisher: Notifications, received: string[], text: string): Promise<void> {
  const publishAgain = () => {
    publisher.publish('work', text)
    return received
  }
  await expect.poll(publishAgain).toContain(text)
}

test('a notification reaches the other processes, but not its sender', async () => {
  const { target } = (await newDatabase('postgres')) as { target: { url: string } }
  const [one, other] = [await open(target, 'one'), await open(target, 'other')]
  await publishUntilReceived(one.announcements, other.heard, 'here “there”\n\0')
  await publishUntilReceived(other.announcements, one.heard, 'there')
  expect(one.heard).not.toContain('here “there”\n\0')
})

test('invalid and oversized notifications are ignored', async () => {
  const { target } = (await newDatabase('postgres')) as { target: { url: string } }
  const [one, other] = [await open(target, 'one'), await open(target, 'other')]
  await publishUntilReceived(one.announcements, other.heard, 'first')
  for (const payload of ['', 'x', 'x\n{}', 'x\n[]', 'x\n["work"]', 'x\n["else","a"]', 'x\n["work",1]', 'x\nnull']) {
    await one.sql.notify('cairn', payload)
  }
  one.announcements.publish('work', 'x'.repeat(10_000))
  await publishUntilReceived(one.announcements, other.heard, 'last')
  expect(new Set(other.heard)).toEqual(new Set(['first', 'last']))
})

test('a broken connection is reopened', async () => {
  const { target } = (await newDatabase('postgres')) as { target: { url: string } }
  const [one, other] = [await open(target, 'one'), await open(target, 'other')]
  await publishUntilReceived(one.announcements, other.heard, 'before')
  const { Client } = await import('pg')
  const client = new Client({ connectionString: target.url })
  await client.connect()
  const { rowCount } = await client.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and query like 'listen%' and pid <> pg_backend_pid()`,
  )
  await client.end()
  expect(rowCount).toBe(2)
  await publishUntilReceived(one.announcements, other.heard, 'after')
})
