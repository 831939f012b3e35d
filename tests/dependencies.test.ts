import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

interface Lock {
  packages: Record<string, { engines?: { node?: string } }>
}

it('every dependency supports the oldest supported Node, so an install prints no warning', () => {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as Lock
  const least = /(\d+)\.(\d+)/.exec(packages['']!.engines!.node!)!
  const [major, minor] = [Number(least[1]), Number(least[2])]
  const admits = (range: string) => {
    const [, from = '', wanted = '', after = '0'] = /^([^\d]*)(\d+)?(?:\.(\d+))?/.exec(range.trim())!
    if (wanted === '') return true
    const isEnough = Number(wanted) === major ? Number(after) <= minor : Number(wanted) < major
    return isEnough && (from.startsWith('>=') || Number(wanted) === major)
  }
  const wanting = Object.entries(packages).filter(([, each]) => !(each.engines?.node ?? '*').split('||').some(admits))
  expect(wanting.map(([path]) => path)).toEqual([])
})
