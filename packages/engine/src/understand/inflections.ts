import { STOP_WORDS } from '../lexicon/languages.ts'
import type { Word } from '../text/words.ts'

/** What tells a language in a question, and how its words end; all folded. */
interface Language {
  /** Words that say nothing about what is asked for. */
  readonly small: ReadonlySet<string>
  /** What a word may end with in one form and another has in place of it; an empty one is among them. */
  readonly endings: readonly string[]
}

function language(small: string, endings: string): Language {
  return { small: new Set(small.split(' ')), endings: ['', ...endings.split(' ')] }
}

/**
 * Languages whose words have more forms than a plural in s. A change of vowel needs no rule: its dots are folded away.
 */
const LANGUAGES: readonly Language[] = [
  language(
    'der die das den dem des ein eine einen einem einer und oder ist sind war waren wird wurde wurden werden ' +
      'hat haben hatte nicht kein keine mit von vom bei beim zu zum zur auf aus fur im am um uber unter nach ' +
      'vor seit bis wer wen wem wann wo warum wie welche welcher welches welchen wieviel wir ihr sie es man ' +
      'sich unser unsere auch noch wenn dass',
    'e en n er ern es em s',
  ),
  language(
    'le la les l un une des du de d et ou est sont etait ete a ont avait ne pas avec pour par sur sous dans ' +
      'en au aux qui que quoi quand comment pourquoi quel quelle quels quelles combien nous vous ils elles il ' +
      'elle on ce cette ces son sa ses notre nos qu',
    's e es ee ees er ez ent x',
  ),
  language(
    'el la los las un una unos unas de del y o es son era fue han ha hay no con por para en al que quien ' +
      'cuando donde como porque cual cuales cuanto cuantos se su sus nuestro nuestra lo le les esta este',
    's es o a os as ar er ado ada ados adas an en',
  ),
  language(
    'il lo la i gli le un uno una di del della dei delle dello e o ed sono era stato stata ha hanno non con ' +
      'per da dal dalla su sul nel nella che chi quando dove come perche quale quali quanto quanti si suo sua ' +
      'al alla ai',
    'o a i e are ato ata ati ate',
  ),
  language(
    'o a os as um uma de do da dos das e ou foi sao era tem nao com por para em no na nos nas ao que quem ' +
      'quando onde como porque qual quais quanto quantos se seu sua',
    's es o a os as ar ado ada ados adas ao oes',
  ),
  language(
    'de het een en of zijn was waren wordt werd werden heeft hebben niet geen met van bij naar op uit voor om ' +
      'over onder na tot wie wat wanneer waar waarom hoe welke hoeveel wij we zij ze er zich ons onze ook nog ' +
      'als dat die',
    'e en s n',
  ),
]
/** What is left of a word before its ending at least: shorter ones have too many words beside them. */
const STEM_CHARS_MIN = 4
const LATIN = /^[a-z]+$/

/** Small letters or the first word: a capital makes a small word part of a name. */
function isSmall(word: Word): boolean {
  return !word.isCapital || word.startsSentence
}

/** The languages that a question may be in by its small words, unless it is more likely English. */
export function languagesOf(words: readonly Word[]): readonly Language[] {
  const plain = words.filter(isSmall).map(({ text }) => text)
  const count = (small: ReadonlySet<string>) => plain.filter((text) => small.has(text)).length
  const counts = LANGUAGES.map(({ small }) => count(small))
  const most = Math.max(...counts)
  return most === 0 || most <= count(STOP_WORDS) ? [] : LANGUAGES.filter((_, at) => counts[at] === most)
}

/** Whether a word of a question says nothing in one of the languages. */
export function isSmallIn(languages: readonly Language[], word: Word): boolean {
  return isSmall(word) && languages.some(({ small }) => small.has(word.text))
}

/** A word in its other possible forms in these languages; most are no words, which nothing holds. */
export function inflections(word: string, languages: readonly Language[] = LANGUAGES): Set<string> {
  const forms = new Set<string>()
  if (!LATIN.test(word)) return forms
  for (const { endings } of languages) {
    for (const ending of endings) {
      const base = word.slice(0, word.length - ending.length)
      if (!word.endsWith(ending) || base.length < STEM_CHARS_MIN) continue
      for (const other of endings) forms.add(base + other)
    }
  }
  forms.delete(word)
  return forms
}
