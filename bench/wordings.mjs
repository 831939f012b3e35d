// Loads the wordings of the tests' row questions with their records. They are TypeScript, so they are compiled into a
// temporary folder next to a link to the example that they read.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { readLines } from './sets.mjs'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const WORKSPACE = join(ROOT, 'examples/workspace')
const COMPILER = join(ROOT, 'node_modules/typescript/bin/tsc')
const MODULES = ['all', 'held-out']

/**
 * A workspace: its records by source, the wordings of its questions, and their reference date.
 * @typedef {{ name: string, day: string, sources: { provider: string, records: any[] }[],
 *   wordings: string[] }} Workspace
 */

/** Reads the example workspace and the tests' veterinary practice. @returns {Promise<Workspace[]>} */
export async function readWorkspaces() {
  const [all, heldOut] = await compiled()
  const example = JSON.parse(readFileSync(join(WORKSPACE, 'workspace.json'), 'utf8'))
  const sources = example.sources.map((/** @type {{ provider: string, file: string }} */ { provider, file }) => ({
    provider,
    records: readLines(join(WORKSPACE, file)),
  }))
  const asked = all.questions.flatMap((/** @type {{ wordings: string[] }} */ { wordings }) => wordings)
  const wordings = [example.question, ...example.sample_questions.map(textOf), ...asked, ...all.refused]
  const practised = heldOut.heldOut.map((/** @type {[unknown, string]} */ [, wording]) => wording)
  return [
    { name: 'example', day: all.REFERENCE_DATE, sources, wordings: [...new Set(wordings)] },
    {
      name: 'practice',
      day: heldOut.PRACTICE_DATE,
      sources: [{ provider: 'slack', records: heldOut.practice }],
      wordings: [...new Set([...practised, ...heldOut.heldOutRefused])],
    },
  ]
}

/** @param {string | { question: string }} question */
function textOf(question) {
  return typeof question === 'string' ? question : question.question
}

async function compiled() {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-wordings-'))
  try {
    const out = join(folder, 'tests/questions')
    mkdirSync(out, { recursive: true })
    symlinkSync(join(ROOT, 'examples'), join(folder, 'examples'))
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
    const files = MODULES.map((name) => join(ROOT, 'tests/questions', `${name}.ts`))
    const config = {
      extends: join(ROOT, 'tsconfig.base.json'),
      compilerOptions: { outDir: out, rootDir: join(ROOT, 'tests/questions'), noCheck: true, types: [] },
      files,
    }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
    execFileSync(process.execPath, [COMPILER, '-p', folder], { stdio: 'inherit' })
    return await Promise.all(MODULES.map((name) => import(pathToFileURL(join(out, `${name}.js`)).href)))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
