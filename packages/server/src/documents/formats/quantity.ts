/** A number and its unit: `%`, a currency or a unit of measurement. */
export interface Quantity {
  readonly number: number
  readonly unit?: string | undefined
}

export type DecimalMark = '.' | ','

/** Maximum length of a number in characters. */
const CHARS_MAX = 40
/** Maximum number of digits. A longer number is an identifier, because a double stores only 15 digits exactly. */
const DIGITS_MAX = 15
const PARTS = /^(\D*?)((?:[.,]?\d[\d.,'’ ]*)(?:[eE][+-]?\d{1,3}(?!\d))?)(\D*)$/
const BY_MARK = {
  '.': /^(?:\d{1,3}(?:[,'’ ]\d{3})+|\d{1,2}(?:,\d{2})+,\d{3}|\d*)(?:\.\d+)?(?:e[+-]?\d{1,3})?$/i,
  ',': /^(?:\d{1,3}(?:[.'’ ]\d{3})+|\d*)(?:,\d+)?(?:e[+-]?\d{1,3})?$/i,
} as const

/** Parses a number with its unit; undefined for any other text, and for identifiers such as `007`. */
export function parseQuantity(text: string, mark: DecimalMark): Quantity | undefined {
  if (text.length > CHARS_MAX) return undefined
  const plain = text.normalize('NFKC').replace(/\s/g, ' ').replace(/[−–]/g, '-').trim()
  const [, before = '', digits = '', after = ''] = PARTS.exec(plain) ?? []
  const core = digits.trim()
  if (core === '' || /^0\d/.test(core) || core.replace(/\D/g, '').length > DIGITS_MAX) return undefined
  if (!BY_MARK[mark].test(core)) return undefined
  const unit = unitFrom(affix(before), affix(after))
  const isNegative = signOf(before, after)
  if (unit === undefined || isNegative === undefined) return undefined
  const groups = mark === '.' ? /[,'’ ]/g : /[.'’ ]/g
  const number = Number(core.replace(groups, '').replace(',', '.'))
  if (!Number.isFinite(number)) return undefined
  return { number: isNegative ? -number : number, ...(unit && { unit }) }
}

/** Removes the sign from the text before or after a number. */
function affix(text: string): string {
  return text.replace(/[()+-]/g, '').trim()
}

/** Returns true if a number is negative: "-5", "5-" and, in accounting, "(5)". Undefined for any other sign. */
function signOf(before: string, after: string): boolean | undefined {
  const signs = `${before}_${after}`.replace(/[^()+\-_]/g, '')
  if (signs === '_' || signs === '+_') return false
  return signs === '-_' || signs === '_-' || signs === '(_)' ? true : undefined
}

/** Returns the unit before or after a number. It is empty if there is none, and undefined if the text is not a unit. */
function unitFrom(before: string, after: string): string | undefined {
  if (before === '') return after === '' || isUnit(after) ? after : undefined
  if (!isCurrency(before)) return undefined
  return after === '' ? before : isCurrency(after) ? after : undefined
}

/** SI units with their prefixes, and units that are commonly used with them. */
const MEASURE = new RegExp(
  [
    '^(?:[%‰°]|°[CF]|[kMGTPmµμnc]?(?:[mgslLWVAJNFHKtΩ]|Wh|VA|Hz|Pa|bar|[Bb]|bit|B/s|bit/s)',
    '[kMGT]iB|[kcmd]?m[²³23]|h|min|d|ha|kt|km/h|m/s|mph|dB|px|pcs|ppm)$',
  ].join('|'),
)

/** Returns true if a text is a unit that can follow numbers. */
export function isUnit(text: string): boolean {
  return MEASURE.test(text) || isCurrency(text)
}

/** Returns true if a text is a currency code or symbol: "EUR", "kr", "US$", "Fr.". */
export function isCurrency(text: string): boolean {
  if (/^(?:[A-Z]{1,3})?\p{Sc}$/u.test(text)) return true
  currencies ??= currencyNames()
  return currencies.has(text.replace(/\.$/, ''))
}

/** Returns the number of decimals of a currency by its ISO code: 3 for "KWD", 0 for "JPY". For a symbol, it is 2. */
export function decimalsOf(currency: string): number {
  if (!/^[A-Z]{3}$/.test(currency)) return 2
  return new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2
}

let currencies: ReadonlySet<string> | undefined
/** Locales of currencies whose local symbol differs from the English one. */
const CURRENCY_LOCALES = Object.entries({
  ...{ BGN: 'bg', CHF: 'de-CH', CZK: 'cs', DKK: 'da', HUF: 'hu', ISK: 'is', NOK: 'nb', PLN: 'pl', RON: 'ro' },
  ...{ RSD: 'sr', RUB: 'ru', SEK: 'sv', TRY: 'tr', UAH: 'uk' },
})
/** Currency symbols that are missing from Unicode's data. */
const OTHER_SYMBOLS = ['Fr', 'SFr', 'Rs', 'Euro', 'euro', 'euros']

/** Returns currency codes and symbols from ICU. */
function currencyNames(): ReadonlySet<string> {
  const codes = Intl.supportedValuesOf('currency')
  const names = new Set([...codes, ...OTHER_SYMBOLS])
  for (const [currency, locale] of [...codes.map((code) => [code, 'en']), ...CURRENCY_LOCALES]) {
    const format = new Intl.NumberFormat(locale, { style: 'currency', currency, currencyDisplay: 'narrowSymbol' })
    const symbol = format
      .formatToParts(1)
      .find(({ type }) => type === 'currency')
      ?.value.trim()
    if (symbol && symbol.length > 1) names.add(symbol.replace(/\.$/, ''))
  }
  return names
}

/** Matches formula errors in the languages of spreadsheet programs: "#N/A", "#REF!", "#NAME?". */
const FORMULA_ERROR = /^#(?:N\/?[ADV]|[\p{Lu}\d/_ÄÖÜ]{2,14}[!?])$/u

/** Returns true if a cell contains a formula error, which is not a value. */
export function isFormulaError(text: string): boolean {
  return FORMULA_ERROR.test(text)
}

/** Returns true if a cell in a column of numbers means "no value": a dash, "n/a", "NaN", "null". */
export function isPlaceholder(text: string): boolean {
  return /^(?:[-–—−.]{1,3}|n\.?\/?[ak]\.?|nan|null|none)$/i.test(text)
}
