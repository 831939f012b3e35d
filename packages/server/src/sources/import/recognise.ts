import { Refusal } from '../../documents/document.ts'
import type { Medium } from '../../documents/recogniser.ts'
import { Reach } from '../../tenancy/reach/reach.ts'
import type { Target } from './target.ts'

/**
 * The text of a picture or a sound, and what its record tells of how it was read; undefined where no model is
 * configured for it. Throws a Refusal for what is shown to no model, and for what one gave no text of.
 */
export type Recognise = (medium: Medium, bytes: Uint8Array) => Promise<Recognised | undefined>

interface Recognised {
  text: string
  properties: { read_by: string; read_with: string }
}

/** Files of one import that a model is shown; each may take it a minute. */
const FILES_MAX = 200
const BYTES_PER_MIB = 1024 * 1024

/** Begins to read the pictures and sounds of one import. */
export function openRecognising({ ctx, reach }: Pick<Target, 'ctx' | 'reach'>): Recognise {
  let shown = 0
  return async ({ kind, format }, bytes) => {
    const recogniser = ctx.recognisers[kind]
    if (!recogniser) return undefined
    // The sandbox may have been put under a key since the import began.
    const now = await Reach.find(ctx.sql, ctx.caller, reach.sandboxId)
    if (ctx.key || now?.sandbox.caller_key !== null) throw new Refusal('under_callers_key')
    const { way, model, bytesMax } = recogniser
    if (bytes.length > bytesMax) {
      const most = `A ${kind} of which a model reads the text has at most ${bytesMax / BYTES_PER_MIB} MiB.`
      throw new Refusal('file_too_large', most)
    }
    if (shown >= FILES_MAX) throw new Refusal('not_recognised', TOO_MANY)
    shown += 1
    const text = await recogniser.read(ctx.caller.accountId, { bytes, format, signal: ctx.stopping })
    if (text.trim() === '') throw new Refusal('no_text', `The model found no text in the ${kind}.`)
    return { text, properties: { read_by: way, read_with: model } }
  }
}

const TOO_MANY = `A model reads ${FILES_MAX} pictures and sounds of an import; send this one with another.`
