import { FAULTS, type FaultName, faultOf, REASONS } from '@cairnstore/contract'
import { expect, test } from 'vitest'
import { Fault } from '../base/fault.ts'
import { errorBody, toFault } from './errors.ts'

test('every error and reason of the catalog has a body in the contract’s form', () => {
  for (const name of [...Object.keys(FAULTS), ...Object.keys(REASONS)] as FaultName[]) {
    const body = errorBody(new Fault(name), 'req-1')
    expect(body.error in FAULTS).toBe(true)
    expect(body.reason).toBe(name in REASONS ? name : undefined)
    expect(body.detail).toMatch(/^[A-Z`a-z_].*\.$/)
    expect(faultOf(name).status).toBe(FAULTS[body.error].status)
  }
})

test('notes and causes for the log are not in the body', () => {
  const fault = new Fault('unavailable', { note: 'secret note', cause: new Error('secret cause') })
  expect(JSON.stringify(errorBody(fault, 'req-1'))).not.toContain('secret')
})

test('only the framework’s own errors keep their status; any other is internal', () => {
  expect(toFault(Object.assign(new Error('x'), { code: 'FST_ERR_CTP_INVALID_MEDIA_TYPE', statusCode: 415 })).code).toBe(
    'unsupported_media_type',
  )
  expect(toFault(Object.assign(new Error('x'), { statusCode: 404 })).code).toBe('internal_error')
  expect(toFault('a string').code).toBe('internal_error')
  expect(toFault(undefined).code).toBe('internal_error')
})
