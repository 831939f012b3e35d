import { decodeText } from '../decode-text.ts'
import type { Contact, DocumentFile, DocumentItem, Value } from '../document.ts'
import { allOf, parsed, textOf } from './read-calendar.ts'

/** The people of an address book, each with what identifies them. */
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
  const told: [string, string | undefined][] = [
    ['title', textOf(card, 'title') ?? textOf(card, 'role')],
    ['organisation', organisation],
    ['email', emails.join(', ') || undefined],
    ['phone', phones.join(', ') || undefined],
    ['address', addresses.join('; ') || undefined],
    ['birthday', textOf(card, 'bday')],
    ['url', textOf(card, 'url')],
  ]
  const properties = Object.fromEntries(told.filter((each): each is [string, Value & string] => each[1] !== undefined))
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
