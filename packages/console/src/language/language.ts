import type { german } from './german.ts'

/** A language of the console. */
export type Language = 'en' | 'de'

/** A text of the console. The English text is its key; forms for one and for other counts are separated by `|`. */
export type Text = keyof typeof german

/** Names of the values that a text contains in braces. */
type ValueNames<Of extends string> = Of extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ValueNames<Rest>
  : never
export type Values<Of extends string, Value> = [ValueNames<Of>] extends [never]
  ? []
  : [{ [name in ValueNames<Of>]: Value }]

/** Name of each language in itself. */
export const LANGUAGES: Readonly<Record<Language, string>> = { en: 'English', de: 'Deutsch' }
const CHOICE = 'cairn-language'

/** The language that the user chose in this browser, otherwise the first of the browser's that the console has. */
export const language = chosenLanguage()
const browserLocales = globalThis.navigator?.languages ?? []
/** The locale of dates and numbers: the browser's regional form of the language. */
export const locale = browserLocales.find((each) => languageOf(each) === language) ?? language

// Awaited here, so that modules may translate constants. Browsers in English load no catalog.
const catalog = language === 'de' ? await import('./german.ts') : undefined
const translations: Readonly<Record<string, string>> = catalog?.german ?? {}
/** Sentences of the API that contain a value, and the expressions that find it. */
const patterns = Object.keys(catalog?.api ?? {}).flatMap((key): [string, RegExp][] => {
  const source = key.replace(/[.?]/g, '\\$&').replace(/\{(\w+)\}/g, '(?<$1>.+)')
  return source.includes('(?<') ? [[key, new RegExp(`^${source}$`, 's')]] : []
})
const plurals = new Intl.PluralRules(locale)
const numbers = new Intl.NumberFormat(locale)

if (globalThis.document) document.documentElement.lang = language

/** Returns a text in the user's language. Numbers among the values are formatted; `n` selects the plural form. */
export function t<Of extends Text>(text: Of, ...[values]: Values<Of, string | number>): string {
  return partsOf<string | number>(text, values).join('')
}

/** Returns the translation of a word or sentence of the API, such as a status. Unknown ones are returned unchanged. */
export function fromApi(text: string): string {
  if (Object.hasOwn(translations, text)) return translations[text] ?? text
  for (const [key, pattern] of patterns) {
    const { groups } = pattern.exec(text) ?? {}
    if (groups) return partsOf(key, groups).join('')
  }
  return text
}

/** Returns the translation of a text of the API sentence by sentence. */
export function sentencesFromApi(text: string): string {
  return text
    .split(/(?<=\.) /)
    .map(fromApi)
    .join(' ')
}

/** Stores the chosen language, and loads the page again in it. */
export function chooseLanguage(chosen: Language): void {
  localStorage.setItem(CHOICE, chosen)
  location.reload()
}

/** Returns the literal parts of a text in the user's language and its values, in order. Numbers are formatted. */
export function partsOf<Value>(text: string, values: Readonly<Record<string, Value>> = {}): (string | Value)[] {
  const [one = '', other = one] = (translations[text] ?? text).split('|')
  const isOne = typeof values.n !== 'number' || plurals.select(values.n) === 'one'
  // Odd parts are names of values.
  return (isOne ? one : other).split(/[{}]/).map((part, at) => {
    const value = values[part] as Value
    return at % 2 === 0 ? part : typeof value === 'number' ? numbers.format(value) : value
  })
}

function chosenLanguage(): Language {
  const chosen = globalThis.localStorage?.getItem(CHOICE)
  const wanted = [chosen ?? '', ...(globalThis.navigator?.languages ?? [])].map(languageOf)
  return wanted.find((each) => each !== undefined) ?? 'en'
}

function languageOf(tag: string): Language | undefined {
  const [base] = tag.toLowerCase().split('-')
  return base === 'en' || base === 'de' ? base : undefined
}
