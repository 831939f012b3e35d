import { decodeText } from '../decode-text.ts'

const PROPERTY = /^(?:[A-Za-z0-9-]+\.)?([A-Za-z0-9-]+)((?:;[^:]*)?):(.*)$/
/** Pictures, sounds and keys, which nothing here reads. */
const BINARY = /^(?:PHOTO|LOGO|SOUND|KEY|ATTACH)$/i
const QUOTED = 'QUOTED-PRINTABLE'

/**
 * Lines of vCard 2.1, and of programs that hold to no version, as vCard 3 and iCalendar write them: values that are
 * quoted-printable are plain, parameters have names, what is no property is left out.
 */
export function tidied(text: string): string {
  const lines: string[] = []
  for (const line of unfolded(text)) {
    const [, name = '', given = '', value = ''] = PROPERTY.exec(line) ?? []
    if (name === '' || BINARY.test(name)) continue
    const parameters = given.split(';').filter(Boolean)
    const told = (key: string) =>
      parameters.find((each) => each.toUpperCase().startsWith(`${key}=`))?.slice(key.length + 1)
    const isQuoted = parameters.some((each) => each.toUpperCase().endsWith(QUOTED))
    const kept = parameters.flatMap((each) => {
      if (/^(?:CHARSET|ENCODING)=/i.test(each) || each.toUpperCase() === QUOTED) return []
      return [each.includes('=') ? each : `TYPE=${each}`]
    })
    const plain = isQuoted ? unquoted(value, told('CHARSET')) : value
    lines.push(`${[name, ...kept].join(';')}:${plain}`)
  }
  return lines.join('\n')
}

/** Logical lines: one that begins with a blank, or follows a soft break of quoted-printable, goes on with the last. */
function unfolded(text: string): string[] {
  const lines: string[] = []
  let isOpen = false
  for (const line of text.split('\n')) {
    const last = lines.length - 1
    if (isOpen && last >= 0) lines[last] = lines[last]!.slice(0, -1) + line
    else if (/^[ \t]/.test(line) && last >= 0) lines[last] += line.slice(1)
    else lines.push(line)
    const whole = lines.at(-1)!
    isOpen = whole.endsWith('=') && whole.slice(0, whole.indexOf(':')).toUpperCase().includes(QUOTED)
  }
  return lines
}

function unquoted(value: string, charset: string | undefined): string {
  const bytes = Buffer.from(
    value.replace(/=([0-9A-Fa-f]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))),
    'latin1',
  )
  return decodeText(bytes, charset).replaceAll('\n', '\\n')
}
