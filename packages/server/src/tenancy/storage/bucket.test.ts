import { describe, expect, it } from 'vitest'
import { Fault } from '../../base/fault.ts'
import { endpointOf, toBucket } from './bucket.ts'

const given = (more: object = {}) => ({
  provider_type: 'custom_s3' as const,
  bucket: 'theirs',
  region: 'eu-central-1',
  access_key_id: 'id',
  secret_access_key: 'secret',
  ...more,
})

/** Returns the location of the validation error; undefined if the bucket is accepted. */
function refusal(more: object, allowLoopback = false): unknown {
  try {
    toBucket(given(more), allowLoopback)
    return undefined
  } catch (error) {
    return error instanceof Fault ? error.problems?.[0]?.loc.at(-1) : error
  }
}

describe('an own bucket', () => {
  it('must have a public https endpoint', () => {
    const taken = ['https://s3.example.com', 'https://s3.example.com:9000/base/', 'https://minio.example.co.uk:443']
    for (const endpoint of taken) expect(refusal({ endpoint }), endpoint).toBeUndefined()
    expect(toBucket(given({ endpoint: 'https://S3.Example.com:9000/base//' }), false).place.endpoint).toBe(
      'https://s3.example.com:9000/base',
    )
    const refused = ['http://s3.example.com', 'https://s3.example.com:22', 'ftp://s3.example.com', 'no url', '']
    const parts = ['https://a:b@s3.example.com', 'https://s3.example.com?x', 'https://s3.example.com#']
    for (const endpoint of [...refused, ...parts]) expect(refusal({ endpoint }), endpoint).toBe('endpoint')
  })

  it('must not have a private address in any spelling', () => {
    const numbers = ['10.0.0.1', '127.1', '0x7f.1', '2130706433', '169.254.169.254', '[::1]', '[fd00:ec2::254]']
    const names = ['localhost', 'localhost.', 'store', 'a.local', 'metadata.google.internal', '①②⑦.0.0.1']
    for (const host of [...numbers, ...names]) {
      expect(refusal({ endpoint: `https://${host}` }), host).toBe('endpoint')
      expect(refusal({ endpoint: `http://${host}:9000` }), host).toBe('endpoint')
    }
    for (const host of ['localhost', '127.0.0.1', '[::1]']) {
      expect(refusal({ endpoint: `http://${host}:9000` }, true), host).toBeUndefined()
    }
    for (const host of ['10.0.0.1', 's3.example.com', '169.254.169.254']) {
      expect(refusal({ endpoint: `http://${host}:9000` }, true), host).toBe('endpoint')
    }
  })

  it('is AWS in its region if it has no endpoint', () => {
    expect(endpointOf(toBucket(given(), false).place)).toBe('https://s3.eu-central-1.amazonaws.com')
    const china = toBucket(given({ region: 'cn-north-1', endpoint: null }), false).place
    expect(endpointOf(china)).toBe('https://s3.cn-north-1.amazonaws.com.cn')
  })

  it('has a prefix that never contains another sandbox’s folder', () => {
    const prefixOf = (prefix: string) => toBucket(given({ prefix }), false).place.prefix
    expect([prefixOf(''), prefixOf('/'), prefixOf('/a/b=1//')]).toEqual(['', '', 'a/b=1'])
    const folder = `sbx_${'0'.repeat(26)}`
    for (const prefix of ['a//b', '..', 'a/../b', './a', folder, `a/${folder}`, `acct_1/${folder}/b`]) {
      expect(refusal({ prefix }), prefix).toBe('prefix')
    }
  })
})
