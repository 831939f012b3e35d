import { Parser } from 'htmlparser2'

/** The attributes of an element by their names, with their prefixes. */
export type Attributes = Readonly<Record<string, string>>

/** What is told of XML as it is read; names come without their prefixes. */
export interface XmlHandler {
  open?(name: string, attributes: Attributes): void
  text?(text: string): void
  close?(name: string): void
}

/** Elements that may stand within each other; a document of an office has a few dozens. */
const DEPTH_MAX = 2_000

/**
 * Opens a reader of XML that is given in pieces. Entities that the document itself declares are not replaced, so that
 * none can grow, and nothing outside is fetched.
 */
export function openXml(handler: XmlHandler): { write(piece: Uint8Array | string): void; end(): void } {
  const decoder = new TextDecoder()
  let depth = 0
  const parser = new Parser(
    {
      onopentag: (name, attributes) => {
        depth += 1
        if (depth > DEPTH_MAX) throw new Error('nested too deep')
        handler.open?.(localName(name), attributes)
      },
      ontext: (text) => handler.text?.(text),
      onclosetag: (name) => {
        depth -= 1
        handler.close?.(localName(name))
      },
    },
    { xmlMode: true, decodeEntities: true },
  )
  return {
    write: (piece) => parser.write(typeof piece === 'string' ? piece : decoder.decode(piece, { stream: true })),
    end: () => parser.end(),
  }
}

/** Reads all of some XML. */
export async function readXml(pieces: AsyncIterable<Uint8Array>, handler: XmlHandler): Promise<void> {
  const xml = openXml(handler)
  for await (const piece of pieces) xml.write(piece)
  xml.end()
}

/** An attribute, whatever its prefix. */
export function attribute(attributes: Attributes, name: string): string | undefined {
  const own = attributes[name]
  if (own !== undefined) return own
  const key = Object.keys(attributes).find((each) => each.endsWith(`:${name}`))
  return key === undefined ? undefined : attributes[key]
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}
