import { Parser } from 'htmlparser2'

/** Attributes of an element by name, including the namespace prefix. */
export type Attributes = Readonly<Record<string, string>>

/** Handler of XML events. Element names have no namespace prefix. */
export interface XmlHandler {
  open?(name: string, attributes: Attributes): void
  text?(text: string): void
  close?(name: string): void
}

/** Maximum nesting depth of elements. Office documents have a few dozen levels. */
const DEPTH_MAX = 2_000

/**
 * Opens an XML parser for input in chunks. Entities that the document declares are not expanded, which prevents entity
 * expansion attacks. External entities are not fetched.
 */
export function openXml(handler: XmlHandler): { write(chunk: Uint8Array | string): void; end(): void } {
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
    write: (chunk) => parser.write(typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true })),
    end: () => parser.end(),
  }
}

/** Parses a complete XML stream. */
export async function readXml(chunks: AsyncIterable<Uint8Array>, handler: XmlHandler): Promise<void> {
  const xml = openXml(handler)
  for await (const chunk of chunks) xml.write(chunk)
  xml.end()
}

/** Returns an attribute by its local name. Ignores the namespace prefix. */
export function attribute(attributes: Attributes, name: string): string | undefined {
  const own = attributes[name]
  if (own !== undefined) return own
  const key = Object.keys(attributes).find((each) => each.endsWith(`:${name}`))
  return key === undefined ? undefined : attributes[key]
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}
