import { AGREES, FIRST_FIELD, type Levels, MISSING, type Weights } from './compare.ts'
import type { Population } from './population.ts'

/** What two things say of each other beside their names. */
export interface Agreement {
  /** Whether a number that both tell (a price, a year, a telephone) is another, or the same. */
  numbers: 'differ' | 'agree' | 'silent'
  /** Whether a number that is no amount is the same: amounts agree by chance and custom, as of two prices. */
  hasSameNumber: boolean
  /** The share of the fields that both have in which they agree; 0 where they have none in common. */
  share: number
}

/** Another number tells two things apart only where it is rarer among equals: lengths in other units are not. */
const CONTRADICTS = -0.5
/** Amounts that are near agree where they are so much more often near among equals, as two shops' prices are. */
const NEAR_AGREES = 0.5

/** How the fields of a pair agree, with what the data shows that their levels are worth. */
export function agreementOf({ fields }: Population, levels: Levels, { evidence }: Weights): Agreement {
  let [compared, agree] = [0, 0]
  let numbers: Agreement['numbers'] = 'silent'
  let hasSameNumber = false
  for (const [at, { kind }] of fields.entries()) {
    const level = levels[FIRST_FIELD + at]!
    if (level === MISSING) continue
    const worth = evidence[FIRST_FIELD + at]![level]!
    const isEqual = level >= AGREES[kind]
    const isSame = isEqual || (kind === 'amount' && level > 0 && worth >= NEAR_AGREES)
    compared += 1
    if (isSame) agree += 1
    if (kind === 'words') continue
    if (isEqual && kind !== 'amount') hasSameNumber = true
    if (level === 0 && worth <= CONTRADICTS) numbers = 'differ'
    else if (isSame && numbers === 'silent') numbers = 'agree'
  }
  return { numbers, hasSameNumber, share: compared > 0 ? agree / compared : 0 }
}
