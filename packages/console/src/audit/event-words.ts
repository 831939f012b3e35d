import { typeName } from '../parts/record-title.ts'

/** An audit event as a sentence's beginning: `source.webhook_secret_rotated` is Source webhook secret rotated. */
export function eventWords(event: string): string {
  const words = typeName(event.replace('.', ' '))
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`
}
