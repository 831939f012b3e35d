import type { PDFDocumentProxy } from 'pdfjs-dist'
import { authorIn, ownMoment } from '../own-properties.ts'
import { rejectIfStalled } from './reject-if-stalled.ts'

const TIME = /^D:(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(?:Z|([+-])(\d\d)'?(\d\d)?'?)?/
/** Matches titles that programs set if the user gave none. */
const NO_TITLE = /^(?:untitled|microsoft word - .*|.*\.(?:docx?|pdf|tex|dvi|indd|xlsx?|pptx?|odt|rtf))$/i

/** Returns the title, author and date from the PDF metadata. */
export async function propertiesOfPdf(pdf: PDFDocumentProxy) {
  const { info } = await rejectIfStalled(pdf.getMetadata()).catch(() => ({ info: {} }))
  const { Title, Author, CreationDate, ModDate } = info as Record<string, unknown>
  const title =
    typeof Title === 'string' && Title.trim() !== '' && !NO_TITLE.test(Title.trim()) ? Title.trim() : undefined
  const author = authorIn(typeof Author === 'string' ? Author : undefined)
  return { title, authors: author ? [{ name: author }] : [], at: ownMoment(timeOf(CreationDate), timeOf(ModDate)) }
}

function timeOf(value: unknown): string | undefined {
  const [
    ,
    year,
    month = '01',
    day = '01',
    hour = '00',
    minute = '00',
    second = '00',
    sign,
    zoneHour = '00',
    zoneMinute = '00',
  ] = TIME.exec(String(value)) ?? []
  if (!year) return undefined
  const at = new Date(
    `${year}-${month}-${day}T${hour}:${minute}:${second}${sign ? `${sign}${zoneHour}:${zoneMinute}` : 'Z'}`,
  )
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString()
}
