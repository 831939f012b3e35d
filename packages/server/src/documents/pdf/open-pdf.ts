import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { performance } from 'node:perf_hooks'
import type { PDFDocumentProxy } from 'pdfjs-dist'
import { Refusal } from '../document.ts'

const LIBRARY = 'pdfjs-dist/legacy/build/pdf.mjs'
const ERRORS_ONLY = 0

/**
 * Opens a PDF. Throws `file_damaged`, also for one that was cut off, and `file_encrypted` for one that asks for a
 * password before it shows anything.
 */
export async function openPdf(bytes: Uint8Array): Promise<PDFDocumentProxy> {
  assertWhole(bytes)
  // What draws is not needed, and the library says on the console that it is not there.
  const globals = globalThis as Record<string, unknown>
  for (const name of ['DOMMatrix', 'ImageData', 'Path2D']) globals[name] ??= class {}
  const { getDocument, VerbosityLevel } = (await import(LIBRARY)) as typeof import('pdfjs-dist')
  const folder = dirname(createRequire(import.meta.url).resolve('pdfjs-dist/package.json'))
  const task = getDocument({
    data: bytes,
    cMapUrl: `${join(folder, 'cmaps')}/`,
    cMapPacked: true,
    standardFontDataUrl: `${join(folder, 'standard_fonts')}/`,
    wasmUrl: `${join(folder, 'wasm')}/`,
    disableFontFace: true,
    useSystemFonts: false,
    isEvalSupported: false,
    enableXfa: false,
    stopAtErrors: false,
    verbosity: VerbosityLevel?.ERRORS ?? ERRORS_ONLY,
  })
  try {
    return await orStalled(task.promise)
  } catch (cause) {
    const isLocked = (cause as Error).name === 'PasswordException'
    throw new Refusal(isLocked ? 'file_encrypted' : 'file_damaged')
  }
}

/** A file that has no end, or is shorter than its own beginning says, was cut off. */
function assertWhole(bytes: Uint8Array): void {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const head = buffer.toString('latin1', 0, HEAD_BYTES)
  const said = head.includes('/Linearized') ? Number(/\/L\s+(\d{1,12})/.exec(head)?.[1] ?? 0) : 0
  if (buffer.lastIndexOf('%%EOF') < 0 || said > buffer.length) throw new Refusal('file_damaged')
}

const HEAD_BYTES = 2_048
const LOOK_MS = 250
/** A thread that does so little while something is waited for waits for what never comes. */
const IDLE_MAX = 0.05
const IDLE_LOOKS_MAX = 8

/** What is promised, unless nothing works on it any more, which a broken file can bring the library to. */
export function orStalled<T>(work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    let last = performance.eventLoopUtilization()
    let idle = 0
    const timer = setInterval(() => {
      const now = performance.eventLoopUtilization()
      const { utilization } = performance.eventLoopUtilization(now, last)
      last = now
      idle = utilization < IDLE_MAX ? idle + 1 : 0
      if (idle >= IDLE_LOOKS_MAX) reject(new Refusal('file_damaged'))
    }, LOOK_MS)
    work.then(resolve, reject).finally(() => clearInterval(timer))
  })
}
