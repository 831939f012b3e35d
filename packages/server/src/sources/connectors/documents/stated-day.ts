import { monthNumber } from '@cairnstore/engine/text'

/** Languages whose weekday names are recognized; the names come from ICU. */
const LANGUAGES = 'en de fr es it pt nl sv da nb fi is pl cs sk hu ro hr sl bg ru uk el tr id'.split(' ')
const MONTHS = 12
const DAYS_MAX = 31
/** Number of leading lines that are searched for a date, and the maximum length of such a line in characters. */
const LINES = 15
const CHARS_MAX = 80
const ISO = /\b((?:19|20)\d\d)-(\d\d)-(\d\d)\b/
const DOTTED = /\b(\d{1,2})\. ?(\d{1,2})\. ?((?:19|20)\d\d)\b/
const SLASHES = /\b(\d{1,2})\/(\d{1,2})\/((?:19|20)\d\d)\b/
const EASTERN = /((?:19|20)\d\d)\s?[年년]\s?(\d{1,2})\s?[月월]\s?(\d{1,2})\s?[日일]/
const DAY_FIRST =
  /\b(\d{1,2})(?:st|nd|rd|th|er|[.ºª])?\s+(?:de |d[’']|of )?(\p{L}{3,14})\.?,?\s+(?:de |del )?((?:19|20)\d\d)\b/u
const MONTH_FIRST = /(?<!\p{L})(\p{L}{3,14})\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+((?:19|20)\d\d)\b/u
/** Labels of a document's date, in lower case. */
const LABELS: ReadonlySet<string> = new Set([
  ...['date', 'dated', 'as of', 'published', 'issued', 'created', 'updated', 'written', 'version', 'status', 'state'],
  ...['report date', 'date of issue', 'issue date', 'document date', 'on', 'of', 'am', 'the'],
  ...['datum', 'stand', 'vom', 'den', 'erstellt', 'veröffentlicht', 'ausstellungsdatum'],
  ...['le', 'publié le', 'date d’émission', 'fecha', 'el', 'publicado el', 'fecha de emisión', 'data', 'il'],
  ...['pubblicato il', 'dato', 'dags', 'päivämäärä', 'dátum', 'tarih', 'tanggal', 'дата', 'ημερομηνία'],
  ...['日付', '日期', '날짜'],
])
/** A place before the date of a letter: "Kiel, 4 May 2026", "Buenos Aires, den 4. Mai 2026". */
const PLACE = /^\p{Lu}[\p{L}.'’-]+(?: (?:\p{Lu}[\p{L}.'’-]+|am|an|der|de|la|sur)){0,3},(?: (?:den|le|the|am))?$/u

/** Returns the first date that has one of the first lines to itself: "4 May 2026", "Stand: 04.05.2026". */
export function statedDay(text: string): string | undefined {
  const lines = text.split('\n', 4 * LINES).filter((line) => line.trim() !== '')
  for (const line of lines.slice(0, LINES)) {
    const plain = line.replace(/^[#>*\s-]+|[*_]+/g, '').trim()
    const found = plain.length <= CHARS_MAX ? dayIn(plain) : undefined
    if (found && isOnlyDate(plain.replace(found.written, ' '))) return found.day
  }
  return undefined
}

/** Returns true if the rest of a date's line is only a weekday, a time, a label or a place. */
function isOnlyDate(rest: string): boolean {
  const bare = rest
    .replace(/\b\d{1,2}[:.]\d\d(?:\s*(?:uhr|h|am|pm))?\b/i, ' ')
    .replace(/[()|·–—]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  if (PLACE.test(bare)) return true
  const words = bare.toLowerCase().split(/[\s:.,]+/)
  const label = words.filter((word) => word !== '' && !weekdays().has(word)).join(' ')
  return label === '' || LABELS.has(label)
}

function dayIn(line: string): { day: string; written: string } | undefined {
  const take = (found: RegExpExecArray | null, year: number, month: number, day: number) =>
    found && asDay(found[0], found[year]!, found[month]!, found[day]!)
  const numeric = take(ISO.exec(line), 1, 2, 3) ?? take(EASTERN.exec(line), 1, 2, 3) ?? take(DOTTED.exec(line), 3, 2, 1)
  return numeric ?? take(DAY_FIRST.exec(line), 3, 2, 1) ?? take(MONTH_FIRST.exec(line), 3, 1, 2) ?? slashed(line)
}

/** Returns a date with slashes. Without a number above 12, the order of day and month is ambiguous: undefined. */
function slashed(line: string): { day: string; written: string } | undefined {
  const [written, one = '', two = '', year = ''] = SLASHES.exec(line) ?? []
  if (written === undefined || (Number(one) <= MONTHS && Number(two) <= MONTHS)) return undefined
  return Number(one) > MONTHS ? asDay(written, year, two, one) : asDay(written, year, one, two)
}

function asDay(
  written: string,
  year: string,
  named: string,
  day: string,
): { day: string; written: string } | undefined {
  const month = /^\d/.test(named) ? Number(named) : (monthNumber(named) ?? 0)
  if (month < 1 || month > MONTHS || Number(day) < 1 || Number(day) > DAYS_MAX) return undefined
  const at = new Date(Date.UTC(Number(year), month - 1, Number(day)))
  return at.getUTCDate() === Number(day) ? { day: at.toISOString(), written } : undefined
}

let weekdayNames: ReadonlySet<string> | undefined

function weekdays(): ReadonlySet<string> {
  weekdayNames ??= new Set(
    LANGUAGES.flatMap((language) => {
      const format = new Intl.DateTimeFormat(language, { weekday: 'long', timeZone: 'UTC' })
      return Array.from({ length: 7 }, (_, at) => format.format(Date.UTC(2026, 0, 1 + at)).toLowerCase())
    }),
  )
  return weekdayNames
}
