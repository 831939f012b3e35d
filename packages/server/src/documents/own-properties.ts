/** Creation times that programs copy from a template, or write if they have no clock. */
const TEMPLATE_MOMENTS: ReadonlySet<string> = new Set([
  // python-docx and python-pptx
  '2013-12-23T23:15:00Z',
  '2013-01-27T09:14:16Z',
])
/** Earliest plausible year. No file of these formats is older. */
const FIRST_YEAR = 1985
/** Names of programs and placeholders that occur in author fields, in lower case. */
const NO_AUTHORS: ReadonlySet<string> = new Set([
  ...['python-docx', 'python-pptx', 'openpyxl', 'xlsxwriter', 'apache poi', 'phpword', 'phpspreadsheet', 'exceljs'],
  ...['sheetjs', 'docx4j', 'pptxgenjs', 'libreoffice', 'chromium', 'word', 'excel', 'powerpoint', 'microsoft word'],
  ...['microsoft excel', 'microsoft powerpoint', 'unnamed', 'un-named', 'unknown', 'anonymous', '(anonymous)', 'user'],
  ...['admin', 'administrator', 'owner', 'author', 'root', 'office user', 'microsoft office user', 'windows user'],
  ...['unspecified', '(unspecified)'],
])
const PROGRAM = /^(?:reportlab|mozilla|wkhtmltopdf)\b|@localhost$/i

/** Returns the author in a file's properties. Undefined for names of programs, placeholders and account names. */
export function authorIn(author: string | undefined): string | undefined {
  const name = author?.trim()
  return name && !NO_AUTHORS.has(name.toLowerCase()) && !PROGRAM.test(name) ? name : undefined
}

/** Returns the first of these times that is not a program's default. */
export function ownMoment(...moments: readonly (string | undefined)[]): string | undefined {
  return moments.find((moment) => {
    const year = Number(/^(\d{4})/.exec(moment ?? '')?.[1])
    return year >= FIRST_YEAR && !TEMPLATE_MOMENTS.has(moment!.replace(/\.0+Z$/, 'Z'))
  })
}
