import ICAL from 'ical.js'
import { decodeText } from '../decode-text.ts'
import {
  type CalendarEvent,
  type Contact,
  type DocumentFile,
  type DocumentItem,
  type NamedPerson,
  Refusal,
  type Value,
} from '../document.ts'

/** A property as ical.js represents it: its name, parameters, type and values. */
type Property = [name: string, parameters: Record<string, string | string[]>, type: string, ...values: unknown[]]
type Component = [name: string, properties: Property[], components: Component[]]

/** Reads the events and tasks of an iCalendar file. A recurring event is read once, with its rule. */
export function* readCalendar({ bytes }: DocumentFile): Generator<DocumentItem> {
  const calendars = parsed(decodeText(bytes))
  const name = calendars.map((each) => textOf(each, 'x-wr-calname')).find(Boolean)
  yield { kind: 'head', format: 'ics', within: [], title: name }
  for (const [, , components] of calendars) {
    const zones = zonesOf(components)
    for (const component of components) {
      const [kind] = component
      if (kind === 'vevent' || kind === 'vtodo' || kind === 'vjournal') yield eventOf(component, zones)
    }
  }
}

type Zones = ReadonlyMap<string, ICAL.Timezone>

/** Returns the time zones that a calendar defines (RFC 5545, section 3.6.5), by their `TZID`. */
function zonesOf(components: readonly Component[]): Zones {
  const zones = new Map<string, ICAL.Timezone>()
  for (const component of components) {
    const tzid = component[0] === 'vtimezone' ? textOf(component, 'tzid') : undefined
    if (tzid !== undefined) zones.set(tzid, new ICAL.Timezone({ component: new ICAL.Component(component), tzid }))
  }
  return zones
}

/** Returns the components of an iCalendar or vCard text. Throws `file_damaged`. */
function parsed(text: string): Component[] {
  for (const read of [text, normalized(text)]) {
    try {
      const found = ICAL.parse(read) as Component | Component[]
      return (typeof found[0] === 'string' ? [found] : found) as Component[]
    } catch {
      // A text in an older version or with syntax errors is parsed again, after `normalized` has converted it.
    }
  }
  throw new Refusal('file_damaged')
}

function eventOf(component: Component, zones: Zones): CalendarEvent {
  const start = timeOf(component, 'dtstart', zones) ?? timeOf(component, 'due', zones)
  const end = timeOf(component, 'dtend', zones) ?? timeOf(component, 'due', zones)
  const repeats = first(component, 'rrule')
  const recurrence = timeOf(component, 'recurrence-id', zones)
  const fields: [string, Value | undefined][] = [
    ['start', start],
    ['end', end],
    ['location', textOf(component, 'location')],
    ['status', textOf(component, 'status')?.toLowerCase()],
    ['repeats', repeats ? ruleOf(repeats) : undefined],
    ['time_zone', zoneOf(component)],
  ]
  return {
    kind: 'event',
    uid: [textOf(component, 'uid') ?? `${textOf(component, 'summary')}/${start}`, recurrence].filter(Boolean).join('/'),
    title: textOf(component, 'summary'),
    text: textOf(component, 'description'),
    url: textOf(component, 'url'),
    start,
    organiser: peopleOf(component, 'organizer')[0],
    attendees: peopleOf(component, 'attendee'),
    properties: Object.fromEntries(fields.filter((each): each is [string, Value] => each[1] !== undefined)),
  }
}

/** Returns the first value of a property. */
function first([, properties]: Component, name: string): unknown {
  return properties.find(([each]) => each === name)?.[3]
}

/** Returns the first value of a property; undefined if it is blank. */
function textOf(component: Component, name: string): string | undefined {
  const value = first(component, name)
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined
}

function allOf([, properties]: Component, name: string): Property[] {
  return properties.filter(([each]) => each === name)
}

function zoneOf([, properties]: Component): string | undefined {
  const zone = properties.find(([name]) => name === 'dtstart')?.[1].tzid
  return typeof zone === 'string' ? zone : undefined
}

/**
 * Returns a date unchanged, and a time in UTC. A local time is converted by the calendar's definition of its zone,
 * otherwise by the zone's IANA name. If there is neither, it counts as UTC.
 */
function timeOf(component: Component, name: string, zones: Zones): string | undefined {
  const [, parameters, type, value] = component[1].find(([each]) => each === name) ?? []
  if (typeof value !== 'string') return undefined
  if (type === 'date' || !value.includes('T')) return value.slice(0, 'YYYY-MM-DD'.length)
  const zone = parameters?.tzid
  if (value.endsWith('Z') || typeof zone !== 'string') return isoOf(new Date(value.endsWith('Z') ? value : `${value}Z`))
  const defined = zones.get(zone)
  return isoOf(defined ? inDefinedZone(value, defined) : inZone(value, zone))
}

function isoOf(at: Date): string | undefined {
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString()
}

function inDefinedZone(shown: string, zone: ICAL.Timezone): Date {
  try {
    const time = ICAL.Time.fromDateTimeString(shown)
    time.zone = zone
    return time.toJSDate()
  } catch {
    return inZone(shown, zone.tzid)
  }
}

/** Returns the instant at which clocks in a zone show a local time. An unknown zone counts as UTC. */
function inZone(shown: string, zone: string): Date {
  const asUtc = new Date(`${shown}Z`)
  try {
    const clock = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' })
    const offsetMs = (at: Date) => new Date(`${clock.format(at).replace(' ', 'T')}Z`).getTime() - at.getTime()
    // Near a clock change the offset may differ, so it is looked up again at the resulting time.
    const about = new Date(asUtc.getTime() - offsetMs(asUtc))
    return new Date(asUtc.getTime() - offsetMs(about))
  } catch {
    return asUtc
  }
}

function ruleOf(rule: unknown): string {
  const parts = Object.entries(rule as Record<string, unknown>).map(([key, value]) => `${key}=${String(value)}`)
  return parts.join(';').toUpperCase()
}

function peopleOf(component: Component, name: string): NamedPerson[] {
  return allOf(component, name).flatMap(([, parameters, , value]) => {
    const email = /^mailto:(.+@.+)$/i.exec(String(value))?.[1]?.toLowerCase()
    const commonName = typeof parameters.cn === 'string' ? parameters.cn.trim() : ''
    return commonName || email ? [{ name: commonName || email!, ...(email && { emails: [email] }) }] : []
  })
}

const PROPERTY = /^(?:[A-Za-z0-9-]+\.)?([A-Za-z0-9-]+)((?:;[^:]*)?):(.*)$/
/** Matches properties that contain pictures, sounds or keys, which are not read. */
const BINARY = /^(?:PHOTO|LOGO|SOUND|KEY|ATTACH)$/i
const QUOTED = 'QUOTED-PRINTABLE'

/**
 * Converts lines of vCard 2.1 and of nonconforming programs to the syntax of vCard 3 and iCalendar. Quoted-printable
 * values are decoded, unnamed parameters get names, and lines that are not properties are removed.
 */
function normalized(text: string): string {
  const lines: string[] = []
  for (const line of unfolded(text)) {
    const [, name = '', given = '', value = ''] = PROPERTY.exec(line) ?? []
    if (name === '' || BINARY.test(name)) continue
    const parameters = given.split(';').filter(Boolean)
    const parameterOf = (key: string) =>
      parameters.find((each) => each.toUpperCase().startsWith(`${key}=`))?.slice(key.length + 1)
    const isQuoted = parameters.some((each) => each.toUpperCase().endsWith(QUOTED))
    const usable = parameters.flatMap((each) => {
      if (/^(?:CHARSET|ENCODING)=/i.test(each) || each.toUpperCase() === QUOTED) return []
      return [each.includes('=') ? each : `TYPE=${each}`]
    })
    const plain = isQuoted ? unquoted(value, parameterOf('CHARSET')) : value
    lines.push(`${[name, ...usable].join(';')}:${plain}`)
  }
  return lines.join('\n')
}

/**
 * Joins folded lines. A line continues the previous one if it starts with a blank or follows a soft line break of
 * quoted-printable.
 */
function unfolded(text: string): string[] {
  const lines: string[] = []
  let isOpen = false
  for (const line of text.split('\n')) {
    const last = lines.length - 1
    if (isOpen && last >= 0) lines[last] = lines[last]!.slice(0, -1) + line
    else if (/^[ \t]/.test(line) && last >= 0) lines[last] += line.slice(1)
    else lines.push(line)
    const whole = lines.at(-1)!
    isOpen = whole.endsWith('=') && whole.slice(0, whole.indexOf(':')).toUpperCase().includes(QUOTED)
  }
  return lines
}

function unquoted(value: string, charset: string | undefined): string {
  const bytes = Buffer.from(
    value.replace(/=([0-9A-Fa-f]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))),
    'latin1',
  )
  return decodeText(bytes, charset).replaceAll('\n', '\\n')
}

/** Reads the people of a vCard file, each with its identifiers. */
export function* readContacts({ bytes }: DocumentFile): Generator<DocumentItem> {
  yield { kind: 'head', format: 'vcf', within: [] }
  for (const card of parsed(decodeText(bytes))) {
    const contact = contactOf(card)
    if (contact) yield contact
  }
}

type Card = Parameters<typeof textOf>[0]

function contactOf(card: Card): Contact | undefined {
  const texts = (name: string) =>
    allOf(card, name).flatMap(([, , , ...values]) =>
      values.flat(2).filter((each): each is string => typeof each === 'string' && each.trim() !== ''),
    )
  const emails = texts('email').map((each) => each.replace(/^mailto:/i, '').toLowerCase())
  const phones = texts('tel').map((each) => each.replace(/^tel:/i, ''))
  const [family = '', given = ''] = texts('n')
  const name = textOf(card, 'fn') ?? ([given, family].filter(Boolean).join(' ') || texts('org')[0] || emails[0])
  if (!name) return undefined
  const [organisation] = texts('org')
  const addresses = allOf(card, 'adr').map(([, , , ...values]) =>
    values
      .flat(2)
      .map(String)
      .filter((each) => each.trim() !== '')
      .join(', '),
  )
  const fields: [string, string | undefined][] = [
    ['title', textOf(card, 'title') ?? textOf(card, 'role')],
    ['organisation', organisation],
    ['email', emails.join(', ') || undefined],
    ['phone', phones.join(', ') || undefined],
    ['address', addresses.join('; ') || undefined],
    ['birthday', textOf(card, 'bday')],
    ['url', textOf(card, 'url')],
  ]
  const properties = Object.fromEntries(
    fields.filter((each): each is [string, Value & string] => each[1] !== undefined),
  )
  const lines = Object.entries(properties).map(([key, value]) => `${key}: ${value}`)
  return {
    kind: 'contact',
    name,
    uid: textOf(card, 'uid'),
    emails,
    phones,
    aliases: texts('nickname'),
    organisation,
    text: [name, ...lines, ...texts('note')].join('\n'),
    properties,
  }
}
