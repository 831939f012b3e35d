import { MS_PER_SECOND } from '../../../base/clock.ts'
import { type Connector, ignored, isHmac, mapped } from '../connector.ts'
import { pick, text } from '../pick.ts'
import { sameFor } from '../to-record.ts'
import { mapMessage, mapReaction } from './map-messages.ts'
import { assignSlackSite, type MapDelivered, mapChannel, mapGroup, mapUser } from './map-workspace.ts'
import { pullSlack, THREAD_DAYS, THREAD_DAYS_MAX } from './pull-slack.ts'

/** Mapping function of each event that has content to store. */
const EVENTS: Record<string, MapDelivered> = {
  ...sameFor(mapMessage, 'message app_mention'),
  ...sameFor(mapReaction, 'reaction_added reaction_removed'),
  ...sameFor(mapUser, 'team_join user_change user_profile_changed'),
  ...sameFor(mapChannel, 'channel_created channel_rename channel_deleted channel_archive channel_unarchive'),
  ...sameFor(mapChannel, 'group_rename group_deleted'),
  ...sameFor(mapGroup, 'subteam_created subteam_updated'),
}

/** Maximum age of a delivery in milliseconds. An older one may be a replay; Slack recommends this limit. */
const AGE_MS_MAX = 5 * 60_000

/** Connector for Slack's Events API and Web API. */
export const slack: Connector = {
  providers: ['slack'],
  product: 'Slack',
  settings: {
    delivered: {
      workspace_url: { type: 'string', format: 'uri', description: 'Base URL of links to messages.' },
    },
    read: {
      channels: { type: 'array', items: { type: 'string' }, description: 'Ids or names; by default all readable.' },
      thread_days: {
        type: 'integer',
        minimum: 0,
        maximum: THREAD_DAYS_MAX,
        default: THREAD_DAYS,
        description: 'Number of days to look back for edits and replies.',
      },
      workspace_url: { type: 'string', format: 'uri', description: 'Base URL of links to messages.' },
      base_url: { type: 'string', format: 'uri', description: 'URL of another Slack API.' },
    },
  },
  forms: ['json', 'form'],
  signature: {
    header: 'x-slack-signature',
    verify: (secret, headers, body, nowMs) => {
      const sentAt = headers['x-slack-request-timestamp'] ?? ''
      if (!/^\d{1,12}$/.test(sentAt) || Math.abs(nowMs - Number(sentAt) * MS_PER_SECOND) > AGE_MS_MAX) return false
      const signed = Buffer.concat([Buffer.from(`v0:${sentAt}:`), body])
      return isHmac(secret, signed, headers['x-slack-signature']?.replace(/^v0=/, ''))
    },
  },
  eventId: ({ body }) => text(body, 'event_id'),
  pull: pullSlack,
  challenge: ({ body }) => (text(body, 'type') === 'url_verification' ? text(body, 'challenge') : undefined),
  map: (delivered) => {
    const payload = pick(delivered.body, 'event')
    const name = text(payload, 'type')
    if (name === undefined) return ignored(text(delivered.body, 'type') ?? 'unknown', 'unknown_event')
    const subtype = text(payload, 'subtype')
    const event = subtype ? `${name}.${subtype}` : name
    const mapEvent = Object.hasOwn(EVENTS, name) ? EVENTS[name] : undefined
    if (!mapEvent) return ignored(event, 'unknown_event')
    return mapped(event, mapEvent(delivered), (records) => assignSlackSite(records, delivered))
  },
}
