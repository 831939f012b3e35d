import type { Delivered } from '../connector.ts'
import { type Thing, thing } from '../draft.ts'
import { pick, text } from '../pick.ts'

/** Someone of whom the id is known, and perhaps a name. */
export function member(id: string | undefined, profile?: unknown, label?: string): Thing | undefined {
  const called =
    text(profile, 'real_name') ?? text(profile, 'display_name') ?? text(profile, 'name') ?? (label || undefined) ?? id
  return thing(
    'person',
    called,
    { id, email: text(profile, 'email') },
    { aliases: [text(profile, 'display_name'), text(profile, 'first_name') && text(profile, 'name')] },
  )
}

/** A channel; messages name it by its id alone. */
export function channel(id: string | undefined, name?: string): Thing | undefined {
  return thing('channel', name ? `#${name.replace(/^#/, '')}` : id, { id })
}

/** The workspace that a delivery is from. */
export function workspace({ body, settings }: Delivered, event: unknown): string {
  return text(body, 'team_id') ?? text(event, 'team') ?? settings.accountId ?? 'workspace'
}

/** Where a message can be read: in the workspace when its address is configured, else through Slack's own redirect. */
export function permalink(delivered: Delivered, team: string, channelId: string, ts: string): string | undefined {
  const base = text(delivered.settings.config, 'workspace_url')?.replace(/\/+$/, '')
  if (base && /^https?:\/\//.test(base)) return `${base}/archives/${channelId}/p${ts.replace('.', '')}`
  return `https://slack.com/app_redirect?team=${team}&channel=${channelId}&message_ts=${ts}`
}

/** The person as a record shows them, from Slack's user object. */
export function userThing(user: unknown): Thing | undefined {
  const profile = pick(user, 'profile')
  const name = text(user, 'real_name') ?? text(profile, 'real_name') ?? text(profile, 'display_name')
  return thing(
    'person',
    name ?? text(user, 'name'),
    { id: text(user, 'id'), login: text(user, 'name'), email: text(profile, 'email') },
    { aliases: [text(profile, 'display_name'), text(user, 'name')], properties: { title: text(profile, 'title') } },
  )
}
