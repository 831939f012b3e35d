import { escapeLiteral } from 'pg'

/** Returns a value as an escaped SQL literal. Throws Error for types that `Sql.look` does not accept. */
export function literal(value: unknown): string {
  if (value === null) return 'null'
  if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value)
  if (typeof value === 'boolean') return String(value)
  if (typeof value === 'string') return textLiteral(value)
  if (value instanceof Date) return `'${value.toISOString()}'::timestamptz`
  if (value instanceof Uint8Array) return bytesLiteral(Buffer.from(value))
  if (isTextArray(value)) return `array[${value.map(textLiteral).join(', ')}]::text[]`
  if (isPlainObject(value)) return `${textLiteral(JSON.stringify(value))}::jsonb`
  throw new Error(`Sql.look and Sql.write do not accept this ${typeof value} as a parameter. Use Sql.transact.`)
}

/** Returns a quoted text. NUL would end the query string, so it is sent in hexadecimal, which the server rejects. */
function textLiteral(text: string): string {
  return text.includes('\0') ? `convert_from(${bytesLiteral(Buffer.from(text))}, 'UTF8')` : escapeLiteral(text)
}

function bytesLiteral(bytes: Buffer): string {
  return `decode('${bytes.toString('hex')}', 'hex')`
}

function isTextArray(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string')
}

function isPlainObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
}
